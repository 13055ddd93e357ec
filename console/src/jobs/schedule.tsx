/** A new schedule: what is said, and when. */
import { useState, type FormEvent } from "react";
import { ApiError, call } from "../api/client";
import { asApiError } from "../lib/asked";
import { newId } from "../chat/drafts";
import { Button, ErrorNotice, styles } from "../parts/parts";

const HOW = {
  cron: ["cron expression", "0 8 * * mon-fri"],
  every: ["every", "6h"],
  at: ["once, at", "2026-12-24T09:00"],
} as const;
type How = keyof typeof HOW;

export function NewSchedule({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState("");
  const [prompt, setPrompt] = useState("");
  const [how, setHow] = useState<How>("cron");
  const [when, setWhen] = useState("");
  const [error, setError] = useState<ApiError>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      await call("cron.create", { name, prompt, [how]: when, zone, request_id: newId() });
      onDone();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <form onSubmit={submit}>
      <label className={styles["label"]} htmlFor="schedule-name">
        Name
      </label>
      <input id="schedule-name" className={styles["field"]} value={name} onChange={(event) => setName(event.target.value)} placeholder="morning" autoFocus />
      <label className={styles["label"]} htmlFor="schedule-prompt" style={{ marginTop: 10 }}>
        What is said
      </label>
      <textarea id="schedule-prompt" className={styles["field"]} rows={3} dir="auto" value={prompt} onChange={(event) => setPrompt(event.target.value)} placeholder="What is planned for today?" />
      <label className={styles["label"]} htmlFor="schedule-when" style={{ marginTop: 10 }}>
        When
      </label>
      <div style={{ display: "flex", gap: 8 }}>
        <select className={styles["field"]} aria-label="Kind" value={how} onChange={(event) => setHow(event.target.value as How)}>
          {Object.entries(HOW).map(([key, [label]]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
        <input id="schedule-when" className={styles["field"]} value={when} onChange={(event) => setWhen(event.target.value)} placeholder={HOW[how][1]} spellCheck={false} />
      </div>
      <div style={{ marginTop: 10 }}>
        <ErrorNotice error={error} />
      </div>
      <div className={styles["actions"]}>
        <Button look="primary" type="submit" disabled={!name.trim() || !prompt.trim() || !when.trim()}>
          Create
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
