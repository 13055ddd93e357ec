/** The head of a conversation: its title, where it came from, and what can be done with all of it. */
import { useState } from "react";
import { call } from "../api/client";
import { href } from "../lib/router";
import { IconButton, styles } from "../parts/parts";
import type { View } from "./conversation";
import { announce } from "./tabs";
import s from "./chat.module.css";

interface Props {
  name: string | undefined;
  view: View;
  onList: () => void;
  onInspect: () => void;
  isInspecting: boolean;
  act: (work: () => Promise<unknown>) => Promise<void>;
}

export function Topic({ name, view, onList, onInspect, isInspecting, act }: Props) {
  const [title, setTitle] = useState<string>();
  const { session, lineage } = view;
  const shown = session ? session.title || (session.key === session.session_id ? "Untitled" : session.key) : name ? "" : "New conversation";
  const parent = lineage?.ancestors[0];
  const rename = () => {
    const wanted = title?.trim();
    setTitle(undefined);
    if (wanted && wanted !== session?.title) void act(async () => (await call("session.rename", { session: name!, title: wanted }), announce(name!)));
  };
  return (
    <header className={s["topic"]}>
      <span className={s["narrowOnly"]}>
        <IconButton icon="list" label="Conversations" onClick={onList} />
      </span>
      <div className={s["topicText"]}>
        {title === undefined ? (
          <h1 className="truncate" dir="auto" title={shown}>
            {shown}
          </h1>
        ) : (
          <input
            className={`${styles["field"]} ${s["rename"]}`}
            aria-label="Title"
            value={title}
            maxLength={200}
            autoFocus
            onChange={(event) => setTitle(event.target.value)}
            onBlur={rename}
            onKeyDown={(event) => {
              if (event.key === "Enter") rename();
              if (event.key === "Escape") setTitle(undefined);
            }}
          />
        )}
        {parent && (
          <a className={s["lineage"]} href={href(["chat", parent.key])} title={parent.title}>
            branch of {(parent.title || parent.key).slice(0, 28)}
          </a>
        )}
        {lineage && lineage.branches.length > 0 && <span className={s["lineage"]}>{lineage.branches.length === 1 ? "1 branch" : `${lineage.branches.length} branches`}</span>}
      </div>
      {session && title === undefined && <IconButton icon="edit" label="Rename" onClick={() => setTitle(session.title)} />}
      <IconButton icon="panel" label="Why this answer (i)" aria-pressed={isInspecting} onClick={onInspect} />
    </header>
  );
}
