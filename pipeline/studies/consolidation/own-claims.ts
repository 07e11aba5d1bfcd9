/** What the page says in its own words and nobody published: sentences that are code. */

import { columns, type Row } from "../../../engine/bench/index.ts";
import * as of from "../derive.ts";
import type { Results } from "../results.ts";
import { type Measurement, measure, pick, type Series } from "../series.ts";
import { isOneOf } from "./figure-parts.ts";
import { atEnd, extremes, inMean } from "./published/publish.ts";
import { writing } from "./published/writing.ts";
import { FLOORS } from "./tables.ts";

export function ownClaims(results: Results, all: readonly Series[]): void {
  space(results, all);
  writes(results, all);
  sessions(results, all);
  intervals(results, all);
  flushTimes(results, all);
  accounting(results, all);
}

function space(results: Results, all: readonly Series[]): void {
  const off = (name: string): number => atEnd(pick(all, name, "off"), of.space);
  results.claim("skew-keeps-file-smaller", {
    says: "Without consolidation skewed writes leave a smaller file than uniform ones: hot pages die as a whole.",
    left: off("skewed-8"),
    relation: "<",
    right: off("uniform-8"),
  });
  results.claim("file-beyond-live-pages", {
    says: "Most of the file that uniform writes leave without consolidation is dead.",
    left: atEnd(pick(all, "uniform-8", "off"), of.wholeFill),
    relation: "<",
    right: 0.5,
  });
  const distances = FLOORS.flatMap((floor) =>
    ["uniform", "skewed"].map((workload) => {
      const series = pick(all, `tuning-${workload}-8`, `lambda=${floor}`);
      return Math.abs(inMean(series, of.dataFill) - of.predictedFill(floor));
    }),
  );
  results.claim("prediction-met", {
    says: "At every churn floor, under uniform and skewed patches, the fill is within a fiftieth of the prediction.",
    left: Math.max(...distances),
    relation: "<=",
    right: 0.02,
  });
  const mixed = of.last(pick(all, "mixed-8", "on").rows);
  results.claim("mixed-stays-mixed", {
    says: "At the end more than three quarters of the cold bytes share their page with another class.",
    left: mixed.cold_mixed_bytes / mixed.cold_bytes,
    relation: ">",
    right: 0.75,
  });
  results.claim("larger-files-smaller", {
    says: "The larger the file, the smaller the part of it that is free or in quarantine: 64 MiB end smaller, in live bytes, than 8 MiB.",
    left: atEnd(pick(all, "uniform-64", "on"), of.space),
    relation: "<",
    right: atEnd(pick(all, "uniform-8", "on"), of.space),
  });
}

function writes(results: Results, all: readonly Series[]): void {
  const journal = extremes(writing(all, "off"), (series) => atEnd(series, of.journalPerByte));
  results.claim("journal-carries-every-byte", {
    says: "Every byte goes to the journal first, so no workload journals less than it writes.",
    left: journal.least,
    relation: ">=",
    right: 1,
  });
  const both = (row: Row) => of.writeParts(row).table + of.writeParts(row).headers;
  results.claim("tables-cost-little", {
    says: "Without consolidation, table pages and headers together cost less than an eighth of a byte per byte written.",
    left: extremes(writing(all, "off"), (series) => atEnd(series, both)).most,
    relation: "<",
    right: 0.125,
  });
}

function sessions(results: Results, all: readonly Series[]): void {
  const [kept, lost] = ["kept", "no-state"].map((variant) => pick(all, "sessions-8", variant));
  results.claim("sessions-kept-smaller", {
    says: "A store that keeps what it has learned ends two hundred short sessions with a smaller file than one that begins anew each time.",
    left: atEnd(kept!, of.space),
    relation: "<",
    right: atEnd(lost!, of.space),
  });
  results.claim("sessions-kept-budget", {
    says: "Its budget ends higher.",
    left: atEnd(kept!, (row) => row.budget),
    relation: ">",
    right: atEnd(lost!, (row) => row.budget),
  });
}

