/** The frame around the sample history: nobody mistakes it for their own, and their own words do not land in it. */
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import { go } from "../lib/router";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { useDemo } from "./demo";
import { Button, ErrorNotice, styles } from "./parts";
import s from "./sample.module.css";

const PRINCIPAL = "user:demo";

/** Whether what is on the screen is the sample's. Somebody may have had that name before. */
export function useSample(): boolean {
  const named = useSignal(standing).principal === PRINCIPAL;
  const status = useAsked(named ? "sample" : null, (signal) => call("demo.status", {}, signal)).data;
  return named && status?.state !== "foreign";
}

function leave(): void {
  standing.choose({ principal: "", channel: "" });
  go(["chat"]);
}

/** On every page. */
export function SampleBanner() {
  const demo = useDemo();
  const remove = async () => {
    await demo.remove();
    if (standing.value.principal !== PRINCIPAL) go(["chat"]);
  };
  return (
    <aside className={s["banner"]} aria-label="Sample history">
      <p>
        <strong>A sample, not your memory.</strong> <span>Somebody made up. Nothing you type lands here.</span>
      </p>
      <div className={s["ways"]}>
        <Button small look="primary" onClick={leave}>
          Back to my own memory
        </Button>
        <Button small disabled={demo.busy} onClick={() => void remove()}>
          {demo.busy ? "Removing…" : "Remove the sample"}
        </Button>
      </div>
      <ErrorNotice error={demo.error} />
    </aside>
  );
}

/** Where one would write. */
export function LookOnly() {
  return (
    <div className={s["instead"]}>
      <p>You are looking at a sample. What you say belongs in your own memory.</p>
      <Button look="primary" onClick={leave}>
        Begin my own conversation
      </Button>
    </div>
  );
}

/** Where a new conversation would begin. */
export function NothingOpen() {
  return (
    <div className={styles["empty"]}>
      <h2>A sample history</h2>
      <p>Choose one of its conversations from the list.</p>
    </div>
  );
}
