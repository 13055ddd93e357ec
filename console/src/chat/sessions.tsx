/** Conversations on the left: last active first, branches beneath what they came from. */
import { useEffect, useMemo, useState } from "react";
import { call } from "../api/client";
import type { Session } from "../api/types";
import { useAsked } from "../lib/asked";
import { useCommands } from "../lib/commands";
import { when } from "../lib/format";
import { go, href } from "../lib/router";
import { Icon } from "../parts/icons";
import { Button, ErrorNotice, IconButton, styles } from "../parts/parts";
import { hearOfChanges } from "./tabs";
import s from "./chat.module.css";

interface Row {
  session: Session;
  depth: number;
}

export function Sessions({ open, isOpen, onClose }: { open: string | undefined; isOpen: boolean; onClose: () => void }) {
  const [limit, setLimit] = useState(100);
  const [archived, setArchived] = useState(false);
  const [wanted, setWanted] = useState("");
  const asked = useAsked(`sessions ${limit} ${archived}`, (signal) => call("session.list", { limit, archived }, signal), 20_000);
  const query = wanted.trim();
  const hits = useAsked(query.length > 2 ? `hits ${query}` : null, async (signal) => {
    await new Promise((wait) => setTimeout(wait, 180)); // while somebody is still typing
    if (signal.aborted) throw new DOMException("another question", "AbortError");
    return call("session.search", { query, limit: 20 }, signal);
  });
  useEffect(() => hearOfChanges(asked.reload), [asked.reload]);

  const rows = useMemo(() => arrange(asked.data?.sessions ?? [], query), [asked.data, query]);
  const step = (by: number) => {
    const at = rows.findIndex(({ session }) => session.key === open || session.session_id === open);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next) go(["chat", next.session.key]);
  };
  useCommands(
    [
      { id: "chat.next", title: "Next conversation", group: "Chat", keys: "j", run: () => step(1) },
      { id: "chat.previous", title: "Previous conversation", group: "Chat", keys: "k", run: () => step(-1) },
      { id: "chat.find", title: "Find in conversations", group: "Chat", keys: "f", run: () => document.getElementById("find-sessions")?.focus() },
    ],
    [rows, open],
  );

  return (
    <aside className={s["side"]} data-open={isOpen} aria-label="Conversations">
      <div className={s["sideHead"]}>
        <h2>Conversations</h2>
        <IconButton icon="plus" label="New conversation (n)" onClick={() => go(["chat"])} />
        <span className={s["narrowOnly"]}>
          <IconButton icon="close" label="Close the list" onClick={onClose} />
        </span>
      </div>
      <div className={s["find"]}>
        <input id="find-sessions" className={styles["field"]} type="search" placeholder="Find" aria-label="Find in conversations" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      </div>
      <nav className={`${s["sessions"]} scroll`} aria-label="Conversations">
        <ErrorNotice error={asked.error?.isAway ? undefined : asked.error} retry={asked.reload} />
        <ul>
          {rows.map(({ session, depth }) => (
            <li key={session.session_id}>
              <a
                className={s["session"]}
                href={href(["chat", session.key])}
                aria-current={session.key === open || session.session_id === open ? "page" : undefined}
                style={{ paddingLeft: 8 + Math.min(depth, 4) * 14 }}
                title={session.title || session.key}
                onClick={onClose}
              >
                {depth > 0 && (
                  <span className={s["branchMark"]}>
                    <Icon name="branch" size={12} />
                    <span className="visually-hidden">branch</span>
                  </span>
                )}
                <span className={`${s["title"]} truncate`} dir="auto">
                  {session.title || (session.key === session.session_id ? "Untitled" : session.key)}
                </span>
                <time dateTime={new Date(session.active_at_ms).toISOString()}>{when(session.active_at_ms)}</time>
              </a>
            </li>
          ))}
        </ul>
        {query.length > 2 && (hits.data?.hits.length ?? 0) > 0 && (
          <>
            <div className={s["day"]}>Said in</div>
            <ul>
              {hits.data!.hits.map((hit) => (
                <li key={hit.seq}>
                  <a className={s["hit"]} href={href(["chat", hit.session_key], { turn: hit.run_id })} onClick={onClose}>
                    <span className="truncate" dir="auto">{hit.session_title || hit.session_key}</span>
                    <small dir="auto">{hit.snippet}</small>
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
        {asked.data && !rows.length && <p className="muted" style={{ padding: "8px" }}>{query ? "No title has that." : "None yet. Your first message begins one."}</p>}
        {asked.data?.next_after_session_key && (
          <Button look="quiet" small onClick={() => setLimit(limit + 100)}>
            Show more
          </Button>
        )}
        {asked.data && (
          <Button look="quiet" small onClick={() => setArchived(!archived)} aria-pressed={archived}>
            {archived ? "Hide archived" : "Show archived"}
          </Button>
        )}
      </nav>
    </aside>
  );
}

/** Branches come after their parent, if it is in the list. */
function arrange(sessions: readonly Session[], query: string): Row[] {
  if (query) {
    const low = query.toLowerCase();
    return sessions.filter((one) => `${one.title} ${one.key}`.toLowerCase().includes(low)).map((session) => ({ session, depth: 0 }));
  }
  const known = new Set(sessions.map((one) => one.session_id));
  const children = Map.groupBy(sessions, (one) => (one.parent_id && known.has(one.parent_id) ? one.parent_id : ""));
  const rows: Row[] = [];
  const add = (parent: string, depth: number) => {
    for (const session of children.get(parent) ?? []) {
      rows.push({ session, depth });
      add(session.session_id, depth + 1);
    }
  };
  add("", 0);
  return rows;
}
