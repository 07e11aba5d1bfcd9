/** Published: what is written for a byte, and for what. */

import type { Row } from "../../../../engine/bench/index.ts";
import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { MIB, pick, type Series } from "../../series.ts";
import { isOneOf } from "../figure-parts.ts";
import { atEnd, atLeast, atMost, extremes, near, type Publish, points, publisher, runOf } from "./publish.ts";

export function publishedWriting(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Writing");
  amplification(publish, all);
  journal(publish, all);
  consolidation(publish, all);
  tables(publish, all);
  withoutConsolidation(publish, all);
  steadyState(publish, all);
}

/**
 * Workloads on the store's own allocations. In shrink the application writes next to nothing, so that ratios to its bytes
 * mean nothing.
 */
export const writing = (all: readonly Series[], variant: string): Series[] =>
  all
    .filter(isOneOf("uniform", "skewed", "mixed", "append", "churn"))
    .filter((series) => series.variant === variant);

const larger = (all: readonly Series[]): Series[] => all.filter(({ sizeBytes }) => sizeBytes >= 8 * MIB);

const parts =
  (name: keyof of.WriteParts) =>
  (row: Row): number =>
    of.writeParts(row)[name];

function amplification(publish: Publish, all: readonly Series[]): void {
  const typed = all.filter(isOneOf("typed"));
  const { least, most } = extremes([...larger(writing(all, "on")), ...typed], (series) =>
    atEnd(series, of.amplification),
  );
  const what = "Bytes written per byte of the application, with consolidation, from 8 MiB on";
  publish({
    number: "W1",
    id: "writes-on-least",
    what: `${what}: the least of all workloads`,
    published: 2.2,
    ours: least,
    unit: "ratio",
    allowed: atLeast(2),
  });
  publish({
    number: "W1",
    id: "writes-on-most",
    what: `${what}: the most of all workloads`,
    published: 3.2,
    ours: most,
    unit: "ratio",
    allowed: atMost(3.4),
  });
}

function journal(publish: Publish, all: readonly Series[]): void {
  const both = [...writing(all, "on"), ...writing(all, "off")];
  const { least, most } = extremes(both, (series) => atEnd(series, of.journalPerByte));
  const what = "Journal bytes per byte of the application";
  publish({
    number: "W2",
    id: "journal-least",
    what: `${what}: the least of all workloads`,
    published: 1.02,
    ours: least,
    unit: "ratio",
    allowed: points(0.02),
  });
  publish({
    number: "W2",
    id: "journal-most",
    what: `${what}: the most of all workloads`,
    published: 1.1,
    ours: most,
    unit: "ratio",
    allowed: points(0.02),
  });
}

const MOVED = {
  "uniform-8": 0.9,
  "uniform-64": 0.9,
  "skewed-8": 0.6,
  "skewed-64": 0.8,
  "append-16": 0.7,
  "churn-16": 0.1,
  "typed-16": 0.6,
} as const;

function consolidation(publish: Publish, all: readonly Series[]): void {
  for (const [name, published] of Object.entries(MOVED)) {
    const series = pick(all, name, "on");
    publish({
      number: "W3",
      id: `moved-${name}`,
      what: `Bytes moved per byte of the application: ${runOf(series)}`,
      published,
      ours: atEnd(series, parts("consolidation")),
      unit: "ratio",
      allowed: points(0.1),
      value: `${name}.on.consolidation`,
    });
  }
}

function tables(publish: Publish, all: readonly Series[]): void {
  const on = [...larger(writing(all, "on")), ...all.filter(isOneOf("typed"))];
  const pages = extremes(on, (series) => atEnd(series, parts("table")));
  const headers = extremes(on, (series) => atEnd(series, parts("headers")));
  const what = "Table pages per byte of the application, with consolidation, from 8 MiB on";
  publish({
    number: "W4",
    id: "tables-least",
    what: `${what}: the least of all workloads`,
    published: 0.02,
    ours: pages.least,
    unit: "ratio",
    allowed: points(0.05),
  });
  publish({
    number: "W4",
    id: "tables-most",
    what: `${what}: the most of all workloads`,
    published: 0.23,
    ours: pages.most,
    unit: "ratio",
    allowed: points(0.05),
  });
  publish({
    number: "W4",
    id: "headers-most",
    what: "Headers per byte of the application, with consolidation, from 8 MiB on: the most of all workloads",
    published: 0.04,
    ours: headers.most,
    unit: "ratio",
    allowed: atMost(0.05),
  });
}

function withoutConsolidation(publish: Publish, all: readonly Series[]): void {
  const { least, most } = extremes(writing(all, "off"), (series) => atEnd(series, of.amplification));
  const what = "Bytes written per byte of the application, without consolidation";
  publish({
    number: "W5",
    id: "writes-off-least",
    what: `${what}: the least of all workloads`,
    published: 1.5,
    ours: least,
    unit: "ratio",
    allowed: near(0.04),
  });
  publish({
    number: "W5",
    id: "writes-off-most",
    what: `${what}: the most of all workloads`,
    published: 2.2,
    ours: most,
    unit: "ratio",
    allowed: near(0.04),
  });
  for (const [variant, published] of [
    ["off", 2.13],
    ["on", 3.07],
  ] as const) {
    const how = variant === "on" ? "with consolidation" : "without consolidation";
    publish({
      number: "W5",
      id: `writes-uniform-8-${variant}`,
      what: `Bytes written per byte of the application: uniform 8 MiB ${how}`,
      published,
      ours: atEnd(pick(all, "uniform-8", variant), of.amplification),
      unit: "ratio",
      allowed: near(0.04),
      value: `uniform-8.${variant}.writes`,
    });
  }
}

/** File size and writes. */
const STEADY = {
  "uniform-8": [1.69, 3.13],
  "uniform-64": [1.53, 3.26],
  "skewed-8": [1.65, 2.74],
  "skewed-64": [1.53, 3.15],
  "append-16": [1.38, 3.14],
  "churn-16": [1.41, 2.18],
  "typed-16": [1.53, 3.04],
} as const;

function steadyState(publish: Publish, all: readonly Series[]): void {
  for (const [name, [space, writes]] of Object.entries(STEADY)) {
    const series = pick(all, name, "on");
    publish({
      number: "W1",
      id: `steady-space-${name}`,
      what: `File size in live bytes, second half: ${runOf(series)}`,
      published: space,
      ours: of.steadySpace(series.rows),
      unit: "ratio",
      allowed: near(0.04),
      value: `${name}.on.steadySpace`,
    });
    publish({
      number: "W1",
      id: `steady-writes-${name}`,
      what: `Bytes written per byte, second half: ${runOf(series)}`,
      published: writes,
      ours: of.steadyWrites(series.rows),
      unit: "ratio",
      allowed: near(0.04),
      value: `${name}.on.steadyWrites`,
    });
  }
}
