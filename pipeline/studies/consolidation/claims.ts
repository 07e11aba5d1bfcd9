/**
 * What was published about consolidation under load, beside ours; and what the page says in its own words.
 *
 * Every sentence here is quoted by the page and can fail its build.
 */

import { columns, type Row } from "../../../engine/bench/index.ts";
import * as of from "../derive.ts";
import { pick, type Results, type Series } from "../study.ts";

export function compareWithPublished(results: Results, all: readonly Series[]): void {
  spaceAtTheEnd(results, all);
  fillAtTheEnd(results, all);
  writes(results, all);
  massFrees(results, all);
  appendSwings(results, all);
  description(results, all);
  ownStatements(results, all);
  accounting(results, all);
}

function spaceAtTheEnd(results: Results, all: readonly Series[]): void {
  const published = { "uniform-1": 6.28, "uniform-8": 6, "skewed-1": 2.85, "skewed-8": 2.67 };
  for (const [name, number] of Object.entries(published)) {
    const { rows, scenario, sizeBytes } = pick(all, name, "off");
    const run = `${scenario} ${sizeBytes / 2 ** 20} MiB`;
    results.published({
      id: `space-end-${name}-off`,
      value: `${name}.off.space`,
      what: `File size at the end, in live bytes: ${run} without consolidation`,
      says: `Without consolidation the file of ${run} ends at about the published multiple of its live bytes.`,
      published: number,
      ours: of.space(of.last(rows)),
      unit: "ratio",
      tolerance: 0.05,
    });
  }
}

function fillAtTheEnd(results: Results, all: readonly Series[]): void {
  for (const name of ["uniform-1", "uniform-8"]) {
    const { rows, sizeBytes } = pick(all, name, "off");
    const run = `uniform ${sizeBytes / 2 ** 20} MiB`;
    results.published({
      id: `data-fill-${name}-off`,
      value: `${name}.off.dataFill`,
      what: `Live share of data pages at the end: ${run} without consolidation`,
      says: `Of the data pages of ${run} about as much is live at the end as was published.`,
      published: 0.18,
      ours: of.dataFill(of.last(rows)),
      unit: "share",
      tolerance: 0.03,
    });
  }
}

/** In shrink the application writes next to nothing, so that ratios to its bytes mean nothing. */
const writing = (all: readonly Series[], variant: string): Series[] =>
  all.filter((series) => series.variant === variant && series.scenario !== "shrink");

function extremes(all: readonly Series[], quantity: (row: Row) => number): { least: number; most: number } {
  const values = all.map(({ rows }) => quantity(of.last(rows)));
  return { least: Math.min(...values), most: Math.max(...values) };
}

function writes(results: Results, all: readonly Series[]): void {
  const off = writing(all, "off");
  const journal = extremes(off, of.journalPerByte);
  const written = extremes(off, of.amplification);
  const ratio = (
    id: string,
    what: string,
    says: string,
    published: number,
    ours: number,
    tolerance: number,
  ) => results.published({ id, what, says, published, ours, unit: "ratio", tolerance });
  ratio(
    "journal-least",
    "Journal bytes per byte of the application: the least of all workloads",
    "The journal costs at least the application's bytes and a little more, as published.",
    1.02,
    journal.least,
    0.018,
  );
  ratio(
    "journal-most",
    "Journal bytes per byte of the application: the most of all workloads",
    "The most that the journal costs per byte is about what was published.",
    1.1,
    journal.most,
    0.018,
  );
  ratio(
    "writes-off-least",
    "Bytes written per byte of the application, without consolidation: the least of all workloads",
    "The least that a workload writes per byte without consolidation is about what was published.",
    1.5,
    written.least,
    0.04,
  );
  ratio(
    "writes-off-most",
    "Bytes written per byte of the application, without consolidation: the most of all workloads",
    "The most that a workload writes per byte without consolidation is about what was published.",
    2.2,
    written.most,
    0.04,
  );
  results.published({
    id: "writes-uniform-8-off",
    value: "uniform-8.off.writes",
    what: "Bytes written per byte of the application: uniform 8 MiB without consolidation",
    says: "Uniform 8 MiB without consolidation writes about as much per byte as was published.",
    published: 2.13,
    ours: of.amplification(of.last(pick(all, "uniform-8", "off").rows)),
    unit: "ratio",
    tolerance: 0.04,
  });
}

function massFrees(results: Results, all: readonly Series[]): void {
  const { rows } = pick(all, "shrink-64", "off");
  results.claim("shrink-off-never-shorter", {
    says: "Without consolidation the file never becomes shorter than it was right after three quarters of it were freed.",
    left: Math.min(...rows.map((row) => row.file_pages)),
    relation: ">=",
    right: rows[0]!.file_pages,
    published: "the file never shrinks",
  });
}

