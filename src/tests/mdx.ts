/** Reads the sources of pages: code blocks and tables, as they stand in the text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./build.ts";

export const pageSource = (path: string): string =>
  readFileSync(join(projectFolder, "content", path), "utf8");

export interface CodeBlock {
  readonly language: string;
  /** What follows the language on the first line. */
  readonly meta: string;
  readonly code: string;
}

export const codeBlocks = (source: string): CodeBlock[] =>
  [...source.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", meta = "", code = ""]) => ({
      language,
      meta,
      code,
    }),
  );

/** The page with `output` as the block of what the program `code` prints; one that prints nothing has no such block. */
export function withOutput(source: string, code: string, output: string): string {
  const program = `${code}\`\`\`\n`;
  const begin = source.indexOf(program);
  if (begin < 0) throw new Error("the page has changed since its programs were read; run them again");
  const from = begin + program.length;
  const behind = source.slice(from).replace(/^\n```text output\n[\s\S]*?\n```\n/, "");
  const block = output === "" ? "" : `\n\`\`\`text output\n${output}\`\`\`\n`;
  return source.slice(0, from) + block + behind;
}

/** The cells of the table inside `<div data-layout="name">`, head left out, code marks removed. */
export function layoutTable(source: string, name: string): string[][] {
  const block = new RegExp(`<div data-layout="${name}">\\n\\n([\\s\\S]*?)\\n\\n</div>`).exec(source)?.[1];
  if (block === undefined) throw new Error(`no table "${name}"`);
  return block
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

/** The bytes of a block of hexadecimal with comments: two digits each, up to the first run of spaces. */
export function hexBytes(code: string): Uint8Array {
  const bytes = code
    .split("\n")
    .flatMap((line) => (line.split(/ {2,}/)[0] ?? "").split(" ").filter((part) => part !== ""));
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16));
}
