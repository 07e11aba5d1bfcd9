/**
 * `pnpm package`: compiles the engines to `engine/dist`, JavaScript with declarations, as the package `daybook` has
 * them. `pnpm pack` in `engine/` runs it first; what is left in `dist` is what was packed.
 *
 *  (1) Only what the package's doors reach is compiled: no tests, no benchmark.
 *  (2) The licences lie in the project's folder and are copied beside the package's manifest.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const project = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const engine = join(project, "engine");
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(join(engine, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", join(project, "pipeline/package/tsconfig.json")], {
  stdio: "inherit",
});
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"])
  copyFileSync(join(project, licence), join(engine, licence));
