/**
 * Guesses at what was renamed: a name that only the file has may be one that only the schema has.
 *
 *  (1) A guess changes nothing but messages: what the schema does not say was renamed is never read under another name.
 *  (2) Where a name is guessed, an upgrade that is told of it takes the value.
 *
 * Cost: each name of the one side is compared with those of the other.
 */

import { quoted } from "../types/path.ts";

/** What a name is of, and how a schema says that it had another. */
export interface Naming {
  readonly what: "field" | "variant";
  /** The words for a schema; `now` is undefined if there are several names that it may be. */
  readonly words: (was: string, now: string | undefined) => string;
}

export const fieldNaming: Naming = { what: "field", words: (was) => `.was(${was})` };

export const variantNaming: Naming = {
  what: "variant",
  words: (was, now = "…") => `was: { ${now}: ${was} }`,
};

/** More names than these are not shown. */
const namesMax = 3;

/** The end of a sentence about `was`, a name in the file, which may be one of `now` in the schema. */
export function renameHint({ words }: Naming, was: string, now: readonly string[]): string {
  if (now.length === 0) return "";
  const names = now.slice(0, namesMax).map(quoted);
  const last = now.length > namesMax ? "another one" : names.pop()!;
  const listed = names.length === 0 ? last : `${names.join(", ")} or ${last}`;
  const said = words(quoted(was), now.length === 1 ? quoted(now[0]!) : undefined);
  return `; if it is ${listed} now, the schema must say so with ${said}`;
}

/** What to try before data is given up. */
export const renameAdvice = ({ words }: Naming, was: string, now: string): string =>
  `if ${quoted(was)} is called ${quoted(now)} now, the schema must say so with ${words(quoted(was), quoted(now))}`;

/** The same where no name is likely. */
export const renameAdviceAtLarge = ({ what, words }: Naming): string =>
  `if a ${what} was renamed, the schema must say so with ${words('"its old name"', undefined)}`;
