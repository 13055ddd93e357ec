/** A compaction: looked at before it is done, and what it would lose is said. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import type { Plan } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { count, moment, plural, words } from "../lib/format";
import { newId } from "../chat/drafts";
import { Button, ErrorNotice, Notice, Tag, styles } from "../parts/parts";
import s from "./continuity.module.css";

const KIND: Record<string, string> = { auto_write: "good", review_required: "warn", blocked_sensitive: "bad", blocked_poisoned: "bad" };

export function Condense({ name, onApplied }: { name: string; onApplied: () => void }) {
  const done = useAsked(`compactions ${name}`, (signal) => call("compaction.list", { session: name }, signal));
  const [plan, setPlan] = useState<Plan>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
    }
  };
  const apply = () =>
    act(async () => {
      await call("compaction.apply", { session: name, plan_id: plan!.plan_id, request_id: newId() });
      setPlan(undefined);
      done.reload();
      onApplied();
    });
  return (
    <>
      {!plan && <p className="muted">The prompt then has a summary in place of the first turns, and the last messages word for word. The tape stays whole.</p>}
      <ErrorNotice error={error} />
      <div className={styles["actions"]} style={{ margin: "8px 0" }}>
        <Button disabled={busy} onClick={() => void act(async () => setPlan(await call("compaction.preview", { session: name })))}>
          {busy && !plan ? "Planning…" : "Show what it would do"}
        </Button>
        {plan && (
          <Button look="primary" disabled={busy} onClick={() => void apply()}>
            Do it
          </Button>
        )}
      </div>
      {plan && <Planned plan={plan} />}
      {(done.data?.compactions ?? []).map((one) => (
        <p key={one.compaction_id} className="muted">
          {moment(one.at_ms)}: {plural(one.messages, "message")}, {count(one.tokens_before)} to {count(one.tokens_after)} tokens, {one.loss.present} of {plural(one.loss.facts, "statement")} in sight{one.in_force ? "" : "; no longer in force"}
        </p>
      ))}
    </>
  );
}

function Planned({ plan }: { plan: Plan }) {
  const share = plan.tokens_before ? plan.tokens_after / plan.tokens_before : 1;
  return (
    <>
      <p className={s["big"]}>
        {plural(plan.messages, "message")}: {count(plan.tokens_before)} to {count(plan.tokens_after)} tokens, {Math.round((1 - share) * 100)} % less
      </p>
      <span className={s["meter"]} aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </span>
      <p>
        {plan.loss.present} of {plural(plan.loss.facts, "statement")} in sight: {plan.loss.in_summary} in the summary, {plan.loss.in_memory} in memory, {plan.loss.in_document} in a document. {plan.loss.turns_in_sight} of {plural(plan.loss.turns, "turn")} wholly in sight; planned by the {plan.planner} planner.
      </p>
      {plan.notices.map((one) => (
        <Notice key={one} kind="warn">
          <span>{one}</span>
        </Notice>
      ))}
      <h3 className={styles["label"]} style={{ marginTop: 12 }}>
        The summary
      </h3>
      <div className={s["summary"]} dir="auto" tabIndex={0} role="region" aria-label="The summary">
        {plan.summary}
      </div>
      {plan.candidates.length > 0 && (
        <>
          <h3 className={styles["label"]} style={{ marginTop: 12 }}>
            Worth keeping
          </h3>
          <ul>
            {plan.candidates.map((one, at) => (
              <li key={at}>
                <Tag kind={KIND[one.disposition] ?? "plain"} title={one.reason}>
                  {words(one.disposition)}
                </Tag>{" "}
                <span className="muted">{one.target}</span> <span dir="auto">{one.text}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {plan.loss.lost.length > 0 && (
        <>
          <h3 className={styles["label"]} style={{ marginTop: 12 }}>
            No longer said (it stays on the tape)
          </h3>
          <ul className="muted">
            {plan.loss.lost.map((one) => (
              <li key={`${one.seq} ${one.text}`} dir="auto">
                {one.text}
              </li>
            ))}
          </ul>
        </>
      )}
      {plan.loss.unseen.length > 0 && (
        <details style={{ marginTop: 12 }}>
          <summary className={styles["label"]}>Turns that are not wholly in sight</summary>
          <ul className="muted">
            {plan.loss.unseen.map((one) => (
              <li key={one.seq} dir="auto" title={one.why}>
                {one.text} ({one.partly ? "in part" : "not at all"})
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
