/** What waits for a person, from both queues, and what can be decided about it. */
import { ApiError, call } from "../api/client";
import type { Candidate, Learned } from "../api/types";
import { newId } from "../chat/drafts";
import { plural } from "../lib/format";
import { kept } from "../lib/kept";

export type Waiting = { kind: "learned"; id: string; one: Learned } | { kind: "held"; id: string; one: Candidate };

const MOST = 100;

export async function readQueue(signal: AbortSignal) {
  const [learned, held] = await Promise.all([
    call("learning.list", { limit: MOST, with_evidence: true }, signal),
    call("memory.candidates", { limit: MOST }, signal),
  ]);
  const rows: Waiting[] = [
    ...learned.candidates.map((one) => ({ kind: "learned" as const, id: one.candidate_id, one })),
    ...held.candidates.map((one) => ({ kind: "held" as const, id: one.candidate_id, one })),
  ];
  return { rows, snoozed: learned.snoozed, queued: learned.queued_runs };
}

export interface Decided {
  said: string;
  /** those that need no decision any more */
  ids: readonly string[];
  undo?: () => Promise<unknown>;
}

export async function decide(row: Waiting, approve: boolean, text?: string): Promise<Decided> {
  const reworded = text !== undefined && text !== row.one.text ? { text } : {};
  const ids = [row.id];
  if (row.kind === "held") {
    const done = await call("memory.decide", { candidate_id: row.id, approve, request_id: newId(), ...reworded });
    kept.set(`candidate.${row.id}`, null);
    const said = approve ? `Approved: ${done.outcome.replaceAll("_", " ")}.` : "Rejected; it is not offered again.";
    return { ids, said, ...(isFinal(done.outcome) ? {} : { undo: () => reopenHeld(ids) }) };
  }
  const decision = approve ? ("text" in reworded ? "edit" : "approve") : "reject";
  await call("learning.decide", { candidate_id: row.id, decision, request_id: newId(), ...reworded });
  kept.set(`candidate.${row.id}`, null);
  return { ids, said: approve ? "Approved, and remembered." : "Rejected; it is not proposed again.", undo: () => reopen(ids, approve) };
}

/** Each by itself: what cannot be decided stays, and the answer says why. */
export async function decideMany(rows: readonly Waiting[], approve: boolean): Promise<Decided> {
  const ids: string[] = [];
  const refused: string[] = [];
  const learned = rows.filter((row) => row.kind === "learned").map((row) => row.id);
  if (learned.length) {
    const { outcomes } = await call("learning.decide_many", { candidate_ids: learned, decision: approve ? "approve" : "reject" });
    for (const one of outcomes) {
      if (one.error) refused.push(one.error.message);
      else ids.push(one.candidate_id);
    }
  }
  const back = { learned: [...ids], held: [] as string[] };
  for (const row of rows) {
    if (row.kind !== "held") continue;
    try {
      const { outcome } = await call("memory.decide", { candidate_id: row.id, approve, request_id: newId() });
      ids.push(row.id);
      if (!isFinal(outcome)) back.held.push(row.id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.isAway || error.status === 401) throw error;
      refused.push(error.message);
    }
  }
  const said = [`${plural(ids.length, "candidate")} ${approve ? "approved" : "rejected"}.`];
  if (refused.length) said.push(`${plural(refused.length, "candidate")} could not be: ${refused[0]}.`);
  const merged = ids.length - back.learned.length - back.held.length;
  if (merged) said.push(`Undo leaves ${merged}: ${merged === 1 ? "it was" : "they were"} known already.`);
  const undo = async () => {
    if (back.learned.length) await reopen(back.learned, approve);
    await reopenHeld(back.held);
  };
  return { ids, said: said.join(" "), ...(ids.length > merged ? { undo } : {}) };
}

/** Part of a memory that was there before: it cannot be told apart from it any more. */
const isFinal = (outcome: string): boolean => outcome === "merged";

async function reopenHeld(ids: readonly string[]): Promise<void> {
  for (const candidate_id of ids) await call("memory.reopen", { candidate_id, reason: "undone in the console", request_id: newId() });
}

async function reopen(ids: readonly string[], wasApproved: boolean): Promise<void> {
  if (wasApproved) {
    for (const candidate_id of ids) await call("learning.rollback", { candidate_id, reason: "undone in the console", request_id: newId() });
  }
  const { outcomes } = await call("learning.decide_many", { candidate_ids: [...ids], decision: "reopen" });
  const failed = outcomes.find((one) => one.error)?.error;
  if (failed) throw new ApiError(failed.code, failed.message, failed.hint);
}

const DAY_MS = 86_400_000;

export async function snooze(row: Waiting): Promise<Decided> {
  await call("learning.snooze", { candidate_id: row.id, for_ms: DAY_MS });
  return { ids: [row.id], said: "Put off until tomorrow.", undo: () => call("learning.snooze", { candidate_id: row.id, for_ms: 0 }) };
}
