/** The queue: one key each, or many at once. */
import { useRef, useState } from "react";
import { ApiError, call, epoch } from "../api/client";
import { asApiError, useAsked } from "../lib/asked";
import { useCommands } from "../lib/commands";
import { plural, words } from "../lib/format";
import { Button, Empty, ErrorNotice, Kbd, Notice, styles } from "../parts/parts";
import { Card } from "./card";
import { decide, decideMany, EVERY, isEvery, readQueue, snooze, type Decided, type Meant, type Waiting } from "./queue";
import s from "./review.module.css";

export function Queue() {
  const [meant, setMeant] = useState<Meant>(EVERY);
  /** everything the filter means, also what is not on the screen */
  const [every, setEvery] = useState(false);
  const queue = useAsked(`review ${JSON.stringify(meant)}`, (signal) => readQueue(meant, signal), 15_000);
  const total = queue.data?.total ?? 0;
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<Decided>();
  const [at, setAt] = useState(0);
  const [editing, setEditing] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const open = (queue.data?.rows ?? []).filter((row) => !gone.has(row.id));
  const current = open[Math.min(at, open.length - 1)];
  const picked = open.filter((row) => chosen.has(row.id));

  /** One after the other: keys may come faster than answers, and none is lost. */
  const line = useRef(Promise.resolve());
  const newest = useRef<Decided>(undefined);
  const attempt = (work: () => Promise<void>) => {
    line.current = line.current.then(async () => {
      setBusy(true);
      setError(undefined);
      try {
        await work();
      } catch (failed) {
        setError(asApiError(failed));
        queue.reload();
      } finally {
        setBusy(false);
      }
    });
    return line.current;
  };
  const tell = (done: Decided | undefined) => setLast((newest.current = done));
  const leave = (ids: readonly string[]) => setGone((before) => new Set([...before, ...ids]));
  const comeBack = (ids: readonly string[]) => setGone((before) => new Set([...before].filter((id) => !ids.includes(id))));
  /** They leave at once, so that the next key is for the next one; what could not be decided comes back. */
  const settle = (ids: readonly string[], work: () => Promise<Decided>) => {
    leave(ids);
    setEditing(undefined);
    return attempt(async () => {
      let decided: readonly string[] = [];
      try {
        const done = await work();
        decided = done.ids;
        tell(done);
        setChosen((before) => new Set([...before].filter((id) => !decided.includes(id))));
        epoch.set(epoch.value + 1);
      } finally {
        comeBack(ids.filter((id) => !decided.includes(id)));
      }
    });
  };
  const act = (row: Waiting | undefined, work: (row: Waiting) => Promise<Decided>) => row && settle([row.id], () => work(row));
  const choose = (approve: boolean) =>
    every
      ? settle(
          open.map((row) => row.id),
          async () => {
            const done = await decideMany({ wanted: meant }, approve);
            setEvery(false);
            setGone(new Set());
            queue.reload();
            return done;
          },
        )
      : picked.length
      ? settle(
          picked.map((row) => row.id),
          () => decideMany({ ids: picked.map((row) => row.id) }, approve),
        )
      : act(current, (row) => decide(row, approve));
  const undo = () =>
    attempt(async () => {
      const done = newest.current;
      if (!done?.undo) return;
      await done.undo();
      comeBack(done.ids);
      tell(undefined);
      epoch.set(epoch.value + 1);
      queue.reload();
    });
  /** With `through`: everything between the current one and this. */
  const mark = (row: Waiting | undefined, through = false) => {
    if (!row) return;
    const to = open.indexOf(row);
    const from = through && current ? open.indexOf(current) : to;
    const span = open.slice(Math.min(from, to), Math.max(from, to) + 1).map((one) => one.id);
    setChosen((before) => {
      if (through) return new Set([...before, ...span]);
      const next = new Set(before);
      if (!next.delete(row.id)) next.add(row.id);
      return next;
    });
    setAt(to);
  };
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(open.length - 1, before + by)));
  useCommands(
    [
      { id: "review.approve", title: "Approve", group: "Review", keys: "a", run: () => void choose(true) },
      { id: "review.edit", title: "Edit, then approve", group: "Review", keys: "e", run: () => setEditing(current?.id) },
      { id: "review.reject", title: "Reject", group: "Review", keys: "r", run: () => void choose(false) },
      { id: "review.snooze", title: "Put off until tomorrow", group: "Review", keys: "s", run: () => current?.learned && void act(current, snooze) },
      { id: "review.mark", title: "Select, or no longer", group: "Review", keys: "x", run: () => mark(current) },
      { id: "review.undo", title: "Undo the last decision", group: "Review", keys: "u", run: () => void undo() },
      { id: "review.next", title: "Next", group: "Review", keys: "j", run: () => step(1) },
      { id: "review.previous", title: "Previous", group: "Review", keys: "k", run: () => step(-1) },
    ],
    [current?.id, open.length, last, chosen, busy],
  );
  return (
    <>
      <ErrorNotice error={queue.error ?? error} retry={queue.error ? queue.reload : undefined} />
      {last && (
        <div style={{ marginBottom: 10 }}>
          <Notice kind="good">
            <span>{last.said}</span>
            {last.undo && (
              <Button small disabled={busy} onClick={() => void undo()}>
                Undo <Kbd keys="U" />
              </Button>
            )}
          </Notice>
        </div>
      )}
      {(total > 0 || !isEvery(meant)) && <Filter meant={meant} rows={open} change={(now) => (setMeant(now), setEvery(false), setChosen(new Set()))} />}
      {open.length > 0 && (
        <div className={s["bar"]} role="toolbar" aria-label="Selected">
          <span className="muted num">
            {every ? `all ${plural(total, "proposal")} selected` : picked.length ? `${picked.length} of ${plural(total, "proposal")} selected` : plural(total, "proposal")}
            {!picked.length && queue.data!.snoozed > 0 && `, ${queue.data!.snoozed} put off`}
          </span>
          {every || picked.length > 0 ? (
            <>
              <Button small look="primary" disabled={busy} onClick={() => void choose(true)}>
                Approve {every ? total : picked.length}
              </Button>
              <Button small look="danger" disabled={busy} onClick={() => void choose(false)}>
                Reject {every ? total : picked.length}
              </Button>
              <Button small look="quiet" onClick={() => (setEvery(false), setChosen(new Set()))}>
                Select none
              </Button>
            </>
          ) : (
            open.length > 1 && (
              <Button small look="quiet" onClick={() => (setChosen(new Set(open.map((row) => row.id))), setEvery(total > open.length))}>
                Select all {total}
              </Button>
            )
          )}
        </div>
      )}
      {queue.data && !open.length && !isEvery(meant) && <p className="muted">Nothing that waits is like that.</p>}
      {queue.data && !open.length && isEvery(meant) && <Nothing queued={queue.data.queued} snoozed={queue.data.snoozed} reflect={() => void attempt(async () => (await call("learning.reflect", {}), queue.reload()))} />}
      <ul className={s["list"]}>
        {open.map((row) => (
          <Card
            key={row.id}
            row={row}
            isCurrent={row === current}
            isEditing={editing === row.id}
            isChosen={chosen.has(row.id)}
            onFocus={() => setAt(open.indexOf(row))}
            onMark={(through) => mark(row, through)}
            onEdit={(on) => setEditing(on ? row.id : undefined)}
            decide={(approve, text) => void act(row, (one) => decide(one, approve, text))}
            snooze={() => void act(row, snooze)}
          />
        ))}
      </ul>
    </>
  );
}

