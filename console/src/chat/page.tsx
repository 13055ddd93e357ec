/** The chat: conversations, the transcript, and why the agent said that. */
import { useEffect, useMemo, useState } from "react";
import { ApiError, call } from "../api/client";
import { asApiError } from "../lib/asked";
import { useCommands } from "../lib/commands";
import { kept } from "../lib/kept";
import { go, href, usePlace } from "../lib/router";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { Empty, ErrorNotice, IconButton, Notice, styles, Button } from "../parts/parts";
import { LookOnly, NothingOpen, useSample } from "../parts/sample";
import { Composer } from "./composer";
import type { Conversation } from "./conversation";
import { drafts, newId, type Draft } from "./drafts";
import { Inspector } from "./inspector";
import { conversationOf, useConversation } from "./open";
import { Recalled, type RecallShown } from "./recalled";
import { Sessions } from "./sessions";
import { runSlash } from "./slash";
import { Start } from "./start";
import { announce } from "./tabs";
import { Topic } from "./topic";
import { Transcript } from "./transcript";
import { isPinned, type TurnActions } from "./turn";
import type { Turn } from "./turns";
import s from "./chat.module.css";

const NEW = "new";
const WIDE = "(min-width: 1181px)";

export function ChatPage() {
  const place = usePlace();
  const stands = useSignal(standing);
  const isSample = useSample();
  const name = place.path[1];
  const draftName = name ?? NEW;
  const conversation = useMemo(() => (name ? conversationOf(name) : undefined), [name, stands]);
  const view = useConversation(conversation);
  const [inspecting, setInspecting] = useState(() => window.matchMedia(WIDE).matches && kept.get("inspector") !== "closed");
  const [listing, setListing] = useState(false);
  const [chosen, setChosen] = useState<{ runId: string; memoryId?: string | undefined }>();
  const [given, setGiven] = useState<{ text: string; name: string }>();
  const [unsent, setUnsent] = useState<{ draft: Draft; error: ApiError }>();
  const [notice, setNotice] = useState<string>();
  const [failed, setFailed] = useState<ApiError>();
  const [recall, setRecall] = useState<RecallShown>();

  useEffect(() => {
    setChosen(undefined);
    setGiven(undefined);
    setUnsent(undefined);
    setNotice(undefined);
    setFailed(undefined);
    setRecall(undefined);
    setListing(false);
  }, [name, stands]);

  const last = view.turns.findLast((turn) => !turn.runId.startsWith("sending:"));
  const inspected = view.turns.find((turn) => turn.runId === (chosen?.runId ?? place.query.get("turn"))) ?? last;
  const showInspector = (open: boolean) => {
    setInspecting(open);
    if (window.matchMedia(WIDE).matches) kept.set("inspector", open ? null : "closed");
  };

  const act = async (work: () => Promise<unknown>) => {
    setFailed(undefined);
    setNotice(undefined);
    try {
      await work();
    } catch (error) {
      setFailed(asApiError(error));
    }
  };

  const branchFrom = async (runId: string | undefined, text = "") => {
    const made = await call("session.branch", { session: name!, ...(runId ? { run_id: runId } : {}), request_id: newId() });
    if (text) drafts.write(made.key, { text, attachments: [] });
    announce(made.key);
    go(["chat", made.key]);
  };

  const editIn = async (runId: string) => {
    const at = view.turns.findIndex((turn) => turn.runId === runId);
    const text = view.turns[at]?.asked?.text ?? "";
    const before = view.turns[at - 1];
    if (before) return branchFrom(before.runId, text);
    drafts.write(NEW, { text, attachments: [] }); // nothing comes before it: a conversation of its own
    go(["chat"]);
  };

  const pin = async (turn: Turn) => {
    const pinned = !isPinned(turn);
    const ids = turn.pieces.flatMap((piece) => (piece.kind === "answer" ? piece.eventIds : [])).filter(Boolean);
    for (const event_id of ids) await call("session.pin", { session: name!, event_id, pinned });
    await conversation?.read(true);
  };

  const actions: TurnActions = useMemo(
    () => ({
      inspect: (runId, memoryId) => (setChosen({ runId, memoryId }), setInspecting(true)),
      retry: (runId) => void act(() => conversation!.retry(runId, newId())),
      edit: (runId) => void act(() => editIn(runId)),
      branch: (runId) => void act(() => branchFrom(runId)),
      pin: (turn) => void act(() => pin(turn)),
      decide: (runId, callId, approve) => void act(() => call("run.decide", { run_id: runId, call_id: callId, approve })),
    }),
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [conversation, view.turns],
  );

  const undo = () =>
    act(async () => {
      setGiven({ text: await conversation!.undo(), name: name! });
      setNotice("The last turn is taken back; what you had asked is below. It stays on the tape.");
    });

  const send = async (draft: Required<Draft>) => {
    setNotice(undefined);
    const message = { ...draft, attachments: draft.attachments.map((one) => one.attachment_id) };
    if (conversation) return conversation.send(message);
    const made = await call("session.create", { request_id: `new-${draft.requestId}` });
    drafts.write(made.key, draft);
    drafts.write(NEW, { text: "", attachments: [] });
    const begun: Conversation = conversationOf(made.key);
    const sent = begun.send(message);
    go(["chat", made.key], {}, "replace");
    // The composer that sent it is gone by now; the one of the new conversation is told.
    sent.then(
      () => drafts.write(made.key, { text: "", attachments: [] }),
      (error: unknown) => setUnsent({ draft, error: asApiError(error) }),
    );
  };

  const command = (slash: string, argument: string) =>
    runSlash(slash, argument, {
      name,
      last,
      conversation,
      sessionId: view.session?.session_id,
      undo,
      branch: () => branchFrom(undefined),
      pin,
      notice: setNotice,
      recalled: setRecall,
    });

  useCommands(
    [
      { id: "chat.new", title: "New conversation", group: "Chat", keys: "n", run: () => go(["chat"]) },
      { id: "chat.write", title: "Write", group: "Chat", keys: "/", run: () => document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]')?.focus() },
      { id: "chat.inspect", title: "Why this answer", group: "Chat", keys: "i", run: () => showInspector(!inspecting) },
      ...(conversation
        ? [
            { id: "chat.retry", title: "Answer the last message anew", group: "Chat", keys: "r", run: () => last && actions.retry(last.runId) },
            { id: "chat.undo", title: "Take the last turn back", group: "Chat", keys: "u", run: () => void undo() },
            { id: "chat.branch", title: "Branch from here", group: "Chat", keys: "b", run: () => void act(() => branchFrom(undefined)) },
          ]
        : []),
    ],
    [conversation, inspecting, last?.runId],
  );

  return (
    <div className={s["chat"]} data-inspector={inspecting ? "open" : "closed"}>
      <Sessions open={name} isOpen={listing} onClose={() => setListing(false)} />
      <section className={s["middle"]} aria-label="Conversation">
        <Topic name={name} view={view} onList={() => setListing(true)} onInspect={() => showInspector(!inspecting)} isInspecting={inspecting} act={act} />
        {view.state === "failed" && view.error ? (
          <Missing error={view.error} name={name} retry={() => void conversation?.read()} />
        ) : view.turns.length ? (
          <Transcript key={name} turns={view.turns} sessionId={view.session?.session_id} inspected={inspecting ? inspected?.runId : undefined} chosenMemory={chosen?.memoryId} target={place.query.get("turn")} hasOlder={view.hasOlder} readOlder={(until) => void conversation?.readOlder(until)} actions={actions} />
        ) : (
          <div className={`${s["transcript"]} scroll`}>{view.state !== "ready" ? null : isSample ? <NothingOpen /> : <Start isNew={!name} onPick={(text) => setGiven({ text, name: draftName })} />}</div>
        )}
        <div className={s["composer"]} style={{ paddingBottom: 0 }}>
          <div className={`${s["composerIn"]} ${s["under"]}`}>
            <ErrorNotice error={failed} />
            {notice && (
              <Notice>
                <span>{notice}</span>
                <IconButton small icon="close" label="Dismiss" onClick={() => setNotice(undefined)} />
              </Notice>
            )}
            {recall && <Recalled shown={recall} onClose={() => setRecall(undefined)} />}
          </div>
        </div>
        {isSample ? (
          <LookOnly />
        ) : (
          <Composer key={`${stands.principal}/${stands.channel}/${draftName}`} name={draftName} sessionId={view.session?.session_id} isBusy={view.turns.some((turn) => turn.live !== "no")} last={last} send={send} stop={() => void act(() => conversation!.stop())} command={command} given={given} unsent={unsent} isSending={(id) => conversation?.isSending(id) ?? false} />
        )}
      </section>
      {inspecting && (
        <>
          <button type="button" className={s["shade"]} aria-label="Close" tabIndex={-1} onClick={() => showInspector(false)} />
          <Inspector turn={inspected} sessionId={view.session?.session_id} chosen={chosen?.memoryId} onClose={() => showInspector(false)} />
        </>
      )}
      {listing && <button type="button" className={s["shade"]} aria-label="Close" tabIndex={-1} onClick={() => setListing(false)} />}
    </div>
  );
}

function Missing({ error, name, retry }: { error: ApiError; name: string | undefined; retry: () => void }) {
  return (
    <div className={`${s["transcript"]} scroll`}>
      {error.code === "not_found" || error.code === "permission_denied" ? (
        <Empty title="This conversation is not in sight">
          <p>
            There is none called <code>{name}</code> here, or it belongs to another principal or channel. Switch with <kbd className={styles["kbd"]}>g</kbd> <kbd className={styles["kbd"]}>p</kbd>.
          </p>
          <div className={styles["actions"]}>
            <a className={`${styles["button"]} ${styles["primary"]}`} href={href(["chat"])}>
              Begin a new one
            </a>
          </div>
        </Empty>
      ) : (
        <Empty title="The conversation could not be read">
          <p>
            {error.message}. {error.hint}
          </p>
          <div className={styles["actions"]}>
            <Button onClick={retry}>Try again</Button>
          </div>
        </Empty>
      )}
    </div>
  );
}
