// src/api/schema.d.ts from schemas/openapi.json. Its first line says of which one; tests/browser/test_bundle.py compares.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const root = join(import.meta.dirname, "..");
const described = readFileSync(join(root, "../schemas/openapi.json"));
const sha256 = createHash("sha256").update(described).digest("hex");
const api = JSON.parse(described);
for (const operation of Object.values(api.paths).flatMap(Object.values)) {
  // every error has one shape, which client.ts knows
  operation.responses = { 200: operation.responses["200"] };
}
const types = astToString(await openapiTS(api));
writeFileSync(join(root, "src/api/schema.d.ts"), `// made by npm run types from openapi.json ${sha256}\n${types}`);
