/** A new schedule: what is said, and when. */
import { useState, type FormEvent } from "react";
import { ApiError, call } from "../api/client";
import { asApiError } from "../lib/asked";
import { useDraft } from "../lib/kept";
import { newId } from "../chat/drafts";
import { Button, ErrorNotice, styles } from "../parts/parts";

const HOW = {
  cron: ["cron expression", "0 8 * * mon-fri"],
  every: ["every", "6h"],
  at: ["once, at", "2026-12-24T09:00"],
} as const;
type How = keyof typeof HOW;

export function NewSchedule({ onDone }: { onDone: () => void }) {
  const name = useDraft("schedule.name");
  const prompt = useDraft("schedule.prompt");
  const [how, setHow] = useState<How>("cron");
  const when = useDraft("schedule.when");
  const drafts = [name, prompt, when];
  const [error, setError] = useState<ApiError>();
  const leave = () => {
    for (const one of drafts) one.drop();
    onDone();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      await call("cron.create", { name: name.text, prompt: prompt.text, [how]: when.text, zone, request_id: newId() });
      leave();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <form onSubmit={submit}>
      <label className={styles["label"]} htmlFor="schedule-name">
        Name
      </label>
      <input id="schedule-name" className={styles["field"]} value={name.text} onChange={(event) => name.write(event.target.value)} placeholder="morning" autoFocus />
      <label className={styles["label"]} htmlFor="schedule-prompt" style={{ marginTop: 10 }}>
        What is said
      </label>
      <textarea id="schedule-prompt" className={styles["field"]} rows={3} dir="auto" value={prompt.text} onChange={(event) => prompt.write(event.target.value)} placeholder="What is planned for today?" />
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
        <input id="schedule-when" className={styles["field"]} value={when.text} onChange={(event) => when.write(event.target.value)} placeholder={HOW[how][1]} spellCheck={false} />
      </div>
      <div style={{ marginTop: 10 }}>
        <ErrorNotice error={error} />
      </div>
      <div className={styles["actions"]}>
        <Button look="primary" type="submit" disabled={drafts.some((one) => !one.text.trim())}>
          Create
        </Button>
        <Button onClick={leave}>Cancel</Button>
      </div>
    </form>
  );
}
