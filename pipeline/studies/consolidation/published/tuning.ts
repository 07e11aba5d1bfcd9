/** Published: what the churn floor and the target fill do, at 8 MiB. */

import { courseOf, meanDistance, type Point, rises } from "../../courses.ts";
import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { pick, type Series } from "../../series.ts";
import { workloadOf } from "../figure-parts.ts";
import { FLOORS } from "../tables.ts";
import { hasFloor, spaceOnFloorCurve } from "../tuning-figures.ts";
import { atLeast, atMost, between, inMean, near, type Publish, points, publisher } from "./publish.ts";

export function publishedTuning(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Churn floor and target");
  fillByFloor(publish, all);
  wholeFill(publish, all);
  swings(publish, all);
  floorAgainstTarget(publish, all);
  theCurves(publish, all);
}

const PREDICTED = { 0.5: 0.822, 1: 0.721, 2: 0.607 } as const;
const FILLS = {
  uniform: { 0.5: 0.825, 1: 0.733, 2: 0.603 },
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: a published fill, no root
  skewed: { 0.5: 0.819, 1: 0.707, 2: 0.615 },
} as const;
const WORKLOADS = ["uniform", "skewed"] as const;

const tuned = (all: readonly Series[], workload: string, variant: string): Series =>
  pick(all, `tuning-${workload}-8`, variant);

function fillByFloor(publish: Publish, all: readonly Series[]): void {
  const what = "Live share of data pages, 8 MiB, churn floor";
  for (const floor of FLOORS)
    publish({
      number: "λ",
      id: `fill-predicted-${floor}`,
      what: `${what} ${floor}: predicted`,
      published: PREDICTED[floor],
      ours: of.predictedFill(floor),
      unit: "share",
      allowed: points(0.0005),
    });
  for (const workload of WORKLOADS)
    for (const floor of FLOORS) {
      const series = tuned(all, workload, `lambda=${floor}`);
      publish({
        number: "λ",
        id: `fill-${workload}-${floor}`,
        what: `${what} ${floor}: ${workload}`,
        published: FILLS[workload][floor],
        ours: inMean(series, of.dataFill),
        unit: "share",
        allowed: points(0.015),
      });
    }
}

function wholeFill(publish: Publish, all: readonly Series[]): void {
  const add = (
    number: string,
    id: string,
    what: string,
    workload: string,
    variant: string,
    published: number,
    tolerance: number,
  ) =>
    publish({
      number,
      id: `${id}-${workload}`,
      what: `Live share of the whole file, 8 MiB, ${what}: ${workload}`,
      published,
      ours: inMean(tuned(all, workload, variant), of.wholeFill),
      unit: "share",
      allowed: points(tolerance),
    });
  for (const workload of WORKLOADS)
    add("S10", "whole-fill-floor-1", "churn floor 1", workload, "lambda=1", 0.63, 0.02);
  const targets = { uniform: { 0.6: 0.58, 0.5: 0.53 }, skewed: { 0.6: 0.59, 0.5: 0.51 } } as const;
  for (const workload of WORKLOADS)
    for (const target of [0.6, 0.5] as const)
      add(
        "S11",
        `whole-fill-target-${target}`,
        `target ${target}`,
        workload,
        `tau=${target}`,
        targets[workload][target],
        0.03,
      );
}

/** Half-way between the extremes that a course swings between, on a scale of ratios. */
function middleOf(course: readonly Point[]): number {
  const settled = course.slice(Math.floor(course.length / 2)).map(({ value }) => value);
  return Math.sqrt(Math.min(...settled) * Math.max(...settled));
}

