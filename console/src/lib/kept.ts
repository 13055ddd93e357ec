/** What stays in this browser. A full or forbidden storage loses convenience, never the page. */
import { useState } from "react";

const PREFIX = "palyra.";

export const kept = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(PREFIX + name);
    } catch {
      return null;
    }
  },
  set(name: string, value: string | null): void {
    try {
      if (value === null || value === "") localStorage.removeItem(PREFIX + name);
      else localStorage.setItem(PREFIX + name, value);
    } catch {
      // private window, or full: nothing to be done here
    }
  },
  json<T>(name: string, otherwise: T): T {
    try {
      return (JSON.parse(kept.get(name) ?? "null") as T | null) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  /** `changed` hears of other tabs. */
  watch(name: string, changed: (value: string | null) => void): () => void {
    const hear = (event: StorageEvent) => {
      if (event.key === PREFIX + name) changed(event.newValue);
    };
    window.addEventListener("storage", hear);
    return () => window.removeEventListener("storage", hear);
  },
};

/** What somebody writes, through reloads and signing in again, until it is done with: saved, or not wanted. */
export function useDraft(name: string, otherwise = ""): { text: string; write: (text: string) => void; drop: () => void } {
  const [text, setText] = useState(() => kept.get(name) ?? otherwise);
  return {
    text,
    write: (next) => (setText(next), kept.set(name, next === otherwise ? null : next)),
    drop: () => (setText(otherwise), kept.set(name, null)),
  };
}
