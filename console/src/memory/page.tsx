/** Memory: everything that is known, found by meaning, with the reasons for its rank. */
import { useEffect, useState } from "react";
import { call } from "../api/client";
import type { Item, SearchHit } from "../api/types";
import { useAsked } from "../lib/asked";
import { useCommands } from "../lib/commands";
import { count, moment, plural, score, when, words } from "../lib/format";
import { go, href, usePlace } from "../lib/router";
import { Button, Dialog, Empty, ErrorNotice, Notice, Page, Tag, join, styles } from "../parts/parts";
import { Rows } from "../parts/rows";
import { AboutPage } from "./about";
import { Add } from "./add";
import { ConflictsPage } from "./conflicts";
import { ItemPage } from "./item";
import s from "./memory.module.css";

const CATEGORIES = ["durable_fact", "preference", "procedure", "constraint", "decision", "correction", "transient"];
const SOURCES = ["tape:user_message", "tape:tool_result", "summary", "manual", "import", "durable_fact"];
const TRUSTS = ["owner", "agent", "tool", "web", "import"];
const PAGE = 100;
const WEAK = 0.1;

export default function MemoryPage() {
  const place = usePlace();
  const [, which] = place.path;
  const name = place.query.get("name") ?? "";
  if (which === "about") return <AboutPage key={name} name={name} />;
  if (which === "conflicts") return <ConflictsPage />;
  return which ? <ItemPage key={which} id={which} /> : <Find />;
}

