/** Small things that every page is made of. */
import { useEffect, useRef, type ButtonHTMLAttributes, type ReactNode } from "react";
import type { ApiError } from "../api/client";
import { Icon, type IconName } from "./icons";
import s from "./parts.module.css";

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: "plain" | "primary" | "danger" | "quiet";
  small?: boolean;
};

export const join = (...names: (string | false | undefined | null)[]): string => names.filter(Boolean).join(" ");

export function Button({ look = "plain", small = false, className, ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={join(s["button"], look !== "plain" && s[look], small && s["small"], className)} />;
}

export function IconButton({ icon, label, ...rest }: ButtonProps & { icon: IconName; label: string }) {
  return (
    <Button look="quiet" {...rest} aria-label={label} title={rest.title ?? label} className={join(s["icon"], rest.className)}>
      <Icon name={icon} />
    </Button>
  );
}

export function Notice({ kind = "plain", children }: { kind?: "plain" | "bad" | "warn" | "good"; children: ReactNode }) {
  return (
    <div className={s["notice"]} data-kind={kind} role={kind === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** What happened, and what to do. */
export function ErrorNotice({ error, retry }: { error: ApiError | undefined; retry?: (() => void) | undefined }) {
  if (!error) return null;
  return (
    <Notice kind="bad">
      <span>
        {capital(error.message)}. {error.hint && <span className={s["hint"]}>{capital(error.hint)}.</span>}
      </span>
      {retry && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}

/** As a sentence begins; the name of a command stays as it is typed. */
export const capital = (text: string): string => (/^(palyra|x-|[a-z]+[._/])/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

export function Tag({ kind, children, title }: { kind?: string; children: ReactNode; title?: string }) {
  return (
    <span className={s["tag"]} data-kind={kind} title={title}>
      {children}
    </span>
  );
}

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={s["empty"]}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Facts({ rows }: { rows: (readonly [string, ReactNode] | null | false)[] }) {
  return (
    <dl className={s["facts"]}>
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]} style={{ display: "contents" }}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={s["keys"]}>
      {keys.split(" ").map((key, at) => (
        <span key={at}>
          {at > 0 && " "}
          <kbd className={s["kbd"]}>{key}</kbd>
        </span>
      ))}
    </span>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** without head and margins */
  bare?: boolean;
  /** stays until what it asks for is done */
  firm?: boolean;
}

/** The browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children, bare = false, firm = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The browser would begin with the button that closes it.
    dialog.current?.querySelector<HTMLElement>("input:not([type=checkbox]), textarea")?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={s["dialog"]}
      aria-label={title}
      onClose={() => (firm ? dialog.current?.showModal() : onClose())}
      onCancel={(event) => firm && event.preventDefault()}
      onClick={(event) => !firm && event.target === dialog.current && onClose()}
    >
      {!bare && (
        <div className={s["dialogHead"]}>
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
      )}
      {bare ? children : <div className={join(s["dialogBody"], "scroll")}>{children}</div>}
    </dialog>
  );
}

export function Page({ title, tools, children, flush = false }: { title: ReactNode; tools?: ReactNode; children: ReactNode; flush?: boolean }) {
  return (
    <div className={s["page"]}>
      <header className={s["head"]}>
        <h1 className="truncate">{title}</h1>
        <div className={s["headSpace"]} />
        {tools}
      </header>
      {flush ? (
        children
      ) : (
        <div className={join(s["body"], "scroll")} tabIndex={-1}>
          <div className={s["narrow"]}>{children}</div>
        </div>
      )}
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={s["section"]}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export { s as styles };
