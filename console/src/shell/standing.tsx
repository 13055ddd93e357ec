/** For whom the page speaks, and in which channel it stands. */
import { useState, type FormEvent } from "react";
import { auth } from "../api/client";
import { kept } from "../lib/kept";
import { go, usePlace } from "../lib/router";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { Button, Dialog, styles } from "../parts/parts";

export function StandingDialog({ onClose }: { onClose: () => void }) {
  const now = useSignal(standing);
  const own = useSignal(auth).principal;
  const place = usePlace();
  const [principal, setPrincipal] = useState(now.principal || own);
  const [channel, setChannel] = useState(now.channel);
  const known = [own, ...kept.json<string[]>("principals", [])].filter((one, at, all) => one && all.indexOf(one) === at);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = principal.trim();
    standing.choose({ principal: wanted === own ? "" : wanted, channel: channel.trim() });
    onClose();
    go([place.path[0] ?? "chat"]); // what was open belongs to somebody else
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
        <input id="channel" className={styles["field"]} value={channel} onChange={(event) => setChannel(event.target.value)} placeholder="none: what belongs to the principal alone" spellCheck={false} />
        <p className="muted" style={{ marginTop: 12 }}>
          Speaking for anybody but {own} is written into the journal each time, before anything is read.
        </p>
        <div className={styles["actions"]}>
          <Button look="primary" type="submit">
            Switch
          </Button>
          {(now.principal || now.channel) && (
            <Button
              onClick={() => {
                standing.choose({ principal: "", channel: "" });
                onClose();
                go([place.path[0] ?? "chat"]);
              }}
            >
              Back to {own}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
