import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The output is committed: whoever installs Palyra needs no Node.
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    outDir: "../src/palyra/transports/http/pages",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy allows no data: but for pictures, and a file can be cached
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: "es2023",
  },
  css: { modules: { generateScopedName: "[name]_[local]" } },
  server: { proxy: { "/console/v1": "http://127.0.0.1:7142", "/healthz": "http://127.0.0.1:7142" } },
});
