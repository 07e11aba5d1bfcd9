/**
 * From kept tables to what the site reads: summary and figures of one study.
 *
 *  (1) A function of the tables, the manifest and this code: the same files, byte for byte, every time.
 *  (2) Figures that the study no longer has are removed.
 */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { columns, columnsOf, tables } from "../engine/bench/index.ts";
import {
  columnsPath,
  exactHash,
  figureFolder,
  readManifest,
  readTable,
  summaryPath,
  writeJson,
  writeWhole,
} from "./data/files.ts";
import type { Manifest, Summary, SummaryFigure } from "./data/summary.ts";
import { draw } from "./figures/figure.ts";
import type { Results } from "./studies/results.ts";
import { type Series, seriesOf } from "./studies/series.ts";
import type { Study } from "./studies/study.ts";

export interface Redrawn {
  readonly summary: Summary;
  /** Path below the results' root, and content. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads the full runs below `root` and makes everything that follows from them; writes nothing. */
export async function redraw(root: string, study: Study): Promise<Redrawn> {
  const data = new Map<string, Series[]>();
  for (const run of study.runs) data.set(run.label, readRun(root, study.id, run.label, run.tables));
  const manifest = readManifest(root, study.id, study.runs[0]!.label);
  return drawResults(study, study.derive(data), manifest);
}

export function readRun(root: string, study: string, run: string, tables: readonly string[]): Series[] {
  const manifest = readManifest(root, study, run);
  return tables.flatMap((name) => {
    const kept = readTable(root, study, run, name);
    if (manifest.tables[name]?.sha256 !== exactHash(kept.table)) {
      throw new Error(`${study}/${run}/${name}: the table is not the one its manifest describes`);
    }
    return seriesOf(kept.table, kept.times);
  });
}

export async function drawResults(study: Study, results: Results, manifest: Manifest): Promise<Redrawn> {
  const files = new Map([[columnsPath, columnsFile()]]);
  const figures: Record<string, SummaryFigure> = {};
  for (const figure of results.figures) {
    const drawn = await draw(figure, `pnpm reproduce --only ${study.id} --no-bench`);
    figures[figure.id] = drawn.entry;
    for (const [name, content] of drawn.files) files.set(join(figureFolder(study.id), name), content);
  }
  const summary: Summary = {
    study: study.id,
    title: study.title,
    question: study.question,
    manifest,
    values: results.values,
    tables: results.tables,
    figures,
    claims: results.claims,
    comparison: results.comparison,
  };
  return { summary, files };
}

/** The benchmark's columns, for the page that explains them: those of tables of flushes, then those of one table alone. */
export function columnsFile(): string {
  const others = [...new Set(tables.map(({ name }) => name))].flatMap((table) =>
    columnsOf(table)
      .filter((column) => !columns.includes(column))
      .map((column) => ({ ...column, table })),
  );
  const list = [...columns, ...others].map(({ name, kind, unit, span, describes, reclaims, ...rest }) => ({
    name,
    kind,
    unit,
    span,
    describes,
    reclaims: reclaims === true,
    ...("table" in rest ? { table: rest.table } : {}),
  }));
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

export function writeRedrawn(root: string, study: Study, { summary, files }: Redrawn): void {
  for (const [path, content] of files) writeWhole(join(root, path), content);
  const folder = join(root, figureFolder(study.id));
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!files.has(join(figureFolder(study.id), name))) rmSync(join(folder, name));
  }
  writeJson(join(root, summaryPath(study.id)), summary);
}
