/** Figures of the space that files take. */

import type { Row } from "../../../engine/bench/index.ts";
import { curves, facets, sideBySide } from "../../figures/charts.ts";
import { describeCurves } from "../../figures/describe.ts";
import * as of from "../derive.ts";
import { type Results, type Series, shorten } from "../study.ts";
import {
  along,
  bySize,
  column,
  curveRows,
  isOneOf,
  largest,
  nameOf,
  type Of,
  progressAxis,
  progressColumn,
  sizeColumn,
  styleByVariant,
  told,
  variantColumn,
  variantsOf,
  workloadColumn,
} from "./figure-parts.ts";

export function spaceAmplification(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("uniform", "skewed"));
  results.figure({
    id: "space-amplification",
    title: "File size under load",
    caption: "File size divided by live bytes, after every flush, against what has been written.",
    description: told(chosen, of.space, { what: "file size divided by live bytes", along }),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("space", "File size / live bytes", "ratio"),
    ],
    rows: chosen.flatMap((series) => curveRows(series, { space: of.space })),
    chart: facets(
      curves({
        x: progressAxis,
        y: { field: "space", title: "file size / live bytes" },
        by: bySize(chosen),
        style: styleByVariant(chosen),
      }),
      "workload",
      ["uniform", "skewed"],
    ),
  });
}

export function liveFraction(results: Results, all: readonly Series[]): void {
  const chosen = largest(all.filter(isOneOf("uniform", "skewed")));
  const share = (field: string, title: string) =>
    curves({
      x: progressAxis,
      y: { field, title, format: "%", domain: [0, 1] },
      by: { field: "workload", domain: ["uniform", "skewed"], are: "names" },
    });
  results.figure({
    id: "live-fraction",
    title: "How much of a page is live",
    caption: "Live share of data pages (left) and of table pages (right), at the largest size.",
    description: [
      told(chosen, of.dataFill, { what: "live share of data pages", along }),
      told(chosen, of.tableFill, { what: "live share of table pages", along }),
    ].join(" "),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("dataFill", "Data pages live", "share"),
      column("tableFill", "Table pages live", "share"),
    ],
    rows: chosen.flatMap((series) => curveRows(series, { dataFill: of.dataFill, tableFill: of.tableFill })),
    chart: sideBySide([
      share("dataFill", "live share of data pages"),
      share("tableFill", "live share of table pages"),
    ]),
  });
}

const SHRINK_FLUSHES = 60;

export function shrink(results: Results, all: readonly Series[]): void {
  const chosen = all
    .filter(isOneOf("shrink"))
    .map((series) => ({ ...series, rows: series.rows.slice(0, SHRINK_FLUSHES), end: of.last(series.rows) }));
  const size =
    ({ end }: { end: Row }): Of =>
    (row) =>
      (row.file_pages * of.PAGE_BYTES) / end.alloc_bytes;
  const variants = variantsOf(chosen);
  results.figure({
    id: "shrink",
    title: "After most of the file is freed",
    caption: `File size divided by the live bytes that stay, over the first ${SHRINK_FLUSHES} flushes; the first one commits the frees.`,
    description: describeCurves(
      chosen.map((series) => ({
        name: nameOf(series),
        points: series.rows.map((row) => ({ x: row.flush, y: size(series)(row) })),
      })),
      { what: "file size divided by the live bytes that stay", along: "flushes" },
    ),
    kind: "exact",
    columns: [
      variantColumn,
      column("flush", "Flush", "count"),
      column("space", "File size / live bytes", "ratio"),
    ],
    rows: chosen.flatMap((series) =>
      series.rows.map((row) => ({
        variant: series.variant,
        flush: row.flush,
        space: shorten(size(series)(row)),
      })),
    ),
    chart: curves({
      x: { field: "flush", title: "flush", whole: true },
      y: { field: "space", title: "file size / live bytes", zero: true },
      by: { field: "variant", domain: variants, are: "names" },
      width: 560,
    }),
  });
}

export function mixed(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("mixed"));
  const onMixedPages: Of = (row) => row.mixed_bytes / row.alloc_bytes;
  const coldOnMixed: Of = (row) => (row.cold_bytes === 0 ? 0 : row.cold_mixed_bytes / row.cold_bytes);
  const panel = (field: string, title: string, share = true) =>
    curves({
      x: progressAxis,
      y: { field, title, ...(share ? { format: "%", domain: [0, 1] as const } : { zero: true }) },
      by: bySize(chosen),
      style: styleByVariant(chosen),
      height: 170,
    });
  results.figure({
    id: "mixed",
    title: "Data of different age on the same page",
    caption:
      "Hot, cool and cold values lie side by side after the fill. File size, live share of data pages, and how much of the content shares its page with another class.",
    description: [
      told(chosen, of.space, { what: "file size divided by live bytes", along }),
      told(chosen, of.dataFill, { what: "live share of data pages", along }),
      told(chosen, onMixedPages, { what: "share of the content on pages with several classes", along }),
      told(chosen, coldOnMixed, { what: "share of cold content on pages with several classes", along }),
    ].join(" "),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("space", "File size / live bytes", "ratio"),
      column("dataFill", "Data pages live", "share"),
      column("mixed", "Content on mixed pages", "share"),
      column("coldMixed", "Cold content on mixed pages", "share"),
    ],
    rows: chosen.flatMap((series) =>
      curveRows(series, {
        space: of.space,
        dataFill: of.dataFill,
        mixed: onMixedPages,
        coldMixed: coldOnMixed,
      }),
    ),
    chart: sideBySide([
      panel("space", "file size / live bytes", false),
      panel("dataFill", "live share of data pages"),
      panel("mixed", "content on mixed pages"),
      panel("coldMixed", "cold content on mixed pages"),
    ]),
  });
}
