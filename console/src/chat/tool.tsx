/** A call of a tool: what it wants, who decided, what came of it. */
import { Button, Tag, capital } from "../parts/parts";
import type { ToolCall } from "./turns";
import s from "./chat.module.css";

export function ToolPiece({ piece, isOver, decide }: { piece: ToolCall; isOver: boolean; decide: (approve: boolean) => void }) {
  const asks = piece.question !== undefined && piece.decision === undefined && !isOver;
  return (
    <div className={s["tool"]}>
      <details open={asks || undefined}>
        <summary>
          <code>{piece.name}</code>{" "}
          {piece.decision && piece.decision !== "allowed" && <Tag kind="warn">{piece.decision.replaceAll("_", " ")}</Tag>}{" "}
          {piece.result !== undefined && <Tag kind={piece.isError ? "bad" : "good"}>{piece.isError ? "failed" : "done"}</Tag>}
        </summary>
        <pre>{piece.arguments}</pre>
        {piece.result !== undefined && <pre>{piece.result}</pre>}
      </details>
      {asks && (
        <div className={s["ask"]} role="alert">
          <span>{capital(piece.question ?? "")}</span>
          <Button small look="primary" onClick={() => decide(true)}>
            Allow
          </Button>
          <Button small onClick={() => decide(false)}>
            Deny
          </Button>
        </div>
      )}
    </div>
  );
}