/** By whom, about what, and why: what is left is also what Select all means. */
function Filter({ meant, rows, change }: { meant: Meant; rows: readonly Waiting[]; change: (now: Meant) => void }) {
  const all = (values: readonly string[], now: string) => [...new Set(now ? [now, ...values] : values)].sort();
  const pick = (label: string, now: string, values: readonly string[], set: (value: string) => void) => (
    <select className={styles["field"]} aria-label={label} value={now} onChange={(event) => set(event.target.value)}>
      <option value="">{label}: any</option>
      {all(values, now).map((value) => (
        <option key={value} value={value}>
          {words(value)}
        </option>
      ))}
    </select>
  );
  return (
    <div className={s["filter"]} role="search" aria-label="Which proposals">
      <input className={styles["field"]} type="search" placeholder="A name or word in it" aria-label="About" value={meant.subject} onChange={(event) => change({ ...meant, subject: event.target.value })} />
      {pick("From", meant.source, rows.flatMap((row) => [row.one.source, row.one.trust]), (source) => change({ ...meant, source }))}
      {pick("Why it waits", meant.reason, rows.flatMap((row) => row.one.because), (reason) => change({ ...meant, reason }))}
    </div>
  );
}

function Nothing({ queued, snoozed, reflect }: { queued: number; snoozed: number; reflect: () => void }) {
  return (
    <Empty title="Nothing waits for you">
      <p>
        When a conversation tells something for good (a fact, a preference, how something is done), it is proposed here. So is whatever did not come from you, or looks as if somebody had planted it. You say whether it becomes memory; an agent cannot decide for itself.
      </p>
      <p>
        Say “Please always answer in French” in the chat and come back, or look in a terminal: <code>palyra review list</code>
      </p>
      {snoozed > 0 && <p>{plural(snoozed, "proposal")} put off.</p>}
      {queued > 0 && (
        <div className={styles["actions"]}>
          <Button onClick={reflect}>Read {plural(queued, "turn")} now</Button>
        </div>
      )}
    </Empty>
  );
}
