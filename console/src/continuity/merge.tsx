/** A branch's documents go back to where they were taken from; where both changed, a person says whose stays. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import type { Answered } from "../api/types";
import { newId } from "../chat/drafts";
import { asApiError } from "../lib/asked";
import { plural, words } from "../lib/format";
import { Button, ErrorNotice, Notice, styles } from "../parts/parts";
import s from "./continuity.module.css";

type Merged = Answered<"checkpoint.merge">;
type Side = "mine" | "theirs";

export function Merge({ name, onMerged }: { name: string; onMerged: () => void }) {
  const [done, setDone] = useState<Merged>();
  const [sides, setSides] = useState<Record<string, Side>>({});
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const conflicts = done?.conflicts ?? [];
  const isOpen = conflicts.some((one) => !sides[one.path]);
  const merge = async () => {
    setBusy(true);
    setError(undefined);
    const of = (side: Side) => Object.keys(sides).filter((path) => sides[path] === side);
    try {
      const merged = await call("checkpoint.merge", { session: name, mine: of("mine"), theirs: of("theirs"), request_id: newId() });
      setDone(merged);
      if (!merged.conflicts.length) onMerged();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ErrorNotice error={error} />
      {done && !conflicts.length ? (
        <Notice kind="good">
          <span>
            {done.written.length || done.deleted.length
              ? `Brought back: ${plural(done.written.length, "document")} written${done.deleted.length ? `, ${plural(done.deleted.length, "document")} deleted` : ""}.`
              : "There was nothing to bring back: the documents are the same."}
          </span>
        </Notice>
      ) : (
        <p className="muted">{conflicts.length ? "Both changed the same lines. Nothing was written yet: say whose stays." : "This is a branch with documents of its own. What it changed can be written into the main ones; what was said stays here."}</p>
      )}
      <ul className={s["points"]}>
        {conflicts.map((one) => (
          <li key={one.path} className={s["point"]}>
            <div className={s["pointHead"]}>
              <b>{one.path}</b>
              <span className="muted">{words(one.what)}</span>
            </div>
            {one.lines.map((line) => (
              <div key={`${line.line} ${line.item_id}`} className={s["sides"]}>
                <pre dir="auto">{line.ours || "(nothing)"}</pre>
                <pre dir="auto">{line.theirs || "(nothing)"}</pre>
              </div>
            ))}
            <div className={styles["actions"]} style={{ marginTop: 8 }} role="radiogroup" aria-label={`Whose ${one.path} stays`}>
              {(["mine", "theirs"] as const).map((side) => (
                <Button key={side} small role="radio" aria-checked={sides[one.path] === side} look={sides[one.path] === side ? "primary" : "plain"} onClick={() => setSides({ ...sides, [one.path]: side })}>
                  {side === "mine" ? "The main document" : "This branch's"}
                </Button>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {(!done || conflicts.length > 0) && (
        <div className={styles["actions"]}>
          <Button disabled={busy || isOpen} onClick={() => void merge()}>
            {conflicts.length ? "Write it so" : "Bring the documents back"}
          </Button>
        </div>
      )}
    </>
  );
}
