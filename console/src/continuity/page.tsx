/** Continuity: condense what was said first, mark a point, and go back to one. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import { asApiError, useAsked } from "../lib/asked";
import { plural } from "../lib/format";
import { go, href, usePlace } from "../lib/router";
import { newId } from "../chat/drafts";
import { Button, Empty, ErrorNotice, Notice, Page, Section, join, styles } from "../parts/parts";
import { Condense } from "./condense";
import { Merge } from "./merge";
import { Point } from "./point";
import s from "./continuity.module.css";

export default function ContinuityPage() {
  const place = usePlace();
  const sessions = useAsked("sessions", (signal) => call("session.list", { limit: 200 }, signal));
  const name = place.path[1] ?? sessions.data?.sessions[0]?.key;
  return (
    <Page title="Continuity">
      <ErrorNotice error={sessions.error} retry={sessions.reload} />
      {sessions.data && !sessions.data.sessions.length && (
        <Empty title="No conversation yet">
          <p>A conversation that goes on for months outgrows every model's window. Here it is condensed without losing anything, and any earlier point can be opened again. Begin one in the chat first.</p>
          <div className={styles["actions"]}>
            <a className={join(styles["button"], styles["primary"])} href={href(["chat"])}>
              Go to the chat
            </a>
          </div>
        </Empty>
      )}
      {name && (
        <>
          <div className={s["pick"]}>
            <select className={styles["field"]} aria-label="Conversation" value={name} onChange={(event) => go(["continuity", event.target.value])}>
              {(sessions.data?.sessions ?? []).map((one) => (
                <option key={one.key} value={one.key}>
                  {one.title || one.key}
                </option>
              ))}
              {!sessions.data?.sessions.some((one) => one.key === name) && <option value={name}>{name}</option>}
            </select>
            <a href={href(["chat", name])}>Open in the chat</a>
          </div>
          <Continuity key={name} name={name} />
        </>
      )}
    </Page>
  );
}

function Continuity({ name }: { name: string }) {
  const tree = useAsked(`tree ${name}`, (signal) => call("checkpoint.tree", { session: name }, signal), 10_000);
  const [title, setTitle] = useState("");
  const [error, setError] = useState<ApiError>();
  const [told, setTold] = useState<string>();
  const here = tree.data?.nodes.find((node) => node.session.key === name || node.session.session_id === name);
  const points = [...(here?.checkpoints ?? [])].sort((a, b) => b.at_ms - a.at_ms);
  const act = async (work: () => Promise<string | void>) => {
    setError(undefined);
    setTold(undefined);
    try {
      setTold((await work()) || undefined);
      tree.reload();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  const mark = () =>
    act(async () => {
      await call("checkpoint.create", { session: name, name: title.trim(), request_id: newId() });
      setTitle("");
      return "Marked: the transcript, and every document, as they are now.";
    });
  return (
    <>
      <div style={{ marginTop: 12 }}>
        <ErrorNotice error={tree.error ?? error} />
        {told && (
          <Notice kind="good">
            <span>{told}</span>
          </Notice>
        )}
      </div>
      <Section title="Checkpoints">
        <form className={s["pick"]} onSubmit={(event) => (event.preventDefault(), void mark())}>
          <input className={styles["field"]} style={{ width: "auto", flex: "1 1 10rem", maxWidth: "20rem" }} aria-label="Name of the point" placeholder="its name, or none" value={title} onChange={(event) => setTitle(event.target.value)} />
          <Button type="submit">Mark this point</Button>
        </form>
        {tree.data && !points.length && <p className="muted" style={{ marginTop: 8 }}>None yet. A checkpoint remembers where the conversation and every document stand, so that you can compare, go back, or try another way.</p>}
        <ul className={s["points"]}>
          {points.map((point) => (
            <Point key={point.checkpoint_id} point={point} act={act} />
          ))}
        </ul>
      </Section>
      {here?.from_checkpoint && (
        <Section title="Bring the documents back">
          <Merge name={name} onMerged={tree.reload} />
        </Section>
      )}
      <Section title="Condense">
        <Condense name={name} onApplied={tree.reload} />
      </Section>
      {(tree.data?.nodes.length ?? 0) > 1 && (
        <Section title="Where it came from, and where it went">
          <ul className={s["tree"]}>
            {tree.data!.nodes.map((node) => (
              <li key={node.session.session_id} className={s["node"]} data-here={node === here} style={{ marginLeft: node.depth * 20 }}>
                <a href={href(["continuity", node.session.key])} dir="auto">
                  {node.session.title || node.session.key}
                </a>{" "}
                {node.checkpoints.length > 0 && <span className="muted">{plural(node.checkpoints.length, "checkpoint")}</span>}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
