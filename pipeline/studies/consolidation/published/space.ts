/** Published: how large files get, how full pages are, and what the budget does, with the default options. */

import type { Row } from "../../../../engine/bench/index.ts";
import { courseOf, heldFrom, pointAt, settledFrom } from "../../courses.ts";
import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { MIB, pick, type Series } from "../../series.ts";
import { isOneOf } from "../figure-parts.ts";
import { overLive } from "../quantities.ts";
import {
  atEnd,
  atLeast,
  atMost,
  between,
  extremes,
  inMean,
  near,
  type Publish,
  points,
  publisher,
  runOf,
} from "./publish.ts";

export function publishedSpace(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Space");
  spaceAtTheEnd(publish, all);
  inOneSentence(publish, all);
  fillWithoutConsolidation(publish, all);
  whereTheSpaceIs(publish, all);
  settling(publish, all);
  fallingFills(results, all);
  freePages(publish, all);
  theBudget(publish, all);
}

const ON: Readonly<Record<string, readonly [number, number]>> = {
  "uniform-1": [2.75, 0.08],
  "uniform-8": [1.69, 0.04],
  "uniform-64": [1.53, 0.04],
  "skewed-1": [2.28, 0.08],
  "skewed-8": [1.67, 0.04],
  "skewed-64": [1.55, 0.04],
};
const OFF: Readonly<Record<string, number>> = {
  "uniform-1": 6.28,
  "uniform-8": 6,
  "skewed-1": 2.85,
  "skewed-8": 2.67,
};

function spaceAtTheEnd(publish: Publish, all: readonly Series[]): void {
  const add = (name: string, variant: string, published: number, tolerance: number): void => {
    const series = pick(all, name, variant);
    const how = variant === "on" ? "with consolidation" : "without consolidation";
    publish({
      number: "S",
      id: `space-end-${name}-${variant}`,
      what: `File size at the end, in live bytes: ${runOf(series)} ${how}`,
      published,
      ours: atEnd(series, of.space),
      unit: "ratio",
      allowed: near(tolerance),
      value: `${name}.${variant}.space`,
    });
  };
  for (const [name, [published, tolerance]] of Object.entries(ON)) add(name, "on", published, tolerance);
  for (const [name, published] of Object.entries(OFF)) add(name, "off", published, 0.05);
}

const overwriting = (all: readonly Series[], variant: string, leastMiB: number): Series[] =>
  all
    .filter(isOneOf("uniform", "skewed"))
    .filter((series) => series.variant === variant && series.sizeBytes >= leastMiB * MIB);

function inOneSentence(publish: Publish, all: readonly Series[]): void {
  const { least, most } = extremes(overwriting(all, "on", 8), (series) => atEnd(series, of.space));
  const what = "File size at the end, in live bytes, with consolidation, 8 and 64 MiB";
  publish({
    number: "S1",
    id: "space-end-least",
    what: `${what}: the least`,
    published: 1.5,
    ours: least,
    unit: "ratio",
    allowed: near(0.04),
  });
  publish({
    number: "S1",
    id: "space-end-most",
    what: `${what}: the most`,
    published: 1.7,
    ours: most,
    unit: "ratio",
    allowed: near(0.04),
  });
  const writes = (variant: string) => atEnd(pick(all, "uniform-8", variant), of.amplification);
  publish({
    number: "S1",
    id: "writes-added",
    what: "Bytes that consolidation writes more per byte of the application: uniform 8 MiB",
    published: 1,
    ours: writes("on") - writes("off"),
    unit: "ratio",
    allowed: points(0.2),
  });
}

function fillWithoutConsolidation(publish: Publish, all: readonly Series[]): void {
  for (const name of ["uniform-1", "uniform-8"]) {
    const series = pick(all, name, "off");
    publish({
      number: "S2",
      id: `data-fill-${name}-off`,
      what: `Live share of data pages at the end: ${runOf(series)} without consolidation`,
      published: 0.18,
      ours: atEnd(series, of.dataFill),
      unit: "share",
      allowed: points(0.03),
      value: `${name}.off.dataFill`,
    });
  }
}

function whereTheSpaceIs(publish: Publish, all: readonly Series[]): void {
  const series = pick(all, "uniform-64", "on");
  const pages = (id: string, what: string, number: number, of: (row: Row) => number, tolerance: number) =>
    publish({
      number: "S3",
      id,
      what: `${what}, in live bytes: uniform 64 MiB`,
      published: number,
      ours: atEnd(series, overLive(of)),
      unit: "ratio",
      allowed: near(tolerance),
    });
  const fill = (id: string, what: string, number: number, of: (row: Row) => number, tolerance: number) =>
    publish({
      number: "S3",
      id,
      what: `Live share of ${what}: uniform 64 MiB`,
      published: number,
      ours: atEnd(series, of),
      unit: "share",
      allowed: points(tolerance),
    });
  pages("data-pages-uniform-64", "Data pages", 1.35, (row) => row.data_pages, 0.04);
  fill("data-fill-uniform-64", "data pages", 0.73, of.dataFill, 0.02);
  pages("table-pages-uniform-64", "Table pages", 0.15, (row) => row.table_pages, 0.15);
  fill("table-fill-uniform-64", "table pages", 0.59, of.tableFill, 0.04);
  publish({
    number: "S3",
    id: "free-share-uniform-64",
    what: "Free pages as a share of the live bytes: uniform 64 MiB",
    published: 0.03,
    ours: atEnd(
      series,
      overLive((row) => row.free_pages),
    ),
    unit: "share",
    allowed: points(0.015),
  });
}

