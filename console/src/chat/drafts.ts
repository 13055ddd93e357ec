/** What is being written, kept in this browser until the daemon has it. */
import { kept } from "../lib/kept";
import { standing } from "../lib/standing";
import type { Attachment } from "../api/types";

export interface Draft {
  text: string;
  attachments: Attachment[];
  /** of a message that was sent and not acknowledged: sent again under the same id, it is said once */
  requestId?: string;
}

export const NO_DRAFT: Draft = { text: "", attachments: [] };

const nameOf = (session: string): string => `draft.${standing.name}.${session}`;

export const drafts = {
  read: (session: string): Draft => ({ ...NO_DRAFT, ...kept.json<Partial<Draft>>(nameOf(session), {}) }),
  write(session: string, draft: Draft): void {
    const isEmpty = !draft.text && !draft.attachments.length;
    kept.set(nameOf(session), isEmpty ? null : JSON.stringify(draft));
  },
  watch: (session: string, changed: (draft: Draft) => void): (() => void) =>
    kept.watch(nameOf(session), () => changed(drafts.read(session))),
};

export const newId = (): string => crypto.randomUUID();
