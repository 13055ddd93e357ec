/** What a prompt would be given for a question, without asking it. */
import type { Answered } from "../api/types";
import { plural } from "../lib/format";
import { IconButton, styles } from "../parts/parts";
import { MemoryCard } from "../parts/memory_card";

export interface RecallShown {
  query: string;
  found: Answered<"memory.recall">;
}

export function Recalled({ shown, onClose }: { shown: RecallShown; onClose: () => void }) {
  return (
    <section className={styles["notice"]} style={{ display: "block", maxHeight: "40vh", overflow: "auto" }} aria-label="What would be recalled">
      <div style={{ display: "flex", gap: 8, alignItems: "baseline" }}>
        <span style={{ flex: 1 }}>
          {shown.found.memories.length ? `${plural(shown.found.memories.length, "memory", "memories")}, ${plural(shown.found.tokens, "token")}, for “${shown.query}”` : `Nothing would be put into the prompt for “${shown.query}”.`}
        </span>
        <IconButton small icon="close" label="Close" onClick={onClose} />
      </div>
      {shown.found.memories.map((memory) => (
        <MemoryCard key={memory.memory_id} id={memory.memory_id} citation={memory.citation} score={memory.score} />
      ))}
    </section>
  );
}
