/**
 * The command line `kladde`: looks into a file without changing it and without taking its lock.
 *
 *  (1) Results go to the output, complaints to the complaints, one readable line each.
 *  (2) Exit codes: 0 sound, 1 faults (also a file that cannot be read), 2 usage.
 */

import { parseArgs } from "node:util";
import { StoreError } from "../errors.ts";
import { type TypedOptions, valueSteps } from "../kladde/index.ts";
import { openNodeFile } from "../storage/node.ts";
import { check } from "./check.ts";
import { dump } from "./dump.ts";
import { type InspectOptions, inspect } from "./inspect.ts";
import { type Output, printable } from "./output.ts";

export const usage = `usage: kladde dump FILE [--header]
       kladde check FILE
       kladde inspect FILE [--all | --json | --html]
       kladde inspect FILE --id N [--all | --json]
       kladde inspect FILE --types [--all | --json]
       kladde inspect FILE --values [--path P] [--depth N] [--limit N] [--raw] [--json]

  dump    one line for each allocation, ascending by id: id, size in bytes, CRC-32C of the content
          --header   first the fields of the governing header, one line each
  check   everything that is wrong with the file and where, one line each, and a last line that sums it up;
          a note is worth knowing, but no fault
  inspect what a file holds and how: headers, use of space, a map of its pages, the address table, allocations,
          the journal, types and values; as far as it can be read if it is damaged
          --id N     one allocation: its statements, and which of them wins which bytes, and why
          --types    the types alone: their parts, offsets and sizes
          --values   the values alone, as a tree with sizes:
                     --path P   only the value at P, such as notes[3].title
                     --depth N  values inside values (default: all)
                     --limit N  rows (default 1000); of a list within, a quarter of them
                     --raw      boxes, options and the slots of maps as they are stored
          --all      every row of every list
          --json     for programs
          --html     a page for a browser, to be kept in a file

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
      complain(printable(`kladde: ${error.message}`));
      complain("see kladde --help");
      return 2;
    }
    if (!(error instanceof StoreError)) throw error;
    await out.flush();
    complain(printable(`kladde: ${error.message}`));
    return 1;
  }
}

async function run(words: readonly string[], out: Output): Promise<number> {
  const { command, file, help, ...options } = parse(words);
  if (help) {
    await out.line(usage);
    return 0;
  }
  if (command === undefined) throw new UsageError("a command is missing");
  const allowed = optionsOf[command];
  if (allowed === undefined) throw new UsageError(`unknown command "${command}"`);
  if (file === undefined) throw new UsageError("FILE is missing");
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && value !== false && !allowed.includes(name))
      throw new UsageError(`${command} takes no --${name}`);
  const inspection = command === "inspect" ? inspectOptions(options) : undefined;
  const opened = openNodeFile(file, "read");
  if (inspection !== undefined) return (await inspect(opened, inspection, out)) ? 0 : 1;
  if (command === "check") return (await check(opened, out)) ? 0 : 1;
  await dump(opened, options.header, out);
  return 0;
}

/** The options that each command takes. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  dump: ["header"],
  check: [],
  inspect: ["all", "html", "id", "json", "types", "values", "path", "depth", "limit", "raw"],
};

/** Options that only make sense with `--values`. */
const valueOptions = ["path", "depth", "limit", "raw"] as const;
const valueRows = 1000;

const idMax = 4_294_967_295;

function inspectOptions(words: Omit<Words, "command" | "file" | "help">): InspectOptions {
  const { all, html, id, json, types, values } = words;
  if (Number(all) + Number(html) + Number(json) > 1)
    throw new UsageError("only one of --all, --json and --html can be had");
  if (Number(types) + Number(values) + Number(id !== undefined) > 1)
    throw new UsageError("only one of --id, --types and --values can be had");
  for (const name of valueOptions)
    if (!values && words[name] !== undefined && words[name] !== false)
      throw new UsageError(`--${name} needs --values`);
  const part = id !== undefined ? "id" : types ? "types" : values ? "values" : undefined;
  if (html && part !== undefined) throw new UsageError(`--${part} cannot be had as --html`);
  if (all && values) throw new UsageError("--values takes --limit, not --all");
  return {
    all,
    format: json ? "json" : html ? "html" : "text",
    id: id === undefined ? undefined : wholeNumber(id, 1, idMax, "no id of an allocation"),
    only: types ? "types" : values ? "values" : undefined,
    typed: values ? typedOptions(words) : { limit: 1 },
  };
}

function typedOptions({
  path,
  depth,
  limit,
  raw,
  json,
}: Pick<Words, "path" | "depth" | "limit" | "raw" | "json">): TypedOptions {
  return {
    raw,
    path: path === undefined ? undefined : checkedPath(path),
    depth:
      depth === undefined
        ? undefined
        : wholeNumber(depth, 0, Number.MAX_SAFE_INTEGER, "no depth: --depth takes a whole number from 0 on"),
    limit:
      limit !== undefined
        ? wholeNumber(
            limit,
            1,
            Number.MAX_SAFE_INTEGER,
            "no number of rows: --limit takes a whole number from 1 on",
          )
        : json
          ? undefined
          : valueRows,
  };
}

function checkedPath(path: string): string {
  try {
    valueSteps(path);
    return path;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(word: string, low: number, high: number, wrong: string): number {
  const number = /^[0-9]+$/.test(word) ? Number(word) : -1;
  if (number < low || number > high) throw new UsageError(`"${word}" is ${wrong}`);
  return number;
}

interface Words {
  readonly command: string | undefined;
  readonly file: string | undefined;
  readonly header: boolean;
  readonly all: boolean;
  readonly html: boolean;
  readonly json: boolean;
  readonly types: boolean;
  readonly values: boolean;
  readonly raw: boolean;
  readonly id: string | undefined;
  readonly path: string | undefined;
  readonly depth: string | undefined;
  readonly limit: string | undefined;
  readonly help: boolean;
}

const flags = {
  header: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  html: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  types: { type: "boolean", default: false },
  values: { type: "boolean", default: false },
  raw: { type: "boolean", default: false },
  id: { type: "string" },
  path: { type: "string" },
  depth: { type: "string" },
  limit: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** A number below 0 is a bad value, not an option of its own. */
function joined(words: readonly string[]): string[] {
  const args: string[] = [];
  for (const word of words) {
    const last = args.at(-1) ?? "";
    if (/^-[0-9.]/.test(word) && /^--(id|depth|limit)$/.test(last)) args[args.length - 1] = `${last}=${word}`;
    else args.push(word);
  }
  return args;
}

function parse(words: readonly string[]): Words {
  try {
    const { values, positionals } = parseArgs({
      args: joined(words),
      options: flags,
      allowPositionals: true,
    });
    const [command, file, ...rest] = positionals;
    if (rest.length > 0 && !values.help) throw new Error(`unexpected "${rest[0]}"`);
    return { command, file, id: undefined, path: undefined, depth: undefined, limit: undefined, ...values };
  } catch (error) {
    // Only the first sentence: what follows are hints about words that begin with a dash.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(". ")[0]!);
  }
}
