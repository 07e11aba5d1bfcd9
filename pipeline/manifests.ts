/**
 * Manifests: what was run, where, from which commit.
 *
 * A command that makes a part of a run's tables keeps the others; each of those carries where it came from.
 */

import type { Run, Table } from "../engine/bench/index.ts";
import { exactHash } from "./data/files.ts";
import type { Manifest, Provenance, TableEntry } from "./data/summary.ts";
import type { Part } from "./selection.ts";
import { MIB } from "./studies/series.ts";

export interface Circumstances extends Provenance {
  readonly command: string;
  readonly repeats: number;
  readonly quick: boolean;
}

/** `runs` are all runs of the part's tables, `before` the manifest that is there already. */
export function makeManifest(
  part: Part,
  label: string,
  made: readonly Table[],
  runs: readonly Run[],
  { quick, ...circumstances }: Circumstances,
  before: Manifest | undefined,
): Manifest {
  const kept = part.whole || before === undefined ? {} : keptTables(before, part);
  const fresh = made.map((table): [string, TableEntry] => [
    table.name,
    { rows: table.rowCount, sha256: exactHash(table) },
  ]);
  const tables = { ...kept, ...Object.fromEntries(fresh) };
  return {
    study: part.study.id,
    run: label,
    ...circumstances,
    options: { quick, ...optionsOf(runs), ...(part.whole ? {} : before?.options) },
    seeds: { ...(part.whole ? {} : before?.seeds), ...seedsOf(runs) },
    tables: inOrder(tables, part.run.tables),
  };
}

function keptTables(before: Manifest, part: Part): Record<string, TableEntry> {
  const { commit, dirty, date, machine, command, repeats } = before;
  return Object.fromEntries(
    Object.entries(before.tables)
      .filter(([name]) => !part.tables.includes(name))
      .map(([name, entry]) => [name, { kept: { commit, dirty, date, machine, command, repeats }, ...entry }]),
  );
}

const inOrder = (tables: Record<string, TableEntry>, order: readonly string[]): Record<string, TableEntry> =>
  Object.fromEntries(order.flatMap((name) => (tables[name] === undefined ? [] : [[name, tables[name]]])));

const optionsOf = (runs: readonly Run[]): Record<string, string | number | boolean> =>
  Object.fromEntries(
    runs.flatMap(({ variant, options }) =>
      Object.entries(options).map(([name, value]) => [`${variant}.${name}`, value]),
    ),
  );

const seedsOf = (runs: readonly Run[]): Record<string, number> =>
  Object.fromEntries(runs.map(({ scenario, sizeBytes, seed }) => [`${scenario}-${sizeBytes / MIB}`, seed]));
