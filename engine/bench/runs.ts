/**
 * What there is to run: tables, and the runs of each in the order of its rows.
 *
 * A run is one workload, one variant (options of the store, by name) and one size. A table holds runs that are read
 * together; quick runs are the same on smaller data, and every one of them also checks the store after every flush.
 *
 *  (1) `uniform` to `shrink`: one workload each, with reclamation and without; `typed`: with it.
 *  (2) `tuning-…`: one option of reclamation changed; its default runs again under its variant's name.
 *  (3) `sessions`: the file is closed and opened again for every row, with and without what reclamation keeps.
 *  (4) `interval`: a flush every so many operations.
 *  (5) `flush-time`: where the time of a flush goes; a table of its own kind.
 */

import { flushTimeTable } from "./columns.ts";

/** A workload on allocations of the store. */
export type RawScenario = "uniform" | "skewed" | "mixed" | "append" | "churn" | "shrink" | "sessions";
/** `typed` works on a document of the typed layer. */
export type Scenario = RawScenario | "typed";

/** Options of the store, as `Store.create` takes them. */
export type RunOptions = Readonly<Record<string, boolean | number>>;

export interface Variant {
  readonly name: string;
  readonly options: RunOptions;
  readonly sizesMiB: readonly number[];
  readonly quickSizesMiB: readonly number[];
  /** Between two flushes; the usual 1000 where not given. */
  readonly operationsPerRow?: number;
}

export interface TableDefinition {
  readonly name: string;
  readonly scenario: Scenario;
  readonly describes: string;
  /** Of nominal size, for the average run on two cores; checks of quick runs included. */
  readonly secondsPerMiB: { readonly full: number; readonly quick: number };
  readonly variants: readonly Variant[];
}

export interface Run {
  /** The table its rows go to. */
  readonly table: string;
  readonly scenario: Scenario;
  readonly variant: string;
  readonly options: RunOptions;
  /** Between two flushes; the usual 1000 where not given. */
  readonly operationsPerRow?: number;
  readonly sizeBytes: number;
  /** Seed of the workload's generator. */
  readonly seed: number;
  readonly quick: boolean;
  /** About how long it takes. */
  readonly estimatedSeconds: number;
}

const bytesPerMiB = 1024 * 1024;

type Sizes = readonly [sizesMiB: readonly number[], quickSizesMiB: readonly number[]];

const variant = (name: string, options: RunOptions, [sizesMiB, quickSizesMiB]: Sizes): Variant => ({
  name,
  options,
  sizesMiB,
  quickSizesMiB,
});

const on = (sizes: Sizes): Variant => variant("on", {}, sizes);
const off = (sizes: Sizes): Variant => variant("off", { consolidate: false }, sizes);

const overwriting: readonly Variant[] = [on([[1, 8, 64], [1]]), off([[1, 8], [1]])];

/** The curves of space against writes: the churn floor λ, and targets τ that it can reach. */
const tuning: readonly Variant[] = [
  ...[0.5, 1, 2].map((churnFloor) => variant(`lambda=${churnFloor}`, { churnFloor }, [[8], [1]])),
  ...[0.6, 0.5].map((targetFill) => variant(`tau=${targetFill}`, { targetFill }, [[8], [1]])),
];

