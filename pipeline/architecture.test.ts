/** The project keeps its own rules; and the rules can tell right from wrong. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { arrowFaults } from "./gate/arrows.ts";
import { importsOf, sourceFiles } from "./gate/source.ts";
import { FUNCTION_LINES_MAX, longFiles, tidyFaults, unusedFiles } from "./gate/tidy.ts";

const project = resolve(fileURLToPath(new URL("..", import.meta.url)));
const files = sourceFiles(project);
const scripts = readFileSync(join(project, "package.json"), "utf8");

test("imports go along the arrows only", () => {
  assert.ok(files.length > 50, `${files.length} files found`);
  assert.deepEqual(files.flatMap(arrowFaults), []);
});

test("sizes and words are within the rules", (context) => {
  for (const line of longFiles(files)) context.diagnostic(`${line}: talk about it`);
  assert.deepEqual(files.flatMap(tidyFaults), []);
});

test("every file is used by another", () => {
  assert.deepEqual(unusedFiles(files, scripts), []);
});

const arrow = (path: string, text: string): boolean => arrowFaults({ path, text }).length > 0;

test("allowed arrows are allowed", () => {
  const allowed: readonly (readonly [string, string])[] = [
    ["engine/kladde/flush/pack.ts", 'import { x } from "../format/page.ts";'],
    ["engine/kladde/flush/pack.ts", 'import { x } from "../../codec/leb128.ts";'],
    ["engine/kladde/format/page.ts", 'import { StoreError } from "../../errors.ts";'],
    ["engine/storage/node.ts", 'import fs from "node:fs";'],
    ["engine/storage/node-lock.ts", 'import { DatabaseSync } from "node:sqlite";'],
    ["engine/solarium/workers/block.worker.ts", 'import "node:worker_threads";'],
    ["engine/kladde/store.test.ts", 'import { test } from "node:test"; import fc from "fast-check";'],
    ["engine/kladde/journal/testing.ts", 'import fc from "fast-check";'],
    ["engine/kladde/journal/log.test.ts", 'import { x } from "./testing.ts";'],
    ["engine/bench/run.ts", 'import { Store } from "../kladde/index.ts";'],
    ["engine/cli/main.ts", 'import { openNodeFile } from "../storage/node.ts";'],
    ["pipeline/measure.ts", 'import type { Table } from "../engine/bench/index.ts";'],
    ["src/client/demo.ts", 'import { MemoryFile } from "../../engine/storage/memory.ts";'],
    ["src/tests/format.test.ts", 'import { x } from "../../engine/kladde/format/page.ts";'],
    ["src/pages/index.astro", '---\nimport { getCollection } from "astro:content";\n---\n<p/>'],
  ];
  for (const [path, text] of allowed) assert.deepEqual(arrowFaults({ path, text }), [], `${path}: ${text}`);
});

test("every other arrow is found, however it is written", () => {
  const forbidden: readonly (readonly [string, string])[] = [
    ["engine/kladde/store.ts", 'import fs from "node:fs";'],
    ["engine/kladde/store.ts", 'import fs from "fs";'],
    ["engine/kladde/store.ts", 'import type { Stats } from "node:fs";'],
    ["engine/kladde/store.ts", 'const fs = await import("node:fs");'],
    ["engine/kladde/store.ts", "const fs = await import(name);"],
    ["engine/kladde/store.ts", 'let x: import("node:fs").Stats;'],
    ["engine/kladde/store.ts", 'export * from "../solarium/index.ts";'],
    ["engine/kladde/store.ts", 'import { run } from "../bench/index.ts";'],
    ["engine/kladde/store.ts", 'import { page } from "../../pipeline/main.ts";'],
    ["engine/kladde/format/page.ts", 'import { x } from "../state/pages.ts";'],
    ["engine/kladde/format/page.ts", 'import { x } from "../../storage/storage.ts";'],
    ["engine/codec/crc32c.ts", 'import { x } from "../storage/storage.ts";'],
    ["engine/kladde/journal/log.ts", 'import { x } from "./testing.ts";'],
    ["pipeline/measure.ts", 'import { rowOf } from "./testing/rows.ts";'],
    ["engine/errors.ts", 'import { x } from "./codec/leb128.ts";'],
    ["engine/storage/memory.ts", 'import fs from "node:fs";'],
    ["engine/bench/run.ts", 'import type { StoreStats } from "../kladde/stats.ts";'],
    ["pipeline/main.ts", 'import { Store } from "../engine/kladde/index.ts";'],
    ["pipeline/main.ts", 'import { columns } from "../engine/bench/columns.ts";'],
    ["pipeline/main.ts", 'import { x } from "../src/site/pages.ts";'],
    ["src/pages/index.astro", '---\nimport { x } from "../../pipeline/main.ts";\n---\n'],
    ["src/client/demo.ts", 'import { x } from "../../engine/storage/node.ts";'],
    ["src/client/demo.ts", 'import { x } from "../../engine/kladde/store.ts";'],
    ["src/client/demo.ts", 'import { x } from "../../engine/bench/index.ts";'],
    ["engine/kladde/store.ts", 'import { x } from "../../elsewhere/a.ts";'],
  ];
  for (const [path, text] of forbidden) assert.ok(arrow(path, text), `${path}: ${text}`);
});

test("a line number says where", () => {
  const text = '// first\nimport fs from "node:fs";\n';
  assert.match(
    arrowFaults({ path: "engine/kladde/a.ts", text })[0]!,
    /^engine\/kladde\/a\.ts:2: imports node:fs/,
  );
  assert.equal(importsOf({ path: "a/b.ts", text: '\nexport { x } from "../c.ts";' })[0]?.file, "c.ts");
});

const tidy = (path: string, text: string): string[] => tidyFaults({ path, text });

test("long files and long functions are found", () => {
  const line = "a();\n";
  const body = (lines: number) => `function long() {\n${line.repeat(lines - 2)}}\n`;
  assert.deepEqual(tidy("engine/a.ts", body(FUNCTION_LINES_MAX)), []);
  assert.match(tidy("engine/a.ts", body(FUNCTION_LINES_MAX + 1))[0]!, /engine\/a\.ts:1: long has 71 lines/);
  assert.equal(tidy("src/a.ts", `const f = () => {\n${line.repeat(70)}};\n`).length, 1);
  assert.deepEqual(tidy("src/a.test.ts", `describe("all", () => {\n${line.repeat(70)}});\n`), []);
  assert.equal(tidy("src/a.test.ts", `test("one", () => {\n${line.repeat(70)}});\n`).length, 1);
  assert.equal(tidy("src/a.astro", `---\nclass A {\n  m() {\n${line.repeat(70)}  }\n}\n---\n`).length, 1);
  assert.deepEqual(tidy("src/a.ts", line.repeat(500)), []);
  assert.match(tidy("src/a.ts", line.repeat(501))[0]!, /501 lines/);
  assert.deepEqual(longFiles([{ path: "src/a.ts", text: line.repeat(350) }]), ["src/a.ts has 350 lines"]);
});

test("banned words are found where they are banned, with the line and what to do instead", () => {
  const chance = `const a = 1;\nconst b = Math.${"random"}();\n`;
  assert.match(tidy("engine/kladde/a.ts", chance)[0]!, /a\.ts:2: found Math\.random\(; use the Random/);
  assert.equal(tidy("src/a.ts", chance).length, 0);
  const time = `const t = Date.${"now"}();`;
  assert.equal(tidy("engine/kladde/a.ts", time).length, 1);
  assert.equal(tidy("engine/storage/memory.ts", time).length, 1);
  for (const path of ["engine/storage/node.ts", "engine/bench/run.ts", "engine/kladde/a.test.ts"]) {
    assert.deepEqual(tidy(path, time), [], path);
  }
  assert.equal(tidy("src/a.ts", `// ${"TO"}DO: later`).length, 1);
  assert.equal(tidy("engine/kladde/a.ts", `const home = process${"."}env;`).length, 1);
  assert.deepEqual(
    tidy("engine/kladde/a.ts", "// The end of the process. A subprocess.name is another word."),
    [],
  );
});

test("powers are found where results are compared", () => {
  assert.deepEqual(tidy("engine/kladde/a.ts", "const mask = 2 ** 53 - 2 ** bits + 10 ** 6;"), []);
  assert.equal(tidy("engine/kladde/a.ts", "const x = y ** 2;").length, 1);
  assert.equal(tidy("pipeline/studies/a.ts", `const x = Math.${"pow"}(y, 2);`).length, 1);
  assert.deepEqual(tidy("src/a.ts", "const x = 1024 ** power;"), []);
});

test("records made in loops are found where values live", () => {
  const path = "engine/kladde/typed/live/a.ts";
  const wrong = [
    "for (const byte of bytes) ledger.store.write(id, at++, byte);",
    "while (more()) { if (a) { store.splice(id, 0, 0, b); } }",
    "for (;;) ledger.record(mark, () => { this.$doc.store.resize(id, 0); });",
    "values.forEach((value, i) => store.write(id, i, value));",
  ];
  for (const text of wrong) {
    assert.match(
      tidy(path, `\n${text}`)[0]!,
      /a\.ts:2: .*store\.\w+ in a loop; put the bytes together/,
      text,
    );
    assert.deepEqual(tidy("engine/kladde/typed/live/a.test.ts", text), []);
    assert.deepEqual(tidy("engine/kladde/flush/a.ts", text), []);
  }
  const right = "for (const byte of bytes) out.byte(byte);\nstore.write(id, 0, out.view());";
  assert.deepEqual(tidy(path, right), []);
});

test("a file that nothing imports is found", () => {
  const used = [
    { path: "engine/kladde/a.ts", text: 'import "./b.ts"; spawn("./child.ts");' },
    { path: "engine/kladde/b.ts", text: "" },
    { path: "engine/kladde/child.ts", text: "" },
    { path: "engine/kladde/c.ts", text: "" },
    { path: "engine/kladde/a.test.ts", text: 'import "./a.ts";' },
    { path: "engine/kladde/index.ts", text: "" },
    { path: "engine/bench/main.ts", text: "" },
  ];
  assert.deepEqual(unusedFiles(used, '"bench": "tsx engine/bench/main.ts"'), [
    "engine/kladde/c.ts: nothing imports it",
  ]);
});
