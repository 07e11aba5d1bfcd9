/** A file of another type than the one asked for. */

import { StoreError } from "../../../errors.ts";

/**
 * What lies between a difference and an upgrade: nothing; that data would be dropped, which must be asked for; that no stored
 * value may be concerned, which only reading tells; or that there is no way.
 */
export type Bridge = "upgrade" | "drop-fields" | "if-unused" | "none";

export interface SchemaDifference {
  /** Path of the values concerned, such as `notes[].title`; `value` for the root. */
  readonly at: string;
  readonly message: string;
  readonly bridge: Bridge;
}

export interface TypeIdentity {
  readonly name: string;
  /** 32 hexadecimal digits. */
  readonly fingerprint: string;
}

/** What could be done about a file of another type. */
export interface Outlook {
  /** Whether `evolve: "upgrade"`, with the options given, would have a way. */
  readonly upgradable: boolean;
  /** Whether what the schema has no field for would be dropped. */
  readonly drops: boolean;
  /** Whether it would have one if it might do that. */
  readonly droppable: boolean;
  /** What to try before data is given up. */
  readonly advice?: string | undefined;
}

const shownMax = 5;

/** What stands in the way is shown before what does not. */
const urgency: readonly Bridge[] = ["none", "drop-fields", "if-unused", "upgrade"];

/** Thrown instead of opening the file, which is left as it was. */
export class SchemaMismatch extends StoreError {
  readonly expected: TypeIdentity;
  readonly found: TypeIdentity;
  readonly differences: readonly SchemaDifference[];
  /** Whether `evolve: "upgrade"`, with the options given, would have a way; stored values may still be in it. */
  readonly upgradable: boolean;

  constructor(
    expected: TypeIdentity,
    found: TypeIdentity,
    differences: readonly SchemaDifference[],
    outlook: Outlook,
    file?: string,
  ) {
    const shown = differences.toSorted((a, b) => urgency.indexOf(a.bridge) - urgency.indexOf(b.bridge));
    const lines = shown.slice(0, shownMax).map(({ at, message }) => `\n  ${at}: ${message}`);
    const more = differences.length > shownMax ? `\n  and ${differences.length - shownMax} more` : "";
    super("schema-mismatch", `${headline(expected, found, outlook)}${lines.join("")}${more}`, { file });
    this.expected = expected;
    this.found = found;
    this.differences = differences;
    this.upgradable = outlook.upgradable;
  }
}

function headline(
  expected: TypeIdentity,
  found: TypeIdentity,
  { upgradable, drops, droppable, advice }: Outlook,
): string {
  const what = `the file holds ${found.name} (${found.fingerprint.slice(0, 8)}), not ${expected.name} (${expected.fingerprint.slice(0, 8)})`;
  const how = upgradable ? 'evolve: "upgrade"' : 'evolve: "upgrade" with dropFields: true';
  const does = drops ? "rewrites it, and discards what the schema has no field for" : "rewrites it";
  const last = droppable ? `${how} ${does}` : "open it with a schema that fits, and copy what is wanted";
  return [what, advice, last].filter((part) => part !== undefined).join("; ");
}
