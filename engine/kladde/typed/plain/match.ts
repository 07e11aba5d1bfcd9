/** Pairs what a file names with what a schema names: by name first, then by the names that the schema's had before. */

interface Named {
  readonly name: string;
}

interface Renamed {
  readonly former: readonly string[];
}

export interface Matches<Stored, Wanted> {
  readonly wantedOf: ReadonlyMap<Stored, Wanted>;
  /** Not in the file. */
  readonly missing: readonly Wanted[];
}

export function match<Stored extends Named, Wanted extends Renamed>(
  stored: readonly Stored[],
  wanted: readonly Wanted[],
  nameOf: (wanted: Wanted) => string,
): Matches<Stored, Wanted> {
  const free = new Map(stored.map((each) => [each.name, each]));
  const wantedOf = new Map<Stored, Wanted>();
  const take = (each: Wanted, names: readonly string[]): boolean => {
    const name = names.find((candidate) => free.has(candidate));
    if (name === undefined) return false;
    wantedOf.set(free.get(name)!, each);
    free.delete(name);
    return true;
  };
  const unmatched = wanted.filter((each) => !take(each, [nameOf(each)]));
  return { wantedOf, missing: unmatched.filter((each) => !take(each, each.former)) };
}
