/** For whom the page speaks, and in which channel it stands. */
import { useState, type FormEvent } from "react";
import { auth, call } from "../api/client";
import type { Answered } from "../api/types";
import { useAsked } from "../lib/asked";
import { kept } from "../lib/kept";
import { plural } from "../lib/format";
import { go, usePlace } from "../lib/router";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { Button, Dialog, ErrorNotice, styles } from "../parts/parts";
import s from "./shell.module.css";

type Place = Answered<"console.places">["places"][number];

export function StandingDialog({ onClose }: { onClose: () => void }) {
  const now = useSignal(standing);
  const own = useSignal(auth).principal;
  const page = usePlace();
  const [principal, setPrincipal] = useState(now.principal || own);
  const [channel, setChannel] = useState(now.channel);
  const found = useAsked("places", (signal) => call("console.places", {}, signal));
  const places = found.data?.places ?? [];
  const wanted = principal.trim();
  const known = distinct([own, ...places.map((one) => one.principal), ...kept.json<string[]>("principals", [])]);
  const channels = distinct(places.filter((one) => one.principal === wanted).map((one) => one.channel ?? ""));

  const choose = (next: string, where: string) => {
    standing.choose({ principal: next === own ? "" : next, channel: where });
    onClose();
    go([page.path[0] ?? "chat"]); // what was open belongs to somebody else
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(wanted, channel.trim());
  };

  return (
    <Dialog title="Whose memory this is" onClose={onClose}>
      <form onSubmit={submit}>
        <label className={styles["label"]} htmlFor="principal">
          Principal
        </label>
        <input id="principal" className={styles["field"]} list="principals" value={principal} onChange={(event) => setPrincipal(event.target.value)} autoFocus spellCheck={false} />
        <datalist id="principals">
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <label className={styles["label"]} htmlFor="channel" style={{ marginTop: 12 }}>
          Channel
        </label>
        <input id="channel" className={styles["field"]} list="channels" value={channel} onChange={(event) => setChannel(event.target.value)} placeholder="none: what belongs to the principal alone" spellCheck={false} />
        <datalist id="channels">
          {channels.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <ErrorNotice error={found.error} retry={found.reload} />
        {places.length > 0 && (
          <ul className={`${s["places"]} scroll`} aria-label="Those there are" tabIndex={0}>
            {places.map((one) => (
              <li key={`${one.principal} ${one.channel ?? ""}`}>
                <button type="button" aria-current={one.principal === (now.principal || own) && (one.channel ?? "") === now.channel ? "true" : undefined} onClick={() => choose(one.principal, one.channel ?? "")}>
                  <span className="truncate" dir="auto">
                    {one.principal}
                    {one.channel && <span className="muted"> in {one.channel}</span>}
                  </span>
                  <span className="muted num">{sizeOf(one)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <p className="muted" style={{ marginTop: 12 }}>
          Speaking for anybody but {own} is written into the journal each time, before anything is read.
        </p>
        <div className={styles["actions"]}>
          <Button look="primary" type="submit">
            Switch
          </Button>
          {(now.principal || now.channel) && <Button onClick={() => choose(own, "")}>Back to {own}</Button>}
        </div>
      </form>
    </Dialog>
  );
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)].filter(Boolean);

const sizeOf = (one: Place): string =>
  [one.memories && plural(one.memories, "memory", "memories"), one.sessions && plural(one.sessions, "conversation")].filter(Boolean).join(", ");
