import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "vega-lite";
import { curves, facets, partOf, percentiles, points, sideBySide, stackedBars } from "./charts.ts";
import { describeBars, describeCurves, show } from "./describe.ts";
import { draw, type Figure, figureCsv } from "./figure.ts";

const columns = [
  { key: "name", title: "Name", kind: "label" },
  { key: "panel", title: "Panel", kind: "label" },
  { key: "x", title: "X", kind: "exact" },
  { key: "y", title: "Y", kind: "exact" },
] as const;

const rows = ["a", "b"].flatMap((name) =>
  [0, 1, 2, 3].flatMap((x) =>
    ["p", "q"].map((panel) => ({ name, panel, x, y: name === "a" ? x * 1.5 : 4 - x })),
  ),
);

const by = { field: "name", domain: ["a", "b"], are: "names" } as const;
const lines = curves({ x: { field: "x", title: "x" }, y: { field: "y", title: "y" }, by });

const figureOf = (chart: Figure["chart"]): Figure => ({
  id: "f",
  title: "F",
  caption: "c",
  description: "d",
  kind: "exact",
  columns,
  rows,
  chart,
});

const everyForm: Readonly<Record<string, Figure["chart"]>> = {
  curves: lines,
  sizes: curves({
    x: { field: "x", title: "x" },
    y: { field: "y", title: "y" },
    by: { ...by, are: "sizes" },
  }),
  styled: curves({
    x: { field: "x", title: "x", nice: false },
    y: { field: "y", title: "y", domain: [0, 5], format: "%" },
    by: { ...by, are: "sizes" },
    style: { field: "panel", domain: ["p", "q"] },
  }),
  facets: facets(lines, "panel", ["q", "p"]),
  sideBySide: sideBySide([lines, lines]),
  parts: sideBySide([partOf(lines, "panel", "p", "P"), partOf(lines, "panel", "q", "Q")], "own"),
  points: points({
    x: { field: "x", title: "x", log: true, domain: [1, 4] },
    y: { field: "y", title: "y" },
    by: { field: "name", domain: ["a", "b"] },
    joined: ["a"],
    order: "x",
    label: "panel",
  }),
  barePoints: points({
    x: { field: "x", title: "x" },
    y: { field: "y", title: "y" },
    by: { field: "name", domain: ["a", "b"] },
    joined: [],
    bare: ["b"],
    order: "x",
  }),
  percentiles: percentiles({
    label: { field: "panel", order: ["p", "q"] },
    of: { field: "name", order: ["a", "b"] },
    value: { field: "y", title: "y" },
  }),
  stackedBars: stackedBars({
    label: { field: "panel", order: ["p", "q"] },
    part: { field: "name", order: ["a", "b"] },
    place: "x",
    value: { field: "y", title: "y" },
    total: "y",
  }),
};

for (const [form, chart] of Object.entries(everyForm)) {
  test(`${form}: drawn twice, the three files have the same bytes`, async () => {
    const first = await draw(figureOf(chart), "command");
    const second = await draw(figureOf(chart), "command");
    assert.deepEqual([...second.files], [...first.files]);
    assert.deepEqual([...first.files.keys()], ["f.svg", "f.csv", "f.vl.json"]);
    assert.deepEqual(second.entry, first.entry);
    assert.equal(first.entry.rowCount, rows.length);
  });

  test(`${form}: the kept specification holds the data, compiles without a warning and loads nothing`, async () => {
    const { files } = await draw(figureOf(chart), "command");
    const spec = JSON.parse(files.get("f.vl.json")!);
    assert.equal(spec.data.values, files.get("f.csv"));
    assert.equal(JSON.stringify(spec).includes('"url"'), false);
    const complaints: unknown[] = [];
    const note = (...parts: readonly unknown[]) => complaints.push(parts);
    const logger = { level: () => logger, error: note, warn: note, info: note, debug: () => logger };
    compile(spec, { logger: logger as never });
    assert.deepEqual(complaints, []);
  });
}

test("charts of curves zoom in the kept specification only, each panel on its own", async () => {
  const { files } = await draw(figureOf(everyForm.sideBySide!), "command");
  const names = [...files.get("f.vl.json")!.matchAll(/"name": "(zoom\d)"/g)].map((match) => match[1]);
  assert.deepEqual(names, ["zoom0", "zoom1"]);
  assert.equal(JSON.stringify(everyForm).includes("zoom"), false);
});

test("a figure that holds a part of its rows says so", async () => {
  const { entry } = await draw({ ...figureOf(lines), thinned: "every tenth row" }, "command");
  assert.equal(entry.thinned, "every tenth row");
  assert.equal((await draw(figureOf(lines), "command")).entry.thinned, undefined);
});

test("a field that the data does not have is an error that names it", async () => {
  const wrong = curves({ x: { field: "x", title: "x" }, y: { field: "why", title: "y" }, by });
  await assert.rejects(draw(figureOf(wrong), "command"), /figure f: the data has no why/);
  await assert.rejects(draw(figureOf(facets(lines, "pane", [])), "command"), /no pane/);
});

test("a value that is none is an error before anything is drawn", async () => {
  const broken = { ...figureOf(lines), rows: [{ name: "a", panel: "p", x: Number.NaN, y: 1 }] };
  await assert.rejects(draw(broken, "command"), RangeError);
  const { y: _left, ...short } = rows[0]!;
  await assert.rejects(draw({ ...figureOf(lines), rows: [short] }, "command"), /y is undefined/);
});

test("cells with commas and quotes are quoted", () => {
  assert.equal(figureCsv(columns.slice(0, 2), [{ name: 'a,"b"', panel: "p" }]), 'name,panel\n"a,""b""",p\n');
});

test("more series than can be told apart are refused", () => {
  const domain = ["1", "2", "3", "4", "5", "6", "7"];
  assert.throws(() => curves({ x: by as never, y: by as never, by: { ...by, domain } }), RangeError);
});

test("a curve is told by its ends, and by its extremes where they are elsewhere", () => {
  const points = [2, 5, 1, 3].map((y, x) => ({ x, y }));
  assert.equal(
    describeCurves([{ name: "a", points }], { what: "file size", along: "bytes" }),
    "File size against bytes. a: from 2 at 0 to 3 at 3, highest 5 at 1, lowest 1 at 2.",
  );
  assert.equal(
    describeCurves([{ name: "a", points: points.slice(0, 2) }], { what: "file size", along: "bytes" }),
    "File size against bytes. a: from 2 at 0 to 5 at 1.",
  );
});

test("a bar is told by its total and its parts, largest first", () => {
  const parts = [
    { name: "x", value: 0.25 },
    { name: "y", value: 1 },
    { name: "z", value: 0 },
  ];
  assert.equal(describeBars([{ name: "a", parts }], "bytes"), "Bytes. a: 1.25, of which y 1, x 0.25.");
});

test("numbers in words have three digits and no exponent", () => {
  assert.deepEqual([0, 0.00012345, 0.012345, 1.23456, 123.456, 123456.7, -2.5].map(show), [
    "0",
    "0",
    "0.0123",
    "1.23",
    "123",
    "123,457",
    "-2.5",
  ]);
});
