#!/usr/bin/env node
/** Entry of the command `kladde`; what it does is in `main.ts`. */

import { main } from "./main.ts";
import { Output, OutputClosed } from "./output.ts";

try {
  process.exitCode = await main(process.argv.slice(2), new Output(process.stdout), (line) =>
    console.error(line),
  );
} catch (error) {
  if (!(error instanceof OutputClosed)) throw error;
}
