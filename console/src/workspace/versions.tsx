/** Every version of a document, and what changed from one to the next. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import { asApiError, useAsked } from "../lib/asked";
import { moment, words } from "../lib/format";
import { newId } from "../chat/drafts";
import { Button, ErrorNotice, Tag, styles } from "../parts/parts";
import s from "./workspace.module.css";

export function Versions({ path, newest, onRestored }: { path: string; newest: number; onRestored: () => void }) {
  const found = useAsked(`versions ${path} ${newest}`, (signal) => call("workspace.versions", { path }, signal));
  const [shown, setShown] = useState<number>();
  const [error, setError] = useState<ApiError>();
  const before = shown === undefined ? undefined : found.data?.revisions.filter((one) => one.revision < shown).map((one) => one.revision).sort((a, b) => b - a)[0];
  const diff = useAsked(before === undefined ? null : `diff ${path} ${before} ${shown}`, (signal) => call("workspace.diff", { path, old: before!, new: shown! }, signal));
  const restore = async (revision: number) => {
    setError(undefined);
    try {
      await call("workspace.restore", { path, revision, reason: `revision ${revision} restored in the console`, request_id: newId() });
      onRestored();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <div className={`${s["text"]} scroll`} tabIndex={0} role="region" aria-label="Versions">
      <ErrorNotice error={found.error ?? error} />
      <div className={styles["wide"]}>
        <table className={styles["table"]}>
          <thead>
            <tr>
              <th scope="col">revision</th>
              <th scope="col">when</th>
              <th scope="col">by</th>
              <th scope="col">why</th>
              <th scope="col">scan</th>
              <th scope="col">
                <span className="visually-hidden">actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.data?.revisions.map((one) => (
              <tr key={one.revision}>
                <td className="num">r{one.revision}</td>
                <td className="num">{moment(one.at_ms)}</td>
                <td>
                  {one.actor}, {words(one.source)}
                </td>
                <td>{one.deleted ? "deleted" : one.reason || one.because}</td>
                <td>
                  <Tag kind={one.risk === "clean" ? "good" : one.risk}>{one.risk}</Tag>
                </td>
                <td>
                  <Button small look="quiet" aria-pressed={shown === one.revision} onClick={() => setShown(shown === one.revision ? undefined : one.revision)}>
                    Changes
                  </Button>
                  {one.revision !== newest && !one.deleted && (
                    <Button small look="quiet" onClick={() => void restore(one.revision)}>
                      Restore
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown !== undefined && before === undefined && <p className="muted">The first one: nothing came before it.</p>}
      {diff.data && <Diff text={diff.data.diff} />}
    </div>
  );
}

export function Diff({ text }: { text: string }) {
  return (
    <div className={s["diff"]} role="figure" aria-label="Changes">
      {text.split("\n").map((line, at) => (
        <div key={at} className={/^(---|\+\+\+) /.test(line) ? s["at"] : line.startsWith("+") ? s["add"] : line.startsWith("-") ? s["cut"] : line.startsWith("@@") ? s["at"] : undefined}>
          {line || " "}
        </div>
      ))}
    </div>
  );
}