function swings(publish: Publish, all: readonly Series[]): void {
  for (const target of [0.6, 0.5]) {
    const { rows } = tuned(all, "uniform", `tau=${target}`);
    const course = courseOf(rows, (row) => row.budget);
    const budgets = course.map(({ value }) => value);
    const what = `uniform 8 MiB, target ${target}`;
    publish({
      number: "S12",
      id: `budget-lowest-${target}`,
      what: `Lowest budget: ${what}`,
      published: 1,
      ours: Math.min(...budgets),
      unit: "pages",
      allowed: atMost(2),
    });
    publish({
      number: "S12",
      id: `budget-highest-${target}`,
      what: `Highest budget: ${what}`,
      published: 256,
      ours: Math.max(...budgets),
      unit: "pages",
      allowed: atLeast(200),
    });
    publish({
      number: "S12",
      id: `budget-swing-${target}`,
      what: `Live sizes written per swing of the budget, published as one to two: ${what}`,
      published: 1.5,
      ours: meanDistance(rises(course, middleOf(course))),
      unit: "number",
      allowed: between(0.7, 2.5),
    });
  }
}

function floorAgainstTarget(publish: Publish, all: readonly Series[]): void {
  const pair = (number: string, id: string, what: string, series: Series, writes: number, space: number) => {
    publish({
      number,
      id: `writes-${id}`,
      what: `Bytes written per byte, 8 MiB, second half, ${what}`,
      published: writes,
      ours: of.steadyWrites(series.rows),
      unit: "ratio",
      allowed: near(0.04),
    });
    publish({
      number,
      id: `space-${id}`,
      what: `File size in live bytes, 8 MiB, second half, ${what}`,
      published: space,
      ours: of.steadySpace(series.rows),
      unit: "ratio",
      allowed: near(0.04),
    });
  };
  const floor = tuned(all, "uniform", "lambda=2");
  const target = tuned(all, "uniform", "tau=0.5");
  pair("S13", "uniform-floor-2", "churn floor 2: uniform", floor, 2.59, 1.96);
  pair("S13", "uniform-target-0.5", "target 0.5: uniform", target, 2.57, 2.11);
  const apart = of.steadySpace(target.rows) / of.steadySpace(floor.rows);
  publish({
    number: "S13",
    id: "target-over-floor-uniform",
    what: "The file at target 0.5 over that at churn floor 2, at about the same writes: uniform",
    published: 1.07,
    ours: apart,
    unit: "ratio",
    allowed: atLeast(1),
  });
  const skewed = tuned(all, "skewed", "tau=0.6");
  pair("S14", "skewed-target-0.6", "target 0.6: skewed", skewed, 2.68, 1.77);
  const floors = all.filter((series) => workloadOf(series) === "skewed" && hasFloor(series));
  const curve = spaceOnFloorCurve(floors, of.steadyWrites(skewed.rows));
  publish({
    number: "S14",
    id: "target-over-curve-skewed",
    what: "The file at target 0.6 over that on the curve of churn floors, at the same writes: skewed",
    published: 1.05,
    ours: of.steadySpace(skewed.rows) / curve,
    unit: "ratio",
    allowed: atLeast(1),
  });
}

/** Churn floors on both curves, where no other number names them: writes, then file size. */
const CURVES = {
  uniform: { 0.5: [3.95, 1.63] },
  skewed: { 0.5: [3.22, 1.51], 2: [2.34, 1.83] },
} as const;

function theCurves(publish: Publish, all: readonly Series[]): void {
  for (const [workload, floors] of Object.entries(CURVES)) {
    for (const [floor, [writes, space]] of Object.entries(floors)) {
      const { rows } = tuned(all, workload, `lambda=${floor}`);
      const what = `8 MiB, second half, churn floor ${floor}: ${workload}`;
      publish({
        number: "T",
        id: `writes-${workload}-floor-${floor}`,
        what: `Bytes written per byte, ${what}`,
        published: writes,
        ours: of.steadyWrites(rows),
        unit: "ratio",
        allowed: near(0.04),
      });
      publish({
        number: "T",
        id: `space-${workload}-floor-${floor}`,
        what: `File size in live bytes, ${what}`,
        published: space,
        ours: of.steadySpace(rows),
        unit: "ratio",
        allowed: near(0.04),
      });
    }
  }
}
