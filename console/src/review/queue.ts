/** The one queue of what waits for a person, and what can be decided about it. */
import { call } from "../api/client";
import type { Learned, Proposal } from "../api/types";
import { newId } from "../chat/drafts";
import { plural } from "../lib/format";
import { kept } from "../lib/kept";

/** A proposal; of what a model proposed, with the words it rests on. */
export interface Waiting {
  id: string;
  one: Proposal;
  learned?: Learned | undefined;
}

/** Which are meant. Empty fields leave out nothing. */
export interface Meant {
  source: string;
  subject: string;
  reason: string;
}

export const EVERY: Meant = { source: "", subject: "", reason: "" };
export const isEvery = (meant: Meant): boolean => !meant.source && !meant.subject && !meant.reason;
const MOST = 100;

export async function readQueue(meant: Meant, signal: AbortSignal) {
  const [page, learned] = await Promise.all([
    call("review.list", { limit: MOST, ...meant }, signal),
    call("learning.list", { limit: MOST, with_evidence: true }, signal),
  ]);
  const known = new Map(learned.candidates.map((one) => [one.candidate_id, one]));
  const rows: Waiting[] = page.proposals.map((one) => ({ id: one.proposal_id, one, learned: known.get(one.proposal_id) }));
  return { rows, total: page.total, snoozed: page.snoozed, queued: learned.queued_runs };
}

export interface Decided {
  said: string;
  /** those that need no decision any more */
  ids: readonly string[];
  undo?: () => Promise<unknown>;
}

export async function decide(row: Waiting, approve: boolean, text?: string): Promise<Decided> {
  const reworded = text !== undefined && text !== row.one.text ? { text } : {};
  const done = await decideAll({ ids: [row.id] }, approve, reworded);
  const [now] = done.proposals;
  const became = now?.document ? `Approved, and written to ${now.document}.` : "Approved, and remembered.";
  return { ids: [row.id], said: approve ? became : "Rejected; it is not proposed again.", undo: () => takeBack(done.batch) };
}

/** Each by itself: what cannot be decided stays, and the answer says why. */
export async function decideMany(which: { ids: string[] } | { wanted: Meant }, approve: boolean): Promise<Decided> {
  const done = await decideAll("ids" in which ? which : { wanted: { state: "waiting", ...which.wanted } }, approve);
  const ids = done.proposals.map((one) => one.proposal_id);
  const said = [`${plural(ids.length, "proposal")} ${approve ? "approved" : "rejected"}.`];
  if (done.refused.length) said.push(`${plural(done.refused.length, "proposal")} could not be: ${done.refused[0]!.error.message}.`);
  return { ids, said: said.join(" "), ...(ids.length ? { undo: () => takeBack(done.batch) } : {}) };
}

async function decideAll(which: object, approve: boolean, more: object = {}) {
  const done = await rule(approve ? "approve" : "reject", { ...which, ...more });
  for (const one of done.proposals) kept.set(`candidate.${one.proposal_id}`, null);
  return done;
}

const takeBack = (batch: string) => rule("undo", { wanted: { batch }, reason: "undone in the console" });
const rule = (decision: string, which: object) => call("review.decide", { decision, request_id: newId(), ...which });

const DAY_MS = 86_400_000;

export async function snooze(row: Waiting): Promise<Decided> {
  await call("learning.snooze", { candidate_id: row.id, for_ms: DAY_MS });
  return { ids: [row.id], said: "Put off until tomorrow.", undo: () => call("learning.snooze", { candidate_id: row.id, for_ms: 0 }) };
}
