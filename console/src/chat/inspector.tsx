/** Why the agent said that: what its prompt was made of, and what was left out. */
import { useEffect, useRef } from "react";
import { count, moment, plural, span, tokens, words } from "../lib/format";
import { href } from "../lib/router";
import { Facts, IconButton, Tag } from "../parts/parts";
import { MemoryCard } from "../parts/memory_card";
import { useMemory } from "../parts/memories";
import { groupOf, type Report, type Turn } from "./turns";
import s from "./chat.module.css";

const WHY: Record<string, string> = {
  budget: "the model's window is full",
  limit: "there are enough of its kind",
  repeats: "the prompt says so already",
  echo: "it is the message itself",
  disabled: "switched off for this message",
  unsupported: "the model does not take such",
  quarantined: "in quarantine",
  not_found: "not there, or not in sight",
};

export function Inspector({ turn, sessionId, chosen, onClose }: { turn: Turn | undefined; sessionId: string | undefined; chosen: string | undefined; onClose: () => void }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen) body.current?.querySelector(`[data-memory="${CSS.escape(chosen)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, turn?.runId]);
  return (
    <aside className={s["inspector"]} aria-label="Why this answer">
      <div className={s["sideHead"]}>
        <h2>Why this answer</h2>
        <IconButton icon="close" label="Close (i)" onClick={onClose} />
      </div>
      <div className={`${s["inspectorBody"]} scroll`} ref={body} tabIndex={-1}>
        {turn ? (
          <Parts turn={turn} sessionId={sessionId} chosen={chosen} />
        ) : (
          <p className="muted" style={{ paddingTop: 12 }}>
            Once there is an answer, this shows which memories it was given, with their scores and where they came from, what else was in the prompt, and what was left out and why.
          </p>
        )}
      </div>
    </aside>
  );
}

function Parts({ turn, sessionId, chosen }: { turn: Turn; sessionId: string | undefined; chosen: string | undefined }) {
  const report = turn.reports.at(-1);
  const leftOut = report?.parts.flatMap((part) => (part.left_out ?? []).map((one) => ({ ...one, kind: part.kind }))) ?? [];
  return (
    <>
      <section className={s["group"]}>
        <h3>
          Memories used <span>{turn.memories.length || "none"}</span>
        </h3>
        {turn.memories.map((memory) => (
          <MemoryCard key={memory.memory_id} id={memory.memory_id} sight={{ sessionId }} citation={memory.citation} score={memory.score} isChosen={memory.memory_id === chosen} />
        ))}
        {!turn.memories.length && <p className="muted">Nothing that is remembered was put into this prompt.</p>}
      </section>
      {report && <Prompt report={report} prompts={turn.reports.length} />}
      {turn.references.length > 0 && (
        <section className={s["group"]}>
          <h3>References</h3>
          <ul className={s["left"]}>
            {turn.references.map((one, at) => (
              <li key={at} className="anywhere">
                {one.label || one.target} <Tag kind={one.trust}>{one.trust}</Tag>
                <small>{one.error || [plural(one.tokens, "token"), ...one.warnings].join(", ")}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {leftOut.length > 0 && (
        <section className={s["group"]}>
          <h3>
            Left out <span>{leftOut.reduce((sum, one) => sum + one.count, 0)}</span>
          </h3>
          <ul className={s["left"]}>
            {leftOut.map((one, at) => (
              <li key={at}>
                {one.source?.kind === "memory" ? <MemoryText id={one.source.id} sessionId={sessionId} /> : one.source?.label || plural(one.count, words(one.kind).replace(/s$/, ""))}
                <small>
                  {WHY[one.why] ?? one.why}
                  {one.source?.score !== undefined && `, score ${one.source.score.toFixed(2)}`}
                  {one.tokens > 0 && `, ${plural(one.tokens, "token")}`}
                </small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {turn.run && (
        <section className={s["group"]}>
          <h3>Turn</h3>
          <Facts
            rows={[
              ["model", turn.run.model],
              ["state", turn.run.state],
              ["tokens", `${count(turn.run.input_tokens)} in, ${count(turn.run.output_tokens)} out`],
              turn.run.ended_at_ms !== null && turn.run.started_at_ms !== null && ["took", took(turn.run.ended_at_ms - turn.run.created_at_ms)],
              ["at", moment(turn.run.created_at_ms)],
              ["journal", <a key="journal" href={href(["journal"], { run: turn.runId })}>its events</a>],
            ]}
          />
        </section>
      )}
    </>
  );
}

const took = (ms: number): string => (ms < 1000 ? `${ms} ms` : span(ms / 1000));

function Prompt({ report, prompts }: { report: Report; prompts: number }) {
  const used = Math.max(report.used_tokens, 1);
  return (
    <section className={s["group"]}>
      <h3>
        Prompt{prompts > 1 ? `, the last of ${prompts}` : ""}
        <span className="num">
          {tokens(report.used_tokens)} of {tokens(report.window_tokens)} tokens
        </span>
      </h3>
      <div className={s["bar"]} role="presentation">
        {report.parts.map((part) => part.tokens > 0 && <i key={part.kind} className={s[`g_${groupOf(part.kind)}`]} style={{ width: `${(100 * part.tokens) / used}%` }} />)}
      </div>
      <ul className={s["parts"]}>
        {report.parts.map((part) => (
          <li key={part.kind}>
            <i className={`${s["swatch"]} ${part.tokens ? s[`g_${groupOf(part.kind)}`] : ""}`} />
            <span>
              {words(part.kind)}
              {part.units > 1 && <span className="muted"> ×{part.units}</span>}
            </span>
            <span className="num">{count(part.tokens)}</span>
          </li>
        ))}
      </ul>
      {(report.degraded?.length ?? 0) > 0 && <p className="muted">Searched without {report.degraded!.join(", ")}.</p>}
    </section>
  );
}

function MemoryText({ id, sessionId }: { id: string; sessionId: string | undefined }) {
  const { data } = useMemory(id, { sessionId });
  return (
    <a className="anywhere" href={href(["memory", id])} dir="auto">
      {data ? data.item.text.replace(/\s+/g, " ").slice(0, 110) : `memory ${id.slice(-6)}`}
    </a>
  );
}
