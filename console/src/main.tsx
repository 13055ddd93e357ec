import { createRoot } from "react-dom/client";
import "./styles/tokens.css";
import "./styles/base.css";
import { applyTheme } from "./lib/theme";
import { App } from "./shell/app";

applyTheme();
createRoot(document.getElementById("root")!).render(<App />);