function intervals(results: Results, all: readonly Series[]): void {
  const every = (operations: number) => pick(all, "interval-1", `every=${operations}`);
  results.claim("interval-smaller-file", {
    says: "A file of 1 MiB that is flushed every thirty operations is smaller than one that is flushed every thousand.",
    left: of.steadySpace(every(30).rows),
    relation: "<",
    right: of.steadySpace(every(1000).rows),
  });
  results.claim("interval-more-writes", {
    says: "It costs more writes per byte.",
    left: of.steadyWrites(every(30).rows),
    relation: ">",
    right: of.steadyWrites(every(1000).rows),
  });
}

function flushTimes(results: Results, all: readonly Series[]): void {
  const perPage = (size: number) =>
    measure(pick(all, `flush-time-${size}`, "on"), (rows) => of.stagePerPage(rows, "processor"));
  const times = ({ value, band }: Measurement, factor: number): Measurement => ({
    value: factor * value,
    ...(band === undefined ? {} : { band: { ...band, low: factor * band.low, high: factor * band.high } }),
  });
  const exactly = (value: number): Measurement => ({ value, band: { low: value, high: value, runs: 1 } });
  results.value("flush-time.growth", {
    value: perPage(64).value / perPage(8).value,
    unit: "ratio",
    kind: "measured",
    says: "processor time of a flush per page, sync excluded: at 64 MiB over that at 8 MiB",
  });
  const movedPerPage = (size: number): number => {
    const { rows } = pick(all, `uniform-${size}`, "on");
    return of.perRow(rows, (row) => row.evacuated_bytes) / of.pagesPerFlush(rows);
  };
  results.claim("flush-same-work", {
    says: "For a page written, as many bytes are moved at 64 MiB as at 8 MiB, within a tenth.",
    left: movedPerPage(64),
    relation: "within",
    right: movedPerPage(8),
    tolerance: 0.1 * movedPerPage(8),
  });
  results.measuredClaim(
    "flush-processor-grows",
    {
      says: "From 8 to 64 MiB the processor time of a flush less than doubles per page written.",
      relation: "<",
    },
    perPage(64),
    times(perPage(8), 2),
  );
  results.measuredClaim(
    "operation-at-most",
    { says: "Between flushes an operation takes at most four microseconds on average.", relation: "<=" },
    measure(pick(all, "uniform-8", "on"), of.microsPerOperation),
    exactly(4),
  );
  results.measuredClaim(
    "interval-slower",
    {
      says: "With thirty operations per flush an operation takes more time, its share of the flush included, than with a thousand.",
      relation: ">",
    },
    measure(pick(all, "interval-1", "every=30"), of.microsInAll),
    measure(pick(all, "interval-1", "every=1000"), of.microsInAll),
  );
}

function accounting(results: Results, all: readonly Series[]): void {
  const counted = all.filter((series) => !isOneOf("flush-time")(series));
  const journal = counted.flatMap(({ rows }) => rows.map(of.journalPages));
  results.claim("accounting-none-missing", {
    says: "In every row the file's pages are headers, data, table, free and journal pages, and none is counted twice.",
    left: journal.reduce((least, pages) => Math.min(least, pages), Number.POSITIVE_INFINITY),
    relation: ">=",
    right: 0,
  });
  results.claim("accounting-none-lost", {
    says: "In every row all but at most one page of the file, the journal's, is accounted for.",
    left: journal.reduce((most, pages) => Math.max(most, pages), 0),
    relation: "<=",
    right: 1,
  });
  const reclaiming = columns.filter((column) => column.reclaims === true).map((column) => column.name);
  const off = counted.filter((series) => series.variant === "off").map(({ rows }) => of.last(rows));
  results.claim("off-moves-nothing", {
    says: "Without consolidation nothing is moved, rewritten or restated.",
    left: off
      .flatMap((row) => reclaiming.map((name) => Number(row[name])))
      .reduce((sum, count) => sum + count, 0),
    relation: "<=",
    right: 0,
  });
}
