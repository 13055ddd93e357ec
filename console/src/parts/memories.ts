/** Memories by id, read once, and what a person can do to one. */
import { useEffect } from "react";
import { ApiError, call, epoch } from "../api/client";
import type { Item, ItemDetail } from "../api/types";
import { useAsked, type Asking } from "../lib/asked";
import { Signal } from "../lib/signal";
import { standing } from "../lib/standing";

const known = new Map<string, Promise<ItemDetail | null>>();
/** Grows with each change, so that whoever shows a memory looks again. */
const changes = new Signal(0);
epoch.subscribe(() => known.clear());
standing.subscribe(() => known.clear());

export interface Sight {
  sessionId?: string | undefined;
  channel?: string | null | undefined;
}

/** null: forgotten since, or not in sight. */
export function useMemory(id: string | null, sight: Sight = {}): Asking<ItemDetail | null> {
  const asked = useAsked(id === null ? null : `memory ${id} ${sight.sessionId ?? ""}`, () => read(id!, sight));
  const { reload } = asked; // what is shown stays meanwhile, and with it what somebody is writing there
  useEffect(() => changes.subscribe(reload), [reload]);
  return asked;
}

function read(id: string, sight: Sight): Promise<ItemDetail | null> {
  const name = `${id} ${sight.sessionId ?? ""}`;
  const found = known.get(name);
  if (found) return found;
  const asked = call("memory.get", { memory_id: id, session_id: sight.sessionId ?? "", channel: sight.channel ?? "" }).catch((error: unknown) => {
    if (error instanceof ApiError && (error.code === "not_found" || error.code === "permission_denied")) return null;
    known.delete(name);
    throw error;
  });
  known.set(name, asked);
  if (known.size > 500) known.delete(known.keys().next().value!);
  return asked;
}

function changed(id: string): void {
  for (const name of [...known.keys()]) if (name.startsWith(id)) known.delete(name);
  changes.set(changes.value + 1);
}

/** Where an item is in sight: its own scope. */
const placeOf = (item: Item) => ({ channel: item.channel, session_id: item.session_id });

export async function correct(item: Item, text: string, reason = "corrected in the console"): Promise<Item> {
  const done = await call("memory.update", { memory_id: item.memory_id, text, reason, ...placeOf(item) });
  changed(item.memory_id);
  return done.item;
}

/** What somebody took out is memory again. */
export async function restore(item: Item): Promise<void> {
  await call("memory.restore", { memory_ids: [item.memory_id], ...placeOf(item) });
  changed(item.memory_id);
}

export async function setPinned(item: Item, pinned: boolean): Promise<void> {
  await call("memory.update", { memory_id: item.memory_id, pinned, ...placeOf(item) });
  changed(item.memory_id);
}

/** `loser` held until now; `winner` holds from now on. */
export async function supersede(winner: Item, loser: Item): Promise<void> {
  await call("memory.supersede", { old_id: loser.memory_id, new_id: winner.memory_id, ...placeOf(loser) });
  changed(loser.memory_id);
  changed(winner.memory_id);
}

export async function forget(item: Item): Promise<void> {
  await call("memory.delete", { memory_ids: [item.memory_id], ...placeOf(item) });
  changed(item.memory_id);
}

export async function erase(item: Item, reason: string) {
  const certificate = await call("memory.erase", { ids: [item.memory_id], reason, ...placeOf(item) });
  changed(item.memory_id);
  return certificate;
}
