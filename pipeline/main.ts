/**
 * `pnpm reproduce`: the command line of the main job.
 *
 * It checks what it runs on before it loads anything that would fail with a riddle, sets its own world (time zone,
 * locale) and turns failures into one line and an exit code.
 */

import { nodeComplaint } from "./node-version.ts";
import { parseOptions, UsageError, usage } from "./options.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint !== undefined) return fail(complaint);
  try {
    const options = parseOptions(words);
    if (options === "help") {
      console.log(usage);
      return 0;
    }
    process.env.TZ = "UTC";
    const [{ reproduce }, { makeWorld }] = await Promise.all([
      import("./reproduce.ts"),
      import("./world.ts"),
    ]);
    return await reproduce(options, makeWorld());
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function fail(message: string): number {
  console.error(message);
  return 1;
}
