/** One proposal: its words, where they were said, what is near them, and the decision. */
import { call } from "../api/client";
import type { Item, Learned } from "../api/types";
import { useAsked } from "../lib/asked";
import { useDraft } from "../lib/kept";
import { moment, when, words } from "../lib/format";
import { href } from "../lib/router";
import { Button, Kbd, Tag, styles } from "../parts/parts";
import type { Waiting } from "./queue";
import s from "./review.module.css";

interface Props {
  row: Waiting;
  isCurrent: boolean;
  isEditing: boolean;
  isChosen: boolean;
  onFocus: () => void;
  /** `through`: with all between */
  onMark: (through: boolean) => void;
  onEdit: (on: boolean) => void;
  decide: (approve: boolean, text?: string) => void;
  snooze: () => void;
}

export function Card({ row, isCurrent, isEditing, isChosen, onFocus, onMark, onEdit, decide, snooze }: Props) {
  const { text, write, drop } = useDraft(`candidate.${row.id}`, row.one.text);
  const hint = (key: string) => isCurrent && !isEditing && <Kbd keys={key} />;
  return (
    <li
      className={s["card"]}
      data-chosen={isChosen}
      aria-current={isCurrent ? "true" : undefined}
      // By key alone: what a pointer presses must not move before it is let go.
      onFocus={(event) => event.target.matches(":focus-visible:not([type=checkbox])") && onFocus()}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={(event) => (event.shiftKey ? onMark(true) : onFocus())}
    >
      <input
        type="checkbox"
        className={s["check"]}
        aria-label={`Select: ${row.one.text.slice(0, 80)}`}
        checked={isChosen}
        onChange={() => undefined}
        onClick={(event) => (event.stopPropagation(), onMark(event.shiftKey))}
      />
      {isEditing ? (
        <textarea className={styles["field"]} rows={4} dir="auto" aria-label="Text" value={text} autoFocus onChange={(event) => write(event.target.value)} onKeyDown={(event) => event.key === "Escape" && (drop(), onEdit(false))} />
      ) : (
        <p className={`${s["text"]} anywhere`} dir="auto">
          {row.one.text}
        </p>
      )}
      <About row={row} />
      {row.learned && <Evidence one={row.learned} />}
      {isCurrent && (row.learned ? <Near id={row.id} /> : <Similar text={row.one.text} />)}
      <div className={styles["actions"]} style={{ marginTop: 10 }}>
        <Button small look="primary" title="It becomes memory, and may be given to your agents" onClick={() => decide(true, isEditing ? text : undefined)} disabled={isEditing && !text.trim()}>
          {isEditing ? "Approve as edited" : "Approve"} {hint("A")}
        </Button>
        <Button small onClick={() => (isEditing && drop(), onEdit(!isEditing))}>
          {isEditing ? "Cancel" : "Edit"} {hint("E")}
        </Button>
        <Button small look="danger" title="It is kept out of memory, and the same is not proposed again; what was said stays on the record" onClick={() => decide(false)}>
          Reject {hint("R")}
        </Button>
        {row.learned && (
          <Button small look="quiet" onClick={snooze}>
            Tomorrow {hint("S")}
          </Button>
        )}
      </div>
    </li>
  );
}

function About({ row: { one } }: { row: Waiting }) {
  return (
    <>
      {one.why && <p className={s["why"]}>Waits because {one.why}.</p>}
      <div className={s["meta"]}>
        <b>{words(one.kind)}</b>
        <span className="num">{Math.round(one.confidence * 100)} % sure</span>
        <span>{words(one.source)}</span>
        {one.state === "conflicted" && <Tag kind="bad">contradicts a memory</Tag>}
        <Tag kind={one.trust}>{one.trust}</Tag>
        {one.risks.map((risk) => (
          <Tag key={risk} kind="bad">
            {words(risk)}
          </Tag>
        ))}
        <a href={href(["journal", String(one.seq)])} title={`${moment(one.at_ms)}: its event in the journal`}>
          {when(one.at_ms)}
        </a>
      </div>
    </>
  );
}

/** The words it rests on, where they were said. */
function Evidence({ one }: { one: Learned }) {
  if (!one.evidence.length && !one.steps.length) return null;
  return (
    <div className={s["similar"]}>
      {one.steps.length > 0 && (
        <ol style={{ listStyle: "decimal", paddingLeft: 20 }}>
          {one.steps.map((step, at) => (
            <li key={at} dir="auto">
              {step}
            </li>
          ))}
        </ol>
      )}
      {one.evidence.map((quote) => (
        <p key={quote.event_id}>
          <Quoted message={quote.message} said={quote.words} /> <a href={href(["chat", quote.session_id], { turn: quote.run_id })}>Show in conversation</a>
        </p>
      ))}
      {one.basis.length > 0 && <p className="muted">Proposed for: {one.basis.map(words).join(", ")}</p>}
    </div>
  );
}

function Quoted({ message, said }: { message: string; said: string }) {
  const at = said ? message.indexOf(said) : -1;
  if (!said) return <em className="muted">erased since, or out of sight</em>;
  if (at < 0) return <span dir="auto">“{said}”</span>;
  return (
    <span dir="auto" className="anywhere">
      “{message.slice(0, at)}
      <mark className={s["mark"]}>{said}</mark>
      {message.slice(at + said.length)}”
    </span>
  );
}

function Near({ id }: { id: string }) {
  const found = useAsked(`learned ${id}`, (signal) => call("learning.get", { candidate_id: id }, signal)).data;
  if (!found) return null;
  return (
    <>
      <Items title="It contradicts" items={found.conflicts} />
      <Items title="Known already" items={found.similar} />
    </>
  );
}

function Similar({ text }: { text: string }) {
  const found = useAsked(`similar ${text}`, (signal) => call("memory.search", { query: text.slice(0, 2000), top_k: 3, min_score: 0.3 }, signal));
  return <Items title="Known already" items={(found.data?.hits ?? []).map((hit) => hit.item)} />;
}

function Items({ title, items }: { title: string; items: readonly Item[] }) {
  if (!items.length) return null;
  return (
    <div className={s["similar"]}>
      <h2>{title}</h2>
      <ul>
        {items.map((item) => (
          <li key={item.memory_id}>
            <a href={href(["memory", item.memory_id])} dir="auto">
              {item.text.slice(0, 300)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
