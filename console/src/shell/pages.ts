/** Where the navigation leads. Pages other than the chat are loaded when they are first opened. */
import { lazy, type ComponentType } from "react";
import { ChatPage } from "../chat/page";
import type { IconName } from "../parts/icons";

export interface PageRow {
  name: string;
  title: string;
  /** where there is no room */
  short?: string;
  icon: IconName;
  /** after `g` */
  letter: string;
  about: string;
  Component: ComponentType;
}

export const PAGES: readonly PageRow[] = [
  { name: "chat", title: "Chat", icon: "chat", letter: "c", about: "Talk, and see which memories an answer rests on", Component: ChatPage },
  { name: "memory", title: "Memory", icon: "memory", letter: "m", about: "Everything that is known, and why it is found", Component: lazy(() => import("../memory/page")) },
  { name: "review", title: "Review", icon: "review", letter: "r", about: "What waits for your decision before it becomes memory", Component: lazy(() => import("../review/page")) },
  { name: "workspace", title: "Workspace", short: "Files", icon: "workspace", letter: "w", about: "Documents that you and your agent keep together", Component: lazy(() => import("../workspace/page")) },
  { name: "continuity", title: "Continuity", short: "Past", icon: "branch", letter: "y", about: "Condense a long conversation, and go back to an earlier point", Component: lazy(() => import("../continuity/page")) },
  { name: "journal", title: "Journal", icon: "journal", letter: "j", about: "Every change, and the proof of it", Component: lazy(() => import("../journal/page")) },
  { name: "jobs", title: "Jobs", icon: "clock", letter: "b", about: "What runs by itself: schedules and upkeep", Component: lazy(() => import("../jobs/page")) },
  { name: "status", title: "Status", icon: "status", letter: "s", about: "How the daemon is", Component: lazy(() => import("../status/page")) },
];
