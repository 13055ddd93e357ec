/** The journal: every change, in the order it happened, and the proof that nobody changed it since. */
import { useEffect, useRef, useState } from "react";
import { ApiError, call, stream } from "../api/client";
import type { JournalEvent } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { moment, words } from "../lib/format";
import { go, href, usePlace } from "../lib/router";
import { Button, Empty, ErrorNotice, Page, Tag, styles } from "../parts/parts";
import { Rows } from "../parts/rows";
import { Detail } from "./detail";
import { Works } from "./works";
import s from "./journal.module.css";

const PAGE = 200;
const CROSSED = "access.crossed";
const ACTORS = ["user", "agent", "system", "operator", "plugin"];

export default function JournalPage() {
  const place = usePlace();
  const filters = { kind: place.query.get("kind") ?? "", actor: place.query.get("actor") ?? "", session: place.query.get("session") ?? "", run: place.query.get("run") ?? "" };
  const live = place.query.get("live") === "true";
  const open = place.path[1];
  const to = (reference: string | undefined, change: Partial<typeof filters & { live: boolean }> = {}, how: "push" | "replace" = "replace") => {
    const next = { ...filters, live, ...change };
    go(reference ? ["journal", reference] : ["journal"], next, how);
  };
  return (
    <Page
      title="Journal"
      flush
      tools={
        <Button small aria-pressed={live} look={live ? "primary" : "plain"} onClick={() => to(open, { live: !live })}>
          {live ? "Live" : "Follow live"}
        </Button>
      }
    >
      <Works />
      <div className={s["bar"]} role="search">
        <Typed label="kind, such as memory.stored" value={filters.kind} onChange={(kind) => to(open, { kind })} />
        <select className={styles["field"]} aria-label="actor" value={filters.actor} onChange={(event) => to(open, { actor: event.target.value })}>
          <option value="">anybody</option>
          {ACTORS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <Typed label="session id" value={filters.session} onChange={(session) => to(open, { session })} />
        {filters.run && (
          <Button small onClick={() => to(open, { run: "" })}>
            one turn ×
          </Button>
        )}
      </div>
      <div className={s["split"]} data-open={Boolean(open)}>
        <div className={s["listing"]}>
          <Events filters={filters} live={live} open={open} hrefOf={(event) => href(["journal", String(event.seq)], { ...filters, live })} />
        </div>
        {open && <Detail key={open} reference={open} onClose={() => to(undefined)} />}
      </div>
    </Page>
  );
}

function Typed({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      className={styles["field"]}
      placeholder={label}
      aria-label={label}
      value={typed}
      spellCheck={false}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => typed !== value && onChange(typed.trim())}
      onKeyDown={(event) => event.key === "Enter" && onChange(typed.trim())}
    />
  );
}

interface Filters {
  kind: string;
  actor: string;
  session: string;
  run: string;
}

const asked = (filters: Filters) => ({ kind: filters.kind, actor: filters.actor, session_id: filters.session, run_id: filters.run });

