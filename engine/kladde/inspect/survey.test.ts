/** Looking into files: ours, other writers', damaged ones, and ones that claim more than there is. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { MemoryFile } from "../../storage/memory.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { goldens, makeGolden } from "../goldens/testing.ts";
import { Store } from "../store.ts";
import { drawForeignFile } from "../testing/foreign.ts";
import {
  dataPage,
  fileOf,
  headerPage,
  journalPages,
  pageBytes,
  record,
  type Statement,
  tableContent,
  tablePage,
} from "../testing/pages.ts";
import { assertSurveyed, documentOf } from "../testing/surveyed.ts";
import type { AllocationDocument } from "./document.ts";
import { surveyHtml } from "./render-html.ts";
import { allocationText, surveyText } from "./render-text.ts";
import { surveyFile } from "./survey.ts";

const kept = (name: string): string => readFileSync(new URL(`goldens/${name}.txt`, import.meta.url), "utf8");
const joined = (lines: Iterable<string>): string => [...lines].map((line) => `${line}\n`).join("");
const u32Max = 2 ** 32 - 1;
const zeros = new Uint8Array(pageBytes);

for (const name of Object.keys(goldens))
  test(`the golden file ${name}: as \`kladde inspect ${name}.kladde\` prints it`, () => {
    const bytes = makeGolden(name);
    assertSurveyed(bytes);
    assert.equal(joined(surveyText(surveyFile(new MemoryFile(`${name}.kladde`, bytes)))), kept(name));
  });

test("one allocation: as `kladde inspect anchors.kladde --id N` prints it", () => {
  const survey = surveyFile(new MemoryFile("anchors.kladde", makeGolden("anchors")));
  const texts = [2, 3, 4, 8, 99, 500].map((id) => joined(allocationText(survey.explain(id))));
  assert.equal(texts.join("\n"), kept("anchors-ids"));
});

test("as data: `kladde inspect journal.kladde --json`, field by field", () => {
  const expected: unknown = JSON.parse(
    readFileSync(new URL("goldens/journal.json", import.meta.url), "utf8"),
  );
  const document = documentOf(surveyFile(new MemoryFile("journal.kladde", makeGolden("journal"))));
  assert.deepEqual(document, expected);
});

/** Writes at random, and keeps the store as a session would leave it. */
function worked(consolidate: boolean, seed: number): { store: Store; file: MemoryFile } {
  const random = new SplitMix32(seed);
  const file = new MemoryFile("worked.kladde");
  const store = Store.create(file, { consolidate });
  const ids = Array.from({ length: 60 }, () => store.alloc(0));
  for (let i = 0; i < 300; i++) store.write(store.alloc(0), 0, new Uint8Array(30).fill(i));
  for (let flush = 0; flush < 25; flush++) {
    for (let i = 0; i < 20; i++) {
      const id = ids[random.next() % ids.length]!;
      const length = 1 + (random.next() % 3000);
      if (i % 5 === 0) store.resize(id, random.next() % 6000);
      else store.write(id, random.next() % 3000, new Uint8Array(length).fill(i + 1));
    }
    store.flush();
  }
  return { store, file };
}

for (const consolidate of [false, true])
  test(`the counts are those of the store, reclamation ${consolidate ? "on" : "off"}`, () => {
    const { store, file } = worked(consolidate, 7);
    const stats = store.stats();
    const bytes = file.bytes();
    const survey = assertSurveyed(bytes)!;
    const { head } = survey;
    assert.equal(head.sound, true);
    const space = (use: string) => head.space.find((row) => row.use === use);
    assert.equal(head.table.liveStatements, stats.statements);
    assert.equal(space("data")?.pages ?? 0, stats.dataPages);
    assert.equal(space("data")?.liveBytes ?? 0, stats.liveDataBytes);
    assert.equal((space("leaf")?.pages ?? 0) + (space("interior")?.pages ?? 0), head.table.pages);
    assert.equal(head.table.pages, stats.leafPages + stats.interiorPages);
    const tableBytes = (space("leaf")?.liveBytes ?? 0) + (space("interior")?.liveBytes ?? 0);
    assert.equal(tableBytes, stats.liveTableBytes);
    let fragments = 0;
    for (const row of survey.allocations()) fragments += row.fragments;
    assert.equal(fragments, stats.fragments);
    assert.equal(space("quarantined")?.pages ?? 0, stats.retiringPages);
    assert.equal(head.older?.lost, 0);
    assert.ok((space("free")?.pages ?? 0) > 0 && stats.retiringPages > 0 && head.table.pages > 0);
  });

test("files of other writers, in every shape the format allows", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const foreign = drawForeignFile(seed);
    const { head } = assertSurveyed(foreign.bytes)!;
    assert.equal(head.table.statements, foreign.statements, `seed ${seed}`);
    assert.equal(head.table.pages, foreign.tablePages, `seed ${seed}`);
  }
});

