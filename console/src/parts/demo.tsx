/** A sample history to look at, in a principal of its own, and the way to be rid of it. */
import { useState } from "react";
import { ApiError, call, callWithProgress, epoch, type Progress } from "../api/client";
import { asApiError, useAsked } from "../lib/asked";
import { plural } from "../lib/format";
import { go } from "../lib/router";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { Button, ErrorNotice, Tag, styles } from "./parts";

export function useDemo() {
  const status = useAsked("demo", (signal) => call("demo.status", {}, signal));
  const [progress, setProgress] = useState<Progress>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [told, setTold] = useState<string>();
  const act = async (work: () => Promise<string | void>) => {
    setBusy(true);
    setError(undefined);
    setTold(undefined);
    try {
      setTold((await work()) || undefined);
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
      setProgress(undefined);
      status.reload();
    }
  };
  const look = ({ principal, session }: { principal: string; session: string }) => {
    standing.choose({ principal, channel: "" });
    go(["chat", session]);
  };
  const load = () => act(async () => look(await callWithProgress("demo.load", {}, setProgress)));
  const remove = () =>
    act(async () => {
      const done = await callWithProgress("demo.remove", {}, setProgress);
      standing.forget(done.principal);
      epoch.set(epoch.value + 1);
      const left = done.untouched_copies.length ? ` Copies may remain in ${done.untouched_copies.join(", ")}.` : "";
      return `Gone: ${plural(done.erased, "event")} erased, and nothing else was changed.${left}`;
    });
  return { status: status.data, progress, busy, error, told, load, remove, look };
}

/** On an empty start page. */
export function LoadDemo() {
  const demo = useDemo();
  if (!demo.status || demo.status.state === "foreign" || demo.status.state === "loaded") return null;
  return (
    <div style={{ marginTop: 18 }}>
      <ErrorNotice error={demo.error} />
      <p>Or look at a sample first: some weeks of somebody made up. It stays apart from your own memory, nothing you type lands in it, and a bar at the top leads back.</p>
      <div className={styles["actions"]} style={{ marginTop: 8 }}>
        <Button disabled={demo.busy} onClick={() => void demo.load()}>
          {demo.busy ? loading(demo.progress) : "Load a sample history"}
        </Button>
      </div>
    </div>
  );
}

export function DemoCard({ className }: { className: string }) {
  const demo = useDemo();
  const stands = useSignal(standing);
  if (!demo.status || demo.status.state === "foreign") return null;
  const { state, principal, events, session } = demo.status;
  const isThere = state !== "absent";
  return (
    <section className={className}>
      <h2>
        Sample history {isThere && <Tag kind={state === "loaded" ? "good" : "warn"}>{state === "loaded" ? "loaded" : "half loaded"}</Tag>}
      </h2>
      <ErrorNotice error={demo.error} />
      <p className="muted">
        {demo.told ?? (isThere ? `${plural(events, "event")}, all of ${principal}. Removing it destroys its text everywhere; your own memory is not touched.` : `Conversations, memories and documents of ${principal}, so that every page has something to show. It stays apart from your own.`)}
      </p>
      <div className={styles["actions"]}>
        {state !== "loaded" && (
          <Button small disabled={demo.busy} onClick={() => void demo.load()}>
            {demo.busy ? loading(demo.progress) : isThere ? "Load the rest" : "Load it"}
          </Button>
        )}
        {state === "loaded" && stands.principal !== principal && (
          <Button small onClick={() => demo.look({ principal, session })}>
            Look at it
          </Button>
        )}
        {isThere && (
          <Button small look="danger" disabled={demo.busy} onClick={() => void demo.remove()}>
            {demo.busy && state === "loaded" ? "Removing…" : "Remove it completely"}
          </Button>
        )}
      </div>
    </section>
  );
}

const loading = (progress: Progress | undefined): string => (progress?.total ? `Loading… ${Math.round((100 * progress.done) / progress.total)} %` : "Loading…");
