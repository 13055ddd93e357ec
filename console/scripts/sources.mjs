// What the build is made of, as one SHA-256. tests/browser/test_bundle.py counts the same way, without Node.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FILES = ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"];

export function sourcesDigest(root) {
  const inSrc = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1).replaceAll("\\", "/"));
  const total = createHash("sha256");
  for (const name of [...FILES, ...inSrc].sort()) {
    const own = createHash("sha256").update(readFileSync(join(root, name))).digest("hex");
    total.update(`${name} ${own}\n`);
  }
  return total.digest("hex");
}
