/** Workspace: documents that a person and an agent keep together. */
import { useState, type FormEvent } from "react";
import { ApiError, call } from "../api/client";
import type { DocumentInfo } from "../api/types";
import { asApiError, useAsked } from "../lib/asked";
import { go, href, usePlace } from "../lib/router";
import { Button, Dialog, Empty, ErrorNotice, Notice, Page, Tag, styles } from "../parts/parts";
import { newId } from "../chat/drafts";
import { Document } from "./document";
import s from "./workspace.module.css";

export default function WorkspacePage() {
  const place = usePlace();
  const path = place.path.slice(1).join("/");
  const listed = useAsked("documents", (signal) => call("workspace.list", {}, signal), 5000);
  const status = useAsked("workspace", (signal) => call("workspace.status", {}, signal), 15_000);
  const [creating, setCreating] = useState(false);
  const folders = Map.groupBy(listed.data?.documents ?? [], (one) => one.path.split("/").slice(0, -1).join("/"));
  return (
    <Page
      title="Workspace"
      flush
      tools={
        <>
          {path && (
            <a className={`${styles["button"]} ${styles["small"]} ${s["narrowOnly"]}`} href={href(["workspace"])}>
              All documents
            </a>
          )}
          <Button small onClick={() => setCreating(true)}>
            New document
          </Button>
        </>
      }
    >
      <div className={s["notices"]}>
        <ErrorNotice error={listed.error} retry={listed.reload} />
        {(status.data?.problems ?? []).map((one) => (
          <Notice key={one.path} kind="warn">
            <span>
              {one.path}: {one.problem}
            </span>
          </Notice>
        ))}
      </div>
      <div className={s["split"]} data-open={Boolean(path)}>
        <nav className={`${s["tree"]} scroll`} aria-label="Documents" tabIndex={0}>
          {[...folders].sort().map(([folder, documents]) => (
            <div key={folder}>
              {folder && <div className={s["folder"]}>{folder}/</div>}
              <ul>
                {documents.map((one) => (
                  <Row key={one.path} one={one} isOpen={one.path === path} />
                ))}
              </ul>
            </div>
          ))}
          {status.data?.folder && (
            <p className="muted" style={{ padding: "14px 8px", fontSize: 12.5, overflowWrap: "anywhere" }}>
              The same files are in <span className="mono">{status.data.folder}</span>. Edit them with whatever you like.
            </p>
          )}
        </nav>
        <div className={s["document"]}>
          {path ? (
            <Document key={path} path={path} onChange={listed.reload} />
          ) : (
            <Empty title="Documents you both read and write">
              <p>README.md says who the agent is, and MEMORY.md what it should always know: both go into prompts. Everything else is read when somebody refers to it with [[its name]].</p>
              <p>What Palyra writes stays between its own markers; everything else in a document is yours.</p>
            </Empty>
          )}
        </div>
      </div>
      {creating && (
        <Dialog title="New document" onClose={() => setCreating(false)}>
          <Create onDone={(made) => (setCreating(false), listed.reload(), made && go(["workspace", ...made.split("/")]))} />
        </Dialog>
      )}
    </Page>
  );
}

function Row({ one, isOpen }: { one: DocumentInfo; isOpen: boolean }) {
  return (
    <li>
      <a className={s["file"]} href={href(["workspace", ...one.path.split("/")])} aria-current={isOpen ? "page" : undefined}>
        <span className="truncate">{one.path.split("/").at(-1)}</span>
        {one.risk !== "clean" && !one.released && <Tag kind={one.risk}>{one.risk}</Tag>}
        {one.pinned && <Tag kind="good">pinned</Tag>}
        <span className="muted num" title={`revision ${one.revision}`}>
          r{one.revision}
        </span>
      </a>
    </li>
  );
}

function Create({ onDone }: { onDone: (path?: string) => void }) {
  const [path, setPath] = useState("projects/");
  const [error, setError] = useState<ApiError>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const name = path.endsWith(".md") ? path : `${path}.md`;
      const title = name.split("/").at(-1)!.replace(/\.md$/, "");
      await call("workspace.write", { path: name, text: `# ${title}\n`, request_id: newId() });
      onDone(name);
    } catch (failed) {
      setError(asApiError(failed));
    }
  };
  return (
    <form onSubmit={submit}>
      <label className={styles["label"]} htmlFor="path">
        Its path, ending in .md
      </label>
      <input id="path" className={styles["field"]} value={path} onChange={(event) => setPath(event.target.value)} autoFocus spellCheck={false} />
      <p className="muted" style={{ margin: "8px 0" }}>
        context/ and projects/ are for what is curated, daily/ for logs.
      </p>
      <ErrorNotice error={error} />
      <div className={styles["actions"]}>
        <Button look="primary" type="submit">
          Create
        </Button>
        <Button onClick={() => onDone()}>Cancel</Button>
      </div>
    </form>
  );
}
