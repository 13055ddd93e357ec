/** A value that says when it has changed, in and outside of React. */
import { useSyncExternalStore } from "react";

export class Signal<T> {
  private readonly listeners = new Set<() => void>();
  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(next: T): void {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const listener of [...this.listeners]) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useSignal<T>(signal: Signal<T>): T {
  return useSyncExternalStore(signal.subscribe, () => signal.value);
}

/** Resolves as soon as `wanted` holds. */
export function until<T>(signal: Signal<T>, wanted: (value: T) => boolean): Promise<void> {
  if (wanted(signal.value)) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = signal.subscribe(() => {
      if (!wanted(signal.value)) return;
      stop();
      resolve();
    });
  });
}
