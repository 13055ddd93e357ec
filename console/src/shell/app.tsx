/** The frame: who is signed in, where one is, what can be done. */
import { Suspense, useEffect, useRef, useState } from "react";
import { auth, call, reachable, signOut, watchDaemon, whoAmI } from "../api/client";
import { listenForKeys, useCommands } from "../lib/commands";
import { useAsked } from "../lib/asked";
import { go, href, usePlace } from "../lib/router";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { chooseTheme, theme, type Theme } from "../lib/theme";
import { Icon } from "../parts/icons";
import { Dialog, Empty } from "../parts/parts";
import { SampleBanner, useSample } from "../parts/sample";
import { Failsafe } from "./failsafe";
import { Login } from "./login";
import { Mark } from "./mark";
import { PAGES } from "./pages";
import { Palette, ShortcutSheet } from "./palette";
import { Menu } from "./menu";
import { StandingDialog } from "./standing";
import s from "./shell.module.css";

export function App() {
  const { state } = useSignal(auth);
  useEffect(() => {
    const look = () => void whoAmI().catch(() => undefined);
    look();
    // A link opened in another tab signs this one in, too.
    const seen = () => document.visibilityState === "visible" && auth.value.state !== "in" && look();
    document.addEventListener("visibilitychange", seen);
    const waiting = window.setInterval(() => (auth.value.state === "out" || auth.value.state === "expired") && seen(), 3000);
    const stops = [watchDaemon(), listenForKeys()];
    return () => {
      document.removeEventListener("visibilitychange", seen);
      window.clearInterval(waiting);
      stops.forEach((stop) => stop());
    };
  }, []);
  if (state === "asking") return <Unreached />;
  if (state === "out") return <Login />;
  return <Shell />;
}

/** Nothing for a moment, then the reason. */
function Unreached() {
  return useSignal(reachable) ? null : (
    <Empty title="palyrad does not answer">
      <p>
        Start it on its machine: <code>palyra serve</code>. This page goes on by itself as soon as it is there.
      </p>
    </Empty>
  );
}

type Opened = "palette" | "keys" | "standing" | "menu";
const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICON = { system: "auto", light: "sun", dark: "moon" } as const;

function Shell() {
  const place = usePlace();
  const { state } = useSignal(auth);
  const isReachable = useSignal(reachable);
  const isSample = useSample();
  const [open, setOpen] = useState<Opened | null>(null);
  const main = useRef<HTMLElement>(null);
  const name = place.path[0] ?? "chat";
  const page = PAGES.find((one) => one.name === name);
  const learned = useAsked("waiting", (signal) => call("learning.list", { limit: 1 }, signal), 15_000).data;
  const waiting = learned ? learned.held_texts + Number(learned.counts["needs_review"] ?? 0) + Number(learned.counts["conflicted"] ?? 0) - learned.snoozed : 0;

  useEffect(() => {
    document.title = page ? `${page.title} · Palyra` : "Palyra";
  }, [page]);

  useCommands(
    [
      ...PAGES.map((one) => ({ id: `page.${one.name}`, title: one.title, group: "Go to", keys: `g ${one.letter}`, also: one.about, run: () => go([one.name]) })),
      { id: "palette", title: "Find a command", group: "Everywhere", keys: "mod+k", run: () => setOpen("palette") },
      { id: "keys", title: "Keyboard shortcuts", group: "Everywhere", keys: "?", run: () => setOpen("keys") },
      { id: "standing", title: "Switch principal or channel", group: "Everywhere", keys: "g p", run: () => setOpen("standing") },
      { id: "theme", title: "Light, dark or as the system", group: "Everywhere", keys: "g t", run: () => chooseTheme(NEXT[theme.value]) },
      { id: "out", title: "Sign out", group: "Everywhere", run: () => void signOut().catch(() => undefined) },
    ],
    [],
  );

  return (
    <div className={s["shell"]} data-sample={isSample || undefined}>
      <a className={s["skip"]} href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the page
      </a>
      {!isReachable && (
        <div className={s["banner"]} role="alert">
          palyrad does not answer. What you type is kept here; the page goes on when it is back. Start it: <code>palyra serve</code>
        </div>
      )}
      {isReachable && isSample && <SampleBanner />}
      <Rail name={name} waiting={waiting} onOpen={setOpen} />
      <main id="main" className={s["main"]} ref={main} tabIndex={-1}>
        <Failsafe key={name}>
          <Suspense fallback={null}>
            {page ? (
              <page.Component />
            ) : (
              <Empty title="There is no such page">
                <p>
                  Go to <a href={href(["chat"])}>the chat</a>, or press Ctrl K.
                </p>
              </Empty>
            )}
          </Suspense>
        </Failsafe>
      </main>
      {open === "palette" && <Palette onClose={() => setOpen(null)} />}
      {open === "keys" && <ShortcutSheet onClose={() => setOpen(null)} />}
      {open === "menu" && <Menu onClose={() => setOpen(null)} onOpen={setOpen} />}
      {open === "standing" && <StandingDialog onClose={() => setOpen(null)} />}
      {state === "expired" && isReachable && (
        <Dialog title="Sign in again" onClose={() => undefined} bare firm>
          <Login again />
        </Dialog>
      )}
    </div>
  );
}

