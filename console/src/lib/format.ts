/** How numbers, moments and texts look. */
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const NUMBER = new Intl.NumberFormat();

export const count = (value: number): string => NUMBER.format(value);

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** 2026-11-16 09:41:07, in local time. */
export function moment(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** As short as it can be: 09:41, 3 Nov, 3 Nov 2024. */
export function when(ms: number, now = Date.now()): string {
  const date = new Date(ms);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return TIME.format(date);
  return (date.getFullYear() === today.getFullYear() ? DAY : DAY_YEAR).format(date);
}

export function ago(ms: number, now = Date.now()): string {
  const seconds = Math.round((now - ms) / 1000);
  if (seconds < 0) return `in ${span(-seconds)}`;
  return seconds < 5 ? "now" : `${span(seconds)} ago`;
}

export function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h`;
  return plural(Math.round(seconds / 86_400), "day");
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let size = value / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function tokens(value: number): string {
  return value < 10_000 ? count(value) : `${Math.round(value / 1000)}k`;
}

export const score = (value: number): string => value.toFixed(2);

/** Words of ours that are spelled for machines. */
export const words = (name: string): string => name.replace(/^tape:/, "").replaceAll("_", " ");
