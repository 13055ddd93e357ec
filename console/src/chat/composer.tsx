/** Where one writes. Nothing typed is lost: it stays here until the daemon has said that it has it. */
import { useEffect, useRef, useState, type ClipboardEvent, type DragEvent, type KeyboardEvent } from "react";
import { ApiError, call } from "../api/client";
import type { Attachment, Model } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { bytes } from "../lib/format";
import { Icon } from "../parts/icons";
import { Button, ErrorNotice, IconButton, Tag } from "../parts/parts";
import { Budget } from "./budget";
import { NO_DRAFT, drafts, newId, type Draft } from "./drafts";
import { Suggestions, useSuggestions, type Suggestion } from "./suggest";
import type { Turn } from "./turns";
import s from "./chat.module.css";

export interface ComposerProps {
  /** under which the draft is kept */
  name: string;
  sessionId: string | undefined;
  isBusy: boolean;
  last: Turn | undefined;
  /** Resolves when the daemon has it. */
  send: (draft: Required<Draft>) => Promise<void>;
  stop: () => void;
  /** Has taken care of it, or says what is wrong. */
  command: (name: string, argument: string) => Promise<void>;
  /** text put in from outside; another object, another text */
  given: { text: string; name: string } | undefined;
  /** a message that the daemon does not have after all */
  unsent: { draft: Draft; error: ApiError } | undefined;
  isSending: (requestId: string) => boolean;
}

const MOST_FILES = 8;

