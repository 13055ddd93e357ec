/** How memory grew: read from the newest items back, as far as is cheap. */
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import { count, plural, when } from "../lib/format";
import s from "./status.module.css";

const PAGE = 500;
const PAGES = 6;

async function read(signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  let after: string | null = "";
  for (let page = 0; page < PAGES && after !== null; page++) {
    const found: { items: { created_at_ms: number }[]; next_after: string | null } = await call("memory.list", { after, limit: PAGE, newest_first: true }, signal);
    times.push(...found.items.map((item) => item.created_at_ms));
    after = found.next_after;
  }
  return times.sort((a, b) => a - b);
}

export function Growth({ total }: { total: number }) {
  const times = useAsked("growth", read).data ?? [];
  const first = times[0];
  if (first === undefined || times.length < 2) return null;
  const now = Math.max(Date.now(), times.at(-1)!);
  const before = Math.max(total - times.length, 0);
  const x = (at: number) => (((at - first) / Math.max(now - first, 1)) * 100).toFixed(2);
  const y = (items: number) => (40 - (items / Math.max(total, times.length)) * 38).toFixed(2);
  const every = Math.max(1, Math.floor(times.length / 200));
  const steps = times.map((at, index) => [at, before + index + 1] as const).filter((_, index) => index % every === 0 || index === times.length - 1);
  const line = steps.map(([at, items]) => `H${x(at)}V${y(items)}`).join("");
  return (
    <section className={s["card"]}>
      <h2>
        Growth <span className="muted num">{plural(total, "memory", "memories")}</span>
      </h2>
      <svg className={s["chart"]} viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={`From ${count(before)} on ${when(first)} to ${count(total)} memories now`}>
        <path d={`M0 40V${y(before)}${line}H100V40Z`} />
      </svg>
      <div className={s["axis"]}>
        <span>{when(first)}</span>
        <span>now</span>
      </div>
    </section>
  );
}