const SETTLED = 0.02;

function settling(publish: Publish, all: readonly Series[]): void {
  const { rows } = pick(all, "uniform-64", "on");
  const settled = (quantity: (row: Row) => number) => settledFrom(courseOf(rows, quantity), SETTLED);
  const what = "Live sizes written until the fill stays where it ends: uniform 64 MiB";
  publish({
    number: "S4",
    id: "settled-data",
    what: `${what}, data pages`,
    published: 0.5,
    ours: settled(of.dataFill),
    unit: "number",
    allowed: atMost(0.8),
  });
  publish({
    number: "S4",
    id: "settled-table",
    what: `${what}, table pages`,
    published: 2,
    ours: settled(of.tableFill),
    unit: "number",
    allowed: atMost(3),
  });
}

function fallingFills(results: Results, all: readonly Series[]): void {
  const { rows } = pick(all, "skewed-64", "on");
  const fillAt = (quantity: (row: Row) => number, x: number) => pointAt(courseOf(rows, quantity), x).value;
  const claim = (id: string, pages: string, quantity: (row: Row) => number) =>
    results.claim(id, {
      says: `Under skewed patches of 64 MiB ${pages} are less full after eight live sizes than after three.`,
      left: atEnd(pick(all, "skewed-64", "on"), quantity),
      relation: "<",
      right: fillAt(quantity, 3),
      published: "both fills keep falling for most of the run",
    });
  claim("skewed-data-fill-falls", "data pages", of.dataFill);
  claim("skewed-table-fill-falls", "table pages", of.tableFill);
}

/** Free pages and pages per flush, by size. */
const PACE = { 1: [340, 104], 8: [430, 130], 64: [490, 138] } as const;

function freePages(publish: Publish, all: readonly Series[]): void {
  const runs = Object.entries(PACE).map(([size, [free, pages]]) => {
    const series = pick(all, `uniform-${size}`, "on");
    return {
      name: series.name,
      run: runOf(series),
      free,
      pages,
      series,
      ours: inMean(series, (row) => row.free_pages),
    };
  });
  for (const { name, run, free, ours } of runs)
    publish({
      number: "S6",
      id: `free-pages-${name}`,
      what: `Free pages, mean: ${run}`,
      published: free,
      ours,
      unit: "pages",
      allowed: near(0.15),
      value: `${name}.on.freePagesMean`,
    });
  for (const { name, run, pages, series } of runs)
    publish({
      number: "S6",
      id: `pages-per-flush-${name}`,
      what: `Pages per flush: ${run}`,
      published: pages,
      ours: of.pagesPerFlush(series.rows),
      unit: "pages",
      allowed: near(0.06),
      value: `${name}.on.pagesPerFlush`,
    });
  for (const { name, run, free, pages, series, ours } of runs) {
    const flushes = ours / of.pagesPerFlush(series.rows);
    publish({
      number: "S7",
      id: `free-flushes-${name}`,
      what: `Free pages, in flushes' worth: ${run}`,
      published: free / pages,
      ours: flushes,
      unit: "ratio",
      allowed: between(2.8, 4.5),
    });
  }
  const freeSize = (size: number) =>
    inMean(
      pick(all, `uniform-${size}`, "on"),
      overLive((row) => row.free_pages),
    );
  publish({
    number: "S7",
    id: "free-over-live-1",
    what: "Free pages, in live bytes: uniform 1 MiB",
    published: 1.33,
    ours: freeSize(1),
    unit: "ratio",
    allowed: near(0.15),
  });
  publish({
    number: "S7",
    id: "free-over-live-64",
    what: "Free pages as a share of the live bytes, mean: uniform 64 MiB",
    published: 0.03,
    ours: freeSize(64),
    unit: "share",
    allowed: points(0.015),
  });
}

const HIGHEST_BUDGET = 256;

function theBudget(publish: Publish, all: readonly Series[]): void {
  for (const series of overwriting(all, "on", 8)) {
    const from = heldFrom(
      courseOf(series.rows, (row) => row.budget),
      (budget) => budget === HIGHEST_BUDGET,
    );
    publish({
      number: "S8",
      id: `budget-full-${series.name}`,
      what: `Live sizes written until the budget is at its bound and stays: ${runOf(series)}`,
      published: 1.3,
      ours: from,
      unit: "number",
      allowed: atMost(2),
    });
  }
  const used = extremes(overwriting(all, "on", 0), ({ rows }) => of.perRow(rows, (row) => row.budget_pages));
  const what = "Pages of the budget that a flush uses, uniform and skewed";
  publish({
    number: "S9",
    id: "budget-used-least",
    what: `${what}: the least`,
    published: 8,
    ours: used.least,
    unit: "pages",
    allowed: atLeast(5),
  });
  publish({
    number: "S9",
    id: "budget-used-most",
    what: `${what}: the most`,
    published: 59,
    ours: used.most,
    unit: "pages",
    allowed: atMost(75),
  });
}
