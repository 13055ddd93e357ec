/** How much of the model's window the next prompt would take, before it is sent. */
import { useState } from "react";
import type { Model, ReferencesPreview } from "../api/types";
import { count, tokens } from "../lib/format";
import { GROUPS, groupOf, type Group, type Turn } from "./turns";
import s from "./chat.module.css";

const ABOUT: Record<Group, string> = {
  system: "system: instructions, documents, tools",
  memory: "memory, as much as last time",
  references: "references and files",
  history: "history of this conversation",
  draft: "this message, about",
};

/** A little more than it will be: better a bar that is too long. */
export function estimate(text: string): number {
  return text ? Math.ceil(new TextEncoder().encode(text).length / 3.3) + 4 : 0;
}

export function expected(last: Turn | undefined, text: string, references: ReferencesPreview | undefined): Record<Group, number> {
  const sizes: Record<Group, number> = { system: 0, memory: 0, references: references?.tokens ?? 0, history: 0, draft: estimate(text) };
  for (const part of last?.reports.at(-1)?.parts ?? []) {
    const group = groupOf(part.kind);
    if (group === "draft") sizes.history += part.tokens;
    else if (group !== "references") sizes[group] += part.tokens;
  }
  sizes.history += last?.run?.output_tokens ?? 0;
  return sizes;
}

export function Budget({ model, last, text, references }: { model: Model | undefined; last: Turn | undefined; text: string; references: ReferencesPreview | undefined }) {
  const [open, setOpen] = useState(false);
  const window_ = last?.reports.at(-1)?.window_tokens ?? model?.window_tokens;
  if (!window_) return <span className={s["budget"]} />;
  const room = window_ - (model?.max_output_tokens ?? 0);
  const sizes = expected(last, text, references);
  const total = GROUPS.reduce((sum, group) => sum + sizes[group], 0);
  const scale = Math.max(total, room);
  return (
    <>
      <button type="button" className={s["budget"]} aria-expanded={open} onClick={() => setOpen(!open)} onBlur={() => setOpen(false)} title="What the next prompt is made of: an estimate, from the last prompt and what is written here">
        <span className={s["budgetBar"]} aria-hidden="true">
          {GROUPS.map((group) => sizes[group] > 0 && <i key={group} className={s[`g_${group}`]} style={{ width: `max(2px, ${(100 * sizes[group]) / scale}%)` }} />)}
        </span>
        <span className="num truncate">
          {total ? `about ${tokens(total)}` : 0} of {tokens(room)} tokens
        </span>
      </button>
      {open && (
        <div className={s["legend"]} role="status">
          <ul>
            {GROUPS.map((group) => (
              <li key={group}>
                <i className={`${s["swatch"]} ${s[`g_${group}`]}`} />
                <span>{ABOUT[group]}</span>
                <span className="num">{count(sizes[group])}</span>
              </li>
            ))}
          </ul>
          <p className="muted" style={{ marginTop: 6, fontSize: 12 }}>
            An estimate: what is not written here is as in the last prompt; the answer says what was sent. {model?.model ?? "The model"} takes {count(window_)} tokens and keeps {count(model?.max_output_tokens ?? 0)} for its answer. What does not fit is left out by rank, and the inspector says what.
          </p>
        </div>
      )}
    </>
  );
}
