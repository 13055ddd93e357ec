/** Blast radius: everything that one thing that was learned has touched, and the way to take it all out. */
import { useState, type ReactNode } from "react";
import { ApiError, call, epoch } from "../api/client";
import type { Answered, Item } from "../api/types";
import { newId } from "../chat/drafts";
import { asApiError, useAsked } from "../lib/asked";
import { moment, plural, words } from "../lib/format";
import { href } from "../lib/router";
import { Button, ErrorNotice, Notice, Section, Tag, styles } from "../parts/parts";
import s from "./review.module.css";

type Found = Answered<"learning.radius">;

export function Radius({ id }: { id: string }) {
  const found = useAsked(`radius ${id}`, (signal) => call("learning.radius", { candidate_id: id }, signal));
  const [told, setTold] = useState<ReactNode>();
  const [error, setError] = useState<ApiError>();
  const act = async (work: () => Promise<ReactNode>) => {
    setError(undefined);
    setTold(undefined);
    try {
      setTold(await work());
      epoch.set(epoch.value + 1);
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  const radius = found.data;
  return (
    <>
      <a href={href(["review"], { show: "learned" })}>← All that was learned</a>
      <div style={{ marginTop: 10 }}>
        <ErrorNotice error={found.error ?? error} retry={found.error ? found.reload : undefined} />
        {told && <Notice kind="good">{told}</Notice>}
      </div>
      {radius && (
        <>
          <p className={`${s["lead"]} anywhere`} dir="auto">
            {radius.candidate.text}
          </p>
          <div className={s["meta"]}>
            <b>{words(radius.candidate.kind)}</b>
            <Tag>{words(radius.candidate.state)}</Tag>
            <Tag kind={radius.candidate.trust}>{radius.candidate.trust}</Tag>
            {radius.candidate.risks.map((risk) => (
              <Tag key={risk} kind="bad">
                {words(risk)}
              </Tag>
            ))}
            <a href={href(["chat", radius.candidate.session_id], { turn: radius.candidate.run_id })}>Show in conversation</a>
          </div>
          <Ways radius={radius} act={act} />
          <Touched radius={radius} />
        </>
      )}
    </>
  );
}

function Ways({ radius, act }: { radius: Found; act: (work: () => Promise<ReactNode>) => Promise<void> }) {
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const { candidate_id, state } = radius.candidate;
  const isInForce = state === "applied" || state === "auto_applied";
  const rollBack = () =>
    act(async () => {
      await call("learning.rollback", { candidate_id, reason: "taken back in the console", request_id: newId() });
      return <span>Taken back: what it had replaced holds again.</span>;
    });
  const quarantine = () =>
    act(async () => {
      const done = await call("learning.quarantine", { candidate_id, reason: reason.trim() });
      setAsking(false);
      return (
        <span>
          Taken out: {plural(done.forgotten.length, "memory", "memories")} forgotten, {done.reinstated.length} that had been replaced hold again, {plural(done.documents.length, "document")} cleaned.
          {done.refused.map((one) => (
            <span key={one.path}>
              {" "}
              {one.path} still holds it: {one.why}.
            </span>
          ))}
        </span>
      );
    });
  return asking ? (
    <form className={s["ask"]} onSubmit={(event) => (event.preventDefault(), void quarantine())}>
      <input className={styles["field"]} aria-label="Why" placeholder="Why, for the journal" value={reason} onChange={(event) => setReason(event.target.value)} autoFocus />
      <Button look="danger" type="submit">
        Take all of it out
      </Button>
      <Button look="quiet" onClick={() => setAsking(false)}>
        Cancel
      </Button>
    </form>
  ) : (
    <div className={styles["actions"]}>
      {isInForce && <Button onClick={() => void rollBack()}>Take it back</Button>}
      <Button look="danger" onClick={() => setAsking(true)}>
        Quarantine
      </Button>
    </div>
  );
}

function Touched({ radius }: { radius: Found }) {
  return (
    <>
      <Items title="Memories that hold what it says" items={radius.memories} none="None." />
      <Items title="What it replaced" items={radius.replaced} />
      {radius.documents.length > 0 && (
        <Section title="Documents that hold it">
          <ul>
            {radius.documents.map((path) => (
              <li key={path}>
                <a href={href(["workspace", ...path.split("/")])}>{path}</a>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Answers whose prompt held it">
        {!radius.runs.length && <p className="muted">None: no answer was given with it in sight.</p>}
        <ul>
          {radius.runs.map((run) => (
            <li key={run.run_id}>
              <a href={href(["chat", run.session_id], { turn: run.run_id })}>{moment(run.at_ms)}</a>
            </li>
          ))}
        </ul>
      </Section>
      {radius.candidates.length > 0 && (
        <Section title="Others that rest on the same words, or came of it">
          <ul>
            {radius.candidates.map((one) => (
              <li key={one.candidate_id}>
                <a href={href(["review", one.candidate_id])} dir="auto">
                  {one.text}
                </a>{" "}
                <Tag>{words(one.state)}</Tag>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Items({ title, items, none }: { title: string; items: readonly Item[]; none?: string }) {
  if (!items.length && !none) return null;
  return (
    <Section title={title}>
      {!items.length && <p className="muted">{none}</p>}
      <ul>
        {items.map((item) => (
          <li key={item.memory_id}>
            <a href={href(["memory", item.memory_id])} dir="auto">
              {item.text.slice(0, 300)}
            </a>{" "}
            {item.closed_at_ms !== null && <Tag>{item.closed_why ?? "no longer holds"}</Tag>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
