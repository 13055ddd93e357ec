/** Short names for what goes over the wire. */
import type { components, operations } from "./schema";
import type { OperationName } from "./routes";

type Schemas = components["schemas"];
export type Session = Schemas["SessionInfo"];
export type Lineage = Schemas["Lineage"];
export type Run = Schemas["RunInfo"];
export type TapeEntry = Schemas["TapeEntry"];
export type StreamLine = Schemas["StreamLine"];
export type Item = Schemas["Item"];
export type ItemDetail = Schemas["ItemDetail"];
export type SearchHit = Schemas["SearchHit"];
export type HistoryEvent = Schemas["HistoryEvent"];
export type JournalEvent = Schemas["Event"];
export type Model = Schemas["ModelStatus"];
export type Attachment = Schemas["AttachmentInfo"];
export type ReferencesPreview = Schemas["ReferencesPreview"];
export type Erasures = Schemas["Erasures"];
export type Verified = Schemas["Verified"];
export type Proposal = Schemas["QueuedProposal"];
export type Checkpoint = Schemas["CheckpointInfo"];
export type Plan = Schemas["CompactionPreview"];
export type Learned = Schemas["LearnedCandidate"];
export type Job = Schemas["Job"];
export type CronJob = Schemas["CronJobInfo"];
export type DocumentInfo = Schemas["DocumentInfo"];
export type DocumentText = Schemas["DocumentText"];
export type Revision = Schemas["RevisionInfo"];

type Fields<T> = [T] extends [never] ? unknown : T extends undefined ? unknown : T;
type PathOf<O> = O extends { parameters: { path: infer P } } ? P : unknown;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Fields<NonNullable<Q>> : unknown;
type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer B } } }
  ? Given<B>
  : O extends { requestBody?: { content: { "application/json": infer B } } }
    ? Given<B>
    : unknown;
/** An object without fields asks for nothing. */
type Given<B> = B extends Record<string, never> ? unknown : B;

/** Everything an operation is asked with, wherever it travels. */
export type Asked<N extends OperationName> = PathOf<operations[N]> & QueryOf<operations[N]> & BodyOf<operations[N]>;
export type Answered<N extends OperationName> = operations[N] extends {
  responses: { 200: { content: infer C } };
}
  ? C extends { "application/json": infer A }
    ? A
    : C extends { "application/x-ndjson": infer L }
      ? L
      : never
  : never;
