/**
 * The words of `pnpm reproduce`: what they mean, which go together, and the text that explains them.
 */

export interface Options {
  /** Small sizes, into `<run>-quick`; pages are not redrawn. */
  readonly quick: boolean;
  /** Studies, or tables as `study/table`; empty: everything. */
  readonly only: readonly string[];
  /** Whether to measure at all, or to redraw from the tables that are there. */
  readonly bench: boolean;
  /** Write nothing, compare with what is committed. */
  readonly check: boolean;
  /** How often everything but the largest runs is measured. */
  readonly repeat: number;
  /** Whether to build the site at the end. */
  readonly site: boolean;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `Usage: pnpm reproduce [options]

Measures, derives the numbers, draws the figures and builds the site.

  --quick         small sizes: a minute or two; into the quick tables, which no page shows
  --only NAMES    only these studies, or tables of a study: consolidation, consolidation/uniform;
                  several with commas between
  --no-bench      measure nothing: redraw summary and figures from the tables that are there
  --check         write nothing: measure into a temporary folder and compare the exact columns with the
                  committed ones (with --no-bench: compare summary and figures); a difference is exit code 1
  --repeat N      measure N times what is at most 16 MiB, and where the time of a flush goes; exact columns
                  must agree, five or more make a band
  --no-site       leave the site as it is
  --help          this text

Exit code: 0 done, 1 something failed or differs, 2 wrong usage.
`;

const FLAGS = new Set(["--quick", "--no-bench", "--check", "--no-site"]);
const MOST_REPETITIONS = 100;

export function parseOptions(words: readonly string[]): Options | "help" {
  const flags = new Set<string>();
  let only: string[] = [];
  let repeat = 1;
  const rest = expand(words);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--help" || word === "-h") return "help";
    if (word === "--only") only = only.concat(namesIn(rest.shift()));
    else if (word === "--repeat") repeat = repetitionsIn(rest.shift());
    else if (FLAGS.has(word)) flags.add(word);
    else throw new UsageError(`unknown word ${JSON.stringify(word)}`);
  }
  const options = {
    quick: flags.has("--quick"),
    only,
    bench: !flags.has("--no-bench"),
    check: flags.has("--check"),
    repeat,
    site: !flags.has("--no-site"),
  };
  refuseContradictions(options);
  return options;
}

/** `--name=value` is `--name value`. A first `--` comes from `pnpm run` and a first `reproduce` is the command's name. */
function expand(words: readonly string[]): string[] {
  const rest = words.flatMap((word) => {
    const at = word.startsWith("--") ? word.indexOf("=") : -1;
    return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
  });
  if (rest[0] === "reproduce") rest.shift();
  if (rest[0] === "--") rest.shift();
  return rest;
}

function namesIn(word: string | undefined): string[] {
  const names = (word ?? "").split(",").filter((name) => name !== "");
  if (names.length === 0 || word?.startsWith("--"))
    throw new UsageError("--only needs the name of a study or table");
  return names;
}

function repetitionsIn(word: string | undefined): number {
  const count = Number(word);
  if (word === "" || !Number.isInteger(count) || count < 1 || count > MOST_REPETITIONS) {
    throw new UsageError(`--repeat needs a whole number from 1 to ${MOST_REPETITIONS}`);
  }
  return count;
}

function refuseContradictions({ quick, bench, repeat }: Options): void {
  if (!bench && quick) throw new UsageError("--no-bench redraws the full run, which --quick does not touch");
  if (!bench && repeat > 1)
    throw new UsageError("--no-bench measures nothing, so there is nothing to repeat");
}

/** The command as it is written down beside the tables it made. */
export function commandOf({ quick, only, check, repeat }: Options): string {
  return [
    "pnpm reproduce",
    quick ? "--quick" : "",
    only.length > 0 ? `--only ${only.join(",")}` : "",
    check ? "--check" : "",
    repeat > 1 ? `--repeat ${repeat}` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}