function Events({ filters, live, open, hrefOf }: { filters: Filters; live: boolean; open: string | undefined; hrefOf: (event: JournalEvent) => string }) {
  const key = JSON.stringify(filters);
  const first = useAsked(`events ${key}`, (signal) => call("journal.list", { ...asked(filters), limit: PAGE, newest_first: true }, signal));
  const [older, setOlder] = useState<{ key: string; events: JournalEvent[]; after: number | null }>();
  const fresh = useTail(filters, live, first.data?.events[0]?.seq, Boolean(first.data));
  const busy = useRef(false);
  const mine = older?.key === key ? older : undefined;
  const after = mine ? mine.after : (first.data?.next_after_seq ?? null);
  const readOn = async () => {
    if (after === null || busy.current) return;
    busy.current = true;
    try {
      const page = await call("journal.list", { ...asked(filters), limit: PAGE, newest_first: true, after_seq: after });
      setOlder({ key, events: [...(mine?.events ?? []), ...page.events], after: page.next_after_seq });
    } catch {
      // asked again when the end is in sight again
    } finally {
      busy.current = false;
    }
  };
  const events = [...fresh.events, ...(first.data?.events ?? []), ...(mine?.events ?? [])];
  if (first.error) return <ErrorNotice error={first.error} retry={first.reload} />;
  if (first.data && !events.length) {
    return (
      <Empty title={key === JSON.stringify({ kind: "", actor: "", session: "", run: "" }) ? "The journal is empty" : "No event is like that"}>
        <p>
          Every change becomes an event here. The first is written by your first message, or by <code>palyra journal append --kind note '{'{"text": "hello"}'}'</code>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <ErrorNotice error={fresh.error} />
      <Rows
        rows={filters.kind ? events.map((event) => ({ event, times: 1 })) : folded(events)}
        keyOf={({ event }) => String(event.seq)}
        height={29}
        label="Events, newest first"
        onEnd={after === null ? undefined : () => void readOn()}
        render={({ event, times }) => (
          <a className={s["row"]} href={hrefOf(event)} aria-current={open === String(event.seq) || open === event.event_id ? "true" : undefined}>
            <span className={`${s["seq"]} num`}>{event.seq}</span>
            <time className={`num muted ${s["at"]}`} dateTime={new Date(event.recorded_at_ms).toISOString()} title={moment(event.recorded_at_ms)}>
              <span className={s["wide"]}>{moment(event.recorded_at_ms).slice(5, 11)}</span>
              {moment(event.recorded_at_ms).slice(11)}
            </time>
            <span className={`${s["kind"]} truncate`}>
              {event.kind}
              {times > 1 && <span className="muted num"> ×{times}</span>}
            </span>
            <span className={`muted ${s["actor"]}`}>{event.actor}</span>
            <span className={`truncate muted ${s["sums"]}`} dir="auto">
              {event.erased ? <Tag kind="warn">erased</Tag> : gist(event)}
            </span>
          </a>
        )}
      />
    </>
  );
}

/** New events while they happen; the stream is taken up again where it broke off. */
function useTail(filters: Filters, live: boolean, newest: number | undefined, ready: boolean): { events: JournalEvent[]; error: ApiError | undefined } {
  const [events, setEvents] = useState<JournalEvent[]>([]);
  const [error, setError] = useState<ApiError>();
  const key = JSON.stringify(filters);
  useEffect(() => setEvents([]), [key, newest]);
  useEffect(() => {
    if (!live || !ready) return;
    const stop = new AbortController();
    let seq = newest ?? 0;
    void (async () => {
      while (!stop.signal.aborted) {
        try {
          for await (const event of await stream("journal.tail", { ...asked(filters), after_seq: seq, follow: true }, stop.signal)) {
            seq = event.seq;
            setError(undefined);
            setEvents((before) => [event, ...before].slice(0, 2000));
          }
        } catch (failed) {
          if (stop.signal.aborted) return;
          const told = asApiError(failed);
          if (!told.isAway) setError(told);
        }
        await new Promise((wait) => setTimeout(wait, 1500));
      }
    })();
    return () => stop.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [live, ready, key, newest]);
  return { events, error };
}

/** Looks at somebody else's memory come by the dozen: one row for those that follow each other, the newest of them. */
function folded(events: readonly JournalEvent[]): { event: JournalEvent; times: number }[] {
  const rows: { event: JournalEvent; times: number }[] = [];
  for (const event of events) {
    const last = rows.at(-1);
    if (last && event.kind === CROSSED && last.event.kind === CROSSED && last.event.principal === event.principal) last.times += 1;
    else rows.push({ event, times: 1 });
  }
  return rows;
}

function gist(event: JournalEvent): string {
  const payload = event.payload as Record<string, unknown> | null;
  if (!payload || typeof payload !== "object") return "";
  for (const name of ["text", "title", "path", "name", "reason", "state", "type"]) {
    if (typeof payload[name] === "string" && payload[name]) return String(payload[name]).slice(0, 200);
  }
  const said = Object.entries(payload).filter(([name, value]) => !/(_id|_ms|_seq|hash|sha256)$/.test(name) && ((typeof value === "string" && value) || typeof value === "number"));
  return said.map(([name, value]) => `${words(name)} ${value}`).join(", ").slice(0, 200) || words(Object.keys(payload).slice(0, 5).join(", "));
}
