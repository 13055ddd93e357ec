/** Jobs: prompts that run by themselves, and the daemon's own upkeep. */
import { useState } from "react";
import { ApiError, call } from "../api/client";
import type { CronJob, Job } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { ago, count, moment, words } from "../lib/format";
import { href } from "../lib/router";
import { newId } from "../chat/drafts";
import { Button, Dialog, ErrorNotice, Notice, Page, Section, Tag, styles } from "../parts/parts";
import { NewSchedule } from "./schedule";
import s from "./jobs.module.css";

export default function JobsPage() {
  const schedules = useAsked("cron", (signal) => call("cron.list", { limit: 100 }, signal), 5000);
  const runs = useAsked("cron runs", (signal) => call("cron.history", { limit: 20 }, signal), 5000);
  const jobs = useAsked("jobs", (signal) => call("jobs.list", {}, signal), 5000);
  const history = useAsked("job runs", (signal) => call("jobs.history", { limit: 20 }, signal), 10_000);
  const [making, setMaking] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [told, setTold] = useState<string>();
  const act = async (said: string, work: () => Promise<unknown>) => {
    setError(undefined);
    setTold(undefined);
    try {
      await work();
      setTold(said);
      for (const one of [schedules, runs, jobs, history]) one.reload();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  const mine = (schedules.data?.jobs ?? []).filter((one) => !one.deleted);
  return (
    <Page
      title="Jobs"
      tools={
        <Button small onClick={() => setMaking(true)}>
          New schedule
        </Button>
      }
    >
      <ErrorNotice error={schedules.error ?? jobs.error ?? error} />
      {told && (
        <Notice kind="good">
          <span>{told}</span>
        </Notice>
      )}
      <Section title="Prompts that run by themselves">
        {schedules.data && !mine.length && (
          <div className={s["none"]}>
            <p>None yet. A schedule says something in a conversation of its own, every morning or once at noon, and the answer waits for you there: a look at what changed, a reminder, a summary of the day.</p>
            <div className={styles["actions"]}>
              <Button look="primary" onClick={() => setMaking(true)}>
                New schedule
              </Button>
            </div>
          </div>
        )}
        {mine.length > 0 && <Schedules jobs={mine} act={act} />}
      </Section>
      {(runs.data?.runs.length ?? 0) > 0 && (
        <Section title="Lately">
          <div className={styles["wide"]} tabIndex={0} role="region" aria-label="Lately">
            <table className={styles["table"]}>
              <tbody>
                {runs.data!.runs.map((run) => (
                  <tr key={run.run_id}>
                    <td className="num">{moment(run.slot_ms)}</td>
                    <td>{run.job_name}</td>
                    <td>
                      <Tag kind={run.state === "done" ? "good" : run.state === "failed" ? "bad" : "plain"}>{words(run.state)}</Tag>
                    </td>
                    <td>{run.error_code}</td>
                    <td>{run.session_id && <a href={href(["chat", run.session_id], { turn: run.session_run_id })}>what came of it</a>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Section>
      )}
      <Section title="The daemon's own upkeep">{jobs.data && <Upkeep jobs={jobs.data.jobs} act={act} />}</Section>
      {making && (
        <Dialog title="New schedule" onClose={() => setMaking(false)}>
          <NewSchedule onDone={() => (setMaking(false), schedules.reload())} />
        </Dialog>
      )}
    </Page>
  );
}

type Act = (said: string, work: () => Promise<unknown>) => Promise<void>;

function Schedules({ jobs, act }: { jobs: readonly CronJob[]; act: Act }) {
  const [sure, setSure] = useState<string>();
  return (
    <ul className={s["list"]}>
      {jobs.map((job) => (
        <li key={job.job_id} className={s["card"]} data-off={!job.enabled}>
          <div className={s["head"]}>
            <b>{job.name}</b>
            <span className="muted">{job.description}</span>
            {!job.enabled && <Tag>off</Tag>}
            {job.last_run && <Tag kind={job.last_run.state === "failed" ? "bad" : "good"}>last: {words(job.last_run.state)}</Tag>}
          </div>
          <p className="anywhere" dir="auto">
            {job.prompt}
          </p>
          <p className="muted num">
            {!job.enabled ? "switched off" : job.next_at_ms === null ? "not due again" : `next ${ago(job.next_at_ms)}, ${job.next_local?.slice(0, 16).replace("T", " ") ?? moment(job.next_at_ms)}`} <code>{job.schedule}</code>
          </p>
          <div className={styles["actions"]} style={{ marginTop: 6 }}>
            <Button small onClick={() => act(`${job.name} begins.`, () => call("cron.run", { job: job.job_id, request_id: newId() }))}>
              Run now
            </Button>
            <Button small onClick={() => act(job.enabled ? `${job.name} is off.` : `${job.name} is on.`, () => call(job.enabled ? "cron.disable" : "cron.enable", { job: job.job_id }))}>
              {job.enabled ? "Switch off" : "Switch on"}
            </Button>
            {job.session_id && (
              <a className={`${styles["button"]} ${styles["small"]}`} href={href(["chat", job.session_id])}>
                Conversation
              </a>
            )}
            {sure === job.job_id ? (
              <Button small look="danger" autoFocus onClick={() => act(`${job.name} is deleted; its history stays.`, () => call("cron.delete", { job: job.job_id }))}>
                Yes, delete it
              </Button>
            ) : (
              <Button small look="quiet" onClick={() => setSure(job.job_id)}>
                Delete
              </Button>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** what a narrow screen leaves out */
const WIDE = new Set(["rhythm", "took", "runs"]);

function Upkeep({ jobs, act }: { jobs: readonly Job[]; act: Act }) {
  return (
    <div className={styles["wide"]} tabIndex={0} role="region" aria-label="Upkeep">
      <table className={styles["table"]}>
        <thead>
          <tr>
            {["job", "rhythm", "last", "took", "next", "runs"].map((name) => (
              <th key={name} scope="col" className={WIDE.has(name) ? s["wideOnly"] : undefined}>
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.name}>
              <td>
                {job.name} {job.is_running && <Tag kind="good">running</Tag>} {job.paused_by && <Tag kind="warn">paused</Tag>} {job.is_stuck && <Tag kind="bad">stuck</Tag>}{" "}
                {job.last_error && (
                  <Tag kind="bad" title={job.last_error}>
                    failed
                  </Tag>
                )}
                {job.attention && <div className="muted">{job.attention}</div>}
              </td>
              <td className={s["wideOnly"]}>{job.rhythm}</td>
              <td className="num" title={job.last_started_ms ? moment(job.last_started_ms) : ""}>
                {job.last_started_ms ? ago(job.last_started_ms) : "not yet"}
              </td>
              <td className={`num ${s["wideOnly"]}`}>{job.last_ms === null ? "" : `${count(job.last_ms)} ms`}</td>
              <td className="num">{job.next_due_ms === null ? "" : ago(job.next_due_ms)}</td>
              <td className={`num ${s["wideOnly"]}`}>{count(job.runs)}</td>
              <td style={{ whiteSpace: "nowrap" }}>
                <Button small look="quiet" aria-label={`Run now: ${job.name}`} onClick={() => act(`${job.name} ran.`, () => call("jobs.run", { name: job.name }))}>
                  Run now
                </Button>
                <Button small look="quiet" aria-label={`${job.paused_by ? "Resume" : "Pause"}: ${job.name}`} onClick={() => act(job.paused_by ? `${job.name} runs again.` : `${job.name} is paused.`, () => call(job.paused_by ? "jobs.resume" : "jobs.pause", { name: job.name }))}>
                  {job.paused_by ? "Resume" : "Pause"}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
