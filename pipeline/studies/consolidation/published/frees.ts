/** Published: what happens when much becomes free at once, and when logs rotate. */

import { courseOf, distanceUntilBelow, type Point, peaks } from "../../courses.ts";
import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { pick, type Series } from "../../series.ts";
import { atLeast, atMost, between, near, type Publish, publisher } from "./publish.ts";

export function publishedFrees(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Mass frees and rotations");
  shrinking(publish, all);
  theMode(publish, all);
  neverShorter(results, all);
  rotations(publish, all);
}

function shrinking(publish: Publish, all: readonly Series[]): void {
  const { rows } = pick(all, "shrink-64", "on");
  const spaceAt = (flush: number): number => of.space(rows[flush - 1]!);
  const what = "File size in live bytes, shrink 64 MiB";
  publish({
    number: "M1",
    id: "shrink-first",
    what: `${what}: after the frees`,
    published: 4.27,
    ours: spaceAt(1),
    unit: "ratio",
    allowed: near(0.03),
  });
  publish({
    number: "M1",
    id: "shrink-after-16",
    what: `${what}: after 16 flushes`,
    published: 1.14,
    ours: spaceAt(16),
    unit: "ratio",
    allowed: near(0.03),
  });
  publish({
    number: "M1",
    id: "shrink-after-20",
    what: `${what}: published after 16 flushes, ours after 20`,
    published: 1.14,
    ours: spaceAt(20),
    unit: "ratio",
    allowed: atMost(1.35),
  });
  publish({
    number: "M3",
    id: "shrink-growth",
    what: "Growth of the file after the first 16 flushes: shrink 64 MiB",
    published: 0.02,
    ours: of.space(of.last(rows)) / spaceAt(16) - 1,
    unit: "share",
    allowed: between(0, 0.05),
  });
}

function theMode(publish: Publish, all: readonly Series[]): void {
  const { rows } = pick(all, "shrink-64", "on");
  const end = of.last(rows);
  publish({
    number: "M2",
    id: "shrink-moved",
    what: "Pages moved: shrink 64 MiB",
    published: 3221,
    ours: end.evacuated_pages,
    unit: "pages",
    allowed: near(0.15),
  });
  publish({
    number: "M2",
    id: "shrink-returned",
    what: "Pages given back: shrink 64 MiB",
    published: 12_300,
    ours: rows[0]!.file_pages - Math.min(...rows.map((row) => row.file_pages)),
    unit: "pages",
    allowed: near(0.05),
  });
  publish({
    number: "M2",
    id: "shrink-mode",
    what: "Flushes in compaction mode: shrink 64 MiB",
    published: 12,
    ours: end.compaction_flushes,
    unit: "count",
    allowed: between(8, 20),
  });
  publish({
    number: "M2",
    id: "shrink-truncations",
    what: "Times the file was made shorter: shrink 64 MiB",
    published: 12,
    ours: end.truncations,
    unit: "count",
    allowed: between(8, 20),
  });
}

function neverShorter(results: Results, all: readonly Series[]): void {
  const claim = (id: string, variant: string, says: string) => {
    const { rows } = pick(all, "shrink-64", variant);
    results.claim(id, {
      says,
      left: Math.min(...rows.map((row) => row.file_pages)),
      relation: ">=",
      right: rows[0]!.file_pages,
      published: "without the mode nothing moves and the file never shrinks",
    });
  };
  claim(
    "shrink-off-never-shorter",
    "off",
    "Without consolidation the file never becomes shorter than it was right after three quarters of it were freed.",
  );
  claim(
    "shrink-without-mode-never-shorter",
    "no-compaction",
    "Without compaction mode the file never becomes shorter than it was right after three quarters of it were freed.",
  );
}

const WHICH = ["first", "second", "third"] as const;
const PEAKS = { off: [8.8, 6.2, 5.5], on: [2.9, 2.3, 2.3] } as const;
const TOLERANCE = { off: 0.1, on: 0.12 } as const;

/** The three rotations of the logs, as peaks of the file. */
function rotations(publish: Publish, all: readonly Series[]): void {
  for (const variant of ["off", "on"] as const) {
    const course = courseOf(pick(all, "append-16", variant).rows, of.space);
    const tops = peaks(course, WHICH.length);
    if (tops.length < WHICH.length)
      throw new Error(`append ${variant} has ${tops.length} peaks, wanted three`);
    const how = variant === "on" ? "with consolidation" : "without consolidation";
    tops.forEach((top, at) => {
      const published = PEAKS[variant][at]!;
      publish({
        number: variant === "on" ? "M6" : "M5",
        id: `append-${variant}-peak-${at + 1}`,
        what: `File size in live bytes: ${WHICH[at]} peak of append 16 MiB ${how}`,
        published,
        ours: top.value,
        unit: "ratio",
        allowed: near(TOLERANCE[variant]),
      });
    });
    if (variant === "off") betweenPeaks(publish, course, tops);
    else afterPeaks(publish, course, tops);
  }
}

const FALLEN = 1.3;

function betweenPeaks(publish: Publish, course: readonly Point[], tops: readonly Point[]): void {
  const inside = course.filter(({ at }) => at > tops[0]!.at && at < tops[2]!.at);
  const lowest = Math.min(...inside.map(({ value }) => value));
  publish({
    number: "M5",
    id: "append-off-never-below",
    what: "File size in live bytes, lowest between the peaks of append 16 MiB without consolidation",
    published: FALLEN,
    ours: lowest,
    unit: "ratio",
    allowed: atLeast(FALLEN),
  });
}

function afterPeaks(publish: Publish, course: readonly Point[], tops: readonly Point[]): void {
  const longest = Math.max(...tops.map(({ at }) => distanceUntilBelow(course, at, FALLEN)));
  publish({
    number: "M6",
    id: "append-on-falls",
    what: `Live sizes written from a peak until the file is below ${FALLEN} times its live bytes: the longest, append 16 MiB with consolidation`,
    published: 0.5,
    ours: longest,
    unit: "number",
    allowed: atMost(0.8),
  });
}