function Find() {
  const { query: asked } = usePlace();
  const [typed, setTyped] = useState(asked.get("q") ?? "");
  const [adding, setAdding] = useState(false);
  const filters = {
    q: asked.get("q") ?? "",
    category: asked.get("category") ?? "",
    source: asked.get("source") ?? "",
    trust: asked.get("trust") ?? "",
    past: asked.get("past") === "true",
    asOf: Number(asked.get("at") ?? 0),
  };
  const set = (change: Partial<typeof filters>) => {
    const next = { ...filters, ...change };
    go(["memory"], { q: next.q, category: next.category, source: next.source, trust: next.trust, past: next.past, at: next.asOf || null }, "replace");
  };
  useEffect(() => setTyped(filters.q), [filters.q]);
  useEffect(() => {
    if (typed === filters.q) return;
    const timer = window.setTimeout(() => set({ q: typed }), 200);
    return () => window.clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [typed]);
  useCommands(
    [
      { id: "memory.find", title: "Search memory", group: "Memory", keys: "/", run: () => document.getElementById("memory-query")?.focus() },
      { id: "memory.add", title: "Add a memory", group: "Memory", keys: "n", run: () => setAdding(true) },
    ],
    [],
  );
  return (
    <Page
      title="Memory"
      flush
      tools={
        <>
          <a className={`${styles["button"]} ${styles["small"]}`} href={href(["memory", "about"])}>
            About…
          </a>
          <a className={`${styles["button"]} ${styles["small"]}`} href={href(["memory", "conflicts"])}>
            Conflicts
          </a>
          <Button small onClick={() => setAdding(true)}>
            Add a memory
          </Button>
        </>
      }
    >
      <div className={s["bar"]} role="search">
        <div className={s["search"]}>
          <input id="memory-query" className={styles["field"]} type="search" placeholder="Ask for it in your own words" aria-label="Search memory" value={typed} onChange={(event) => setTyped(event.target.value)} dir="auto" />
        </div>
        <div className={s["filters"]}>
          <Choice label="category" value={filters.category} options={CATEGORIES} onChange={(category) => set({ category })} />
          <Choice label="source" value={filters.source} options={SOURCES} onChange={(source) => set({ source })} />
          <Choice label="trust" value={filters.trust} options={TRUSTS} onChange={(trust) => set({ trust })} />
          <label>
            <input type="checkbox" checked={filters.past} onChange={(event) => set({ past: event.target.checked })} /> also what no longer holds
          </label>
          {filters.q && <AsOf seq={filters.asOf} onChange={(asOf) => set({ asOf })} />}
        </div>
      </div>
      {filters.q ? <Hits filters={filters} /> : <All filters={filters} onAdd={() => setAdding(true)} />}
      {adding && (
        <Dialog title="Add a memory" onClose={() => setAdding(false)}>
          <Add onDone={() => setAdding(false)} />
        </Dialog>
      )}
    </Page>
  );
}

interface Filters {
  q: string;
  category: string;
  source: string;
  trust: string;
  past: boolean;
  asOf: number;
}

function Choice({ label, value, options, onChange }: { label: string; value: string; options: readonly string[]; onChange: (value: string) => void }) {
  return (
    <select className={styles["field"]} aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">any {label}</option>
      {options.map((one) => (
        <option key={one} value={one}>
          {words(one)}
        </option>
      ))}
    </select>
  );
}

/** Back through the journal: what would have been found then. */
function AsOf({ seq, onChange }: { seq: number; onChange: (seq: number) => void }) {
  const size = useAsked("journal size", (signal) => call("journal.status", {}, signal)).data?.size ?? 0;
  const [at, setAt] = useState(seq || size);
  useEffect(() => setAt(seq || size), [seq, size]);
  const event = useAsked(seq ? `event ${seq}` : null, (signal) => call("journal.get", { reference: String(seq) }, signal));
  if (!size) return null;
  return (
    <label className={s["asOf"]}>
      <span>as of</span>
      <input
        type="range"
        min={1}
        max={size}
        value={Math.min(at, size)}
        aria-valuetext={at >= size ? "now" : `event ${at}`}
        onChange={(changed) => setAt(Number(changed.target.value))}
        onPointerUp={() => onChange(at >= size ? 0 : at)}
        onKeyUp={() => onChange(at >= size ? 0 : at)}
      />
      <span className="num">{at >= size ? "now" : event.data && seq === at ? moment(event.data.recorded_at_ms) : `event ${count(at)}`}</span>
    </label>
  );
}

function Hits({ filters }: { filters: Filters }) {
  const found = useAsked(`hits ${JSON.stringify(filters)}`, (signal) =>
    call(
      "memory.search",
      {
        query: filters.q,
        top_k: 64,
        include_score_breakdown: true,
        include_past: filters.past,
        categories: filters.category ? [filters.category] : [],
        sources: filters.source ? [filters.source] : [],
        trusts: filters.trust ? [filters.trust] : [],
        as_of_seq: filters.asOf || null,
      },
      signal,
    ),
  );
  const [weak, setWeak] = useState(false);
  const all = found.data?.hits ?? [];
  const hits = weak ? all : all.filter((hit, at) => hit.score >= WEAK || at === 0);
  return (
    <>
      <ErrorNotice error={found.error} retry={found.reload} />
      {(found.data?.degraded.length ?? 0) > 0 && <Notice kind="warn"><span>Searched without {found.data!.degraded.join(", ")}: what is found may be less.</span></Notice>}
      {found.data && !hits.length ? (
        <Empty title="Nothing fits that">
          <p>Ask with other words, take filters away, or look further back: what was superseded is found with “also what no longer holds”.</p>
        </Empty>
      ) : (
        <Rows
          rows={hits}
          keyOf={(hit) => hit.item.memory_id}
          height={70}
          label="Found"
          render={(hit) => <ItemRow item={hit.item} hit={hit} />}
          head={found.data && <p className={s["count"]}>{plural(hits.length, "memory", "memories")}, best first</p>}
          foot={
            hits.length < all.length && (
              <div className={s["count"]}>
                <Button small look="quiet" onClick={() => setWeak(true)}>
                  {all.length - hits.length} more that hardly fit
                </Button>
              </div>
            )
          }
        />
      )}
    </>
  );
}

function All({ filters, onAdd }: { filters: Filters; onAdd: () => void }) {
  const key = JSON.stringify({ ...filters, q: "" });
  const [more, setMore] = useState<{ key: string; items: Item[]; after: string | null }>();
  const ask = (after: string, signal?: AbortSignal) =>
    call("memory.list", { after, limit: PAGE, newest_first: true, include_past: filters.past, categories: filters.category ? [filters.category] : [], sources: filters.source ? [filters.source] : [], trusts: filters.trust ? [filters.trust] : [] }, signal);
  const first = useAsked(`list ${key}`, (signal) => ask("", signal));
  const status = useAsked("status", (signal) => call("memory.status", {}, signal)).data;
  const mine = more?.key === key ? more : undefined;
  const items = [...(first.data?.items ?? []), ...(mine?.items ?? [])];
  const after = mine ? mine.after : (first.data?.next_after ?? null);
  const [busy, setBusy] = useState(false);
  const readOn = async () => {
    if (!after || busy) return;
    setBusy(true);
    try {
      const page = await ask(after);
      setMore({ key, items: [...(mine?.items ?? []), ...page.items], after: page.next_after });
    } finally {
      setBusy(false);
    }
  };
  if (first.error) return <ErrorNotice error={first.error} retry={first.reload} />;
  if (first.data && !items.length) {
    return (
      <Empty title={filters.category || filters.source || filters.trust ? "Nothing of that kind" : "Nothing is remembered yet"}>
        <p>
          What you say in the chat becomes memory, what agents retain through MCP or HTTP does, and so does what you add here or in a terminal: <code>palyra memory retain "I moved to Lisbon"</code>
        </p>
        <div className={styles["actions"]}>
          <Button look="primary" onClick={onAdd}>
            Add a memory
          </Button>
          <a className={styles["button"]} href={href(["chat"])}>
            Go to the chat
          </a>
        </div>
      </Empty>
    );
  }
  return (
    <Rows
      rows={items}
      keyOf={(item) => item.memory_id}
      height={62}
      label="Memories"
      render={(item) => <ItemRow item={item} />}
      onEnd={after ? () => void readOn() : undefined}
      head={status && first.data && <p className={s["count"]}>{plural(status.items, "memory", "memories")}, newest first{status.vectors_pending > 0 && `; ${count(status.vectors_pending)} still to be indexed`}</p>}
    />
  );
}

const SHOWN = ["vector", "lexical", "context", "phrase"];

function ItemRow({ item, hit }: { item: Item; hit?: SearchHit }) {
  const isPast = item.closed_at_ms !== null || item.superseded_by !== null;
  const parts = Object.entries(hit?.breakdown ?? {}).filter(([, value]) => value > 0.004).sort((a, b) => b[1] - a[1]);
  return (
    <a className={join(s["row"], isPast && s["past"])} href={href(["memory", item.memory_id], { session: item.session_id })}>
      <span className={s["rowText"]} dir="auto">
        {item.text}
      </span>
      <span className={s["meta"]}>
        {hit && (
          <span className={s["score"]}>
            <b className="num">{score(hit.score)}</b>
            <span className={s["scoreBar"]} aria-hidden="true">
              {parts.map(([name, value]) => (
                <i key={name} className={s[`b${band(name)}`]} style={{ width: `${value * 100}%` }} />
              ))}
            </span>
            <span className={s["parts"]}>
              {parts.slice(0, 4).map(([name, value]) => (
                <span key={name} style={{ "--swatch": `var(--bar-${[1, 2, 3, 5, 4][band(name)]})` } as React.CSSProperties}>
                  {name} {score(value)}
                </span>
              ))}
            </span>
          </span>
        )}
        <Tag kind={item.trust}>{item.trust}</Tag>
        <span>{words(item.category)}</span>
        <span>{words(item.source)}</span>
        {item.scope !== "principal" && <Tag>{item.scope}</Tag>}
        {item.pinned && <Tag kind="good">pinned</Tag>}
        {item.tags.slice(0, 4).map((tag) => (
          <span key={tag}>#{tag}</span>
        ))}
        <time dateTime={new Date(item.said_at_ms).toISOString()} title={moment(item.said_at_ms)}>
          {when(item.said_at_ms)}
        </time>
        {isPast && <span>{item.closed_why ?? "superseded"}</span>}
      </span>
    </a>
  );
}

const band = (name: string): number => (SHOWN.indexOf(name) + 5) % 5;
