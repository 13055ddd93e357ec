/** One way to call an operation: who we are, what went wrong, and the token that proves this page is ours. */
import { ROUTES, type Used } from "./routes";
import type { Answered, Asked } from "./types";
import { standing } from "../lib/standing";
import { Signal } from "../lib/signal";

export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly status = 0,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
  /** Nobody heard us, or nobody is there to: trying again may help. */
  get isAway(): boolean {
    return this.code === "unreachable" || this.code === "unavailable";
  }
}

export type Auth = { state: "asking" | "in" | "out" | "expired"; principal: string; csrf: string };
export const auth = new Signal<Auth>({ state: "asking", principal: "", csrf: "" });
/** `false` while the daemon does not answer. */
export const reachable = new Signal(true);
/** Grows whenever what is shown may be old: signed in again, daemon back. */
export const epoch = new Signal(0);

const LINES = "application/x-ndjson";

export async function call<N extends Used>(name: N, asked: Asked<N>, signal?: AbortSignal): Promise<Answered<N>> {
  const answer = await request(name, asked as object, "application/json", signal);
  return (await answer.json()) as Answered<N>;
}

/** The lines of a stream, as they come. */
export async function* lines<T>(answer: Response): AsyncGenerator<T> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        if (part) yield read<T>(part);
      }
    }
    if (rest) yield read<T>(rest);
  } catch (error) {
    throw error instanceof ApiError ? error : unreachable(error);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

export async function stream<N extends Used>(name: N, asked: Asked<N>, signal?: AbortSignal) {
  return lines<Answered<N>>(await request(name, asked as object, LINES, signal));
}

export interface Progress {
  what: string;
  done: number;
  total: number;
}

/** As `call`, and tells how far it is. */
export async function callWithProgress<N extends Used>(
  name: N,
  asked: Asked<N>,
  report: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<Answered<N>> {
  const answer = await request(name, asked as object, LINES, signal);
  for await (const line of lines<{ progress?: Progress; result?: Answered<N> }>(answer)) {
    if (line.result !== undefined) return line.result;
    if (line.progress) report(line.progress);
  }
  throw new ApiError("unavailable", "the answer ended early", "try again");
}

export async function whoAmI(): Promise<void> {
  try {
    const session = await send("/console/v1/session", { headers: { accept: "application/json" } });
    signedIn(await session.json());
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) auth.set({ ...auth.value, state: auth.value.csrf ? "expired" : "out" });
    else throw error;
  }
}

export async function signIn(shown: { code: string } | { password: string }): Promise<void> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(shown) };
  const answer = await send("/console/v1/login", init);
  signedIn(await answer.json());
}

export async function signOut(): Promise<void> {
  await send("/console/v1/logout", { method: "POST", headers: { "x-palyra-csrf": auth.value.csrf, "content-type": "application/json" }, body: "{}" });
  auth.set({ state: "out", principal: auth.value.principal, csrf: "" });
}

function signedIn(session: { principal: string; csrf_token: string }): void {
  if (location.pathname !== "/console/") history.replaceState(null, "", `/console/${location.hash}`); // of a link that was used
  auth.set({ state: "in", principal: session.principal, csrf: session.csrf_token });
  epoch.set(epoch.value + 1);
}

async function request(name: Used, asked: object, accept: string, signal?: AbortSignal): Promise<Response> {
  const [method, path] = ROUTES[name] as readonly [string, string];
  const fields: Record<string, unknown> = { ...asked };
  const target = path.replace(/\{(\w+)\}/g, (_whole, field: string) => {
    const value = String(fields[field]);
    delete fields[field];
    return encodeURIComponent(value);
  });
  const init = (): RequestInit => ({
    method: method.toUpperCase(),
    headers: { accept, ...standing.headers(), ...(method === "get" ? {} : { "content-type": "application/json", "x-palyra-csrf": auth.value.csrf }) },
    ...(method === "get" ? {} : { body: JSON.stringify(fields) }),
    ...(signal ? { signal } : {}),
  });
  const url = `/console${target}${method === "get" ? query(fields) : ""}`;
  try {
    return await send(url, init());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 403 && error.message.includes("x-palyra-csrf")) {
      await whoAmI(); // signed in again in another tab: the cookie is new, and so is the token
      return send(url, init());
    }
    if (error.status === 401) auth.set({ ...auth.value, state: "expired" });
    throw error;
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { ...init, credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reachable.set(false);
    throw unreachable(error);
  }
  reachable.set(true);
  if (answer.ok) return answer;
  throw toError(answer.status, await answer.text());
}

function query(fields: Record<string, unknown>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") words.append(name, String(one));
    }
  }
  const text = words.toString();
  return text && `?${text}`;
}

function read<T>(line: string): T {
  const value = JSON.parse(line) as T & { error?: { code?: string }; type?: string };
  if (value.error?.code && value.type === undefined) throw toError(500, line);
  return value;
}

export function toError(status: number, body: string): ApiError {
  try {
    const { error } = JSON.parse(body);
    return new ApiError(String(error.code), String(error.message), String(error.hint ?? ""), status, error.details ?? {});
  } catch {
    return new ApiError("internal", `the answer was ${status}, and not in Palyra's words`, "is this address a daemon's?", status);
  }
}

function unreachable(cause: unknown): ApiError {
  const error = new ApiError("unreachable", "palyrad does not answer", "start it: palyra serve");
  error.cause = cause;
  return error;
}

/** Looks until the daemon answers again, then has everything read anew. */
export function watchDaemon(): () => void {
  let timer = 0;
  const look = async () => {
    try {
      await fetch("/healthz", { cache: "no-store" });
      reachable.set(true);
      await whoAmI();
    } catch {
      timer = window.setTimeout(look, 1500);
    }
  };
  return reachable.subscribe(() => {
    window.clearTimeout(timer);
    if (!reachable.value) timer = window.setTimeout(look, 700);
  });
}
