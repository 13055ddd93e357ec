/** A memory from one's own hand. */
import { useState, type FormEvent } from "react";
import { ApiError, call, epoch } from "../api/client";
import { asApiError } from "../lib/asked";
import { go } from "../lib/router";
import { newId } from "../chat/drafts";
import { kept } from "../lib/kept";
import { Button, ErrorNotice, Notice, styles } from "../parts/parts";

export function Add({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState(() => kept.get("draft.memory") ?? "");
  const [tags, setTags] = useState("");
  const [pinned, setPinned] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [told, setTold] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const done = await call("memory.retain", { text, pinned, tags: tags.split(/[\s,]+/).filter(Boolean), request_id: newId() });
      kept.set("draft.memory", null);
      epoch.set(epoch.value + 1);
      if (done.outcome === "stored" && done.memory_id) {
        onDone();
        go(["memory", done.memory_id]);
      } else setTold(`${done.outcome.replaceAll("_", " ")}${done.reasons.length ? `: ${done.reasons.join(", ")}` : ""}`);
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <form onSubmit={submit}>
      <label className={styles["label"]} htmlFor="new-memory">
        What should be remembered
      </label>
      <textarea id="new-memory" className={styles["field"]} rows={4} dir="auto" autoFocus value={text} onChange={(event) => (setText(event.target.value), kept.set("draft.memory", event.target.value))} placeholder="I moved to Lisbon in March" />
      <label className={styles["label"]} htmlFor="new-tags" style={{ marginTop: 10 }}>
        Tags, with spaces between
      </label>
      <input id="new-tags" className={styles["field"]} value={tags} onChange={(event) => setTags(event.target.value)} />
      <label style={{ display: "flex", gap: 8, margin: "10px 0" }}>
        <input type="checkbox" checked={pinned} onChange={(event) => setPinned(event.target.checked)} /> never expires and is never evicted (pinned)
      </label>
      <ErrorNotice error={error} />
      {told && (
        <Notice>
          <span>It is {told}.</span>
        </Notice>
      )}
      <div className={styles["actions"]}>
        <Button look="primary" type="submit" disabled={!text.trim()}>
          Remember
        </Button>
        <Button onClick={onDone}>{told ? "Close" : "Cancel"}</Button>
      </div>
    </form>
  );
}
