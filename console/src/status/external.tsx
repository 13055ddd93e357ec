/** The mirror in an engine elsewhere, and how it keeps what is promised of it. Nothing where no engine is configured. */
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import { count, plural, words } from "../lib/format";
import { Facts, Tag } from "../parts/parts";
import s from "./status.module.css";

type Objective = Awaited<ReturnType<typeof call<"external.status">>>["objectives"][number];

function amount(value: number, unit: string): string {
  if (unit === "share") return `${Number((value * 100).toFixed(1))} %`;
  return value >= 1000 ? `${count(Math.round(value / 1000))} s` : `${Math.round(value)} ms`;
}

function Kept({ one }: { one: Objective }) {
  return (
    <>
      {one.value === null ? "not measured yet" : amount(one.value, one.unit)} <span className="muted">{one.is_floor ? "at least" : "at most"} {amount(one.target, one.unit)}</span>{" "}
      {!one.is_met && <Tag kind="bad">missed</Tag>}
    </>
  );
}

export function External() {
  const status = useAsked("external", (signal) => call("external.status", {}, signal), 5000).data;
  if (!status || status.provider === "off") return null;
  const silent = status.shards.filter((shard) => shard.breaker !== "closed");
  return (
    <section className={s["card"]}>
      <h2>
        Engine {status.provider} <Tag kind={status.state === "healthy" ? "good" : "bad"}>{status.state}</Tag>
      </h2>
      <Facts
        rows={[
          ["servers", silent.length ? silent.map((shard) => `${shard.name} does not answer: ${shard.last_error}`).join("; ") : plural(status.shards.length, "answers", "answer")],
          ["told", status.pending ? plural(status.pending, "memory waits", "memories wait") : "all"],
          ["searches", count(status.searches)],
          ...status.objectives.map((one) => [words(one.name), <Kept key={one.name} one={one} />] as const),
        ]}
      />
    </section>
  );
}
