/** One document: read, written, and every version it ever had. */
import { useEffect, useRef, useState } from "react";
import { ApiError, call } from "../api/client";
import type { DocumentText } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { moment, words } from "../lib/format";
import { kept } from "../lib/kept";
import { go, usePlace } from "../lib/router";
import { standing } from "../lib/standing";
import { Markdown } from "../markdown/markdown";
import { newId } from "../chat/drafts";
import { Button, Empty, ErrorNotice, Notice, Tag, styles } from "../parts/parts";
import { Versions } from "./versions";
import s from "./workspace.module.css";

type View = "read" | "edit" | "versions";
const VIEWS: readonly View[] = ["read", "edit", "versions"];

export function Document({ path, onChange }: { path: string; onChange: () => void }) {
  const place = usePlace();
  const asked = place.query.get("view");
  const view: View = asked === "edit" || asked === "versions" ? asked : "read";
  const found = useAsked(`document ${path}`, (signal) => call("workspace.get", { path }, signal), 5000);
  const [error, setError] = useState<ApiError>();
  const show = (next: View) => go(["workspace", ...path.split("/")], { view: next === "read" ? "" : next }, "replace");
  const changed = () => {
    found.reload();
    onChange();
  };
  if (found.error && !found.data) {
    return (
      <Empty title="This document is not there">
        <p>{found.error.message}. {found.error.hint}</p>
      </Empty>
    );
  }
  const one = found.data;
  if (!one) return null;
  const release = async () => {
    setError(undefined);
    try {
      await call("workspace.release", { path, sha256: one.sha256 });
      changed();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <>
      <div className={s["docHead"]}>
        <h2>{path}</h2>
        {one.risk !== "clean" && <Tag kind={one.risk}>{one.released ? "released" : one.risk}</Tag>}
        <div className={s["tabs"]}>
          {VIEWS.map((name) => (
            <Button key={name} small look={view === name ? "plain" : "quiet"} aria-pressed={view === name} onClick={() => show(name)}>
              {name === "read" ? "Read" : name === "edit" ? "Edit" : "Versions"}
            </Button>
          ))}
        </div>
      </div>
      <div className={s["about"]}>
        <span>revision {one.revision}</span>
        <span>{moment(one.at_ms)}</span>
        <span>by {one.actor}, {words(one.source)}</span>
        <span>{(one.pinned && one.binding === "manual_only" ? "goes into prompts, as it is pinned" : BINDING[one.binding]) ?? words(one.binding)}</span>
        {one.masked && <Tag kind="warn">holds a secret, masked here</Tag>}
      </div>
      <div className={s["notices"]}>
        <ErrorNotice error={error} />
        {one.problem && <Notice kind="warn"><span>{one.problem}</span></Notice>}
        {one.edited_blocks.length > 0 && <Repair path={path} blocks={one.edited_blocks} onDone={changed} />}
        {one.risk !== "clean" && !one.released && (
          <Notice kind={one.risk === "quarantined" ? "bad" : "warn"}>
            <span>
              {one.risk === "quarantined" ? "In quarantine: it is never put into a prompt. " : "The scan found something. "}
              {one.reasons.map(words).join("; ")}
            </span>
            {one.risk === "quarantined" && <Button small onClick={() => void release()}>I have read it: release this text</Button>}
          </Notice>
        )}
      </div>
      {view === "edit" ? <Editor one={one} onSaved={changed} /> : view === "versions" ? <Versions path={path} newest={one.revision} onRestored={changed} /> : <Read text={one.text} />}
    </>
  );
}

/** A block that was changed by hand is not written to until a person says whose words stay. */
function Repair({ path, blocks, onDone }: { path: string; blocks: readonly string[]; onDone: () => void }) {
  const [error, setError] = useState<ApiError>();
  const repair = async (keep: "mine" | "ours") => {
    setError(undefined);
    try {
      await call("workspace.repair", { path, keep, request_id: newId() });
      onDone();
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <Notice kind="warn">
      <span>
        {blocks.length === 1 ? `The block ${blocks[0]} was` : `The blocks ${blocks.join(", ")} were`} changed by hand: Palyra writes nothing there until you say what stays.
        {error && ` ${error.message}. ${error.hint}`}
      </span>
      <Button small onClick={() => void repair("mine")}>Keep what stands there</Button>
      <Button small onClick={() => void repair("ours")}>Back to what Palyra wrote</Button>
    </Notice>
  );
}

const BINDING: Record<string, string> = { system_candidate: "goes into prompts", manual_only: "read when referred to", never: "never goes into a prompt" };

/** Text of ours and text of the person, told apart. */
export function Read({ text }: { text: string }) {
  const parts = text.split(/(<!-- PALYRA:BEGIN [^>]*-->[\s\S]*?<!-- PALYRA:END [^>]*-->)/);
  return (
    <div className={`${s["text"]} scroll`} tabIndex={0} role="region" aria-label="Text">
      <div className={s["prose"]}>
        {parts.map((part, at) => {
          if (at % 2 === 0) return part.trim() && <Markdown key={at} text={part} />;
          const name = /PALYRA:BEGIN (\S+)/.exec(part)?.[1] ?? "";
          return (
            <div key={at} className={s["block"]}>
              <small>written by Palyra: {name}</small>
              <Markdown text={part.replace(/<!-- PALYRA:[^>]*-->\n?/g, "")} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Kept {
  text: string;
  base: string;
}

function Editor({ one, onSaved }: { one: DocumentText; onSaved: () => void }) {
  const name = `document.${standing.name}.${one.path}`;
  const [draft, setDraft] = useState<Kept>(() => kept.json<Kept>(name, { text: one.text, base: one.sha256 }));
  const before = useRef(one.text);
  const [reason, setReason] = useState("");
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const isDirty = draft.text !== one.text;
  const isBehind = draft.base !== one.sha256;
  useEffect(() => {
    if (draft.text !== before.current) return; // theirs, unless the person has written something
    before.current = one.text;
    setDraft({ text: one.text, base: one.sha256 });
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [one.sha256]);
  const change = (text: string) => {
    const next = { ...draft, text };
    setDraft(next);
    kept.set(name, text === one.text ? null : JSON.stringify(next));
  };
  const take = () => {
    setDraft({ text: one.text, base: one.sha256 });
    kept.set(name, null);
    setError(undefined);
  };
  const save = async (base: string) => {
    setBusy(true);
    setError(undefined);
    try {
      const done = await call("workspace.write", { path: one.path, text: draft.text, base_sha256: base, reason, request_id: newId() });
      kept.set(name, null);
      before.current = draft.text;
      setDraft({ text: draft.text, base: done.sha256 });
      setReason("");
      onSaved();
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <textarea
        className={s["editor"]}
        aria-label={`Text of ${one.path}`}
        spellCheck={false}
        dir="auto"
        value={draft.text}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if ((event.ctrlKey || event.metaKey) && event.key === "s") {
            event.preventDefault();
            void save(draft.base);
          }
        }}
      />
      <div className={s["notices"]}>
        <ErrorNotice error={error} />
        {isDirty && isBehind && (
          <Notice kind="warn">
            <span>Somebody wrote revision {one.revision} while you were editing. Your text is kept here.</span>
            <Button small onClick={() => void save(one.sha256)}>Write mine over it</Button>
            <Button small onClick={take}>Take theirs</Button>
          </Notice>
        )}
      </div>
      <div className={s["saveBar"]}>
        <input className={styles["field"]} placeholder="Why (optional)" aria-label="Why" value={reason} onChange={(event) => setReason(event.target.value)} />
        <Button disabled={!isDirty} onClick={take}>Discard</Button>
        <Button look="primary" disabled={!isDirty || busy || isBehind} onClick={() => void save(draft.base)}>
          {busy ? "Saving…" : "Save"}
        </Button>
      </div>
    </>
  );
}
