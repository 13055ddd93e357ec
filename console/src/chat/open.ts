/** Conversations this tab has open: going back to one is at once, and its stream goes on meanwhile. */
import { useEffect, useSyncExternalStore } from "react";
import { standing } from "../lib/standing";
import { Conversation, keepFresh, type View } from "./conversation";
import { hearOfChanges } from "./tabs";

const MOST = 8;
const open = new Map<string, Conversation>();

export function conversationOf(name: string): Conversation {
  const key = `${standing.name} ${name}`;
  let found = open.get(key);
  if (found) open.delete(key);
  else found = new Conversation(name);
  open.set(key, found); // the last one used is the last one closed
  for (const [old, one] of open) {
    if (open.size <= MOST) break;
    if (one === found || one.isBusy) continue;
    one.close();
    open.delete(old);
  }
  return found;
}

const NOTHING: View = { state: "ready", error: undefined, session: undefined, lineage: undefined, turns: [], hasOlder: false };
const never = () => () => undefined;

export function useConversation(conversation: Conversation | undefined): View {
  useEffect(() => {
    if (!conversation) return;
    if (conversation.view.state === "ready") void conversation.read();
    const stops = [
      keepFresh(conversation),
      hearOfChanges((name, elsewhere) => elsewhere && name === conversation.name && !conversation.isBusy && void conversation.read(true)),
    ];
    return () => stops.forEach((stop) => stop());
  }, [conversation]);
  return useSyncExternalStore(conversation?.subscribe ?? never, () => conversation?.view ?? NOTHING);
}
