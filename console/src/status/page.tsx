/** How the daemon is: what it serves, what it costs, what runs by itself. */
import { Fragment, useState } from "react";
import { ApiError, call, callWithProgress, type Progress } from "../api/client";
import { asApiError, useAsked } from "../lib/asked";
import { ago, bytes, count, plural, span, words } from "../lib/format";
import { href } from "../lib/router";
import { DemoCard } from "../parts/demo";
import { Button, ErrorNotice, Facts, Page, Tag, styles } from "../parts/parts";
import { External } from "./external";
import { Growth } from "./growth";
import s from "./status.module.css";

export default function StatusPage() {
  const system = useAsked("system", (signal) => call("system.status", {}, signal), 5000);
  const journal = useAsked("journal", (signal) => call("journal.status", {}, signal), 5000);
  const memory = useAsked("memory", (signal) => call("memory.status", {}, signal), 5000);
  const model = useAsked("model", (signal) => call("chat.model", {}, signal), 5000);
  const troubles = [
    system.data?.refuses_writes && `the journal takes no more events: ${system.data.refuses_writes}`,
    memory.data?.embedding_error && `the index: ${memory.data.embedding_error}`,
    model.data && model.data.breaker !== "closed" && `the model does not answer: ${model.data.last_error}`,
    ...(system.data?.attention ?? []),
  ].filter(Boolean);
  return (
    <Page title="Status">
      <ErrorNotice error={system.error} retry={system.reload} />
      {system.data && (
        <p className={s["lead"]}>
          <i className={s["dot"]} data-kind={troubles.length ? "bad" : "good"} />
          {troubles.length ? troubles.join("; ") : "All is well."}
        </p>
      )}
      <div className={s["grid"]}>
        {system.data && (
          <section className={s["card"]}>
            <h2>palyrad {system.data.version}</h2>
            <Facts
              rows={[
                ["up", span((Date.now() - system.data.started_at_ms) / 1000)],
                ["data", <span key="d" className="mono">{system.data.data_dir}</span>],
                ["conversations", count(system.data.sessions)],
                ["turns going on", count(system.data.active_runs)],
                ["jobs", <a key="j" href={href(["jobs"])}>{system.data.failing_jobs.length ? `${system.data.failing_jobs.join(", ")} failed` : `${count(system.data.jobs)} run by themselves`}</a>],
                ["process", String(system.data.pid)],
              ]}
            />
          </section>
        )}
        {model.data && (
          <section className={s["card"]}>
            <h2>
              Model <Tag kind={model.data.breaker === "closed" ? "good" : "bad"}>{model.data.breaker === "closed" ? "answers" : model.data.breaker.replaceAll("_", " ")}</Tag>
            </h2>
            <Facts
              rows={[
                ["provider", model.data.provider],
                ["model", model.data.model],
                ["window", `${count(model.data.window_tokens)} tokens, ${count(model.data.max_output_tokens)} of them for the answer`],
                ["takes", [model.data.takes_images && "pictures", model.data.takes_tools && "tools"].filter(Boolean).join(", ") || "text"],
                model.data.failures > 0 && ["failures", `${count(model.data.failures)}, last: ${model.data.last_error}`],
                model.data.retry_at_ms !== null && ["tries again", ago(model.data.retry_at_ms)],
              ]}
            />
          </section>
        )}
        {journal.data && (
          <section className={s["card"]}>
            <h2>
              Journal <a href={href(["journal"])}>open</a>
            </h2>
            <Facts
              rows={[
                ["events", count(journal.data.size)],
                ["since signed", count(journal.data.unsigned_events)],
                ["on disk", `${bytes(journal.data.database_bytes)}, and ${bytes(journal.data.wal_bytes)} to be folded in`],
                ["a write takes", journal.data.writes.p50_ms === null ? "nothing written yet" : `${journal.data.writes.p50_ms.toFixed(1)} ms, one in a hundred ${journal.data.writes.p99_ms!.toFixed(0)} ms`],
                ["budget", `${journal.data.writes.budget_ms} ms; over it ${count(journal.data.writes.over_budget)} of ${count(journal.data.writes.writes)}`],
                ["failures", count(journal.data.writes.failures)],
              ]}
            />
          </section>
        )}
        {memory.data && <Memory status={memory.data} reload={memory.reload} />}
        <External />
      </div>
      <div className={s["grid"]} style={{ marginTop: 14 }}>
        {memory.data && memory.data.items > 0 && (
          <>
            <Usage title="By source" rows={memory.data.by_source} />
            <Usage title="By category" rows={memory.data.by_category} />
            <Growth total={memory.data.items} />
          </>
        )}
        <DemoCard className={s["card"]!} />
      </div>
    </Page>
  );
}

type MemoryStatus = Awaited<ReturnType<typeof call<"memory.status">>>;

function Memory({ status, reload }: { status: MemoryStatus; reload: () => void }) {
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<ApiError>();
  const index = async () => {
    setError(undefined);
    setProgress({ what: "index", done: 0, total: status.vectors_pending });
    try {
      await callWithProgress("memory.index", {}, setProgress);
      reload();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setProgress(undefined);
    }
  };
  const waiting = status.waiting_for_review + status.learned_waiting;
  const share = status.items ? status.vectors / Math.max(status.items, status.vectors) : 1;
  return (
    <section className={s["card"]}>
      <h2>
        Memory of {status.principal} <a href={href(["memory"])}>open</a>
      </h2>
      <Facts
        rows={[
          ["memories", `${count(status.items)}, ${bytes(status.bytes)}`],
          ["limits", [status.max_entries && plural(status.max_entries, "entry", "entries"), status.max_bytes && bytes(status.max_bytes), status.ttl_days && plural(status.ttl_days, "day")].filter(Boolean).join(", ") || "none"],
          ["waits for you", waiting ? <a key="r" href={href(["review"])}>{plural(waiting, "candidate")}</a> : "nothing"],
          ["index", `${status.serving_model}, ${bytes(status.index_bytes)} in memory`],
          [
            "indexed",
            <span key="i">
              {status.vectors_pending ? `${count(status.vectors_pending)} pending` : "all"}
              <span className={s["meter"]}>
                <i style={{ width: `${share * 100}%` }} />
              </span>
            </span>,
          ],
        ]}
      />
      <ErrorNotice error={error} />
      {(status.vectors_pending > 0 || progress) && (
        <div className={styles["actions"]}>
          <Button small disabled={Boolean(progress)} onClick={() => void index()}>
            {progress ? `${count(progress.done)} of ${count(progress.total)}` : "Index now"}
          </Button>
        </div>
      )}
    </section>
  );
}

function Usage({ title, rows }: { title: string; rows: { name: string; items: number; bytes: number }[] }) {
  const most = Math.max(1, ...rows.map((row) => row.items));
  return (
    <section className={s["card"]}>
      <h2>{title}</h2>
      <div className={s["usage"]}>
        {rows.map((row) => (
          <Fragment key={row.name}>
            <span>{words(row.name)}</span>
            <i style={{ width: `${(100 * row.items) / most}%` }} />
            <span className="num" title={bytes(row.bytes)}>{count(row.items)}</span>
          </Fragment>
        ))}
      </div>
    </section>
  );
}
