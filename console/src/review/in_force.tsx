/** What was learned and holds: with the way to everything it touched. */
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import { moment, words } from "../lib/format";
import { href } from "../lib/router";
import { Empty, ErrorNotice, Tag, styles } from "../parts/parts";
import s from "./review.module.css";

const MOST = 200;

export function InForce() {
  const found = useAsked("in force", (signal) => call("learning.list", { states: ["applied", "auto_applied", "rolled_back"], limit: MOST }, signal), 15_000);
  const rows = [...(found.data?.candidates ?? [])].sort((a, b) => b.updated_at_ms - a.updated_at_ms);
  return (
    <>
      <ErrorNotice error={found.error} retry={found.reload} />
      {found.data && !rows.length && (
        <Empty title="Nothing was learned yet">
          <p>What you approve stands here, and what was clear enough to be written at once. If something turns out to be wrong, or planted, open it: you see what it touched, and take all of it out in one step.</p>
          <div className={styles["actions"]}>
            <a className={styles["button"]} href={href(["review"])}>
              See what waits
            </a>
          </div>
        </Empty>
      )}
      <ul className={s["list"]}>
        {rows.map((one) => (
          <li key={one.candidate_id} className={s["card"]}>
            <a className={s["plain"]} href={href(["review", one.candidate_id])}>
              <span className={`${s["text"]} anywhere`} dir="auto">
                {one.text}
              </span>
            </a>
            <div className={s["meta"]}>
              <b>{words(one.kind)}</b>
              {one.state === "rolled_back" ? <Tag kind="warn">taken back</Tag> : <Tag kind="good">{one.state === "applied" ? "you approved it" : "written at once"}</Tag>}
              <Tag kind={one.trust}>{one.trust}</Tag>
              <span>{moment(one.updated_at_ms)}</span>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
