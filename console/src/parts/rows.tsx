/** A long list of which only what is in sight is in the page. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, type ReactNode } from "react";

interface Props<T> {
  rows: readonly T[];
  keyOf: (row: T) => string;
  render: (row: T) => ReactNode;
  label: string;
  height: number;
  className?: string | undefined;
  /** there is more to read, and it is time */
  onEnd?: (() => void) | undefined;
  head?: ReactNode;
  foot?: ReactNode;
}

/** What stays in sight is not made anew while one scrolls. */
const Row = memo(function Row({ row, render }: { row: unknown; render: (row: unknown) => ReactNode }) {
  return render(row);
});

export function Rows<T>({ rows, keyOf, render, label, height, className, onEnd, head, foot }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => height, overscan: 6, getItemKey: (index) => keyOf(rows[index]!) });
  const shown = list.getVirtualItems();
  const end = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && rows.length && end >= rows.length - 12) onEnd();
  }, [end, rows.length, onEnd]);
  return (
    <div ref={box} className={`scroll ${className ?? ""}`} style={{ flex: 1, minHeight: 0, outlineOffset: -3 }} tabIndex={0} role="region" aria-label={label}>
      {head}
      <div style={{ height: list.getTotalSize(), position: "relative" }}>
        {shown.map((row) => (
          <div key={row.key} ref={list.measureElement} data-index={row.index} style={{ position: "absolute", top: 0, left: 0, width: "100%", contain: "layout style", transform: `translateY(${row.start}px)` }}>
            <Row row={rows[row.index]} render={render as (row: unknown) => ReactNode} />
          </div>
        ))}
      </div>
      {foot}
    </div>
  );
}
