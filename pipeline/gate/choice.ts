/** The words of `pnpm test`: which steps are meant. */

import type { Step } from "./step.ts";

export interface Choice {
  readonly steps: readonly Step[];
  readonly keepGoing: boolean;
  readonly list: boolean;
}

/** The steps that are meant, or what is wrong with the words. */
export function choose(words: readonly string[], all: readonly Step[]): Choice | string {
  const rest = words.flatMap((word) => (word.startsWith("--only=") ? ["--only", word.slice(7)] : [word]));
  if (rest[0] === "--") rest.shift();
  let names: string[] | undefined;
  let keepGoing = false;
  let list = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--only") names = (names ?? []).concat((rest.shift() ?? "").split(","));
    else if (word === "--keep-going") keepGoing = true;
    else if (word === "--list") list = true;
    else return `unknown word ${JSON.stringify(word)}`;
  }
  const unknown = names?.filter((name) => !all.some((step) => step.name === name)) ?? [];
  if (unknown.length > 0)
    return `there is no step called ${unknown.map((name) => JSON.stringify(name)).join(", ")}`;
  return { steps: all.filter(({ name }) => names?.includes(name) ?? true), keepGoing, list };
}
