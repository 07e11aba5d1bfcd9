/** The page about reclamation names its options with the defaults that the code has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveOptions } from "../../engine/kladde/options.ts";
import { pageSource } from "./mdx.ts";

const section = (source: string, heading: string): string =>
  source.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";

test("the options on the page have the defaults of the code", () => {
  const rows = [
    ...section(pageSource("design/giving-space-back.mdx"), "Options").matchAll(
      /^\| `(\w+)` \| ([^ |]+) \|/gm,
    ),
  ];
  assert.ok(rows.length > 10);
  const defaults = resolveOptions();
  for (const [, name, value] of rows) {
    assert.equal(value, String(defaults[name as keyof typeof defaults]), name);
  }
  const elsewhere = ["journalBudgetPages", "batchBytes", "verify", "edition", "postpone"];
  assert.deepEqual(
    rows.map(([, name]) => name).sort(),
    Object.keys(defaults)
      .filter((name) => !elsewhere.includes(name))
      .sort(),
  );
});
