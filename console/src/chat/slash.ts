/** What a line that begins with a slash does. */
import { ApiError, call } from "../api/client";
import { commands } from "../lib/commands";
import { go } from "../lib/router";
import { newId } from "./drafts";
import type { Conversation } from "./conversation";
import type { RecallShown } from "./recalled";
import { SLASH } from "./suggest";
import { announce } from "./tabs";
import type { Turn } from "./turns";

export interface SlashContext {
  name: string | undefined;
  sessionId: string | undefined;
  last: Turn | undefined;
  conversation: Conversation | undefined;
  undo: () => Promise<void>;
  branch: () => Promise<void>;
  pin: (turn: Turn) => Promise<void>;
  notice: (text: string) => void;
  recalled: (shown: RecallShown) => void;
}

export async function runSlash(name: string, argument: string, context: SlashContext): Promise<void> {
  const { conversation, last } = context;
  const begun = () => {
    if (!conversation || !context.name) throw new ApiError("failed_precondition", "nothing was said yet", "say something first");
    return { conversation, name: context.name };
  };
  const said = () => {
    if (!last) throw new ApiError("failed_precondition", "there is no answer yet", "say something first");
    return last;
  };
  const needed = (what: string) => {
    if (!argument) throw new ApiError("invalid_argument", `/${name} needs ${what}`, `/${name} ${what}`);
    return argument;
  };
  switch (name) {
    case "help":
    case "?":
      commands.value.find((command) => command.id === "keys")?.run();
      return;
    case "new": {
      if (!argument) return go(["chat"]);
      const made = await call("session.create", { title: argument, request_id: newId() });
      announce(made.key);
      return go(["chat", made.key]);
    }
    case "branch":
      begun();
      return context.branch();
    case "undo":
      begun();
      return context.undo();
    case "retry":
      return begun().conversation.retry(said().runId, newId());
    case "pin":
      begun();
      await context.pin(said());
      return context.notice("The last answer stays in every prompt of this conversation.");
    case "rename":
      await call("session.rename", { session: begun().name, title: needed("TITLE") });
      return announce(begun().name);
    case "archive":
      await call("session.archive", { session: begun().name });
      announce(begun().name);
      return go(["chat"]);
    case "compact": {
      const done = await call("compaction.apply", { session: begun().name, request_id: newId() });
      return context.notice(`${done.messages} messages condensed: ${done.tokens_before} to ${done.tokens_after} tokens; ${done.loss.present} of ${done.loss.facts} statements are in sight. All of it stays on the tape.`);
    }
    case "remember": {
      const kept = await call("memory.retain", { text: needed("TEXT"), request_id: newId() });
      return context.notice(OUTCOMES[kept.outcome] ?? kept.outcome);
    }
    case "recall": {
      const query = needed("QUERY");
      const found = await call("memory.recall", { query, ...(context.sessionId ? { session_id: context.sessionId } : {}) });
      return context.recalled({ query, found });
    }
    default: {
      const near = SLASH.find((one) => one.name.startsWith(name.slice(0, 2)));
      throw new ApiError("invalid_argument", `there is no command /${name}`, near ? `/${near.name}? //${name} sends it as text` : `//${name} sends it as text`);
    }
  }
}

const OUTCOMES: Record<string, string> = {
  stored: "Remembered.",
  merged: "That was known already; both are kept as one.",
  held_for_review: "It waits for your decision under Review.",
  conflict_found: "Remembered. It contradicts something that was known: see Memory.",
  rejected: "It was not remembered.",
};
