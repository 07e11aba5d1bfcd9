/** Published about time: pages per flush, which are exact, and relations between times, which are not. */

import { rateCourse } from "../../courses.ts";
import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { measure, pick, type Series } from "../../series.ts";
import { near, type Publish, publisher, runOf } from "./publish.ts";

export function publishedTime(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Time");
  pagesPerFlush(publish, all);
  flushesGrow(results, all);
  appendDips(results, all);
  typedBeside(results, all);
}

/** In the order of pages per flush; uniform at its three sizes is told under space. */
const PAGES = { "append-16": 64, "typed-16": 82, "skewed-64": 131, "churn-16": 192 } as const;

function pagesPerFlush(publish: Publish, all: readonly Series[]): void {
  for (const [name, published] of Object.entries(PAGES)) {
    const series = pick(all, name, "on");
    publish({
      number: "P",
      id: `pages-per-flush-${name}`,
      what: `Pages per flush: ${runOf(series)}`,
      published,
      ours: of.pagesPerFlush(series.rows),
      unit: "pages",
      allowed: near(0.06),
      value: `${name}.on.pagesPerFlush`,
    });
  }
}

function flushesGrow(results: Results, all: readonly Series[]): void {
  const flush = (name: string) =>
    measure(pick(all, name, "on"), (rows) => of.mean(of.flushMicros(of.secondHalf(rows))));
  results.measuredClaim(
    "flush-grows-with-pages",
    {
      says: "A flush of append, which writes about half as many pages, takes less time than one of uniform at 8 MiB.",
      relation: "<",
    },
    flush("append-16"),
    flush("uniform-8"),
  );
}

function appendDips(results: Results, all: readonly Series[]): void {
  const series = pick(all, "append-16", "on");
  const rates = (rows: of.Rows) => rateCourse(rows).map(({ value }) => value);
  results.measuredClaim(
    "append-rate-dips",
    {
      says: "While logs rotate, append falls below three quarters of its usual number of operations per second.",
      relation: "<",
    },
    measure(series, (rows) => Math.min(...rates(rows))),
    measure(series, (rows) => 0.75 * of.median(rates(rows))),
  );
}

/** Published: 14.5 ms a flush and 57,000 operations a second beside 10.1 ms and 87,000 of append. */
function typedBeside(results: Results, all: readonly Series[]): void {
  const [typed, append] = ["typed-16", "append-16"].map((name) => pick(all, name, "on"));
  const flush = (rows: of.Rows): number => of.mean(of.flushMicros(of.secondHalf(rows)));
  results.measuredClaim(
    "typed-flush-longer",
    {
      says: "A flush of the map of strings, which writes a quarter more pages, takes longer than one of the logs.",
      relation: ">",
    },
    measure(typed!, flush),
    measure(append!, flush),
  );
  results.measuredClaim(
    "typed-rate-lower",
    {
      says: "Flushes included, the map of strings gets through fewer operations per second than the logs.",
      relation: "<",
    },
    measure(typed!, of.operationsPerSecond),
    measure(append!, of.operationsPerSecond),
  );
}
