/**
 * Fingerprints of the workloads: what their generators alone decide, for every published run.
 *
 * They need no store, so a difference in a table can be traced to the workload or kept away from it. The content CRC
 * is CRC-32 over the model's final contents: allocations in order, values of `churn` by position, strings of `typed` by
 * key, each behind its key.
 */

import type { Drawing } from "./drawing.ts";
import { Model } from "./model.ts";
import type { RawScenario, Scenario } from "./runs.ts";
import { TypedModel } from "./typed/model.ts";
import { drawTyped, type TypedDrawing } from "./typed/workload.ts";
import { draw } from "./workloads.ts";

export interface Fingerprint {
  readonly scenario: Scenario;
  readonly sizeMiB: number;
  readonly rows: number;
  readonly operations: number;
  readonly appBytes: number;
  readonly draws: number;
  /** Eight hex digits. */
  readonly contentCrc32: string;
  readonly facts: Readonly<Record<string, number>>;
}

/** The published fingerprints. */
export const fingerprints: readonly Fingerprint[] = [
  of("uniform", 1, 33, 32_768, 8_388_694, 130_880, "b42dc865", { allocations: 64, writes: 32_704 }),
  of("uniform", 8, 262, 261_784, 67_109_007, 1_045_600, "8b4437f4", { allocations: 512, writes: 261_272 }),
  of("uniform", 64, 2_093, 2_096_927, 536_871_381, 8_375_420, "bb887e36", {
    allocations: 4_096,
    writes: 2_092_831,
  }),
  of("skewed", 1, 33, 32_697, 8_388_608, 163_229, "fb26474c", { hot: 6, writes: 32_633 }),
  of("skewed", 8, 263, 262_423, 67_108_986, 1_310_067, "71ddc79a", { hot: 51, writes: 261_911 }),
  of("skewed", 64, 2_095, 2_098_768, 536_871_165, 10_477_456, "e9f7fb20", { hot: 409, writes: 2_094_672 }),
  of("mixed", 1, 33, 33_722, 8_389_026, 169_338, "e2bdc0a4", {
    hot: 112,
    cool: 479,
    cold: 433,
    skipped: 1_444,
  }),
  of("mixed", 8, 262, 269_789, 67_108_992, 1_356_811, "9dc88303", {
    hot: 812,
    cool: 3_642,
    cold: 3_738,
    skipped: 12_531,
  }),
  of("mixed", 64, 2_095, 2_159_447, 536_871_198, 10_858_164, "af1a2def", {
    hot: 6_473,
    cool: 29_372,
    cold: 29_691,
    skipped: 99_237,
  }),
  of("append", 1, 66, 65_561, 8_388_710, 196_251, "b116f251", {
    logs: 32,
    records: 65_417,
    rotations: 112,
    live: 1_058_900,
  }),
  of("append", 16, 1_052, 1_051_168, 134_217_734, 3_146_532, "9527b2cd", {
    logs: 512,
    records: 1_048_844,
    rotations: 1_812,
    live: 15_614_407,
  }),
  of("churn", 1, 14, 21_596, 8_389_480, 56_802, "091480b4", {
    values: 1_073,
    replaced: 4_101,
    rewritten: 4_011,
    patched: 4_209,
    liveBefore: 1_048_684,
    live: 1_106_208,
  }),
  of("churn", 16, 194, 360_378, 134_222_278, 943_924, "86ac17fb", {
    values: 17_118,
    replaced: 68_761,
    rewritten: 68_060,
    patched: 68_917,
    liveBefore: 16_780_087,
    live: 16_879_168,
  }),
  of("shrink", 4, 401, 40_116, 1_290_684, 160_128, "5e086d35", { kept: 12, freed: 52, live: 786_432 }),
  of("shrink", 64, 401, 41_803, 1_299_481, 162_048, "7c299b28", { kept: 245, freed: 779, live: 16_056_320 }),
  of("typed", 1, 47, 47_870, 8_388_738, 9_580_000, "b4451a66", {
    filledKeys: 3_834,
    filledBytes: 1_048_598,
    keys: 8_603,
    live: 2_528_488,
    replaced: 19_165,
    appended: 14_376,
    inserted: 9_549,
    removed: 4_780,
  }),
  of("typed", 16, 764, 764_725, 134_218_163, 153_274_175, "ebb3ec60", {
    filledKeys: 61_007,
    filledBytes: 16_777_576,
    keys: 137_288,
    live: 40_221_876,
    replaced: 305_167,
    appended: 229_785,
    inserted: 153_027,
    removed: 76_746,
  }),
];

/** Runs a workload without a store. */
export function fingerprintOf(scenario: Scenario, sizeMiB: number): Fingerprint {
  return scenario === "typed" ? typedFingerprint(sizeMiB) : rawFingerprint(scenario, sizeMiB);
}

function typedFingerprint(sizeMiB: number): Fingerprint {
  const { drawing, marks } = drawTyped(sizeMiB * 1024 * 1024);
  const model = new TypedModel();
  let rows = 0;
  for (const mark of marks) {
    model.apply(drawing.interval);
    if (mark === "row") rows++;
  }
  return compose("typed", sizeMiB, rows, model.crc32(), drawing);
}

function rawFingerprint(scenario: RawScenario, sizeMiB: number): Fingerprint {
  const { drawing, marks } = draw(scenario, sizeMiB * 1024 * 1024);
  const model = new Model();
  let rows = 0;
  for (const mark of marks) {
    model.apply(drawing.interval);
    if (mark === "row") rows++;
  }
  return compose(scenario, sizeMiB, rows, model.crc32(drawing.order ?? model.slots()), drawing);
}

function compose(
  scenario: Scenario,
  sizeMiB: number,
  rows: number,
  crc: number,
  { operations, appBytes, chance, facts }: Drawing | TypedDrawing,
): Fingerprint {
  const contentCrc32 = crc.toString(16).padStart(8, "0");
  return { scenario, sizeMiB, rows, operations, appBytes, draws: chance.draws, contentCrc32, facts };
}

/** What differs, one phrase each; empty when all is equal. */
export function differences(ours: Fingerprint, published: Fingerprint): string[] {
  const flat = ({ facts, ...rest }: Fingerprint): Record<string, string | number> => ({ ...rest, ...facts });
  const left = flat(ours);
  const right = flat(published);
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((key) => left[key] !== right[key])
    .map((key) => `${key} is ${left[key]}, published is ${right[key]}`);
}

function of(
  scenario: Scenario,
  sizeMiB: number,
  rows: number,
  operations: number,
  appBytes: number,
  draws: number,
  contentCrc32: string,
  facts: Readonly<Record<string, number>>,
): Fingerprint {
  return { scenario, sizeMiB, rows, operations, appBytes, draws, contentCrc32, facts };
}
