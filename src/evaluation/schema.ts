/**
 * The shape of what the pipeline writes for the pages, checked where it enters the site.
 *
 *  (1) Unknown fields are ignored; missing or mistyped ones stop the build with file and field.
 *  (2) Every number carries its kind: `exact` (a function of options, seed and code) or `measured` (a time).
 */
import { z } from "astro/zod";

export const kindSchema = z.enum(["exact", "measured"]);
export const unitSchema = z.enum([
  "ratio",
  "share",
  "bytes",
  "pages",
  "count",
  "micros",
  "operationsPerSecond",
  "statementsPerKiB",
  "number",
]);

const columnSchema = z.object({
  key: z.string(),
  title: z.string(),
  kind: z.union([kindSchema, z.literal("label")]),
  unit: unitSchema.optional(),
  decimals: z.number().int().optional(),
});

const provenanceSchema = z.object({
  commit: z.string(),
  dirty: z.boolean(),
  date: z.string(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number(),
    memoryGiB: z.number(),
    kernel: z.string(),
    fileSystem: z.string(),
    node: z.string(),
  }),
});

/** How a table was made that is older than the rest of its run; where it is missing, it is not known. */
const keptSchema = provenanceSchema.extend({
  command: z.string().optional(),
  repeats: z.number().int().positive().optional(),
});

const manifestSchema = provenanceSchema.extend({
  study: z.string(),
  run: z.string(),
  command: z.string(),
  repeats: z.number().int().positive(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  seeds: z.record(z.string(), z.number()),
  tables: z.record(
    z.string(),
    // `kept`: the table is older than the rest of its run, which made a part of the tables only.
    z.object({ rows: z.number().int(), sha256: z.string(), kept: keptSchema.optional() }),
  ),
});

const valueSchema = z.object({
  value: z.number(),
  unit: unitSchema,
  kind: kindSchema,
  says: z.string(),
  band: z.object({ low: z.number(), high: z.number(), runs: z.number().int() }).optional(),
  published: z.number().optional(),
});

const tableSchema = z.object({
  title: z.string(),
  caption: z.string(),
  columns: z.array(columnSchema),
  rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
});

const figureSchema = z.object({
  title: z.string(),
  caption: z.string(),
  description: z.string(),
  kind: kindSchema,
  svg: z.string(),
  csv: z.string(),
  spec: z.string(),
  command: z.string(),
  width: z.number(),
  height: z.number(),
  columns: z.array(columnSchema),
  rowCount: z.number().int(),
  thinned: z.string().optional(),
});

const claimSchema = z.object({
  says: z.string(),
  kind: kindSchema,
  left: z.number(),
  relation: z.enum(["<", "<=", ">", ">=", "within", "beyond"]),
  right: z.number(),
  tolerance: z.number().optional(),
  // Null: on times without a band, which nobody can judge.
  holds: z.boolean().nullable(),
  published: z.string().optional(),
});

/** Exactly one form: relative to the published number, in its own unit, or a range. */
const allowedSchema = z.union([
  z.strictObject({ relative: z.number() }),
  z.strictObject({ absolute: z.number() }),
  z.strictObject({ least: z.number().optional(), most: z.number().optional() }),
]);

const comparisonSchema = z.object({
  id: z.string(),
  number: z.string(),
  group: z.string(),
  what: z.string(),
  published: z.number(),
  ours: z.number(),
  unit: unitSchema,
  difference: z.number(),
  allowed: allowedSchema,
  verdict: z.enum(["reproduced", "differs"]),
  reason: z.string().optional(),
});

export const summarySchema = z.object({
  study: z.string(),
  title: z.string(),
  question: z.string(),
  manifest: manifestSchema,
  values: z.record(z.string(), valueSchema),
  tables: z.record(z.string(), tableSchema),
  figures: z.record(z.string(), figureSchema),
  claims: z.record(z.string(), claimSchema),
  comparison: z.array(comparisonSchema),
});

/** A reader's run beside the committed one; written by `reproduce`, never committed. */
export const changesSchema = z.object({
  against: z.string(),
  exact: z.array(
    z.object({ table: z.string(), rows: z.number(), differing: z.number(), first: z.string().optional() }),
  ),
  measured: z.array(
    z.object({
      what: z.string(),
      committed: z.number(),
      yours: z.number(),
      ratio: z.number(),
      verdict: z.string(),
    }),
  ),
});

/** The columns of the benchmark's tables, as their declaration is written out for the page about them. */
export const columnListSchema = z.array(
  z.object({
    name: z.string(),
    kind: kindSchema,
    unit: z.string(),
    span: z.enum(["run", "since", "now", "row"]),
    describes: z.string(),
    reclaims: z.boolean(),
    /** Where one table alone has it. */
    table: z.string().optional(),
  }),
);

export type DeclaredColumn = z.infer<typeof columnListSchema>[number];
export type Kind = z.infer<typeof kindSchema>;
export type Unit = z.infer<typeof unitSchema>;
export type Column = z.infer<typeof columnSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type SummaryValue = z.infer<typeof valueSchema>;
export type SummaryTable = z.infer<typeof tableSchema>;
export type SummaryFigure = z.infer<typeof figureSchema>;
export type SummaryClaim = z.infer<typeof claimSchema>;
export type Allowed = z.infer<typeof allowedSchema>;
export type ComparisonRow = z.infer<typeof comparisonSchema>;
export type Summary = z.infer<typeof summarySchema>;
export type Changes = z.infer<typeof changesSchema>;