const fixtures = process.env.KLADDE_FIXTURES;
test("the reference implementation's files", {
  skip: fixtures === undefined && "KLADDE_FIXTURES is not set",
}, () => {
  const names = readdirSync(fixtures!).filter((name) => name.endsWith(".kladde.gz"));
  assert.ok(names.length > 0);
  for (const name of names) {
    const survey = assertSurveyed(gunzipSync(readFileSync(path.join(fixtures!, name))))!;
    assert.equal(survey.head.sound, true, name);
  }
});

/** Statements of epoch `epoch` in a leaf each, under a header of epoch 12. */
function layers(...pages: [epoch: number, ...statements: Statement[]][]): AllocationDocument {
  const leaves = pages.map(([epoch, ...statements]) => tablePage(epoch, tableContent([], statements)));
  const children = pages.map((_, i) => i + 2);
  const header = headerPage(12, tableContent(children, []), { journalPointer: 1000 });
  const data = dataPage(1, new Uint8Array(900));
  return surveyFile(new MemoryFile("x", fileOf([header, zeros, ...leaves, data]))).explain(5);
}

const brief = ({ statements, runs, size }: AllocationDocument) => ({
  size,
  wins: statements.map(({ statement, epoch, wins, live }) => `${statement}@${epoch} ${wins} ${live}`),
  runs: runs.map(({ from, to, content, winner }) => `${from}-${to} ${content} ${winner}`),
});

test("who wins which bytes: truncated and grown", () => {
  const at = 5 * pageBytes + 11;
  const document = layers(
    [2, ["ref", 5, 0, 600, at]],
    [4, ["shrink", 5, 40]],
    [6, ["ref", 5, 40, 30, at + 700], ["grow", 5, 90]],
  );
  assert.deepEqual(brief(document), {
    size: 90,
    wins: ["Ref@6 30 true", "Grow@6 0 true", "Shrink@4 20 true", "Ref@2 40 true"],
    runs: ["0-40 data 3", "40-70 data 0", "70-90 zeros 2"],
  });
  const why = document.statements.map((row) => row.why);
  assert.deepEqual(why, [
    "wins all its bytes",
    "alone proves the size",
    "the anchor: of older ones, only bytes below 40 count",
    "newer statements win the rest of its bytes",
  ]);
  assert.equal(
    document.runs[2]!.why,
    "the newest of 2 that cover bytes of them; it denies everything older from byte 40 on",
  );
  assert.equal(document.sizeBecause, "Grow to 90 of epoch 6; nothing else reaches as far");
});

test("who wins which bytes: a recycled id, a shadowed statement, nothing at all", () => {
  const payload = (length: number, value: number): number[] => Array.from({ length }, () => value);
  const recycled = layers(
    [7, ["inline", 5, 0, payload(30, 1)]],
    [8, ["tombstone", 5]],
    [12, ["inline", 5, 0, payload(4, 2)], ["grow", 5, 64]],
  );
  assert.deepEqual(brief(recycled), {
    size: 64,
    wins: ["Inline@12 4 true", "Grow@12 0 true", "Tombstone@8 60 true", "Inline@7 0 false"],
    runs: ["0-4 inline 0", "4-64 zeros 2"],
  });
  assert.equal(recycled.statements[3]!.why, "dead: denied by the Tombstone of epoch 8");
  const shadowed = layers([10, ["inline", 5, 0, payload(64, 1)]], [11, ["zero", 5, 16, 8]]);
  assert.deepEqual(brief(shadowed).runs, ["0-16 inline 1", "16-24 zeros 0", "24-64 inline 1"]);
  const overruled = layers(
    [3, ["grow", 5, 80]],
    [5, ["shrink", 5, 16]],
    [8, ["inline", 5, 24, payload(8, 1)]],
  );
  assert.deepEqual(brief(overruled).runs, ["0-16 zeros null", "16-24 zeros 1", "24-32 inline 0"]);
  assert.equal(overruled.statements[2]!.why, "dead: overruled by the Shrink to 16 of epoch 5");
  const hole = layers([3, ["inline", 5, 10, payload(2, 1)]]);
  assert.deepEqual(brief(hole).runs, ["0-10 zeros null", "10-12 inline 0"]);
  assert.equal(hole.runs[0]!.why, "nothing states them");
  assert.equal(layers([3, ["tombstone", 5]]).exists, false);
  assert.equal(layers([3, ["grow", 6, 1]]).existsBecause, "no statement names it");
});

test("statements that contradict each other are shown, not resolved", () => {
  const document = layers([3, ["shrink", 5, 4]], [3, ["shrink", 5, 9]]);
  assert.deepEqual([document.exists, document.size, document.statements.length], [null, null, 2]);
  assert.match(document.conflict!, /rule S6/);
});

