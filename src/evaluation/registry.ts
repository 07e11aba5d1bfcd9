/**
 * What the pages of one build have shown, kept so that the end of the build can judge all of it at once.
 *
 * Pages are rendered by bundled code and the gate runs in the build's own modules; both run in one process, so the
 * registry hangs on `globalThis`.
 */
export interface ShownClaim {
  readonly page: string;
  readonly study: string;
  readonly id: string;
}

interface Registry {
  readonly claims: ShownClaim[];
  /** Studies whose summary a page has used, with the first such page. */
  readonly studies: Map<string, string>;
}

const key = Symbol.for("daybook.evaluation.registry");
const holder = globalThis as typeof globalThis & { [key]?: Registry };

export function registry(): Registry {
  holder[key] ??= { claims: [], studies: new Map() };
  return holder[key];
}
