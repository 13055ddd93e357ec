/** One conversation as this page knows it: read from the tape, followed while a run goes on, found again when lost. */
import { ApiError, auth, call, epoch, reachable, stream } from "../api/client";
import type { Answered, Lineage, Run, Session, StreamLine, TapeEntry } from "../api/types";
import { until } from "../lib/signal";
import { standing } from "../lib/standing";
import { announce } from "./tabs";
import { buildTurn, put, type Live, type Turn } from "./turns";

/** entries at a time: some dozens of turns when it is opened or scrolled up, more when all of them are wanted */
const PAGE = 200;
const MOST = 1000;

export interface View {
  state: "loading" | "ready" | "failed";
  error: ApiError | undefined;
  session: Session | undefined;
  lineage: Lineage | undefined;
  turns: readonly Turn[];
  /** there is more before the first of them */
  hasOlder: boolean;
}

export interface Outgoing {
  text: string;
  attachments: string[];
  requestId: string;
}

export class Conversation {
  view: View = { state: "loading", error: undefined, session: undefined, lineage: undefined, turns: [], hasOlder: false };
  private readonly entries = new Map<string, TapeEntry[]>();
  private readonly runs = new Map<string, Run>();
  private readonly live = new Map<string, Live>();
  private readonly built = new Map<string, Turn>();
  /** runs that a stream is open for */
  private readonly heard = new Set<string>();
  private order: string[] = [];
  private lastSeq = 0;
  /** what is before this was not read yet; null: nothing is */
  private olderThan: number | null = null;
  /** the end of the tape is here; what a stream brings may be here sooner */
  private isRead = false;
  private readonly listeners = new Set<() => void>();
  private readonly stopped = new AbortController();
  private frame = 0;
  private reading: Promise<void> | undefined;