function Rail({ name, waiting, onOpen }: { name: string; waiting: number; onOpen: (what: Opened) => void }) {
  const now = useSignal(theme);
  const stands = useSignal(standing);
  const own = useSignal(auth).principal;
  const who = stands.principal || own;
  return (
    <nav className={s["rail"]} aria-label="Pages">
      <div className={s["mark"]}>
        <Mark />
      </div>
      <div className={s["links"]}>
        {PAGES.map((one) => (
          <a key={one.name} className={s["link"]} href={href([one.name])} aria-current={one.name === name ? "page" : undefined} title={one.about}>
            <Icon name={one.icon} size={18} />
            {one.short ? (
              <>
                <span className={s["wideOnly"]}>{one.title}</span>
                <span className={s["narrowOnly"]}>{one.short}</span>
              </>
            ) : (
              one.title
            )}
            {one.name === "review" && waiting > 0 && (
              <span className={s["badge"]}>
                {waiting > 99 ? "99+" : waiting}
                <span className="visually-hidden"> waiting</span>
              </span>
            )}
          </a>
        ))}
      </div>
      <div className={s["space"]} />
      <div className={s["foot"]}>
        <button type="button" className={`${s["link"]} ${s["narrowOnly"]}`} onClick={() => onOpen("menu")} aria-label="More: find, principal, colours, keys">
          <Icon name="more" size={18} />
        </button>
        <button type="button" className={`${s["link"]} ${s["wideOnly"]}`} onClick={() => onOpen("palette")} title="Find a command (Ctrl K)">
          <Icon name="search" size={18} />
          Find
        </button>
        <button type="button" className={`${s["link"]} ${s["wideOnly"]}`} onClick={() => chooseTheme(NEXT[now])} title={`Colours: ${now}. Click for ${NEXT[now]}`}>
          <Icon name={THEME_ICON[now]} size={18} />
          {now === "system" ? "Auto" : now === "light" ? "Light" : "Dark"}
        </button>
        <button type="button" className={`${s["link"]} ${s["wideOnly"]}`} onClick={() => onOpen("keys")} title="Keyboard shortcuts (?)">
          <Icon name="help" size={18} />
          Keys
        </button>
        <button type="button" className={`${s["link"]} ${s["wideOnly"]}`} onClick={() => onOpen("standing")} aria-label={`Principal: ${who}`} title={`${who}${stands.channel ? `, channel ${stands.channel}` : ""}. Click to switch`}>
          <Icon name="user" size={18} />
          <span className={`${s["who"]} truncate`}>{who.replace(/^user:/, "")}</span>
        </button>
      </div>
    </nav>
  );
}
