// Notes beside the build which sources it was made of.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourcesDigest } from "./sources.mjs";

const root = join(import.meta.dirname, "..");
const out = join(root, "../src/palyra/transports/http/pages/sources.sha256");
writeFileSync(out, `${sourcesDigest(root)}\n`);
