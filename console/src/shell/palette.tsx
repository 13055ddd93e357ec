/** Everything by name: Ctrl-K, a few letters, Enter. */
import { useEffect, useMemo, useRef, useState } from "react";
import { call } from "../api/client";
import { commands, showKeys, type Command } from "../lib/commands";
import { go } from "../lib/router";
import { useSignal } from "../lib/signal";
import { useAsked } from "../lib/asked";
import { Dialog, Kbd } from "../parts/parts";
import s from "./shell.module.css";

/** Letters in their order, the nearer together the better; null: not this one. */
export function match(text: string, wanted: string): number | null {
  const hay = text.toLowerCase();
  let at = -1;
  let gaps = 0;
  for (const letter of wanted.toLowerCase().replaceAll(" ", "")) {
    const next = hay.indexOf(letter, at + 1);
    if (next < 0) return null;
    gaps += at < 0 ? Math.min(next, 4) : next - at - 1;
    at = next;
  }
  return gaps;
}

export function Palette({ onClose }: { onClose: () => void }) {
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const known = useSignal(commands);
  const sessions = useAsked("palette", (signal) => call("session.list", { limit: 100 }, signal));
  const list = useRef<HTMLDivElement>(null);

  const found = useMemo(() => {
    const opened: Command[] = (sessions.data?.sessions ?? []).map((session) => ({
      id: session.session_id,
      title: session.title || session.key,
      group: "Conversations",
      run: () => go(["chat", session.key]),
    }));
    const all = [...known, ...opened];
    if (wanted.trim()) {
      all.push({ id: "search", title: `Search memory for “${wanted.trim()}”`, group: "Search", run: () => go(["memory"], { q: wanted.trim() }) });
    }
    const scored = all
      .map((command) => ({ command, rank: command.id === "search" ? 99 : match(`${command.title} ${command.also ?? ""}`, wanted) }))
      .filter((one): one is { command: Command; rank: number } => one.rank !== null);
    if (wanted.trim()) scored.sort((a, b) => a.rank - b.rank);
    return scored.slice(0, 40).map((one) => one.command);
  }, [known, sessions.data, wanted]);

  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };

  return (
    <Dialog title="Commands" onClose={onClose} bare>
      <input
        className={s["paletteInput"]}
        placeholder="Go to a page or a conversation, or do something…"
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] ? `palette-${chosen}` : undefined}
        value={wanted}
        autoFocus
        onChange={(event) => (setWanted(event.target.value), setAt(0))}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, found.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
          else if (event.key === "Enter") run(found[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <div className={`${s["paletteList"]} scroll`} ref={list} role="listbox" id="palette-list" aria-label="Commands" tabIndex={-1}>
        {found.map((command, index) => (
          <div key={`${command.group}${command.id}`} role="presentation">
            {command.group !== found[index - 1]?.group && <div className={s["paletteGroup"]} role="presentation">{command.group}</div>}
            <div
              id={`palette-${index}`}
              className={s["paletteItem"]}
              role="option"
              aria-selected={index === chosen}
              onMouseMove={() => setAt(index)}
              onClick={() => run(command)}
            >
              <span className="truncate" dir="auto">{command.title}</span>
              {command.keys && (
                <span>
                  <Kbd keys={showKeys(command.keys)} />
                </span>
              )}
            </div>
          </div>
        ))}
        {!found.length && <div className={s["paletteNone"]}>Nothing is called that.</div>}
      </div>
    </Dialog>
  );
}

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const known = useSignal(commands).filter((command) => command.keys);
  const groups = [...new Set(known.map((command) => command.group))];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={s["sheet"]}>
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {known
                .filter((command) => command.group === group)
                .map((command) => (
                  <li key={command.id}>
                    <span>{command.title}</span>
                    <span>
                      <Kbd keys={showKeys(command.keys!)} />
                    </span>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        <section>
          <h3>While writing</h3>
          <ul>
            {[
              ["Send", "Enter"],
              ["New line", "Shift Enter"],
              ["Bring back the last message", "↑"],
              ["Commands", "/"],
              ["Refer to a file, page or memory", "@"],
              ["Refer to a document", "[["],
            ].map(([what, keys]) => (
              <li key={what}>
                <span>{what}</span>
                <span>
                  <Kbd keys={keys!} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Dialog>
  );
}
