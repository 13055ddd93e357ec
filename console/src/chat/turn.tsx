/** One turn: what was asked, what was answered, and what it rested on. */
import { memo } from "react";
import { call } from "../api/client";
import { useAsked } from "../lib/asked";
import { href } from "../lib/router";
import { Markdown } from "../markdown/markdown";
import { Icon } from "../parts/icons";
import { Button, IconButton, capital } from "../parts/parts";
import { useMemory } from "../parts/memories";
import { ToolPiece } from "./tool";
import type { Turn, UsedMemory } from "./turns";
import s from "./chat.module.css";

export interface TurnActions {
  inspect: (runId: string, memoryId?: string) => void;
  retry: (runId: string) => void;
  edit: (runId: string) => void;
  branch: (runId: string) => void;
  pin: (turn: Turn) => void;
  decide: (runId: string, callId: string, approve: boolean) => void;
}

interface Props {
  turn: Turn;
  isLast: boolean;
  isInspected: boolean;
  sessionId: string | undefined;
  chosenMemory: string | undefined;
  actions: TurnActions;
}

const CUT: Record<string, string> = {
  length: "Cut off: this is all the model may say at once (models.max_output_tokens).",
  cancelled: "Stopped. What had arrived is kept.",
  interrupted: "Interrupted: palyrad was stopped in the middle of it. What had arrived is kept.",
  failed: "The model failed in the middle of it. What had arrived is kept.",
  refused: "The model refused.",
  erased: "Erased.",
};

export const TurnView = memo(function TurnView({ turn, isLast, isInspected, sessionId, chosenMemory, actions }: Props) {
  const isOver = turn.live === "no";
  const state = turn.run?.state;
  const hasAnswer = turn.pieces.some((piece) => piece.kind === "answer");
  return (
    <article className={s["turn"]} data-last={isLast} data-run={turn.runId} data-state={isOver ? (state ?? "done") : turn.live}>
      {turn.asked && (
        <div className={s["user"]}>
          <div className={s["bubble"]}>
            <span className="visually-hidden">You said: </span>
            {turn.asked.erased ? <em className="muted">erased</em> : <div className="anywhere" dir="auto">{turn.asked.text}</div>}
          </div>
        </div>
      )}
      {(turn.attachments.length > 0 || (turn.asked?.attachments.length ?? 0) > 0) && <Files turn={turn} sessionId={sessionId} />}
      <div aria-live={isLast && !isOver ? "polite" : undefined} aria-busy={!isOver}>
        {turn.pieces.map((piece, at) => {
          if (piece.kind === "tool") return <ToolPiece key={piece.callId || at} piece={piece} isOver={isOver} decide={(approve) => actions.decide(turn.runId, piece.callId, approve)} />;
          if (piece.kind === "notice") {
            return (
              <p key={at} className={s["state"]} data-kind={piece.code === "held_for_review" || piece.code === "not_remembered" ? "plain" : "bad"}>
                {capital(piece.message)}
                {piece.code === "held_for_review" && <a href={href(["review"])}>Review it</a>}
              </p>
            );
          }
          const isComing = !isOver && at === turn.pieces.length - 1 && !piece.stop;
          return (
            <div key={at} className={s["answer"]}>
              <Markdown text={piece.text} cite={turn.memories.length ? (citation) => actions.inspect(turn.runId, turn.memories.find((one) => one.citation === citation)?.memory_id) : undefined} />
              {isComing && <span className={s["cursor"]} />}
              {CUT[piece.stop] && <p className={s["state"]}>{CUT[piece.stop]}</p>}
            </div>
          );
        })}
        {!isOver && !hasAnswer && (
          <p className={s["state"]}>
            <span className={s["cursor"]} /> {WAITING[turn.live]}
          </p>
        )}
        {turn.live === "lost" && <p className={s["state"]} data-kind="bad">The connection was lost. Looking for the rest of the answer…</p>}
        {isOver && (state === "failed" || state === "cancelled") && (
          <p className={s["state"]} data-kind={state === "failed" ? "bad" : "plain"}>
            {state === "failed" ? `This turn failed${turn.run?.error_code ? ` (${turn.run.error_code})` : ""}.` : "This turn was stopped."}
            <Button small onClick={() => actions.retry(turn.runId)}>
              Try again
            </Button>
          </p>
        )}
      </div>
      {isOver && (
        <div className={s["foot"]}>
          <Remembered turn={turn} sessionId={sessionId} chosen={isInspected ? chosenMemory : undefined} inspect={actions.inspect} />
          <div className={s["tools"]}>
            <IconButton small icon="shield" label="Why this answer" aria-pressed={isInspected} onClick={() => actions.inspect(turn.runId)} />
            {hasAnswer && <IconButton small icon="pin" label={isPinned(turn) ? "Pinned: in every prompt. Unpin" : "Keep this answer in every prompt"} aria-pressed={isPinned(turn)} onClick={() => actions.pin(turn)} />}
            <IconButton small icon="edit" label="Ask it otherwise, in a branch" onClick={() => actions.edit(turn.runId)} />
            <IconButton small icon="branch" label="Branch from here" onClick={() => actions.branch(turn.runId)} />
            {isLast && <IconButton small icon="retry" label="Answer anew" onClick={() => actions.retry(turn.runId)} />}
          </div>
        </div>
      )}
    </article>
  );
});

