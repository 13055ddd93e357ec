/** Light or dark: the system's, unless somebody chose. */
import { kept } from "./kept";
import { Signal } from "./signal";

export type Theme = "system" | "light" | "dark";
const asTheme = (value: string | null): Theme => (value === "light" || value === "dark" ? value : "system");
export const theme = new Signal<Theme>(asTheme(kept.get("theme")));

export function applyTheme(): void {
  if (theme.value === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
}

export function chooseTheme(next: Theme): void {
  kept.set("theme", next === "system" ? null : next);
  theme.set(next);
}

theme.subscribe(applyTheme);
kept.watch("theme", (value) => theme.set(asTheme(value)));
