/** Memories that contradict each other and that nobody has settled: both days, and one word that settles it. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import type { Item } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { moment, plural, words } from "../lib/format";
import { href } from "../lib/router";
import { Button, Empty, ErrorNotice, Page, Tag, styles } from "../parts/parts";
import s from "./memory.module.css";

export function ConflictsPage() {
  const found = useAsked("conflicts", (signal) => call("memory.conflicts", { limit: 100 }, signal));
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const settle = async (one: Item, other: Item, holds: string) => {
    setBusy(true);
    setError(undefined);
    try {
      await call("memory.settle", { memory_id: one.memory_id, other_id: other.memory_id, holds });
      found.reload();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
    }
  };
  const rows = found.data?.conflicts ?? [];
  return (
    <Page
      title="Conflicts"
      tools={
        <a className={`${styles["button"]} ${styles["small"]}`} href={href(["memory"])}>
          All memories
        </a>
      }
    >
      <ErrorNotice error={found.error ?? error} retry={found.error ? found.reload : undefined} />
      {found.data && !rows.length && (
        <Empty title="Nothing contradicts anything">
          <p>When two memories say different things about the same and neither plainly replaces the other, both are kept, an agent is told that they differ, and they wait for your word here.</p>
        </Empty>
      )}
      {rows.length > 0 && <p className="muted">{plural(rows.length, "open conflict")}. What does not hold stays answerable as of its time.</p>}
      <div className={s["open"]}>
      {rows.map((row) => (
        <div key={row.seq} className={s["pair"]}>
          {[row.newer, row.older].map((item, at) => (
            <div key={item.memory_id} className={s["side"]}>
              <h3>
                {at ? "Said before" : "Said later"}, {moment(item.said_at_ms)} <Tag kind={item.trust}>{item.trust}</Tag>
              </h3>
              <p dir="auto">
                <a href={href(["memory", item.memory_id])}>{item.text}</a>
              </p>
              <Button small disabled={busy} onClick={() => void settle(row.newer, row.older, item.memory_id)}>
                This one holds
              </Button>
            </div>
          ))}
          <div className={s["why"]}>
            <Button small disabled={busy} onClick={() => void settle(row.newer, row.older, "both")}>
              Both hold
            </Button>
            {row.reasons.length > 0 && <span className="muted">Found by: {row.reasons.map(words).join(", ")}</span>}
          </div>
        </div>
      ))}
      </div>
    </Page>
  );
}