export const tables: readonly TableDefinition[] = [
  {
    name: "uniform",
    scenario: "uniform",
    describes: "patches of 1 to 512 bytes, anywhere in allocations of 16 KiB",
    secondsPerMiB: { full: 1, quick: 1 },
    variants: overwriting,
  },
  {
    name: "skewed",
    scenario: "skewed",
    describes: "the same, nine patches of ten in a tenth of the allocations",
    secondsPerMiB: { full: 1, quick: 0.8 },
    variants: overwriting,
  },
  {
    name: "mixed",
    scenario: "mixed",
    describes:
      "hot, cool and cold allocations of 1 KiB, written side by side; the cold ones are never patched",
    secondsPerMiB: { full: 1.3, quick: 1 },
    variants: overwriting,
  },
  {
    name: "append",
    scenario: "append",
    describes: "logs of up to 64 KiB that grow by 16 to 240 bytes and start again when they are full",
    secondsPerMiB: { full: 0.9, quick: 1.2 },
    variants: [on([[16], [1]]), off([[16], [1]])],
  },
  {
    name: "churn",
    scenario: "churn",
    describes: "small and large values, replaced, rewritten and patched",
    secondsPerMiB: { full: 0.5, quick: 0.8 },
    variants: [on([[16], [1]]), off([[16], [1]])],
  },
  {
    name: "shrink",
    scenario: "shrink",
    describes: "three quarters of the data is freed at once, the rest patched",
    secondsPerMiB: { full: 0.06, quick: 2 },
    variants: [on([[64], [4]]), variant("no-compaction", { holeShare: 1 }, [[64], [4]]), off([[64], [4]])],
  },
  {
    name: "typed",
    scenario: "typed",
    describes: "a map of strings in the typed layer: replaced, appended to, inserted, removed",
    secondsPerMiB: { full: 1.5, quick: 2 },
    variants: [on([[16], [1]])],
  },
  {
    name: "tuning-uniform",
    scenario: "uniform",
    describes: "uniform with other churn floors and targets",
    secondsPerMiB: { full: 1, quick: 1 },
    variants: tuning,
  },
  {
    name: "tuning-skewed",
    scenario: "skewed",
    describes: "skewed with other churn floors and targets",
    secondsPerMiB: { full: 1, quick: 0.7 },
    variants: tuning,
  },
  {
    name: "tuning-append",
    scenario: "append",
    describes: "append with other shares for the defragmentation of descriptions",
    secondsPerMiB: { full: 0.9, quick: 1 },
    variants: [1, 4, 16].map((defragShare) => variant(`share=${defragShare}`, { defragShare }, [[16], [1]])),
  },
  {
    name: "sessions",
    scenario: "sessions",
    describes: "the writes of uniform, a thousand in each session: the file is opened, written and closed",
    secondsPerMiB: { full: 2, quick: 2 },
    variants: [
      variant("kept", {}, [[8], [1]]),
      variant("no-state", { consolidatorState: false }, [[8], [1]]),
    ],
  },
  {
    name: "interval",
    scenario: "uniform",
    describes: "uniform in a small file, with a flush every 30 to 1000 operations",
    secondsPerMiB: { full: 2.5, quick: 4 },
    variants: [30, 100, 300, 1000].map((perRow) => ({
      ...variant(`every=${perRow}`, {}, [[1], [0.25]]),
      operationsPerRow: perRow,
    })),
  },
  {
    name: flushTimeTable,
    scenario: "uniform",
    describes: "where the time of a flush of uniform goes, beside plain writes of the same pages",
    secondsPerMiB: { full: 1.2, quick: 1.5 },
    variants: [on([[1, 8, 64], [1]]), off([[8], []])],
  },
];

/** Seed of a workload: its size XOR this. */
const seedMask: Readonly<Record<Scenario, number>> = {
  uniform: 0,
  skewed: 1,
  append: 7,
  churn: 11,
  shrink: 13,
  typed: 17,
  mixed: 19,
  sessions: 0,
};

export const seedOf = (scenario: Scenario, sizeBytes: number): number =>
  (sizeBytes ^ seedMask[scenario]) >>> 0;

/** Sessions of the workload `sessions`: 200 at 8 MiB. */
export const sessionsOf = (sizeBytes: number): number => Math.ceil((25 * sizeBytes) / bytesPerMiB);

/** The runs of a table in the order of its rows. Throws `RangeError` for a table that does not exist. */
export function runsOf(tableName: string, quick = false): Run[] {
  const table = tables.find(({ name }) => name === tableName);
  if (table === undefined) {
    throw new RangeError(`no table "${tableName}": there are ${tables.map(({ name }) => name).join(", ")}`);
  }
  const { name, scenario, secondsPerMiB } = table;
  return table.variants.flatMap(({ name: variantName, options, sizesMiB, quickSizesMiB, ...rest }) =>
    (quick ? quickSizesMiB : sizesMiB).map((sizeMiB) => ({
      table: name,
      scenario,
      variant: variantName,
      options,
      ...rest,
      sizeBytes: sizeMiB * bytesPerMiB,
      seed: seedOf(scenario, sizeMiB * bytesPerMiB),
      quick,
      estimatedSeconds: sizeMiB * secondsPerMiB[quick ? "quick" : "full"],
    })),
  );
}

/** `uniform off 8 MiB`, for people. */
export const runTitle = ({ table, variant, sizeBytes }: Run): string =>
  `${table} ${variant} ${sizeBytes / bytesPerMiB} MiB`;