function appendSwings(results: Results, all: readonly Series[]): void {
  const { rows } = pick(all, "append-16", "off");
  const points = rows.map((row) => ({ at: of.progress(row), value: of.space(row) }));
  const tops = of.peaks(points, 3);
  if (tops.length < 3) throw new Error(`append without consolidation has ${tops.length} peaks, wanted three`);
  [8.8, 6.2, 5.5].forEach((published, at) => {
    const which = ["first", "second", "third"][at]!;
    results.published({
      id: `append-off-peak-${at + 1}`,
      what: `File size in live bytes: ${which} peak of append 16 MiB without consolidation`,
      says: `The ${which} time the logs rotate, the file grows to the published multiple of what is live.`,
      published,
      ours: tops[at]!.value,
      unit: "ratio",
      tolerance: 0.1,
    });
    results.value(`append-16.off.peak${at + 1}`, {
      value: tops[at]!.value,
      unit: "ratio",
      kind: "exact",
      says: `file size in live bytes at the ${which} peak`,
      published,
    });
  });
  const between = points.filter(({ at }) => at > tops[0]!.at && at < tops[2]!.at);
  const lowest = Math.min(...between.map(({ value }) => value));
  results.value("append-16.off.lowestBetweenPeaks", {
    value: lowest,
    unit: "ratio",
    kind: "exact",
    says: "smallest file size in live bytes between the first and the third peak",
    published: 1.3,
  });
  results.claim("append-off-never-below", {
    says: "Between the peaks the file never comes down to 1.3 times its live bytes, as was published.",
    left: lowest,
    relation: ">=",
    right: 1.3,
    published: "never below 1.3 between the peaks",
  });
}

function description(results: Results, all: readonly Series[]): void {
  const churn = pick(all, "churn-16", "off").rows;
  const append = pick(all, "append-16", "off").rows;
  const add = (id: string, value: string, what: string, published: number, ours: number, tolerance: number) =>
    results.published({
      id,
      value,
      what: `${what}, without consolidation`,
      says: `${what}, without consolidation, is as published.`,
      published,
      ours,
      unit: value.includes("density") ? "statementsPerKiB" : "ratio",
      tolerance,
    });
  add(
    "density-churn-first",
    "churn-16.off.densityFirst",
    "The description of churn 16 MiB at its start",
    1.2,
    of.density(churn[0]!),
    0.1,
  );
  add(
    "density-churn-end",
    "churn-16.off.density",
    "The description of churn 16 MiB at its end",
    2.7,
    of.density(of.last(churn)),
    0.1,
  );
  add(
    "density-append",
    "append-16.off.densityMean",
    "The description of append 16 MiB over the second half",
    4.06,
    of.meanOverSecondHalf(append, of.density),
    0.05,
  );
  add(
    "space-append",
    "append-16.off.steadySpace",
    "The file size of append 16 MiB over the second half",
    2.8,
    of.steadySpace(append),
    0.05,
  );
  add(
    "writes-append",
    "append-16.off.writes",
    "What append 16 MiB writes per byte",
    2.21,
    of.amplification(of.last(append)),
    0.05,
  );
}

/** Statements of the page that nobody published. */
function ownStatements(results: Results, all: readonly Series[]): void {
  const space = (name: string): number => of.space(of.last(pick(all, name, "off").rows));
  results.claim("skew-keeps-file-smaller", {
    says: "Skewed writes leave a smaller file than uniform ones: hot pages die as a whole.",
    left: space("skewed-8"),
    relation: "<",
    right: space("uniform-8"),
  });
  results.claim("file-beyond-live-pages", {
    says: "Most of the file that uniform writes leave without consolidation is dead.",
    left: of.wholeFill(of.last(pick(all, "uniform-8", "off").rows)),
    relation: "<",
    right: 0.5,
  });
  results.claim("journal-carries-every-byte", {
    says: "Every byte goes to the journal first, so no workload journals less than it writes.",
    left: extremes(writing(all, "off"), of.journalPerByte).least,
    relation: ">=",
    right: 1,
  });
  results.claim("tables-cost-little", {
    says: "Table pages and headers together cost less than an eighth of a byte per byte written.",
    left: extremes(writing(all, "off"), (row) => of.writeParts(row).table + of.writeParts(row).headers).most,
    relation: "<",
    right: 0.125,
  });
}

function accounting(results: Results, all: readonly Series[]): void {
  const journal = all.flatMap(({ rows }) => rows.map(of.journalPages));
  results.claim("accounting-none-missing", {
    says: "In every row the file's pages are headers, data, table, free and journal pages, and none is counted twice.",
    left: Math.min(...journal),
    relation: ">=",
    right: 0,
  });
  results.claim("accounting-none-lost", {
    says: "In every row all but at most one page of the file, the journal's, is accounted for.",
    left: Math.max(...journal),
    relation: "<=",
    right: 1,
  });
  const reclaiming = columns.filter((column) => column.reclaims === true).map((column) => column.name);
  const off = all.filter((series) => series.variant === "off").map(({ rows }) => of.last(rows));
  results.claim("off-moves-nothing", {
    says: "Without consolidation nothing is moved, rewritten or restated.",
    left: off
      .flatMap((row) => reclaiming.map((name) => Number(row[name])))
      .reduce((sum, count) => sum + count, 0),
    relation: "<=",
    right: 0,
  });
}
