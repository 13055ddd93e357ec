/** One memory: what it says, where it came from, what contradicts it, what became of it; and its end, if wanted. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import type { Erasures, HistoryEvent, Item, ItemDetail } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { bytes, moment, plural, words } from "../lib/format";
import { kept, useDraft } from "../lib/kept";
import { save } from "../lib/save";
import { href, usePlace } from "../lib/router";
import { correct, erase, forget, restore, setPinned, supersede, useMemory } from "../parts/memories";
import { Button, Empty, ErrorNotice, Facts, Notice, Page, Section, Tag, join, styles } from "../parts/parts";
import s from "./memory.module.css";

const TAKEN_OUT = ["deleted", "purged", "tidied"];

export function ItemPage({ id }: { id: string }) {
  const sessionId = usePlace().query.get("session") ?? undefined;
  const found = useMemory(id, { sessionId });
  const [certificate, setCertificate] = useState<Erasures>();
  const back = (
    <a className={`${styles["button"]} ${styles["small"]}`} href={href(["memory"])}>
      All memories
    </a>
  );
  return (
    <Page title="Memory" tools={back}>
      <ErrorNotice error={found.error} retry={found.reload} />
      {certificate && <Certificate of={certificate} id={id} />}
      {found.data === null && !certificate && (
        <Empty title="This memory is not in sight">
          <p>It was erased, or it belongs to another principal, channel or session than the one you stand in. What was erased leaves no text anywhere; its events are in the journal.</p>
        </Empty>
      )}
      {found.data && !certificate && <Detail detail={found.data} onErased={setCertificate} />}
    </Page>
  );
}

function Detail({ detail, onErased }: { detail: ItemDetail; onErased: (certificate: Erasures) => void }) {
  const { item } = detail;
  const history = useAsked(`history ${item.memory_id} ${item.seq} ${item.pinned} ${item.closed_at_ms}`, (signal) =>
    call("memory.history", { memory_id: item.memory_id, session_id: item.session_id ?? "", channel: item.channel ?? "" }, signal),
  );
  const { text, write, drop } = useDraft(`correction.${item.memory_id}`, item.text);
  const [mode, setMode] = useState<"look" | "edit" | "forget" | "erase">(text === item.text ? "look" : "edit");
  const [reason, setReason] = useState("");
  const [error, setError] = useState<ApiError>();
  const act = async (work: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await work();
      setMode("look");
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  const isPast = item.closed_at_ms !== null;
  return (
    <div className={s["item"]}>
      <div>
        {mode === "edit" ? (
          <textarea className={join(styles["field"], s["text"])} rows={6} dir="auto" aria-label="Text" value={text} autoFocus onChange={(event) => write(event.target.value)} />
        ) : (
          <p className={join(s["text"], "anywhere", isPast && s["textPast"])} dir="auto">
            {item.text}
          </p>
        )}
        {isPast && (
          <Notice kind="warn">
            <span>
              No longer remembered: {item.closed_why}, {moment(item.closed_at_ms!)}. It is not found any more; its history stays until it is erased.
            </span>
            {TAKEN_OUT.includes(item.closed_why ?? "") && (
              <Button small onClick={() => act(() => restore(item))}>
                Bring it back
              </Button>
            )}
          </Notice>
        )}
        {item.superseded_by && (
          <Notice>
            <span>
              Superseded by <a href={href(["memory", item.superseded_by])}>a newer one</a>.
            </span>
          </Notice>
        )}
        <ErrorNotice error={error} />
        {mode === "edit" && (
          <>
            <input className={styles["field"]} style={{ marginTop: 8 }} placeholder="Why (goes into its history)" aria-label="Why" value={reason} onChange={(event) => setReason(event.target.value)} />
            <div className={styles["actions"]}>
              <Button look="primary" disabled={!text.trim() || text === item.text} onClick={() => act(async () => (await correct(item, text, reason || undefined), drop()))}>
                Save
              </Button>
              <Button onClick={() => (drop(), setMode("look"))}>Cancel</Button>
            </div>
          </>
        )}
        {mode === "look" && (
          <div className={styles["actions"]}>
            {!isPast && (
              <>
                <Button onClick={() => setMode("edit")}>Correct</Button>
                <Button onClick={() => act(() => setPinned(item, !item.pinned))}>{item.pinned ? "Unpin" : "Pin"}</Button>
                <Button onClick={() => setMode("forget")}>Forget</Button>
              </>
            )}
            <Button look="danger" onClick={() => setMode("erase")}>
              Erase
            </Button>
          </div>
        )}
        {mode === "forget" && (
          <div className={s["erase"]}>
            <p>Recall will not find it any more. Its text stays in the history until it is erased.</p>
            <div className={styles["actions"]} style={{ margin: 0 }}>
              <Button look="danger" onClick={() => act(() => forget(item))} autoFocus>
                Forget it
              </Button>
              <Button onClick={() => setMode("look")}>Keep it</Button>
            </div>
          </div>
        )}
        {mode === "erase" && (
          <div className={s["erase"]}>
            <p>
              <b>This cannot be undone.</b> Its text is destroyed in the journal, in every index and in every backup we keep. The chain stays valid, and you get a certificate.
            </p>
            <input className={styles["field"]} placeholder="Why (stays in the journal; name no secret)" aria-label="Why" value={reason} onChange={(event) => setReason(event.target.value)} autoFocus />
            <div className={styles["actions"]} style={{ margin: 0 }}>
              <Button look="danger" onClick={() => act(async () => (onErased(await erase(item, reason)), kept.set(`correction.${item.memory_id}`, null)))}>
                Erase for good
              </Button>
              <Button onClick={() => setMode("look")}>Keep it</Button>
            </div>
          </div>
        )}
        {detail.conflicts.length > 0 && (
          <Section title="Contradictions">
            {detail.conflicts.map((one) => (
              <Conflict key={one.memory_id} item={item} other={one.memory_id} reasons={one.reasons} act={act} />
            ))}
          </Section>
        )}
        <Section title="History">
          <ErrorNotice error={history.error} retry={history.reload} />
          <ol className={s["history"]}>{history.data?.events.map((event) => <Step key={event.event_id} event={event} />)}</ol>
        </Section>
      </div>
      <aside aria-label="About it">
        <About item={item} />
      </aside>
    </div>
  );
}

function About({ item }: { item: Item }) {
  return (
    <Facts
      rows={[
        ["trust", <Tag key="trust" kind={item.trust}>{item.trust}</Tag>],
        ["source", words(item.source)],
        ["category", words(item.category)],
        item.sensitive.length > 0 && ["sensitive", item.sensitive.map(words).join(", ")],
        ["confidence", `${Math.round(item.confidence * 100)} %`],
        ["scope", [item.scope, item.channel, item.session_id?.slice(-6)].filter(Boolean).join(", ")],
        item.tags.length > 0 && ["tags", item.tags.map((tag) => `#${tag}`).join(" ")],
        Boolean(item.speaker) && ["said by", item.speaker],
        Boolean(item.thread) && ["said in", <a key="thread" href={href(["chat", item.thread])}>{item.thread}</a>],
        ["said at", moment(item.said_at_ms)],
        ["holds from", moment(item.valid_from_ms)],
        item.valid_to_ms !== null && ["held until", moment(item.valid_to_ms)],
        item.expires_at_ms !== null && ["expires", moment(item.expires_at_ms)],
        ["recalled", item.recall_count ? `${plural(item.recall_count, "time")}, last ${moment(item.last_recalled_at_ms!)}` : "never"],
        item.provenance.length > 0 && [
          "made from",
          <span key="made">
            {item.provenance.map((event) => (
              <a key={event} href={href(["journal", event])} style={{ display: "block" }} className="mono">
                …{event.slice(-10)}
              </a>
            ))}
          </span>,
        ],
        ["id", <span key="id" className="mono">{item.memory_id}</span>],
        ["journal", <a key="seq" href={href(["journal", String(item.seq)])}>event {item.seq}</a>],
        ["size", bytes(new TextEncoder().encode(item.text).length)],
      ]}
    />
  );
}

function Conflict({ item, other, reasons, act }: { item: Item; other: string; reasons: string[]; act: (work: () => Promise<unknown>) => Promise<void> }) {
  const { data } = useMemory(other, { sessionId: item.session_id ?? undefined });
  if (!data) return null;
  const settled = [item, data.item].find((one) => one.superseded_by || one.closed_at_ms);
  return (
    <>
      <div className={s["pair"]}>
        <div className={s["side"]}>
          <h3>This one, {moment(item.said_at_ms)}</h3>
          <p dir="auto">{item.text}</p>
          {!settled && <Button small onClick={() => act(() => supersede(item, data.item))}>This one holds</Button>}
        </div>
        <div className={s["side"]}>
          <h3>
            <a href={href(["memory", other])}>The other</a>, {moment(data.item.said_at_ms)}
          </h3>
          <p dir="auto">{data.item.text}</p>
          {!settled && <Button small onClick={() => act(() => supersede(data.item, item))}>The other holds</Button>}
        </div>
      </div>
      <p className="muted">{settled ? `Settled: ${settled === item ? "the other" : "this one"} holds.` : reasons.map(words).join(", ")}</p>
    </>
  );
}

function Step({ event }: { event: HistoryEvent }) {
  const body = event.body as Record<string, unknown> | null;
  const text = typeof body?.["text"] === "string" ? body["text"] : undefined;
  const why = typeof body?.["reason"] === "string" && body["reason"] ? body["reason"] : undefined;
  return (
    <li>
      <b>{words(event.kind.replace(/^memory\./, ""))}</b> by {event.actor}{" "}
      <a href={href(["journal", String(event.seq)])}>
        <time dateTime={new Date(event.at_ms).toISOString()}>{moment(event.at_ms)}</time>
      </a>
      {why && <div className="muted">{why}</div>}
      {text !== undefined && (
        <div className={s["old"]} dir="auto">
          {text}
        </div>
      )}
      {body === null && <div className="muted">erased</div>}
    </li>
  );
}

function Certificate({ of, id }: { of: Erasures; id: string }) {
  const download = () => save(`erased-${id}.json`, "application/json", [JSON.stringify(of, null, 1)]);
  return (
    <>
      <Notice kind="good">
        <span>
          Erased: {plural(of.erased.length, "event")}. The chain is valid and signed; the certificate proves that these events were erased and nothing else was changed.
        </span>
      </Notice>
      {of.untouched_copies.length > 0 && (
        <Notice kind="warn">
          <span>Copies that we could not reach: {of.untouched_copies.join(", ")}</span>
        </Notice>
      )}
      <div className={styles["actions"]}>
        <Button look="primary" onClick={download}>
          Save the certificate
        </Button>
        <a className={styles["button"]} href={href(["memory"])}>
          All memories
        </a>
      </div>
      <Section title="Events">
        <ul className="mono">
          {of.erased.map((one) => (
            <li key={one.event_id}>
              <a href={href(["journal", String(one.seq)])}>{one.seq}</a> {one.event_id}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
