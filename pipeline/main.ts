/**
 * `pnpm reproduce`: the command line of the main job.
 *
 * It checks what it runs on before it loads anything that would fail with a riddle, sets its own world (time zone,
 * locale) and turns failures into one line and an exit code.
 */

import { parseOptions, UsageError, usage } from "./options.ts";

const LEAST_NODE = [22, 18] as const;

const code = await main(process.argv.slice(2));
process.exitCode = code;

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

function nodeComplaint(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return [
    `This needs Node ${LEAST_NODE.join(".")} or later; this is Node ${version}.`,
    "On Linux the project brings its own: run it as `npx -y pnpm@12.21.0 reproduce`.",
    "Elsewhere install a newer Node from https://nodejs.org first.",
  ].join("\n");
}
