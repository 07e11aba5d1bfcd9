/** Published: how long the description grows, and what a share for defragmentation does about it. */

import type { Row } from "../../../../engine/bench/index.ts";
import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { pick, type Series } from "../../series.ts";
import { SHARES } from "../tables.ts";
import { atEnd, between, inMean, near, type Publish, publisher } from "./publish.ts";

export function publishedDescription(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Description");
  churn(publish, all);
  shrunk(publish, all);
  appended(publish, all);
  byShare(publish, all);
}

function churn(publish: Publish, all: readonly Series[]): void {
  for (const variant of ["on", "off"] as const) {
    const series = pick(all, "churn-16", variant);
    const what = `Statements per KiB, churn 16 MiB ${variant === "on" ? "with consolidation" : "without consolidation"}`;
    publish({
      number: "C1",
      id: `density-churn-first-${variant}`,
      what: `${what}: after the first flush`,
      published: 1.2,
      ours: of.density(series.rows[0]!),
      unit: "statementsPerKiB",
      allowed: near(0.1),
    });
    publish({
      number: "C1",
      id: `density-churn-end-${variant}`,
      what: `${what}: at the end`,
      published: 2.7,
      ours: atEnd(series, of.density),
      unit: "statementsPerKiB",
      allowed: near(0.1),
      value: `churn-16.${variant}.density`,
    });
  }
  const [on, off] = (["on", "off"] as const).map((variant) =>
    atEnd(pick(all, "churn-16", variant), of.density),
  );
  publish({
    number: "C1",
    id: "density-churn-on-off",
    what: "Statements per KiB at the end, churn 16 MiB: with consolidation over without",
    published: 1,
    ours: on! / off!,
    unit: "ratio",
    allowed: near(0.05),
  });
}

function shrunk(publish: Publish, all: readonly Series[]): void {
  const { rows } = pick(all, "shrink-64", "on");
  const first = rows[0]!;
  const end = of.last(rows);
  const add = (id: string, what: string, published: number, ours: number, unit: "count" | "pages") =>
    publish({
      number: "C2",
      id,
      what: `${what}: shrink 64 MiB with consolidation`,
      published,
      ours,
      unit,
      allowed: near(0.1),
    });
  add("shrink-statements-first", "Statements after the frees", 4833, first.statements, "count");
  add("shrink-statements-end", "Statements at the end", 45_837, end.statements, "count");
  add("shrink-tables-first", "Table pages after the frees", 44, first.table_pages, "pages");
  add("shrink-tables-end", "Table pages at the end", 439, end.table_pages, "pages");
}

const KIB = 1024;
/** Rows between which no log is full yet. */
const EARLY = [50, 150] as const;

function appended(publish: Publish, all: readonly Series[]): void {
  const { rows } = pick(all, "append-16", "on");
  const perFlush = (counter: (row: Row) => number) => of.perRow(rows, counter);
  const written = perFlush((row) => row.app_bytes);
  const logs = of.last(rows).allocations;
  publish({
    number: "C3",
    id: "append-per-flush",
    what: "Bytes appended per flush: append 16 MiB",
    published: 125 * KIB,
    ours: written,
    unit: "bytes",
    allowed: near(0.01),
  });
  publish({
    number: "C3",
    id: "append-records-per-log",
    what: "Records per log and flush: append 16 MiB",
    published: 2,
    ours: perFlush((row) => row.ops) / logs,
    unit: "number",
    allowed: near(0.05),
  });
  const [early, later] = [rows[EARLY[0]]!, rows[EARLY[1]]!];
  publish({
    number: "C3",
    id: "append-statements-per-log",
    what: "Statements added per log and flush, before any log starts anew: append 16 MiB",
    published: 1,
    ours: (later.statements - early.statements) / (later.flush - early.flush) / logs,
    unit: "number",
    allowed: between(0.75, 1.25),
  });
  const rewritten = perFlush((row) => row.defrag_bytes);
  publish({
    number: "C3",
    id: "defrag-per-flush",
    what: "Bytes that a share of one page rewrites per flush: append 16 MiB",
    published: 4 * KIB,
    ours: rewritten,
    unit: "bytes",
    allowed: near(0.25),
  });
  publish({
    number: "C3",
    id: "defrag-over-written",
    what: "The same as a share of what is appended: append 16 MiB",
    published: 0.03,
    ours: rewritten / written,
    unit: "share",
    allowed: near(0.25),
  });
}

/** Statements per KiB, file size, writes. */
const BY_SHARE = { 1: [4.01, 1.38, 2.93], 4: [3.72, 1.41, 3.06], 16: [2.57, 1.38, 3.43] } as const;
const WITHOUT = [4.06, 2.8, 2.21] as const;

function byShare(publish: Publish, all: readonly Series[]): void {
  const add = (
    id: string,
    what: string,
    series: Series,
    [density, space, writes]: readonly [number, number, number],
    tolerance: number,
  ): void => {
    const allowed = near(tolerance);
    publish({
      number: "C4",
      id: `density-${id}`,
      what: `Statements per KiB, second half, append 16 MiB, ${what}`,
      published: density,
      ours: inMean(series, of.density),
      unit: "statementsPerKiB",
      allowed,
    });
    publish({
      number: "C4",
      id: `space-${id}`,
      what: `File size in live bytes, second half, append 16 MiB, ${what}`,
      published: space,
      ours: of.steadySpace(series.rows),
      unit: "ratio",
      allowed,
    });
    publish({
      number: "C4",
      id: `writes-${id}`,
      what: `Bytes written per byte, whole run, append 16 MiB, ${what}`,
      published: writes,
      ours: atEnd(series, of.amplification),
      unit: "ratio",
      allowed,
    });
  };
  add("append", "without consolidation", pick(all, "append-16", "off"), WITHOUT, 0.05);
  for (const share of SHARES) {
    const series = pick(all, "tuning-append-16", `share=${share}`);
    add(`share-${share}`, `share of ${share}`, series, BY_SHARE[share], share === 16 ? 0.08 : 0.05);
  }
}