/** Ten data pages under three leaves. */
function broad(change: (pages: Uint8Array[]) => void): Uint8Array {
  const leaf = (first: number): Uint8Array =>
    tablePage(
      3,
      tableContent(
        [],
        Array.from(
          { length: 3 },
          (_, i) => ["ref", first + i, 0, 50, (first + i + 4) * pageBytes + 11] as const,
        ),
      ),
    );
  const pages = [
    zeros,
    headerPage(3, tableContent([2, 3, 4], []), { journalPointer: 1000 }),
    leaf(1),
    leaf(4),
    leaf(7),
    ...Array.from({ length: 9 }, (_, i) => dataPage(2, new Uint8Array(60).fill(i))),
  ];
  change(pages);
  return fileOf(pages);
}

test("damage: what can still be read is shown, and what cannot is marked", () => {
  const whole = assertSurveyed(broad(() => {}))!;
  assert.deepEqual([whole.head.sound, whole.head.table.allocations], [true, 9]);
  const leafGone = assertSurveyed(
    broad((pages) => {
      pages[3]![20]! ^= 1;
    }),
  )!;
  const { head } = leafGone;
  assert.deepEqual([head.sound, head.table.complete, head.table.allocations], [false, false, 6]);
  assert.match([...leafGone.pages()][3]!.fault!, /^T5: table page has a wrong checksum/);
  assert.match([...leafGone.tree()].find(({ page }) => page === 3)!.fault!, /wrong checksum/);
  assert.equal(leafGone.explain(4).complete, false);
  const dataGone = assertSurveyed(
    broad((pages) => {
      pages[6]!.fill(9);
    }),
  )!;
  assert.equal([...dataGone.pages()][6]!.fault, "wrong checksum");
  assert.deepEqual(
    [...dataGone.allocations()].map(({ damagedBytes }) => damagedBytes),
    [0, 50, 0, 0, 0, 0, 0, 0, 0],
  );
  assert.equal(dataGone.explain(2).runs[0]!.fault, "wrong checksum");
});

test("damage: a leaf that stops decoding counts up to there; both kinds of damage at once", () => {
  const cut = assertSurveyed(
    broad((pages) => {
      const content = tableContent(
        [],
        [
          ["inline", 4, 0, [1]],
          ["raw", [0x80]],
        ],
      );
      pages[3] = tablePage(3, content);
      pages[6]!.fill(9);
    }),
  )!;
  assert.equal(cut.head.table.allocations, 7);
  assert.match([...cut.pages()][3]!.fault!, /^S1: /);
  assert.ok(cut.head.findings.some(({ message }) => message.includes("as far as the damaged table tells")));
});

test("damage: what only a finding knows is marked on its page", () => {
  const newer = assertSurveyed(
    broad((pages) => {
      pages[1] = headerPage(5, tableContent([2, 3, 4], []), { journalPointer: 7 });
      pages[5] = dataPage(4, new Uint8Array(60));
    }),
  )!;
  const pages = [...newer.pages()];
  assert.match(pages[5]!.fault!, /^D5: data page has epoch 4, a table page naming it 3/);
  assert.match(pages[7]!.fault!, /^H12: the journal names a page that is in use$/);
  assert.deepEqual(newer.head.space.find(({ use }) => use === "data")!.damaged, 2);
});

test("damage: neither header counts, or only its journal pointer is wrong", () => {
  const headless = assertSurveyed(
    broad((pages) => {
      pages[1]![59]! ^= 1;
    }),
  )!;
  assert.deepEqual([headless.head.epoch, headless.head.sound], [null, false]);
  const { pages } = documentOf(headless);
  assert.deepEqual(
    pages.slice(2).map(({ use, holds }) => `${use} ${holds}`),
    [...Array(3).fill("unknown table"), ...Array(9).fill("unknown data")],
  );
  assert.throws(() => headless.explain(1), { name: "StoreError", code: "corrupt" });
  const pointless = assertSurveyed(
    broad((all) => {
      all[1] = headerPage(3, tableContent([2, 3, 4], []), { journalPointer: 1 });
    }),
  )!;
  assert.deepEqual([pointless.head.table.allocations, pointless.head.faults], [9, 1]);
});

/** Heap and buffers that `step` needs at its end, and its time. */
function cost(step: () => void): { readonly mebibytes: number; readonly seconds: number } {
  const used = (): number => {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };
  const before = used();
  const start = performance.now();
  step();
  return { mebibytes: (used() - before) / 2 ** 20, seconds: (performance.now() - start) / 1000 };
}

