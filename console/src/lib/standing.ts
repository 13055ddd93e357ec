/** For whom this page speaks, and in which channel. Empty: the daemon's own principal, no channel. */
import { kept } from "./kept";
import { Signal } from "./signal";

export interface Standing {
  principal: string;
  channel: string;
}

const NOBODY_ELSE: Standing = { principal: "", channel: "" };

class StandingSignal extends Signal<Standing> {
  /** A header carries bytes: what is not ASCII goes as UTF-8. */
  headers(): Record<string, string> {
    const { principal, channel } = this.value;
    return {
      ...(principal ? { "x-palyra-principal": bytes(principal) } : {}),
      ...(channel ? { "x-palyra-channel": bytes(channel) } : {}),
    };
  }

  choose(next: Standing): void {
    this.set(next);
    kept.set("standing", next.principal || next.channel ? JSON.stringify(next) : null);
    if (next.principal) {
      const known = kept.json<string[]>("principals", []);
      kept.set("principals", JSON.stringify([next.principal, ...known.filter((one) => one !== next.principal)].slice(0, 8)));
    }
  }

  /** Nobody of that name is there any more. */
  forget(principal: string): void {
    if (this.value.principal === principal) this.choose(NOBODY_ELSE);
    const known = kept.json<string[]>("principals", []);
    kept.set("principals", JSON.stringify(known.filter((one) => one !== principal)));
  }

  /** Looking at somebody else's is written into the journal each time: less often, then. */
  pace(everyMs: number): number {
    return this.value.principal ? everyMs * 8 : everyMs;
  }

  /** Part of the name under which drafts are kept. */
  get name(): string {
    return `${this.value.principal}/${this.value.channel}`;
  }
}

export const standing = new StandingSignal(kept.json<Standing>("standing", NOBODY_ELSE));

function bytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
