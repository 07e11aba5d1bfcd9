/**
 * What there is to run: tables, and the runs of each in the order of its rows.
 *
 * A run is one workload, one variant (options of the store, by name) and one size. A table holds the runs of one
 * workload; quick runs are the same on smaller data, and every one of them also checks the store after every flush.
 */

export type Scenario = "uniform" | "skewed" | "mixed" | "append" | "churn" | "shrink";

/** Options of the store, as `Store.create` takes them. */
export type RunOptions = Readonly<Record<string, boolean | number>>;

export interface Variant {
  readonly name: string;
  readonly options: RunOptions;
  readonly sizesMiB: readonly number[];
  readonly quickSizesMiB: readonly number[];
}

export interface TableDefinition {
  readonly name: string;
  readonly scenario: Scenario;
  readonly describes: string;
  readonly variants: readonly Variant[];
}

export interface Run {
  /** The table its rows go to. */
  readonly table: string;
  readonly scenario: Scenario;
  readonly variant: string;
  readonly options: RunOptions;
  readonly sizeBytes: number;
  /** Seed of the workload's generator. */
  readonly seed: number;
  readonly quick: boolean;
  /** About how long it takes on two shared cores, checks of quick runs included. */
  readonly estimatedSeconds: number;
}

const bytesPerMiB = 1024 * 1024;

const off = (sizesMiB: readonly number[], quickSizesMiB: readonly number[]): Variant => ({
  name: "off",
  options: { consolidate: false },
  sizesMiB,
  quickSizesMiB,
});

export const tables: readonly TableDefinition[] = [
  {
    name: "uniform",
    scenario: "uniform",
    describes: "patches of 1 to 512 bytes, anywhere in allocations of 16 KiB",
    variants: [off([1, 8], [1])],
  },
  {
    name: "skewed",
    scenario: "skewed",
    describes: "the same, nine patches of ten in a tenth of the allocations",
    variants: [off([1, 8], [1])],
  },
  {
    name: "mixed",
    scenario: "mixed",
    describes:
      "hot, cool and cold allocations of 1 KiB, written side by side; the cold ones are never patched",
    variants: [off([1, 8], [1])],
  },
  {
    name: "append",
    scenario: "append",
    describes: "logs of up to 64 KiB that grow by 16 to 240 bytes and start again when they are full",
    variants: [off([16], [1])],
  },
  {
    name: "churn",
    scenario: "churn",
    describes: "small and large values, replaced, rewritten and patched",
    variants: [off([16], [1])],
  },
  {
    name: "shrink",
    scenario: "shrink",
    describes: "three quarters of the data is freed at once, the rest patched",
    variants: [off([64], [4])],
  },
];

/** Seed of a workload: its size XOR this. */
const seedMask: Readonly<Record<Scenario, number>> = {
  uniform: 0,
  skewed: 1,
  append: 7,
  churn: 11,
  shrink: 13,
  mixed: 19,
};

export const seedOf = (scenario: Scenario, sizeBytes: number): number =>
  (sizeBytes ^ seedMask[scenario]) >>> 0;

/** Seconds for each MiB of nominal size, rounded up from runs on two shared cores. */
const secondsPerMiB: Readonly<Record<Scenario, { readonly full: number; readonly quick: number }>> = {
  uniform: { full: 0.6, quick: 0.8 },
  skewed: { full: 0.5, quick: 0.5 },
  mixed: { full: 0.7, quick: 0.5 },
  append: { full: 0.7, quick: 0.7 },
  churn: { full: 0.4, quick: 0.5 },
  shrink: { full: 0.03, quick: 0.25 },
};

/** The runs of a table in the order of its rows. Throws `RangeError` for a table that does not exist. */
export function runsOf(tableName: string, quick = false): Run[] {
  const table = tables.find(({ name }) => name === tableName);
  if (table === undefined) {
    throw new RangeError(`no table "${tableName}": there are ${tables.map(({ name }) => name).join(", ")}`);
  }
  const { name, scenario } = table;
  return table.variants.flatMap((variant) =>
    (quick ? variant.quickSizesMiB : variant.sizesMiB).map((sizeMiB) => ({
      table: name,
      scenario,
      variant: variant.name,
      options: variant.options,
      sizeBytes: sizeMiB * bytesPerMiB,
      seed: seedOf(scenario, sizeMiB * bytesPerMiB),
      quick,
      estimatedSeconds: sizeMiB * secondsPerMiB[scenario][quick ? "quick" : "full"],
    })),
  );
}

/** `uniform off 8 MiB`, for people. */
export const runTitle = ({ scenario, variant, sizeBytes }: Run): string =>
  `${scenario} ${variant} ${sizeBytes / bytesPerMiB} MiB`;