test("sizes are claims: thousands of the largest allocations in three pages", () => {
  const statements = Array.from({ length: 500 }, (_, i): Statement => ["grow", i + 1, u32Max]);
  const more = Array.from({ length: 400 }, (_, i): Statement => ["zero", 600 + i, 0, u32Max]);
  const big = [
    ...record.resize(1, u32Max),
    ...record.copy(1, 0, u32Max, 2, 0),
    ...record.move(2, 0, u32Max, 3, 0),
  ];
  const journal = journalPages({ epoch: 10, pages: [3], transactions: [big] });
  const bytes = fileOf([
    zeros,
    headerPage(9, tableContent([2], more.slice(0, 300)), { journalPointer: 3 }),
    tablePage(8, tableContent([], [...statements.slice(0, 450)])),
    journal.pages.get(3),
  ]);
  const { mebibytes, seconds } = cost(() => {
    const survey = assertSurveyed(bytes)!;
    assert.equal(survey.head.table.allocations, 750);
    assert.equal(survey.head.table.allocationBytes, 750 * u32Max);
    assert.deepEqual(
      survey.head.journal!.listed[0]!.records.map((row) => row.record),
      ["Resize", "Copy", "Move"],
    );
    assert.equal(survey.explain(1).pending.length, 1);
    assert.equal(survey.explain(2).pending.length, 2);
  });
  assert.ok(mebibytes < 100 && seconds < 10, `${mebibytes} MiB, ${seconds} s`);
});

test("a tree as deep as the file, a cycle, and pages that all name each other", () => {
  const depth = 400;
  const chain = Array.from({ length: depth }, (_, i) =>
    tablePage(5, i + 1 === depth ? tableContent([], [["grow", 1, 9]]) : tableContent([i + 3], [])),
  );
  const header = headerPage(5, tableContent([2], []), { journalPointer: 100_000 });
  const deep = assertSurveyed(fileOf([zeros, header, ...chain]))!;
  assert.deepEqual([deep.head.sound, deep.head.table.depth], [true, depth]);
  chain[depth - 1] = tablePage(5, tableContent([2], []));
  const cycle = assertSurveyed(fileOf([zeros, header, ...chain]))!;
  assert.ok(cycle.head.findings.some(({ rule }) => rule === "T4"));
  const children = Array.from({ length: 700 }, (_, i) => i + 2);
  const knot = children.map(() => tablePage(5, tableContent(children, [])));
  const { mebibytes, seconds } = cost(() => {
    const { head } = assertSurveyed(fileOf([zeros, header, ...knot]))!;
    assert.deepEqual([head.sound, head.table.pages], [false, 700]);
  });
  assert.ok(mebibytes < 100 && seconds < 20, `${mebibytes} MiB, ${seconds} s`);
});

test("a page that breaks a rule in every statement, and one that names thousands of pages to come", () => {
  const empty = Array.from({ length: 1300 }, (_, i): Statement => ["zero", i + 1, 0, 0]);
  const leaf = tablePage(5, tableContent([], empty.slice(0, 900)));
  const twelve = [zeros, headerPage(5, tableContent([2, 3, 4], []), { journalPointer: 100 })];
  const many = assertSurveyed(fileOf([...twelve, ...Array.from({ length: 3 }, () => leaf)]))!;
  assert.ok(many.head.findings.length > 900 && many.head.sound);
  const absent = tableContent(
    Array.from({ length: 4000 }, (_, i) => i + 500),
    [],
  );
  const lost = assertSurveyed(fileOf([...twelve, ...Array.from({ length: 3 }, () => tablePage(5, absent))]))!;
  assert.ok(lost.head.findings.length < 10 && !lost.head.sound);
});

test("a journal of many small records is listed in part and counted in full", () => {
  const transactions = Array.from({ length: 60 }, () =>
    Array.from({ length: 300 }, (_, i) => record.free(i + 1)).flat(),
  );
  const pages = Array.from({ length: 20 }, (_, i) => i + 2);
  const journal = journalPages({ epoch: 2, pages, transactions });
  const header = headerPage(1, tableContent([], []), { journalPointer: 2 });
  const bytes = fileOf(new Map([[0, zeros], [1, header], ...journal.pages]));
  const { head } = assertSurveyed(bytes)!;
  assert.deepEqual([head.journal!.transactions, head.journal!.records], [60, 18_000]);
  const listed = head.journal!.listed.flatMap(({ records }) => records).length;
  const omitted = head.journal!.listed.reduce((sum, each) => sum + each.omitted, 0);
  assert.deepEqual([listed, listed + omitted], [10_000, 18_000]);
});

test("a file name cannot break out of the page", () => {
  const file = new MemoryFile('</title><script>alert("x")</script>&.kladde', makeGolden("data"));
  const survey = surveyFile(file);
  assert.ok(![...surveyHtml(survey)].join("\n").includes("<script>alert"));
});
