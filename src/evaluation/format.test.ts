import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAllowed, formatCell, formatDifference, formatValue } from "./format.ts";

/** Narrow no-break spaces are hard to read in a test. */
const plain = (text: string): string => text.replaceAll("\u202f", " ").replaceAll("\u2212", "-");

test("each unit has its rule", () => {
  const cases: [string, string][] = [
    [formatValue(6.00342, "ratio"), "6.00 ×"],
    [formatValue(6.00342, "ratio", 1), "6.0 ×"],
    [formatValue(0.178226, "share"), "18 %"],
    [formatValue(0.0163, "share"), "1.6 %"],
    [formatValue(1023, "bytes"), "1,023 B"],
    [formatValue(8 * 2 ** 20, "bytes"), "8 MiB"],
    [formatValue(8_388_694, "bytes"), "8.00 MiB"],
    [formatValue(1536, "bytes"), "1.50 KiB"],
    [formatValue(12295, "pages"), "12,295"],
    [formatValue(68.1462, "pages"), "68.1"],
    [formatValue(2.0057, "micros"), "2.0 µs"],
    [formatValue(214, "micros"), "214 µs"],
    [formatValue(7187, "micros"), "7.19 ms"],
    [formatValue(29_600_000, "micros"), "29.6 s"],
    [formatValue(108_560, "operationsPerSecond"), "109,000/s"],
    [formatValue(7.25916, "statementsPerKiB"), "7.26 per KiB"],
    [formatValue(-1.5, "ratio"), "-1.50 ×"],
    [formatValue(0.654, "number"), "0.65"],
    [formatValue(3, "number"), "3"],
  ];
  for (const [shown, expected] of cases) assert.equal(plain(shown), expected);
});

test("cells leave out what the head says, and show nothing as a dash", () => {
  assert.equal(formatCell(2.126, "ratio"), "2.13");
  assert.equal(formatCell(4.06, "statementsPerKiB"), "4.06");
  assert.equal(plain(formatCell(0.7213, "share", 1)), "72.1 %");
  assert.equal(formatCell(null, "ratio"), "–");
  assert.equal(formatCell(undefined, undefined), "–");
  assert.equal(formatCell("off", undefined), "off");
  assert.equal(formatCell(0.000199, undefined), "0.000199");
  assert.equal(formatCell(0, undefined), "0");
});

test("differences are relative, but absolute for shares and where that is allowed", () => {
  const relative = { relative: 0.05 };
  assert.equal(plain(formatDifference(0.0123, "ratio", relative)), "+1.2 %");
  assert.equal(plain(formatDifference(-0.0123, "ratio", { most: 2 })), "-1.2 %");
  assert.equal(plain(formatDifference(-0.0001, "ratio", relative)), "0.0 %");
  assert.equal(plain(formatDifference(0.0213, "share", { absolute: 0.03 })), "+2.1 % pts");
  assert.equal(plain(formatDifference(0.0213, "ratio", { absolute: 0.03 })), "+0.02 ×");
});

test("what is allowed is a distance or a range", () => {
  assert.equal(plain(formatAllowed({ relative: 0.05 }, "ratio")), "±5 %");
  assert.equal(plain(formatAllowed({ relative: 0.018 }, "ratio")), "±1.8 %");
  assert.equal(plain(formatAllowed({ absolute: 0.03 }, "share")), "±3 % pts");
  assert.equal(plain(formatAllowed({ absolute: 0.0005 }, "share")), "±0.05 % pts");
  assert.equal(plain(formatAllowed({ absolute: 0.1 }, "ratio")), "±0.10 ×");
  assert.equal(plain(formatAllowed({ most: 1.35 }, "ratio")), "at most 1.35 ×");
  assert.equal(plain(formatAllowed({ least: 200 }, "pages")), "at least 200");
  assert.equal(plain(formatAllowed({ least: 2.8, most: 4.5 }, "ratio")), "2.80 × to 4.50 ×");
  assert.equal(formatAllowed({}, "ratio"), "");
});
