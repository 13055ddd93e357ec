/** A turn as it is shown, made of what its run left on the tape and of what is still coming. */
import type { Run, TapeEntry } from "../api/types";

export interface UsedMemory {
  memory_id: string;
  citation: string;
  score: number;
  trust: string;
}

export interface Source {
  kind: string;
  id: string;
  citation: string;
  label: string;
  trust: string;
  score?: number;
}

export interface PromptPart {
  kind: string;
  tokens: number;
  units: number;
  kept?: { source: Source; tokens: number }[];
  left_out?: { source: Source | null; why: string; tokens: number; count: number }[];
}

export interface Report {
  provider: string;
  model: string;
  window_tokens: number;
  max_output_tokens: number;
  margin_tokens: number;
  used_tokens: number;
  parts: PromptPart[];
  degraded?: string[];
}

export interface Reference {
  kind: string;
  target: string;
  label: string;
  tokens: number;
  trust: string;
  warnings: string[];
  error: string;
}

export interface ToolCall {
  kind: "tool";
  callId: string;
  name: string;
  arguments: string;
  /** asks a person */
  question?: string;
  decision?: string;
  reason?: string;
  result?: string;
  isError?: boolean;
}

export interface Answer {
  kind: "answer";
  text: string;
  isComplete: boolean;
  stop: string;
  eventIds: string[];
  pinned: boolean;
}

export interface NoticePiece {
  kind: "notice";
  code: string;
  message: string;
}

export type Piece = Answer | ToolCall | NoticePiece;

export interface Turn {
  runId: string;
  run: Run | undefined;
  asked: { text: string; attachments: string[]; actor: string; seq: number; erased: boolean } | undefined;
  attachments: { attachment_id: string; name: string; media_type: string }[];
  pieces: Piece[];
  memories: UsedMemory[];
  reports: Report[];
  references: Reference[];
  at: number;
  /** `sending`: no answer yet; `lost`: the stream broke off and is looked for */
  live: "no" | "sending" | "waiting" | "streaming" | "lost";
}

export interface Live {
  state: Exclude<Turn["live"], "no">;
  /** the answer that is coming, by characters: offsets count those */
  preview: string[];
}

type Data = Record<string, unknown>;
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** `entries`: of one run, in their order. */
export function buildTurn(runId: string, run: Run | undefined, entries: readonly TapeEntry[], live: Live | undefined): Turn {
  const turn: Turn = {
    runId,
    run,
    asked: undefined,
    attachments: [],
    pieces: [],
    memories: [],
    reports: [],
    references: [],
    at: entries[0]?.at_ms ?? run?.created_at_ms ?? Date.now(),
    live: live?.state ?? "no",
  };
  let open: { answer: Answer; characters: string[] } | undefined;
  for (const entry of entries) {
    const data: Data = entry.payload ?? {};
    if (entry.type === "assistant_text" || entry.type === "assistant_message") {
      open ??= begin(turn);
      put(open.characters, Number(data["offset"] ?? 0), text(data["text"]));
      open.answer.eventIds.push(entry.event_id);
      open.answer.pinned ||= entry.pinned;
      open.answer.text = entry.payload === null ? "" : open.characters.join("");
      if (entry.type === "assistant_message") {
        open.answer.isComplete = Boolean(data["complete"]);
        open.answer.stop = entry.payload === null ? "erased" : text(data["stop"]);
        open = undefined;
      }
    } else take(turn, entry, data);
  }
  if (live?.preview.length) {
    open ??= begin(turn);
    if (live.preview.length > open.characters.length) open.answer.text = live.preview.join("");
  }
  return turn;
}

function begin(turn: Turn) {
  const answer: Answer = { kind: "answer", text: "", isComplete: false, stop: "", eventIds: [], pinned: false };
  turn.pieces.push(answer);
  return { answer, characters: [] as string[] };
}

/** Every character once, however often it is said. */
export function put(characters: string[], offset: number, more: string): void {
  const added = Array.from(more);
  if (offset + added.length <= characters.length) return;
  characters.length = Math.min(characters.length, offset);
  for (const one of added) characters.push(one); // not spread: an answer may be long
}

function take(turn: Turn, entry: TapeEntry, data: Data): void {
  switch (entry.type) {
    case "user_message":
      turn.asked = {
        text: text(data["text"]),
        attachments: (data["attachments"] as string[] | undefined) ?? [],
        actor: text(data["actor"]) || "user",
        seq: entry.seq,
        erased: entry.payload === null,
      };
      break;
    case "attachment":
      turn.attachments.push(data as unknown as Turn["attachments"][number]);
      break;
    case "injection":
      turn.memories.push(...((data["memories"] as UsedMemory[] | undefined) ?? []));
      break;
    case "prompt_report":
      takeReport(turn, data as unknown as Report);
      break;
    case "reference":
      turn.references.push(data as unknown as Reference);
      break;
    case "notice":
      takeNotice(turn, data);
      break;
    case "tool_proposal":
      turn.pieces.push({ kind: "tool", callId: text(data["call_id"]), name: text(data["name"]), arguments: text(data["arguments"]) });
      break;
    case "tool_decision":
      change(turn, data, { decision: text(data["decision"]), reason: text(data["reason"]) });
      break;
    case "tool_result":
      change(turn, data, { result: text(data["text"]), isError: Boolean(data["is_error"]) });
      break;
  }
}

function takeReport(turn: Turn, report: Report): void {
  if (!Array.isArray(report.parts)) return;
  turn.reports.push(report);
}

function takeNotice(turn: Turn, data: Data): void {
  if (data["code"] === "approval_needed") change(turn, data, { question: text(data["message"]), reason: text(data["reason"]) });
  else turn.pieces.push({ kind: "notice", code: text(data["code"]), message: text(data["message"]) });
}

function change(turn: Turn, data: Data, more: Partial<ToolCall>): void {
  const at = turn.pieces.findLastIndex((piece) => piece.kind === "tool" && piece.callId === data["call_id"]);
  const found = turn.pieces[at];
  if (found?.kind === "tool") turn.pieces[at] = { ...found, ...more };
}

/** What went into the last prompt, in the groups of the budget bar. */
export const GROUPS = ["system", "memory", "references", "history", "draft"] as const;
export type Group = (typeof GROUPS)[number];
const GROUP_OF: Record<string, Group> = { memory: "memory", references: "references", images: "references", attachments: "references", turns: "history", message: "draft" };
export const groupOf = (kind: string): Group => GROUP_OF[kind] ?? "system";
