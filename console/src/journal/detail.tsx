/** One event, and the proof that it is in the journal. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import type { Answered } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { moment } from "../lib/format";
import { href } from "../lib/router";
import { Button, ErrorNotice, Facts, IconButton, Notice, styles } from "../parts/parts";
import s from "./journal.module.css";

export function Detail({ reference, onClose }: { reference: string; onClose: () => void }) {
  const found = useAsked(`event ${reference}`, (signal) => call("journal.get", { reference }, signal));
  const [proof, setProof] = useState<Answered<"journal.prove">>();
  const [error, setError] = useState<ApiError>();
  const event = found.data;
  const prove = async () => {
    setError(undefined);
    try {
      setProof(await call("journal.prove", { reference: event!.event_id }));
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <aside className={`${s["detail"]} scroll`} aria-label="Event" tabIndex={0}>
      <div className={s["detailHead"]}>
        <h2>{event ? `${event.kind} · ${event.seq}` : "Event"}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <ErrorNotice error={found.error ?? error} />
      {event && (
        <>
          <Facts
            rows={[
              ["at", moment(event.recorded_at_ms)],
              event.occurred_at_ms !== event.recorded_at_ms && ["happened at", moment(event.occurred_at_ms)],
              ["by", `${event.actor}, for ${event.principal}`],
              event.channel !== null && ["channel", event.channel],
              event.session_id !== null && ["session", <a key="s" href={href(["chat", event.session_id], { turn: event.run_id })} className="mono">{event.session_id}</a>],
              event.run_id !== null && ["turn", <a key="r" href={href(["journal"], { run: event.run_id })} className="mono">{event.run_id}</a>],
              event.request_id !== null && ["request", event.request_id],
              ["id", <span key="id" className="mono">{event.event_id}</span>],
            ]}
          />
          <h3 className={styles["label"]} style={{ marginTop: 16 }}>
            Payload, version {event.v}
          </h3>
          {event.erased ? <Notice kind="warn"><span>Erased. Its place in the chain, and the proof that it was there, remain.</span></Notice> : <pre className={s["payload"]}>{JSON.stringify(event.payload, null, 2)}</pre>}
          <h3 className={styles["label"]} style={{ marginTop: 16 }}>
            In the chain
          </h3>
          <Facts
            rows={[
              ["before", <span key="p" className={s["hash"]}>{event.prev_hash}</span>],
              ["payload", <span key="c" className={s["hash"]}>{event.commitment}</span>],
              ["event", <span key="h" className={s["hash"]}>{event.hash}</span>],
            ]}
          />
          <div className={styles["actions"]}>
            <Button onClick={() => void prove()}>Prove that it is there</Button>
          </div>
          {proof && (
            <>
              <p style={{ margin: "10px 0 6px" }}>
                With these {proof.path.length} hashes, anybody who has the signed root can check that this is event {proof.leaf_index} of {proof.size}, without seeing any other.
              </p>
              <Facts rows={[["root", <span key="r" className={s["hash"]}>{proof.root}</span>]]} />
              <pre className={s["payload"]}>{proof.path.join("\n") || "no other event: its hash is the root"}</pre>
            </>
          )}
        </>
      )}
    </aside>
  );
}
