/** What the rail has no room for on a narrow screen. */
import { auth, signOut } from "../api/client";
import { useSignal } from "../lib/signal";
import { standing } from "../lib/standing";
import { chooseTheme, theme, type Theme } from "../lib/theme";
import { Icon, type IconName } from "../parts/icons";
import { Dialog } from "../parts/parts";
import s from "./shell.module.css";

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ["system", "Auto", "auto"],
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
];

export function Menu({ onClose, onOpen }: { onClose: () => void; onOpen: (what: "palette" | "keys" | "standing") => void }) {
  const now = useSignal(theme);
  const stands = useSignal(standing);
  const own = useSignal(auth).principal;
  return (
    <Dialog title="More" onClose={onClose}>
      <div className={s["menu"]}>
        <button type="button" onClick={() => onOpen("palette")}>
          <Icon name="search" size={18} /> Find a page, a conversation, a command
        </button>
        <button type="button" onClick={() => onOpen("standing")}>
          <Icon name="user" size={18} /> <span className="truncate">{stands.principal || own}{stands.channel && `, ${stands.channel}`}</span>
        </button>
        <div className={s["colours"]} role="radiogroup" aria-label="Colours">
          {THEMES.map(([name, title, icon]) => (
            <button key={name} type="button" role="radio" aria-checked={name === now} onClick={() => chooseTheme(name)}>
              <Icon name={icon} /> {title}
            </button>
          ))}
        </div>
        <button type="button" onClick={() => onOpen("keys")}>
          <Icon name="help" size={18} /> Keyboard shortcuts
        </button>
        <button type="button" onClick={() => (onClose(), void signOut().catch(() => undefined))}>
          <Icon name="back" size={18} /> Sign out
        </button>
      </div>
    </Dialog>
  );
}
