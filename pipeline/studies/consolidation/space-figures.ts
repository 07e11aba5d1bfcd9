/** Figures of the space that files take. */

import { curves, facets, partOf, sideBySide } from "../../figures/charts.ts";
import { describeCurves } from "../../figures/describe.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import type { Series } from "../series.ts";
import {
  bySize,
  byVariant,
  byWorkload,
  column,
  courses,
  isOn,
  isOneOf,
  label,
  largest,
  nameOf,
  panel,
  quantities,
  styleByVariant,
  styleByWorkload,
  variantOf,
} from "./figure-parts.ts";

const overwriting = isOneOf("uniform", "skewed");

export function spaceAmplification(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(overwriting);
  results.figure({
    id: "space-amplification",
    title: "File size under load",
    caption:
      "File size divided by live bytes, after every flush, against what has been written: with consolidation (on) and without (off).",
    kind: "exact",
    ...courses(chosen, ["space"]),
    chart: facets(panel("space", bySize(chosen), styleByVariant(chosen)), "workload", ["uniform", "skewed"]),
  });
}

export function liveFraction(results: Results, all: readonly Series[]): void {
  const chosen = largest(all.filter(overwriting).filter(isOn));
  const by = byWorkload(chosen);
  results.figure({
    id: "live-fraction",
    title: "How much of a page is live",
    caption:
      "Live share of data pages (left) and of table pages (right), at the largest size, with consolidation.",
    kind: "exact",
    ...courses(chosen, ["dataFill", "tableFill"]),
    chart: sideBySide([panel("dataFill", by), panel("tableFill", by)]),
  });
}

/** Two panels whose runs are told apart by different things, so each has its own rows. */
export function budget(results: Results, all: readonly Series[]): void {
  const defaults = all.filter(overwriting).filter(isOn);
  const lower = all.filter(isOneOf("tuning-uniform", "tuning-skewed")).filter(hasTarget);
  const left = courses(defaults, ["budget"]);
  const right = courses(lower, ["budget"]);
  const inPanel = (panelName: string, rows: typeof left.rows) =>
    rows.map((row) => ({ panel: panelName, ...row }));
  results.figure({
    id: "budget",
    title: "What the controller allows",
    caption:
      "Pages that a flush may open to reclaim space: with the defaults, whose target is out of reach (left), and with targets that can be reached (right).",
    kind: "exact",
    columns: [label("panel", "Panel"), ...left.columns],
    rows: [...inPanel("defaults", left.rows), ...inPanel("lower targets", right.rows)],
    description: [left.description, right.description].join(" "),
    ...(left.thinned === undefined ? {} : { thinned: left.thinned }),
    chart: sideBySide(
      [
        partOf(panel("budget", bySize(defaults), styleByWorkload(defaults)), "panel", "defaults", "defaults"),
        partOf(
          panel("budget", byVariant(lower), styleByWorkload(lower)),
          "panel",
          "lower targets",
          "lower targets",
        ),
      ],
      "own",
    ),
  });
}

export const hasTarget = ({ variant }: Series): boolean => variant.startsWith("tau=");

const SHRINK_FLUSHES = 60;

export function shrink(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("shrink"));
  const sizes = chosen.map((series) => {
    const bytes = of.last(series.rows).alloc_bytes;
    const points = series.rows
      .slice(0, SHRINK_FLUSHES)
      .map((row) => ({ x: row.flush, y: (row.file_pages * of.PAGE_BYTES) / bytes }));
    return { name: nameOf(series), variant: variantOf(series), points };
  });
  results.figure({
    id: "shrink",
    title: "After most of the file is freed",
    caption: `File size divided by the live bytes that stay, over the first ${SHRINK_FLUSHES} flushes; the first one commits the frees.`,
    description: describeCurves(sizes, {
      what: "file size divided by the live bytes that stay",
      along: "flushes",
    }),
    kind: "exact",
    columns: [
      label("variant", "Variant"),
      column("flush", "Flush", "count"),
      column("space", quantities.space.title, "ratio"),
    ],
    rows: sizes.flatMap(({ variant, points }) =>
      points.map(({ x, y }) => ({ variant, flush: x, space: shorten(y) })),
    ),
    chart: curves({
      x: { field: "flush", title: "flush", whole: true },
      y: { field: "space", ...quantities.space.axis, zero: true },
      by: byVariant(chosen),
      width: 560,
    }),
  });
}

const MIXED_BYTES_MIN = 8 * 2 ** 20;

export function mixed(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("mixed")).filter(({ sizeBytes }) => sizeBytes >= MIXED_BYTES_MIN);
  const by = bySize(chosen);
  const more = { ...styleByVariant(chosen), height: 170 };
  results.figure({
    id: "mixed",
    title: "Data of different age on the same page",
    caption:
      "Hot, cool and cold values lie side by side after the fill. File size, live share of data pages, and how much of the content shares its page with another class.",
    kind: "exact",
    ...courses(chosen, ["space", "dataFill", "mixed", "coldMixed"]),
    chart: sideBySide([
      panel("space", by, { ...more, axis: { zero: true } }),
      panel("dataFill", by, more),
      panel("mixed", by, more),
      panel("coldMixed", by, more),
    ]),
  });
}
