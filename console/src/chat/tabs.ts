/** Tabs of this browser tell each other what they changed. */
const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("palyra");
const here = new Set<(session: string) => void>();

export function announce(session: string): void {
  channel?.postMessage(session);
  for (const one of here) one(session);
}

/** `changed` hears of this tab, too. */
export function hearOfChanges(changed: (session: string, elsewhere: boolean) => void): () => void {
  const local = (session: string) => changed(session, false);
  const far = (event: MessageEvent) => typeof event.data === "string" && changed(event.data, true);
  here.add(local);
  channel?.addEventListener("message", far);
  return () => {
    here.delete(local);
    channel?.removeEventListener("message", far);
  };
}
