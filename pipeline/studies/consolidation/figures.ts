/** The figures of "Consolidation under load", in the order of the page. */

import type { Results } from "../results.ts";
import type { Series } from "../series.ts";
import { interval, sessions } from "./session-figures.ts";
import { budget, liveFraction, mixed, shrink, spaceAmplification } from "./space-figures.ts";
import { flushLatency, flushParts, flushTime, throughput } from "./time-figures.ts";
import { churnFloor, tradeoff } from "./tuning-figures.ts";
import { defragShare, description, typed, writeBreakdown } from "./write-figures.ts";

const FIGURES: readonly ((results: Results, all: readonly Series[]) => void)[] = [
  spaceAmplification,
  liveFraction,
  churnFloor,
  budget,
  tradeoff,
  writeBreakdown,
  shrink,
  description,
  defragShare,
  mixed,
  typed,
  throughput,
  flushLatency,
  flushTime,
  flushParts,
  sessions,
  interval,
];

export function drawFigures(results: Results, all: readonly Series[]): void {
  for (const figure of FIGURES) figure(results, all);
}
