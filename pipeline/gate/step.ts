/**
 * A step of `pnpm test`: a command line of its own, so that it can be run and understood alone, or a function of this
 * project.
 */

export interface Step {
  readonly name: string;
  readonly says: string;
  readonly expectedSeconds: number;
  readonly work: Work;
}

export type Work =
  /** Programs, one after another; all must end with 0. */
  | { readonly kind: "commands"; readonly commands: readonly Command[] }
  /** Files of tests below these folders, or named; none at all is a failure. */
  | { readonly kind: "tests"; readonly within: readonly string[]; readonly without?: readonly string[] }
  /** A program of tests that must fail. */
  | { readonly kind: "canary"; readonly file: string }
  /** Faults, one a line; no faults is a pass. */
  | { readonly kind: "check"; readonly check: (project: string) => CheckReport };

export interface Command {
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What a good run prints, for a program whose exit code does not tell. */
  readonly expect?: RegExp;
}

export interface CheckReport {
  readonly says: string;
  readonly faults: readonly string[];
}
