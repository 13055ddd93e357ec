/** Addresses within the page, after the hash: they survive reload, signing in and being sent to somebody. */
import { useSyncExternalStore, type MouseEvent } from "react";
import { standing } from "./standing";

export interface Place {
  /** `["chat", "trip"]` */
  path: string[];
  query: URLSearchParams;
}

let shown = "";
let place: Place = { path: [], query: new URLSearchParams() };

function read(): Place {
  if (location.hash !== shown) {
    shown = location.hash;
    const [path = "", query = ""] = shown.replace(/^#\/?/, "").split("?");
    place = { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
    adopt(place.query);
  }
  return place;
}

/** A link may say for whom it was made. */
function adopt(query: URLSearchParams): void {
  const principal = query.get("as") ?? standing.value.principal;
  const channel = query.get("in") ?? standing.value.channel;
  if (principal !== standing.value.principal || channel !== standing.value.channel) standing.choose({ principal, channel });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function href(path: string[], query: Record<string, string | number | boolean | null | undefined> = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) words.set(name, String(value));
  }
  if (standing.value.principal) words.set("as", standing.value.principal);
  if (standing.value.channel) words.set("in", standing.value.channel);
  const asked = words.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${asked && `?${asked}`}`;
}

export function go(path: string[], query: Parameters<typeof href>[1] = {}, how: "push" | "replace" = "push"): void {
  const target = href(path, query);
  if (target === location.hash) return;
  if (how === "push") location.hash = target;
  else {
    history.replaceState(null, "", target);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, read);
}

/** For what is not an `<a>` and still leads somewhere. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
