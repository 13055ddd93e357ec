/** A checkpoint: what has changed since, and the ways back. */
import { useState } from "react";
import { call } from "../api/client";
import type { Checkpoint } from "../api/types";
import { useAsked } from "../lib/asked";
import { moment, plural, words } from "../lib/format";
import { go, href } from "../lib/router";
import { newId } from "../chat/drafts";
import { Button, ErrorNotice, Tag, styles } from "../parts/parts";
import { Diff } from "../workspace/versions";
import s from "./continuity.module.css";

export function Point({ point, act }: { point: Checkpoint; act: (work: () => Promise<string | void>) => Promise<void> }) {
  const [comparing, setComparing] = useState(false);
  const [sure, setSure] = useState(false);
  const branch = () =>
    act(async () => {
      const done = await call("checkpoint.restore", { checkpoint: point.checkpoint_id, request_id: newId() });
      if (done.session) go(["chat", done.session.key]);
    });
  const rollBack = () =>
    act(async () => {
      const done = await call("checkpoint.restore", { checkpoint: point.checkpoint_id, in_place: true, request_id: newId() });
      setSure(false);
      return `${plural(done.written.length, "document")} as before, in new revisions; ${plural(done.unchanged.length, "document")} had not changed.`;
    });
  return (
    <li className={s["point"]}>
      <div className={s["pointHead"]}>
        <b dir="auto">{point.name || "Unnamed"}</b>
        <a href={href(["journal", String(point.seq)])}>{moment(point.at_ms)}</a>
        <span className="muted">{plural(point.documents.length, "document")}</span>
        {point.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </div>
      {point.note && <p dir="auto">{point.note}</p>}
      <div className={styles["actions"]} style={{ marginTop: 6 }}>
        <Button small aria-pressed={comparing} onClick={() => setComparing(!comparing)}>
          {comparing ? "Hide changes" : "Compare with now"}
        </Button>
        <Button small onClick={() => void branch()}>
          Open a branch from here
        </Button>
        {sure ? (
          <Button small look="danger" autoFocus onClick={() => void rollBack()}>
            Yes, write the documents as they were
          </Button>
        ) : (
          <Button small look="quiet" onClick={() => setSure(true)}>
            Roll the documents back
          </Button>
        )}
      </div>
      {comparing && <Compared id={point.checkpoint_id} />}
    </li>
  );
}

function Compared({ id }: { id: string }) {
  const found = useAsked(`compare ${id}`, (signal) => call("checkpoint.compare", { checkpoint: id }, signal));
  const told = found.data;
  return (
    <div style={{ marginTop: 10 }}>
      <ErrorNotice error={found.error} retry={found.reload} />
      {told && (
        <>
          <p>
            {plural(told.shared_runs, "turn")} in both{told.only_second_count > 0 && `, ${plural(told.only_second_count, "turn")} only since`}.
          </p>
          <ul>
            {told.only_second.map((run) => (
              <li key={run.run_id} className="truncate muted" dir="auto">
                {run.asked}
              </li>
            ))}
          </ul>
          {told.documents.map((document) => (
            <div key={document.path} style={{ marginTop: 8 }}>
              <b>{document.path}</b> <span className="muted">{words(document.change)}</span>
              {document.diff && <Diff text={document.diff} />}
            </div>
          ))}
          {told.memories.length > 0 && (
            <ul style={{ marginTop: 8 }}>
              {told.memories.map((memory) => (
                <li key={`${memory.memory_id} ${memory.seq}`}>
                  <Tag>{words(memory.change)}</Tag>{" "}
                  <a href={href(["memory", memory.memory_id])} dir="auto">
                    {memory.text || memory.memory_id}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
