/** Review: what waits for a person before it becomes memory, and what became of it. */
import { go, usePlace } from "../lib/router";
import { Button, Page } from "../parts/parts";
import { InForce } from "./in_force";
import { Radius } from "./radius";
import { Queue } from "./waiting";

const SHOWN = ["waiting", "learned"] as const;

export default function ReviewPage() {
  const place = usePlace();
  const id = place.path[1];
  const shown = id || place.query.get("show") === "learned" ? "learned" : "waiting";
  const tabs = SHOWN.map((one) => (
    <Button key={one} small look={one === shown ? "plain" : "quiet"} aria-pressed={one === shown} onClick={() => go(["review"], { show: one === "learned" ? one : "" })}>
      {one === "waiting" ? "Waiting" : "Learned"}
    </Button>
  ));
  return (
    <Page title="Review" tools={tabs}>
      {id ? <Radius key={id} id={id} /> : shown === "learned" ? <InForce /> : <Queue />}
    </Page>
  );
}
