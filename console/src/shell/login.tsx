/** The way in: a code that works once, or the password. What was being done behind it stays where it is. */
import { useState, type FormEvent } from "react";
import { ApiError, auth, signIn } from "../api/client";
import { asApiError } from "../lib/asked";
import { useSignal } from "../lib/signal";
import { Button, ErrorNotice, styles } from "../parts/parts";
import { Mark } from "./mark";
import s from "./shell.module.css";

export function Login({ again = false }: { again?: boolean }) {
  const [shown, setShown] = useState("");
  const [how, setHow] = useState<"password" | "code">("password");
  const [error, setError] = useState<ApiError | undefined>(() => (isOldLink() ? new ApiError("unauthenticated", "this link was used before, or is too old", "have another one printed") : undefined));
  const [busy, setBusy] = useState(false);
  const [copied, setCopied] = useState(false);
  const { state } = useSignal(auth);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await signIn(how === "code" ? { code: codeOf(shown) } : { password: shown });
    } catch (failed) {
      setError(asApiError(failed));
    } finally {
      setBusy(false);
    }
  };

  const Frame = again ? "div" : "main"; // over a page that has its own
  return (
    <Frame className={s["login"]}>
      <div className={s["loginBox"]}>
        <Mark size={36} />
        <h1>{again || state === "expired" ? "Sign in again" : "Sign in to Palyra"}</h1>
        <p>
          {again
            ? "The session has ended: it expired, or palyrad was restarted. Nothing you typed is lost; this page goes on where it was."
            : "On the machine where palyrad runs, have a link printed and open it. It works once, for 15 minutes."}
        </p>
        <div className={s["command"]}>
          <code>palyra console link</code>
          <Button
            small
            onClick={() => {
              void navigator.clipboard?.writeText("palyra console link").then(() => setCopied(true));
            }}
          >
            {copied ? "Copied" : "Copy"}
          </Button>
        </div>
        {again && <p>Open the link in any tab, and this one continues by itself.</p>}
        <div className={s["or"]}>or here</div>
        <form className={s["form"]} onSubmit={submit}>
          <input type="text" name="username" autoComplete="username" value="console" readOnly hidden />
          <div>
            <label className={styles["label"]} htmlFor="secret">
              {how === "code" ? "The link, or the code in it" : "Password, if one was set with palyra console password"}
            </label>
            <input
              id="secret"
              className={styles["field"]}
              type={how === "code" ? "text" : "password"}
              autoComplete={how === "code" ? "one-time-code" : "current-password"}
              value={shown}
              onChange={(event) => setShown(event.target.value)}
              autoFocus
            />
          </div>
          <ErrorNotice error={error} />
          <div className={styles["actions"]} style={{ marginTop: 0 }}>
            <Button look="primary" type="submit" disabled={busy || !shown}>
              {busy ? "Signing in…" : "Sign in"}
            </Button>
            <Button look="quiet" onClick={() => (setHow(how === "code" ? "password" : "code"), setShown(""), setError(undefined))}>
              {how === "code" ? "Use the password" : "Paste a link instead"}
            </Button>
          </div>
        </form>
      </div>
    </Frame>
  );
}

/** The daemon answers a link that no longer works with this page. */
function isOldLink(): boolean {
  return location.pathname.endsWith("/login");
}

function codeOf(text: string): string {
  return /[?&]code=([^&#\s]+)/.exec(text)?.[1] ?? text.trim();
}
