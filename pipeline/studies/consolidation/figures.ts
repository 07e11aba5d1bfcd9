/** The figures of "Consolidation under load", in the order of the page. */

import type { Results, Series } from "../study.ts";
import { liveFraction, mixed, shrink, spaceAmplification } from "./space-figures.ts";
import { flushLatency, throughput } from "./time-figures.ts";
import { description, writeBreakdown } from "./write-figures.ts";

export function drawFigures(results: Results, all: readonly Series[]): void {
  spaceAmplification(results, all);
  liveFraction(results, all);
  writeBreakdown(results, all);
  throughput(results, all);
  flushLatency(results, all);
  shrink(results, all);
  description(results, all);
  mixed(results, all);
}