const WAITING: Record<Turn["live"], string> = {
  no: "",
  sending: "Sending…",
  waiting: "Waits for another turn of this conversation to end…",
  streaming: "Thinking…",
  lost: "",
};

export const isPinned = (turn: Turn): boolean => turn.pieces.some((piece) => piece.kind === "answer" && piece.pinned);

function Remembered({ turn, sessionId, chosen, inspect }: { turn: Turn; sessionId: string | undefined; chosen: string | undefined; inspect: TurnActions["inspect"] }) {
  return (
    <>
      {turn.memories.length > 0 && <span className={s["footLabel"]}>Remembered</span>}
      {turn.memories.map((memory) => (
        <Chip key={memory.memory_id} memory={memory} sessionId={sessionId} isChosen={chosen === memory.memory_id} onClick={() => inspect(turn.runId, memory.memory_id)} />
      ))}
    </>
  );
}

function Chip({ memory, sessionId, isChosen, onClick }: { memory: UsedMemory; sessionId: string | undefined; isChosen: boolean; onClick: () => void }) {
  const { data } = useMemory(memory.memory_id, { sessionId });
  const isGone = data === null || Boolean(data?.item.closed_at_ms);
  return (
    <button type="button" className={s["chip"]} onClick={onClick} aria-pressed={isChosen} data-gone={isGone} title={`score ${memory.score.toFixed(2)}, ${memory.trust}`}>
      <b>{memory.citation}</b>
      <span className="truncate" dir="auto">{data ? data.item.text : data === null ? "forgotten" : "…"}</span>
      {data?.item.pinned && <Icon name="pin" size={11} />}
    </button>
  );
}

function Files({ turn, sessionId }: { turn: Turn; sessionId: string | undefined }) {
  const known = turn.attachments.length ? turn.attachments : (turn.asked?.attachments ?? []).map((id) => ({ attachment_id: id, name: "attachment", media_type: "" }));
  return (
    <div className={s["files"]}>
      {known.map((file) => (
        <File key={file.attachment_id} file={file} sessionId={sessionId} />
      ))}
    </div>
  );
}

function File({ file, sessionId }: { file: Turn["attachments"][number]; sessionId: string | undefined }) {
  const isPicture = /^image\/(png|jpeg|webp|gif)$/.test(file.media_type);
  const shown = useAsked(isPicture ? `file ${file.attachment_id}` : null, (signal) => call("attachment.get", { attachment_id: file.attachment_id, session: sessionId ?? "" }, signal));
  return (
    <span className={s["file"]}>
      {shown.data ? <img src={`data:${file.media_type};base64,${shown.data.data}`} alt={file.name} /> : <Icon name="attach" size={13} />}
      <span className="truncate" dir="auto">{file.name}</span>
    </span>
  );
}
