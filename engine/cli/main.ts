/**
 * The command line `kladde`: looks into a file without changing it and without taking its lock.
 *
 *  (1) Results go to the output, complaints to the complaints, one readable line each.
 *  (2) Exit codes: 0 sound, 1 faults (also a file that cannot be read), 2 usage.
 */

import { parseArgs } from "node:util";
import { StoreError } from "../errors.ts";
import { openNodeFile } from "../storage/node.ts";
import { check } from "./check.ts";
import { dump } from "./dump.ts";
import type { Output } from "./output.ts";

export const usage = `usage: kladde dump FILE [--header]
       kladde check FILE

  dump    one line for each allocation, ascending by id: id, size in bytes, CRC-32C of the content
          --header   first the fields of the governing header, one line each
  check   everything that is wrong with the file and where, one line each, and a last line that sums it up;
          a note is worth knowing, but no fault

The file is only read and stays as it is. It must not be written meanwhile: what is found then may be half-written.
Exit codes: 0 the file is sound, 1 it has faults or cannot be read, 2 wrong usage.`;

class UsageError extends Error {}

export async function main(
  words: readonly string[],
  out: Output,
  complain: (line: string) => void,
): Promise<number> {
  try {
    const code = await run(words, out);
    await out.flush();
    return code;
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`kladde: ${error.message}\n\n${usage}`);
      return 2;
    }
    if (!(error instanceof StoreError)) throw error;
    await out.flush();
    complain(`kladde: ${error.message}`);
    return 1;
  }
}

async function run(words: readonly string[], out: Output): Promise<number> {
  const { command, file, header, help } = parse(words);
  if (help) {
    await out.line(usage);
    return 0;
  }
  if (command === undefined) throw new UsageError("a command is missing");
  if (command !== "dump" && command !== "check") throw new UsageError(`unknown command "${command}"`);
  if (file === undefined) throw new UsageError("FILE is missing");
  if (command === "check") {
    if (header) throw new UsageError("check takes no --header");
    return (await check(openNodeFile(file, "read"), out)) ? 0 : 1;
  }
  await dump(openNodeFile(file, "read"), header, out);
  return 0;
}

interface Words {
  readonly command: string | undefined;
  readonly file: string | undefined;
  readonly header: boolean;
  readonly help: boolean;
}

const flags = {
  header: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function parse(words: readonly string[]): Words {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: flags, allowPositionals: true });
    const [command, file, ...rest] = positionals;
    if (rest.length > 0 && !values.help) throw new Error(`unexpected "${rest[0]}"`);
    return { command, file, ...values };
  } catch (error) {
    // Only the first sentence: what follows are hints about words that begin with a dash.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(". ")[0]!);
  }
}
