/**
 * The style that can be checked: sizes, and words with something better in their place.
 *
 *  (1) A file has at most 500 lines, a function at most 70. From 350 lines on a file is talked about.
 *  (2) The engines get chance and time passed in.
 *  (3) Powers differ in the last bit between versions of Node, so code whose results are compared has none, but for
 *      powers of two and those written as two numbers.
 *  (4) Live values record a change in one piece: no loop there calls the store. A string that goes to the journal byte
 *      by byte is right in every way but its size.
 *  (5) Nothing is left to be done later, and every file is used by another.
 */

import { isForTests, isTest, partOf } from "./arrows.ts";
import { callsInLoops, functionsOf, importsOf, powersOf, type SourceFile } from "./source.ts";

export const FILE_LINES_MAX = 500;
export const FILE_LINES_TALK = 350;
export const FUNCTION_LINES_MAX = 70;

interface Ban {
  readonly text: string;
  readonly instead: string;
  /** Where it is banned. */
  readonly within: RegExp;
}

const CORES = /^engine\/(?!bench\/|cli\/|storage\/node)/;
const EXACT = /^(?:engine|pipeline)\//;

/** Written in two halves, so that this file does not find itself. */
const bans: readonly Ban[] = [
  {
    text: "Math." + "random(",
    instead: "use the Random that was passed in",
    within: /^(?:engine|pipeline)\//,
  },
  { text: "Date." + "now(", instead: "use the Clock that was passed in", within: CORES },
  { text: "new " + "Date(", instead: "use the Clock that was passed in", within: CORES },
  { text: "performance." + "now(", instead: "use the Clock that was passed in", within: CORES },
  { text: "process" + ".", instead: "take it as an option", within: CORES },
  { text: "Math." + "pow(", instead: "multiply: powers differ between versions of Node", within: EXACT },
  { text: "TO" + "DO", instead: "do it, or open an issue", within: /./ },
  { text: "FIX" + "ME", instead: "fix it", within: /./ },
  { text: "X" + "XX", instead: "say what is wrong, or mend it", within: /./ },
  { text: "debug" + "ger;", instead: "remove it", within: /./ },
  { text: "test" + ".only(", instead: "run one file instead", within: /./ },
];

export const linesOf = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

export function tidyFaults(file: SourceFile): string[] {
  return [...sizeFaults(file), ...banFaults(file), ...powerFaults(file), ...loopFaults(file)];
}

function sizeFaults(file: SourceFile): string[] {
  const lines = linesOf(file.text);
  const tooLong = functionsOf(file)
    .filter((each) => each.lines > FUNCTION_LINES_MAX)
    .map(({ name, line, lines }) => `${file.path}:${line}: ${name} has ${lines} lines; split it`);
  return lines > FILE_LINES_MAX ? [`${file.path}: ${lines} lines; split it`, ...tooLong] : tooLong;
}

function banFaults({ path, text }: SourceFile): string[] {
  return bans
    .filter(({ within }) => within.test(path) && !(isForTests(path) && within === CORES))
    .flatMap(({ text: banned, instead }) => {
      const at = indexOfWord(text, banned);
      return at < 0 ? [] : [`${path}:${linesOf(text.slice(0, at))}: found ${banned}; ${instead}`];
    });
}

/** Where `word` begins that is not the end of a longer one, as `process.` in `subprocess.`; comments count. */
function indexOfWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isSentence = word.endsWith(".") && !/[\w$]/.test(text.charAt(at + word.length));
    if (!/[\w$.]/.test(text.charAt(at - 1)) && !isSentence) return at;
  }
  return -1;
}

function powerFaults(file: SourceFile): string[] {
  if (!EXACT.test(file.path) || isForTests(file.path)) return [];
  return powersOf(file).map(
    ({ line, text }) => `${file.path}:${line}: ${text}; multiply: powers differ between versions of Node`,
  );
}

const LIVE = /^engine\/kladde\/typed\/live\//;
const RECORDING = /(?:^|[.#])store\.(?:write|splice|resize|copy|move)$/;

function loopFaults(file: SourceFile): string[] {
  if (!LIVE.test(file.path) || isForTests(file.path)) return [];
  return callsInLoops(file, RECORDING).map(
    ({ line, callee }) =>
      `${file.path}:${line}: ${callee} in a loop; put the bytes together and record them once`,
  );
}

/** Code that nothing imports or names: neither a test, nor an entry named in `scripts`, nor a part's door. */
export function unusedFiles(files: readonly SourceFile[], scripts: string): string[] {
  const used = new Set(files.flatMap((file) => importsOf(file).map(({ file: target }) => target)));
  return files
    .map(({ path }) => path)
    .filter((path) => partOf(path) !== "src" && !isTest(path))
    .filter((path) => !used.has(path) && !scripts.includes(path) && !path.endsWith("/index.ts"))
    .filter(
      (path) => !files.some((file) => file.path !== path && file.text.includes(path.split("/").at(-1)!)),
    )
    .map((path) => `${path}: nothing imports it`);
}

/** Files that have grown so far that it is time to talk about them. */
export const longFiles = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ text }) => linesOf(text) >= FILE_LINES_TALK)
    .map(({ path, text }) => `${path} has ${linesOf(text)} lines`);
