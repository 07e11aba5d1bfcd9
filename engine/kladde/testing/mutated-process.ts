/**
 * Puts a fault into the engine for a whole process, so that any test file can be asked whether it notices:
 *
 *     ENGINE_FAULT='{"name":…,"file":…,"from":…,"to":…}' node --import ./engine/kladde/testing/mutated-process.ts TEST
 *
 *  (1) Without the variable nothing happens.
 *  (2) The passage must occur exactly once in the file, below `engine/kladde`, and the file must be loaded; else the
 *      process ends with 99, which is neither a pass nor a failure.
 */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import type { Mutation } from "./mutate.ts";

/** Exit code. */
export const misplacedExit = 99;

const fault = process.env.ENGINE_FAULT;
if (fault !== undefined) put(JSON.parse(fault) as Mutation);

function put({ file, from, to }: Mutation): void {
  const url = new URL(`../${file}`, import.meta.url);
  const isThere = readFileSync(url, "utf8").split(from).length === 2;
  let isLoaded = false;
  registerHooks({
    load(loading, context, nextLoad) {
      const loaded = nextLoad(loading, context);
      if (loading !== url.href) return loaded;
      isLoaded = true;
      return { ...loaded, source: String(loaded.source).replace(from, () => to) };
    },
  });
  process.on("exit", () => {
    if (!isThere || !isLoaded) process.exitCode = misplacedExit;
  });
}
