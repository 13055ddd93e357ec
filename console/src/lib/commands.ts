/** What can be done right now: in the palette, by its keys, and on the sheet of shortcuts. */
import { useEffect, useRef } from "react";
import { Signal } from "./signal";

export interface Command {
  id: string;
  title: string;
  group: string;
  /** `g m`, `n`, `mod+k`: a sequence of keys */
  keys?: string;
  /** more words to find it by */
  also?: string;
  run: () => void;
}

export const commands = new Signal<readonly Command[]>([]);
const owners = new Map<symbol, readonly Command[]>();

/** There as long as the component is. `deps`: when they mean something else. */
export function useCommands(list: readonly Command[], deps: readonly unknown[]): void {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    const owner = Symbol("commands");
    owners.set(owner, latest.current);
    publish();
    return () => {
      owners.delete(owner);
      publish();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, deps);
}

function publish(): void {
  commands.set([...owners.values()].flat());
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));

let begun = "";
let begunAt = 0;

export function listenForKeys(): () => void {
  const hear = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const withMod = event.ctrlKey || event.metaKey;
    if (!withMod && (isTyping(event.target) || document.querySelector("dialog[open]"))) return;
    const key = `${withMod ? "mod+" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const sequence = Date.now() - begunAt < 1200 && begun ? `${begun} ${key}` : key;
    const found = commands.value.find((command) => command.keys === sequence) ?? commands.value.find((command) => command.keys === key);
    begun = "";
    if (found) {
      event.preventDefault();
      found.run();
    } else if (commands.value.some((command) => command.keys?.startsWith(`${key} `))) {
      begun = key;
      begunAt = Date.now();
    }
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const showKeys = (keys: string): string => keys.replace("mod+", MAC ? "⌘ " : "Ctrl ").replace(/\b[a-z]\b/g, (letter) => letter.toUpperCase());
