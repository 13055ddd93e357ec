/** About somebody or something: what holds, what changed when, and in which conversation it was said. */
import { useState } from "react";
import { call } from "../api/client";
import type { Item } from "../api/types";
import { useAsked } from "../lib/asked";
import { moment, when } from "../lib/format";
import { go, href } from "../lib/router";
import { Button, Empty, ErrorNotice, Page, Section, styles } from "../parts/parts";
import s from "./memory.module.css";

export function AboutPage({ name }: { name: string }) {
  const [typed, setTyped] = useState(name);
  const found = useAsked(name ? `about ${name}` : null, (signal) => call("memory.about", { name }, signal));
  const page = found.data;
  const isKnown = Boolean(page?.holds.length || page?.changed.length);
  return (
    <Page
      title={name ? `About ${page?.name ?? name}` : "About"}
      tools={
        <a className={`${styles["button"]} ${styles["small"]}`} href={href(["memory"])}>
          All memories
        </a>
      }
    >
      <form
        className={s["ask"]}
        onSubmit={(event) => {
          event.preventDefault();
          go(["memory", "about"], { name: typed.trim() }, "replace");
        }}
      >
        <input className={styles["field"]} aria-label="Name" placeholder="A person, a place, a project: Ines, or my sister" value={typed} onChange={(event) => setTyped(event.target.value)} dir="auto" autoFocus={!name} />
        <Button look="primary" disabled={!typed.trim()}>
          Show
        </Button>
      </form>
      <ErrorNotice error={found.error} retry={found.reload} />
      {page && !isKnown && (
        <Empty title={`Nothing is remembered about ${page.name}`}>
          <p>Only what names it is shown here. Search memory to find what is said in other words.</p>
        </Empty>
      )}
      {page && page.also.length > 0 && <p className="muted">Your {page.also.join(", your ")}, as you said.</p>}
      {page && page.holds.length > 0 && (
        <Section title="What holds">
          <ul className={s["told"]}>{page.holds.map((item) => <Told key={item.memory_id} item={item} />)}</ul>
        </Section>
      )}
      {page && page.changed.length > 0 && (
        <Section title="What changed">
          <ul className={s["told"]}>
            {page.changed.map((one) => (
              <Told key={one.before.memory_id} item={one.before} isPast>
                {one.after && (
                  <p dir="auto">
                    <span className="muted">now:</span> <a href={href(["memory", one.after.memory_id])}>{one.after.text}</a>
                  </p>
                )}
              </Told>
            ))}
          </ul>
        </Section>
      )}
    </Page>
  );
}

function Told({ item, isPast = false, children }: { item: Item; isPast?: boolean; children?: React.ReactNode }) {
  return (
    <li>
      <time className="muted num" dateTime={new Date(item.said_at_ms).toISOString()} title={moment(item.said_at_ms)}>
        {when(item.said_at_ms)}
      </time>
      <div>
        <p dir="auto">
          <a className={isPast ? s["textPast"] : undefined} href={href(["memory", item.memory_id])}>
            {item.text}
          </a>
        </p>
        {item.thread && (
          <small>
            <a className="muted" href={href(["chat", item.thread])}>
              said in {item.thread}
            </a>
          </small>
        )}
        {children}
      </div>
    </li>
  );
}