  constructor(readonly name: string) {
    void this.read();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  close(): void {
    this.stopped.abort();
    cancelAnimationFrame(this.frame);
  }

  get isBusy(): boolean {
    return this.live.size > 0;
  }

  isSending(requestId: string): boolean {
    return this.live.has(`sending:${requestId}`);
  }

  get activeRun(): string | undefined {
    return [...this.live.keys()].find((id) => !id.startsWith("sending:"));
  }

  /** The end of the tape, then what is new on it; `anew`: all that was read before, because something was taken out. */
  read(anew = false): Promise<void> {
    return this.reading && !anew ? this.reading : this.inTurn(() => this.look(anew));
  }

  /** What came before. `until`: as far back as this turn. */
  readOlder(until?: string): Promise<void> {
    return this.reading && !until ? this.reading : this.inTurn(() => this.lookBack(until));
  }

  /** One reader at a time. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const mine = (this.reading ?? Promise.resolve()).then(work).finally(() => {
      if (this.reading === mine) this.reading = undefined;
    });
    this.reading = mine;
    return mine;
  }

  private async look(anew: boolean): Promise<void> {
    try {
      const lineage = await call("session.get", { session: this.name }, this.stopped.signal);
      if (this.isRead) await this.readOn(anew);
      else await this.readEnd();
      this.isRead = true;
      this.view = { ...this.view, state: "ready", error: undefined, session: lineage.session, lineage };
      this.publish();
      for (const run of lineage.active_runs) void this.follow(run.run_id, this.seqOf(run.run_id));
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      const told = error instanceof ApiError ? error : new ApiError("internal", String(error));
      this.view = { ...this.view, state: this.view.state === "ready" ? "ready" : "failed", error: told };
      this.publish();
    }
  }

  private async lookBack(until: string | undefined): Promise<void> {
    try {
      while (this.olderThan !== null) {
        await this.readEnd(until ? MOST : PAGE);
        this.publish();
        if (!until || this.runs.has(until)) break;
      }
    } catch {
      // the next scroll tries again; that nobody answers is said elsewhere
    }
  }

  private async readEnd(limit = PAGE): Promise<void> {
    const bound = this.olderThan === null ? {} : { before_seq: this.olderThan };
    const page = await call("session.transcript", { session: this.name, newest: true, limit, ...bound }, this.stopped.signal);
    this.take(page.entries, page.runs);
    this.olderThan = page.next_before_seq ?? null;
    this.sort();
  }

  private async readOn(anew: boolean): Promise<void> {
    let after: number | null = anew ? (this.olderThan ?? 1) - 1 : this.lastSeq;
    let isFirst = anew;
    while (after !== null) {
      const page: Answered<"session.transcript"> = await call("session.transcript", { session: this.name, after_seq: after, limit: MOST }, this.stopped.signal);
      if (isFirst) this.forget();
      isFirst = false;
      this.take(page.entries, page.runs);
      after = page.next_after_seq;
    }
    if (!this.lastSeq) this.olderThan = null; // all of it was taken out
  }

  /** In the order they began; what has not arrived yet comes last. */
  private sort(): void {
    const began = (id: string) => (id.startsWith("sending:") ? Infinity : (this.entries.get(id)?.[0]?.seq ?? Infinity));
    this.order = this.order.map((id) => [began(id), id] as const).sort(([a], [b]) => (a === b ? 0 : a - b)).map(([, id]) => id);
  }

  /** Resolves when the daemon has the message; the answer goes on coming. Rejects if it does not. */
  send(message: Outgoing): Promise<void> {
    const waiting = `sending:${message.requestId}`;
    const asked = { text: message.text, attachments: message.attachments };
    this.entries.set(waiting, [entryOf(waiting, { type: "event", event: "user_message", data: asked, seq: 0 } as unknown as StreamLine)]);
    this.live.set(waiting, { state: "sending", preview: [] });
    this.order.push(waiting);
    this.publish(waiting);
    return this.begin(waiting, () =>
      stream("chat.send", { session: this.name, text: message.text, attachments: message.attachments, request_id: message.requestId }, this.stopped.signal),
    );
  }

  retry(runId: string, requestId: string): Promise<void> {
    return this.begin(undefined, () => stream("chat.retry", { session: this.name, run_id: runId, request_id: requestId }, this.stopped.signal));
  }

  async stop(): Promise<void> {
    const runId = this.activeRun;
    if (!runId) return;
    try {
      await call("run.abort", { run_id: runId });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "failed_precondition")) throw error; // it was faster
    }
  }

  async undo(): Promise<string> {
    const undone = await call("session.undo", { session: this.name });
    this.drop(undone.run_id);
    announce(this.name);
    return undone.text;
  }

  private begin(waiting: string | undefined, ask: () => Promise<AsyncGenerator<StreamLine>>): Promise<void> {
    return new Promise((accepted, refused) => {
      void (async () => {
        let runId = "";
        try {
          for await (const line of await ask()) {
            if (!runId) {
              if (line.type !== "meta") continue;
              runId = line.run_id!;
              this.heard.add(runId);
              if (waiting) this.drop(waiting);
              this.open(runId, line.state === "pending" ? "waiting" : "streaming");
              accepted();
            }
            this.hear(runId, line);
          }
          if (!runId) throw new ApiError("unavailable", "the answer ended before it began", "send it again");
          if (this.live.has(runId)) throw new ApiError("unreachable", "the stream ended early");
        } catch (error) {
          this.heard.delete(runId);
          if (this.stopped.signal.aborted) return;
          if (runId) void this.follow(runId, this.seqOf(runId));
          else {
            if (waiting) this.drop(waiting);
            refused(error);
          }
        }
      })();
    });
  }

  /** Listens to a run until it is over, however often the connection is lost. */
  private async follow(runId: string, afterSeq: number): Promise<void> {
    if (this.heard.has(runId)) return;
    this.heard.add(runId);
    let seq = afterSeq;
    let pause = 300;
    this.open(runId, this.live.has(runId) ? "lost" : "streaming");
    while (!this.stopped.signal.aborted && this.live.has(runId)) {
      try {
        for await (const line of await stream("chat.follow", { run_id: runId, after_seq: seq }, this.stopped.signal)) {
          pause = 300;
          this.open(runId, line.type === "meta" && line.state === "pending" ? "waiting" : "streaming");
          this.hear(runId, line);
          seq = Math.max(seq, line.seq ?? 0);
        }
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        if (error instanceof ApiError && error.code === "not_found") return this.end(runId);
      }
      if (!this.live.has(runId)) return;
      this.open(runId, "lost");
      await new Promise((resume) => setTimeout(resume, pause));
      pause = Math.min(pause * 2, 4000);
      await until(reachable, Boolean);
      await until(auth, (one) => one.state === "in");
    }
  }

  private open(runId: string, state: Live["state"]): void {
    const known = this.live.get(runId);
    if (known?.state === state) return;
    this.live.set(runId, { state, preview: known?.preview ?? [] });
    if (!this.order.includes(runId)) this.order.push(runId);
    this.publish(runId);
  }

  private hear(runId: string, line: StreamLine): void {
    const live = this.live.get(runId);
    if (line.type === "complete") return this.end(runId);
    if (line.type === "error") {
      // The tape has a notice that says the same; only what is ours to repair is said here.
      return;
    }
    if (line.type !== "event") return;
    const data = (line.data ?? {}) as { offset?: number; text?: string };
    if (line.event === "preview") {
      if (live) put(live.preview, data.offset ?? 0, data.text ?? "");
    } else if (typeof line.seq === "number") {
      this.take([entryOf(runId, line)], []);
      if (line.event === "assistant_message" && live) live.preview = [];
    }
    this.publish(runId);
  }

  private end(runId: string): void {
    this.heard.delete(runId);
    this.live.delete(runId);
    this.publish(runId);
    announce(this.name);
    void this.settle(runId);
  }

  /** The tape's own entries instead of those heard: with their ids, and the run as it ended. */
  private async settle(runId: string): Promise<void> {
    try {
      const first = this.entries.get(runId)?.[0]?.seq ?? this.lastSeq;
      const [page, lineage] = await Promise.all([
        call("session.transcript", { session: this.name, after_seq: Math.max(first - 1, 0), limit: MOST }, this.stopped.signal),
        call("session.get", { session: this.name }, this.stopped.signal),
      ]);
      const ended = page.runs.find((run) => run.run_id === runId);
      if (ended?.retry_of) this.drop(ended.retry_of);
      this.take(page.entries, page.runs);
      this.view = { ...this.view, session: lineage.session, lineage };
      this.publish(runId);
    } catch {
      // what was heard stays; the next look at the tape repairs it
    }
  }

  private take(entries: readonly TapeEntry[], runs: readonly Run[]): void {
    for (const run of runs) {
      this.runs.set(run.run_id, run);
      this.built.delete(run.run_id);
    }
    for (const entry of entries) {
      let own = this.entries.get(entry.run_id);
      if (!own) {
        this.entries.set(entry.run_id, (own = []));
        if (!this.live.has(entry.run_id)) this.order.push(entry.run_id); // else it is there already
      }
      const at = own.findIndex((one) => one.seq === entry.seq);
      if (at >= 0) own[at] = entry;
      else if (own.push(entry) > 1 && own.at(-2)!.seq > entry.seq) own.sort((a, b) => a.seq - b.seq);
      this.built.delete(entry.run_id);
      this.lastSeq = Math.max(this.lastSeq, entry.seq);
    }
  }

  private drop(runId: string): void {
    for (const kept of [this.entries, this.runs, this.live, this.built]) kept.delete(runId);
    this.order = this.order.filter((one) => one !== runId);
    this.publish();
  }

  private forget(): void {
    const going = new Set(this.live.keys());
    for (const kept of [this.entries, this.runs, this.built]) {
      for (const id of [...kept.keys()]) if (!going.has(id)) kept.delete(id);
    }
    this.order = this.order.filter((id) => going.has(id));
    this.lastSeq = 0;
  }

  private seqOf(runId: string): number {
    return this.entries.get(runId)?.at(-1)?.seq ?? 0;
  }

  /** At most once a frame: text comes faster than it can be painted. */
  private publish(runId?: string): void {
    if (runId) this.built.delete(runId);
    if (this.frame) return;
    const show = () => {
      this.frame = 0;
      // The first may be cut in its middle while there is more before it.
      const isCut = this.olderThan !== null && this.order.length > 1 && !this.live.has(this.order[0]!);
      const turns = (isCut ? this.order.slice(1) : this.order).map((id) => {
        const known = this.built.get(id);
        if (known) return known;
        const made = buildTurn(id, this.runs.get(id), this.entries.get(id) ?? [], this.live.get(id));
        this.built.set(id, made);
        return made;
      });
      this.view = { ...this.view, turns, hasOlder: this.olderThan !== null };
      for (const listener of [...this.listeners]) listener();
    };
    if (document.visibilityState === "visible") this.frame = requestAnimationFrame(show);
    else show(); // no frames come to a hidden page
  }
}

function entryOf(runId: string, line: StreamLine): TapeEntry {
  return { run_id: runId, seq: line.seq ?? 0, event_id: "", type: line.event ?? "", payload: (line.data ?? {}) as TapeEntry["payload"], at_ms: Date.now(), pinned: false };
}

/** Reads anew when signed in again, when the daemon is back, when another tab says so, and when the page is looked at. */
export function keepFresh(conversation: Conversation): () => void {
  const read = () => document.visibilityState === "visible" && auth.value.state === "in" && void conversation.read();
  document.addEventListener("visibilitychange", read);
  const timer = window.setInterval(() => !conversation.isBusy && read(), standing.pace(8000));
  const stop = epoch.subscribe(read);
  return () => {
    document.removeEventListener("visibilitychange", read);
    window.clearInterval(timer);
    stop();
  };
}
