/** What an empty conversation says to somebody who has never seen one. */
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import { plural } from "../lib/format";
import { href } from "../lib/router";
import { LoadDemo } from "../parts/demo";
import s from "./chat.module.css";

const EXAMPLES = [
  ["My dog is called Biscuit, and I live in Porto", "say a fact: it becomes a memory"],
  ["What is my dog called?", "ask for it, here or in any other conversation"],
  ["/recall where do I live", "see what would be put into a prompt"],
] as const;

export function Start({ isNew, onPick }: { isNew: boolean; onPick: (text: string) => void }) {
  const model = useAsked("model", (signal) => call("chat.model", {}, signal)).data;
  const memory = useAsked("status", (signal) => call("memory.status", {}, signal)).data;
  return (
    <div className={s["start"]}>
      <h2>{isNew ? "What is on your mind?" : "Nothing was said here yet"}</h2>
      <p>
        {memory?.items ? (
          <>
            The model is given what fits out of <a href={href(["memory"])}>{plural(memory.items, "memory", "memories")}</a>.{" "}
          </>
        ) : (
          "What you say is remembered, and every answer shows which memories it was given. "
        )}
        {model?.provider === "offline" && (
          <>
            No model is set: answers come from memory alone, word for word. <code>models.provider</code> in palyra.toml changes that.
          </>
        )}
      </p>
      <div className={s["examples"]}>
        {EXAMPLES.map(([text, about]) => (
          <button key={text} type="button" onClick={() => onPick(text)}>
            {text}
            <small>{about}</small>
          </button>
        ))}
      </div>
      {isNew && memory?.items === 0 && <LoadDemo />}
    </div>
  );
}
