/** What a page asks the daemon for: read when shown, and again when it may be old. */
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, epoch } from "../api/client";
import { useSignal } from "./signal";
import { standing } from "./standing";

export interface Asking<T> {
  data: T | undefined;
  error: ApiError | undefined;
  busy: boolean;
  reload: () => void;
}

/** `key` says what is asked; another key, another question. null: nothing is asked. */
export function useAsked<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>, everyMs = 0): Asking<T> {
  const [found, setFound] = useState<{ key: string; data?: T; error?: ApiError }>();
  const [turn, setTurn] = useState(0);
  const [busy, setBusy] = useState(false);
  const age = useSignal(epoch);
  const stands = useSignal(standing);
  const full = key === null ? null : `${stands.principal}\n${stands.channel}\n${key}`;
  const latest = useRef(ask);
  latest.current = ask;

  useEffect(() => {
    if (full === null) return;
    const stop = new AbortController();
    setBusy(true);
    latest.current(stop.signal).then(
      (data) => !stop.signal.aborted && (setFound({ key: full, data }), setBusy(false)),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setBusy(false);
        const told = asApiError(error);
        setFound((before) => (before?.key === full && before.data !== undefined ? { ...before, error: told } : { key: full, error: told }));
      },
    );
    return () => stop.abort();
  }, [full, turn, age]);

  const reload = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    if (!everyMs || full === null) return;
    const timer = window.setInterval(() => document.visibilityState === "visible" && reload(), standing.pace(everyMs));
    return () => window.clearInterval(timer);
  }, [everyMs, full, reload]);

  const mine = found?.key === full ? found : undefined;
  return { data: mine?.data, error: mine?.error, busy, reload };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("internal", error instanceof Error ? error.message : String(error));
}
