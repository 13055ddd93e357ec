/** One memory that was used, with what can be done about it. */
import { useState } from "react";
import type { ApiError } from "../api/client";
import type { Item } from "../api/types";
import { asApiError } from "../lib/asked";
import { score, when, words } from "../lib/format";
import { useDraft } from "../lib/kept";
import { href } from "../lib/router";
import { correct, forget, setPinned, useMemory, type Sight } from "./memories";
import { Button, ErrorNotice, Tag, styles } from "./parts";
import s from "./memory_card.module.css";

interface Props {
  id: string;
  sight?: Sight;
  citation?: string;
  score?: number | undefined;
  isChosen?: boolean;
  onChange?: () => void;
}

export function MemoryCard({ id, sight, citation, score: ranked, isChosen = false, onChange }: Props) {
  const { data, error } = useMemory(id, sight);
  return (
    <article className={s["card"]} data-chosen={isChosen} data-memory={id}>
      {data?.item && !data.item.closed_at_ms ? (
        <Known item={data.item} citation={citation} ranked={ranked} onChange={onChange} />
      ) : (
        <p className="muted">
          {citation && <b className={s["cite"]}>{citation}</b>} {error ? error.message : data === undefined ? "…" : "Forgotten since, or not in sight from here."}
        </p>
      )}
    </article>
  );
}

function Known({ item, citation, ranked, onChange }: { item: Item; citation: string | undefined; ranked: number | undefined; onChange: (() => void) | undefined }) {
  const { text, write, drop } = useDraft(`correction.${item.memory_id}`, item.text);
  const [mode, setMode] = useState<"look" | "edit" | "forget">(text === item.text ? "look" : "edit");
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      setMode("look");
      onChange?.();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {mode === "edit" ? (
        <textarea
          className={styles["field"]}
          aria-label="The memory's text"
          rows={Math.min(8, 2 + Math.ceil(text.length / 40))}
          value={text}
          autoFocus
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && (drop(), setMode("look"))}
        />
      ) : (
        <p className="anywhere" dir="auto">
          {citation && <b className={s["cite"]}>{`${citation} `}</b>}
          {item.text}
        </p>
      )}
      <p className={s["meta"]}>
        {ranked !== undefined && <span className="num" title="How well it fitted the question, 0 to 1">{score(ranked)}</span>}
        <Tag kind={item.trust} title="Where it came from">{item.trust}</Tag>
        <span>{words(item.source)}</span>
        <span>{words(item.category)}</span>
        <span>{when(item.said_at_ms)}</span>
        {item.pinned && <Tag kind="good">pinned</Tag>}
      </p>
      <ErrorNotice error={error} />
      {mode === "forget" ? (
        <div className={s["acts"]}>
          <span className={s["sure"]}>Forget it? History stays; recall does not find it any more.</span>
          <Button small look="danger" disabled={busy} onClick={() => act(() => forget(item))} autoFocus>
            Forget
          </Button>
          <Button small onClick={() => setMode("look")}>Keep</Button>
        </div>
      ) : mode === "edit" ? (
        <div className={s["acts"]}>
          <Button small look="primary" disabled={busy || !text.trim() || text === item.text} onClick={() => act(async () => (await correct(item, text), drop()))}>
            Save
          </Button>
          <Button small onClick={() => (drop(), setMode("look"))}>Cancel</Button>
        </div>
      ) : (
        <div className={s["acts"]}>
          <Button small look="quiet" onClick={() => setMode("edit")}>Correct</Button>
          <Button small look="quiet" disabled={busy} onClick={() => act(() => setPinned(item, !item.pinned))}>{item.pinned ? "Unpin" : "Pin"}</Button>
          <Button small look="quiet" onClick={() => setMode("forget")}>Forget</Button>
          <a className={s["open"]} href={href(["memory", item.memory_id], { session: item.session_id })}>Open</a>
        </div>
      )}
    </>
  );
}