export function Composer({ name, sessionId, isBusy, last, send, stop, command, given, unsent, isSending }: ComposerProps) {
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = drafts.read(name);
    return kept.requestId && isSending(kept.requestId) ? NO_DRAFT : kept;
  });
  const [error, setError] = useState<ApiError>();
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState("");
  const [dropping, setDropping] = useState(false);
  const [uploading, setUploading] = useState(0);
  const [sending, setSending] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const current = useRef(draft);
  current.current = draft;

  const change = (next: Draft) => {
    setDraft(next);
    current.current = next;
    drafts.write(name, next);
  };
  useEffect(() => drafts.watch(name, (elsewhere) => document.activeElement !== input.current && setDraft(elsewhere)), [name]);
  useEffect(() => {
    if (given?.name !== name) return; // of the conversation before
    change({ ...current.current, text: given.text });
    input.current?.focus();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [given]);
  useEffect(() => {
    if (!unsent) return;
    change(unsent.draft);
    setError(unsent.error);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [unsent]);
  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches && !document.querySelector("dialog[open]")) input.current?.focus({ preventScroll: true });
  }, [name]);

  useEffect(() => {
    if (CSS.supports("field-sizing", "content") || !input.current) return;
    input.current.style.height = "auto"; // where the browser does not do it by itself
    input.current.style.height = `${input.current.scrollHeight}px`;
  }, [draft.text]);

  const model = useAsked<Model>("model", (signal) => call("chat.model", {}, signal)).data;
  const hasReferences = /(^|\s)@\w|\[\[[^\]]+\]\]/.test(draft.text);
  const references = useAsked(hasReferences ? `references ${draft.text}` : null, async (signal) => {
    await new Promise((wait) => setTimeout(wait, 350));
    if (signal.aborted) throw new DOMException("typing", "AbortError");
    return call("chat.preview", { text: draft.text }, signal);
  });

  const found = useSuggestions(draft.text, caret);
  const list = closed === draft.text ? [] : found.list;
  const pick = (one: Suggestion) => {
    const text = draft.text.slice(0, found.from) + one.insert + draft.text.slice(caret);
    change({ ...draft, text });
    const end = found.from + one.insert.length;
    setCaret(end);
    setAt(0);
    requestAnimationFrame(() => input.current?.setSelectionRange(end, end));
  };

  const submit = async () => {
    const text = draft.text.trim();
    if ((!text && !draft.attachments.length) || sending || uploading) return;
    setError(undefined);
    const slash = /^\/([a-z?]+)(?:\s+([\s\S]*))?$/.exec(text);
    setSending(true);
    try {
      if (slash) {
        change(NO_DRAFT);
        try {
          await command(slash[1]!, (slash[2] ?? "").trim());
        } catch (failed) {
          if (!current.current.text) change(draft);
          throw failed;
        }
        return;
      }
      const ready = { ...draft, text: text.replace(/^\/\//, "/"), requestId: draft.requestId ?? newId() };
      drafts.write(name, ready); // a reload from here on sends the same message, not a second one
      setDraft(NO_DRAFT);
      try {
        await send(ready);
        if (drafts.read(name).requestId === ready.requestId) drafts.write(name, current.current);
      } catch (failed) {
        const meanwhile = current.current.text;
        change({ ...ready, text: meanwhile ? `${ready.text}\n${meanwhile}` : ready.text, ...(meanwhile ? { requestId: newId() } : {}) });
        throw failed;
      }
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setSending(false);
    }
  };

  const attach = async (files: readonly File[]) => {
    setError(undefined);
    for (const file of files) {
      if (current.current.attachments.length >= MOST_FILES) {
        setError(new ApiError("too_large", `at most ${MOST_FILES} files go with a message; ${file.name} was left out`, "send it with the next one"));
        break;
      }
      setUploading((before) => before + 1);
      try {
        const made = await call("attachment.add", { name: file.name || "pasted", data: await base64(file), ...(sessionId ? { session: sessionId } : {}) });
        change({ ...current.current, attachments: [...current.current.attachments.filter((one) => one.attachment_id !== made.attachment_id), made] });
      } catch (failed) {
        const told = asApiError(failed);
        setError(new ApiError(told.code, `${file.name}: ${told.message}`, told.hint));
      } finally {
        setUploading((before) => before - 1);
      }
    }
  };

  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (list.length) {
      if (event.key === "ArrowDown") return event.preventDefault(), setAt((at + 1) % list.length);
      if (event.key === "ArrowUp") return event.preventDefault(), setAt((at + list.length - 1) % list.length);
      if (event.key === "Escape") return event.preventDefault(), setClosed(draft.text);
      const isExact = list[Math.min(at, list.length - 1)]!.insert.trim() === draft.text.trim();
      if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !isExact)) return event.preventDefault(), pick(list[Math.min(at, list.length - 1)]!);
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void submit();
    } else if (event.key === "Escape") {
      if (isBusy) stop();
      else input.current?.blur();
    } else if (event.key === "ArrowUp" && !draft.text && last?.asked) {
      event.preventDefault();
      change({ ...draft, text: last.asked.text });
    }
  };

  const canSend = Boolean(draft.text.trim() || draft.attachments.length) && !sending && !uploading;
  return (
    <div className={s["composer"]}>
      <div className={s["composerIn"]}>
        <div className={s["under"]}>
          <ErrorNotice error={error} />
        </div>
        <Suggestions list={list} at={Math.min(at, list.length - 1)} onPick={pick} />
        <div
          className={s["box"]}
          data-drop={dropping}
          onDragOver={(event) => (event.preventDefault(), setDropping(true))}
          onDragLeave={() => setDropping(false)}
          onDrop={(event: DragEvent) => (event.preventDefault(), setDropping(false), void attach([...event.dataTransfer.files]))}
        >
          <Attached draft={draft} uploading={uploading} remove={(id) => change({ ...draft, attachments: draft.attachments.filter((one) => one.attachment_id !== id) })} />
          <textarea
            ref={input}
            className={s["input"]}
            aria-label="Message"
            aria-controls={list.length ? "suggestions" : undefined}
            aria-activedescendant={list.length ? `suggestion-${Math.min(at, list.length - 1)}` : undefined}
            placeholder={dropping ? "Drop it here" : "Say something; / for commands, @ or [[ to refer to something"}
            dir="auto"
            rows={1}
            value={draft.text}
            onChange={(event) => (change({ ...draft, text: event.target.value, ...(draft.requestId ? { requestId: newId() } : {}) }), setCaret(event.target.selectionStart))}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={onKey}
            onPaste={(event: ClipboardEvent) => event.clipboardData.files.length && (event.preventDefault(), void attach([...event.clipboardData.files]))}
          />
          {hasReferences && references.data && <References preview={references.data} />}
          <div className={s["boxFoot"]}>
            <IconButton icon="attach" label="Attach a file" onClick={() => picker.current?.click()} />
            <input ref={picker} type="file" multiple hidden onChange={(event) => (void attach([...(event.target.files ?? [])]), (event.target.value = ""))} />
            <Budget model={model} last={last} text={draft.text} references={hasReferences ? references.data : undefined} />
            {isBusy && !canSend ? (
              <Button onClick={stop} title="Stop the answer (Escape)">
                <Icon name="stop" /> Stop
              </Button>
            ) : (
              <Button look="primary" className={s["sendButton"]!} disabled={!canSend} onClick={() => void submit()} aria-label="Send">
                <Icon name="send" />
              </Button>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

function Attached({ draft, uploading, remove }: { draft: Draft; uploading: number; remove: (id: string) => void }) {
  if (!draft.attachments.length && !uploading) return null;
  return (
    <div className={s["attached"]}>
      {draft.attachments.map((one: Attachment) => (
        <span key={one.attachment_id} className={s["file"]} title={one.warnings.join(", ")}>
          <Icon name="attach" size={13} />
          <span className="truncate">{one.name}</span>
          <span className="muted">{bytes(one.size_bytes)}</span>
          {one.warnings.length > 0 && <Tag kind="warn">{one.warnings[0]}</Tag>}
          <button type="button" className={s["budget"]} style={{ flex: "none" }} aria-label={`Remove ${one.name}`} onClick={() => remove(one.attachment_id)}>
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      {uploading > 0 && <span className={s["file"]}>Reading…</span>}
    </div>
  );
}

function References({ preview }: { preview: { references: { target: string; label: string; tokens: number; error: string; warnings: string[]; text: string }[]; warnings: string[] } }) {
  return (
    <div className={s["refs"]} role="status">
      {preview.references.map((one, at) => (
        <Tag key={at} kind={one.error ? "bad" : one.warnings.length ? "warn" : "good"} title={one.error || one.text.slice(0, 600)}>
          {one.label || one.target}
          {one.error ? `: ${one.error.slice(0, 90)}` : `, ${one.tokens} tokens`}
        </Tag>
      ))}
    </div>
  );
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new ApiError("invalid_argument", "it cannot be read", "folders cannot be attached"));
    reader.readAsDataURL(file);
  });
}
