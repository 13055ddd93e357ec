/** The transcript: only what is in sight is in the page, however long it is. Stays at the end while one is there. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../parts/parts";
import { TurnView, type TurnActions } from "./turn";
import type { Turn } from "./turns";
import s from "./chat.module.css";

interface Props {
  turns: readonly Turn[];
  sessionId: string | undefined;
  inspected: string | undefined;
  chosenMemory: string | undefined;
  /** a turn that a link leads to */
  target: string | null;
  hasOlder: boolean;
  /** reads what came before; `until`: as far back as this turn */
  readOlder: (until?: string) => void;
  actions: TurnActions;
}

const NEAR = 80;
/** how near the beginning the pages before it are read, in pixels */
const EARLY = 1500;

export function Transcript({ turns, sessionId, inspected, chosenMemory, target, hasOlder, readOlder, actions }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const list = useVirtualizer({
    count: turns.length,
    getScrollElement: () => box.current,
    estimateSize: () => 150,
    overscan: 4,
    getItemKey: (index) => turns[index]!.runId,
  });
  const size = list.getTotalSize();
  const first = turns[0]?.runId;
  /** what stands at the upper edge, and how far above the edge it begins */
  const held = useRef<{ runId: string; above: number }>(undefined);

  useLayoutEffect(() => {
    if (atEnd.current && !target && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [size, turns, target]);

  // Turns that come in before the others push nothing out of sight.
  useLayoutEffect(() => {
    const at = atEnd.current || !held.current ? -1 : turns.findIndex((turn) => turn.runId === held.current!.runId);
    const start = list.measurementsCache[at]?.start;
    if (start !== undefined && box.current) box.current.scrollTop = start + held.current!.above;
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [first]);

  const isTargetAway = Boolean(target) && hasOlder && !turns.some((turn) => turn.runId === target);
  useEffect(() => {
    if (isTargetAway) readOlder(target!);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isTargetAway, target]);

  const targetAt = target ? turns.findIndex((turn) => turn.runId === target) : -1;
  useEffect(() => {
    if (targetAt < 0) return;
    atEnd.current = false;
    list.scrollToIndex(targetAt, { align: "start" });
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [targetAt]);

  /** on the way to the end, however much is measured or read meanwhile, until somebody scrolls */
  const isGoing = useRef(false);
  /** nobody has scrolled yet: what moves is the page itself, which is still being measured */
  const isOpening = useRef(!target);
  const height = useRef(0);
  const stay = () => (isGoing.current = isOpening.current = false);
  const toEnd = () => {
    isGoing.current = atEnd.current = true;
    setIsAtEnd(true);
    list.scrollToIndex(turns.length - 1, { align: "end" });
  };

  return (
    <>
      <div
        className={`${s["transcript"]} scroll`}
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Transcript"
        onPointerDown={stay}
        onWheel={stay}
        onTouchMove={stay}
        onKeyDown={stay}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
          if (!isNear && scrollHeight === height.current) isOpening.current = false;
          height.current = scrollHeight;
          atEnd.current = isNear || isGoing.current || isOpening.current;
          setIsAtEnd(atEnd.current);
          const top = list.getVirtualItemForOffset(scrollTop);
          held.current = top && { runId: String(top.key), above: scrollTop - top.start };
          if (hasOlder && scrollTop < EARLY) readOlder();
        }}
      >
        <div className={s["turns"]} style={{ height: size }}>
          {list.getVirtualItems().map((row) => {
            const turn = turns[row.index]!;
            return (
              <div key={row.key} ref={list.measureElement} data-index={row.index} className={s["row"]} style={{ transform: `translateY(${row.start}px)` }}>
                <TurnView
                  turn={turn}
                  isLast={row.index === turns.length - 1}
                  isInspected={turn.runId === inspected}
                  sessionId={sessionId}
                  chosenMemory={chosenMemory}
                  actions={actions}
                />
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <div style={{ position: "relative" }}>
          <Button className={s["toEnd"]!} small onClick={toEnd}>
            To the end ↓
          </Button>
        </div>
      )}
    </>
  );
}
