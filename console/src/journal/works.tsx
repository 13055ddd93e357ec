/** Verify all of it, and sign it. */
import { useState } from "react";
import { ApiError, call, callWithProgress, stream, type Progress } from "../api/client";
import type { Verified } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { count, plural } from "../lib/format";
import { href } from "../lib/router";
import { save } from "../lib/save";
import { Button, ErrorNotice, Notice } from "../parts/parts";
import s from "./journal.module.css";

export function Works() {
  const status = useAsked("journal status", (signal) => call("journal.status", {}, signal), 10_000);
  const [progress, setProgress] = useState<Progress>();
  const [busy, setBusy] = useState(false);
  const [verified, setVerified] = useState<Verified>();
  const [signed, setSigned] = useState<string>();
  const [error, setError] = useState<ApiError>();

  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    setVerified(undefined);
    setSigned(undefined);
    try {
      await work();
      status.reload();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
      setProgress(undefined);
    }
  };
  return (
    <div className={s["work"]}>
      <div className={s["works"]}>
        <span className="muted num">
          {status.data && `${plural(status.data.size, "event")}, ${count(status.data.unsigned_events)} since the last signature`}
        </span>
        <Button small disabled={busy} onClick={() => void act(async () => setVerified(await callWithProgress("journal.verify", {}, setProgress)))}>
          {busy && progress ? "Verifying…" : "Verify everything"}
        </Button>
        <Button small disabled={busy} onClick={() => void act(async () => setSigned((await call("journal.checkpoint", {})).note))}>
          Sign it now
        </Button>
        <Button small disabled={busy} title="Every event, as a stranger can verify it: palyra-verify" onClick={() => void act(() => download(status.data?.size ?? 0, setProgress))}>
          Save a copy
        </Button>
      </div>
      {progress && (
        <label>
          <progress className={s["progress"]} max={progress.total || 1} value={progress.done} /> <span className="num muted">{progress.what}: {count(progress.done)} of {count(progress.total)}</span>
        </label>
      )}
      <ErrorNotice error={error} />
      {status.data?.refuses_writes && <Notice kind="bad"><span>The journal takes no more events: {status.data.refuses_writes}</span></Notice>}
      {verified?.ok && (
        <Notice kind="good">
          <span>
            All is well: {plural(verified.size, "event")}, {plural(verified.checkpoints, "signed checkpoint")}, {plural(verified.erased, "erased payload")}; every hash, link and table agrees.
          </span>
        </Notice>
      )}
      {verified && !verified.ok && (
        <Notice kind="bad">
          <span>
            Something was changed.
            <ul>
              {verified.problems.slice(0, 8).map((one, at) => (
                <li key={at}>
                  {one.seq !== null && <a href={href(["journal", String(one.seq)])}>event {one.seq}</a>} {one.message}
                </li>
              ))}
            </ul>
          </span>
        </Notice>
      )}
      {signed && (
        <Notice kind="good">
          <span style={{ overflow: "auto" }}>
            Signed. Keep this note somewhere else: with it, nobody can take back what is written so far.
            <pre>{signed}</pre>
          </span>
        </Notice>
      )}
    </div>
  );
}

/** The bundle's files, one after another; together they are what `palyra journal export` writes. */
async function download(size: number, report: (progress: Progress) => void): Promise<void> {
  const files = new Map<string, string[]>();
  let done = 0;
  for await (const { file, line } of await stream("journal.bundle", {})) {
    const lines = files.get(file) ?? [];
    files.set(file, lines);
    lines.push(line, "\n");
    if (++done % 500 === 0) report({ what: "events", done, total: Math.max(size, done) });
  }
  for (const [name, lines] of files) save(name, name.endsWith(".json") ? "application/json" : "application/x-ndjson", lines);
}
