/** What could be meant by what is being typed: a command, a kind of reference, a document. */
import { useMemo } from "react";
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import s from "./chat.module.css";

export interface Suggestion {
  /** what is put in the place of what was typed */
  insert: string;
  about: string;
}

export interface Slash {
  name: string;
  argument?: string;
  about: string;
}

export const SLASH: readonly Slash[] = [
  { name: "new", argument: "TITLE", about: "begin a new conversation" },
  { name: "branch", about: "go another way from here, in a conversation of its own" },
  { name: "recall", argument: "QUERY", about: "show what would be put into the prompt for QUERY" },
  { name: "remember", argument: "TEXT", about: "keep TEXT as a memory" },
  { name: "undo", about: "take the last turn back" },
  { name: "retry", about: "have the last turn answered anew" },
  { name: "pin", about: "keep the last answer in every prompt" },
  { name: "rename", argument: "TITLE", about: "give the conversation another title" },
  { name: "archive", about: "put the conversation away" },
  { name: "compact", about: "condense what was said first" },
  { name: "help", about: "show the keys and commands" },
];

const KINDS: readonly Suggestion[] = [
  { insert: "@file:", about: "a file in an open folder" },
  { insert: "@folder:", about: "the files of a folder" },
  { insert: "@diff", about: "what has changed and is not staged" },
  { insert: "@staged", about: "what is staged" },
  { insert: "@url:", about: "a page in the net" },
  { insert: "@memory:", about: "a memory, by its words" },
];

interface Found {
  /** where in the text the replaced part begins */
  from: number;
  list: readonly Suggestion[];
}

export function useSuggestions(text: string, caret: number): Found {
  const before = text.slice(0, caret);
  const wantsDocument = /\[\[([^\]\n]{0,60})$/.exec(before);
  const documents = useAsked(wantsDocument ? "suggest" : null, async (signal) => {
    const [found, sessions] = await Promise.all([call("workspace.list", {}, signal), call("session.list", { limit: 50 }, signal)]);
    return [
      ...found.documents.map((one) => ({ insert: `[[${one.path}]]`, about: "document" })),
      ...sessions.sessions.filter((one) => one.key !== one.session_id).map((one) => ({ insert: `[[${one.key}]]`, about: one.title || "conversation" })),
    ];
  });
  return useMemo(() => {
    const slash = /^\/([a-z]*)$/.exec(before);
    if (slash) {
      const list = SLASH.filter((one) => one.name.startsWith(slash[1]!)).map((one) => ({ insert: `/${one.name} `, about: `${one.argument ? `${one.argument}: ` : ""}${one.about}` }));
      return { from: 0, list };
    }
    const kind = /(?:^|\s)(@[a-z]*)$/.exec(before);
    if (kind) return { from: before.length - kind[1]!.length, list: KINDS.filter((one) => one.insert.startsWith(kind[1]!) && one.insert !== kind[1]) };
    if (wantsDocument) {
      const low = wantsDocument[1]!.toLowerCase();
      return { from: before.length - wantsDocument[0].length, list: (documents.data ?? []).filter((one) => one.insert.toLowerCase().includes(low)).slice(0, 8) };
    }
    return { from: 0, list: [] };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [before, documents.data]);
}

export function Suggestions({ list, at, onPick }: { list: readonly Suggestion[]; at: number; onPick: (one: Suggestion) => void }) {
  if (!list.length) return null;
  return (
    <div className={`${s["suggest"]} scroll`} role="listbox" aria-label="Suggestions" id="suggestions">
      {list.map((one, index) => (
        <div key={one.insert} id={`suggestion-${index}`} role="option" aria-selected={index === at} onMouseDown={(event) => (event.preventDefault(), onPick(one))}>
          <code>{one.insert.trim()}</code>
          <span className="truncate">{one.about}</span>
        </div>
      ))}
    </div>
  );
}
