import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { choose } from "./choice.ts";
import { type Outcome, runStep, skipReasons, tallyOf, testsIn } from "./run.ts";
import type { Step, Work } from "./step.ts";
import { steps } from "./steps.ts";

function folderOf(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "daybook-gate-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const outcomeOf = (folder: string, work: Work): Promise<Outcome> =>
  runStep({ name: "s", says: "", expectedSeconds: 1, work }, folder);

const testFile = (body: string): string => `import { test } from "node:test";\n${body}\n`;
const good = testFile('test("a", () => {}); test("b", { skip: "not here" }, () => {});');
const bad = testFile('test("a", () => {}); test("b", () => { throw new Error("broken on purpose"); });');

test("tests are counted, skipped ones apart, and a failure is shown", async (context) => {
  const folder = folderOf(context, { "a/x.test.ts": good, "b/y.test.ts": bad, "b/z.ts": "throw 1;" });
  const fine = await outcomeOf(folder, { kind: "tests", within: ["a"] });
  assert.deepEqual([fine.passed, fine.failed, fine.skipped], [1, 0, 1]);
  assert.match(fine.says, /1 skipped: not here/);
  const broken = await outcomeOf(folder, { kind: "tests", within: ["a", "b"] });
  assert.deepEqual([broken.passed, broken.failed, broken.skipped], [2, 1, 1]);
  assert.match(broken.output, /broken on purpose/);
});

test("no tests at all is a failure", async (context) => {
  const folder = folderOf(context, { "a/x.ts": "", "b/x.test.ts": "export {};" });
  assert.equal((await outcomeOf(folder, { kind: "tests", within: ["a"] })).failed, 1);
  const without = ["b/x.test.ts"];
  assert.equal((await outcomeOf(folder, { kind: "tests", within: ["b"], without })).failed, 1);
});

test("a file of tests that cannot be read is a failure", async (context) => {
  const folder = folderOf(context, { "a/x.test.ts": "const = ;" });
  assert.ok((await outcomeOf(folder, { kind: "tests", within: ["a"] })).failed > 0);
});

test("the canary passes when its test fails, and only then", async (context) => {
  const folder = folderOf(context, {
    "dead.ts": testFile('test("a", () => { throw 1; });'),
    "alive.ts": testFile('test("a", () => {});'),
  });
  assert.equal((await outcomeOf(folder, { kind: "canary", file: "dead.ts" })).failed, 0);
  assert.equal((await outcomeOf(folder, { kind: "canary", file: "alive.ts" })).failed, 1);
});

test("programs fail by their exit code or by what they do not print", async (context) => {
  const folder = folderOf(context, {});
  const run = (script: string, expect?: RegExp): Promise<Outcome> => {
    const words = [process.execPath, "-e", script];
    return outcomeOf(folder, {
      kind: "commands",
      commands: [expect === undefined ? { words } : { words, expect }],
    });
  };
  assert.equal((await run("console.log('all good')")).says, "all good");
  const failed = await run("console.log('out'); console.error('err'); process.exit(3)");
  assert.equal(failed.failed, 1);
  assert.match(failed.output, /out\nerr/);
  assert.equal((await run("console.log('nothing found')", /passed/)).failed, 1);
  assert.equal((await run("console.log('passed')", /passed/)).failed, 0);
  assert.equal(
    (await outcomeOf(folder, { kind: "commands", commands: [{ words: ["no-such-program"] }] })).failed,
    1,
  );
});

test("what does not end is stopped, and told as that", async (context) => {
  const folder = folderOf(context, {
    "a/x.test.ts": testFile('test("a", () => new Promise((end) => setTimeout(end, 60_000)));'),
  });
  const words = [process.execPath, "-e", "setTimeout(() => {}, 60_000)"];
  const works: readonly Work[] = [
    { kind: "tests", within: ["a"] },
    { kind: "commands", commands: [{ words }] },
  ];
  for (const work of works) {
    const outcome = await runStep({ name: "s", says: "", expectedSeconds: 1, work }, folder, 1);
    assert.equal(outcome.failed, 1);
    assert.match(outcome.says, /stopped by SIGKILL; a program may take 1 s$/);
  }
});

test("a check fails by its faults, and by what it throws", async () => {
  const check = (faults: readonly string[]): Work => ({
    kind: "check",
    check: () => ({ says: "s", faults }),
  });
  assert.equal((await outcomeOf("/", check([]))).failed, 0);
  assert.equal((await outcomeOf("/", check(["a", "b"]))).failed, 2);
  const thrown = await outcomeOf("/", {
    kind: "check",
    check: () => {
      throw new Error("no such folder");
    },
  });
  assert.equal(thrown.failed, 1);
  assert.equal(thrown.output, "no such folder");
});

test("totals and reasons are read from a report", () => {
  const report =
    "TAP version 13\nok 1 - a\nok 2 - b # SKIP no fixtures\n1..2\n# tests 9\n# pass 4\n# fail 2\n# cancelled 1\n# skipped 1\n# todo 1\n";
  assert.deepEqual(tallyOf(report), { passed: 4, failed: 3, skipped: 2 });
  assert.deepEqual(skipReasons(report), ["no fixtures"]);
  assert.deepEqual(tallyOf(""), { passed: 0, failed: 0, skipped: 0 });
});

test("tests are found below folders, named files stand for themselves", (context) => {
  const folder = folderOf(context, { "a/b/x.test.ts": "", "a/y.test.ts": "", "a/y.ts": "", "z.test.ts": "" });
  assert.deepEqual(testsIn(folder, ["a", "z.test.ts"]), ["a/b/x.test.ts", "a/y.test.ts", "z.test.ts"]);
  assert.deepEqual(testsIn(folder, ["a"], ["a/y.test.ts"]), ["a/b/x.test.ts"]);
});

test("the words choose steps in their order, and what is not understood is refused", () => {
  const all = ["one", "two", "three"].map((name) => ({ name }) as Step);
  const names = (...words: readonly string[]): unknown => {
    const choice = choose(words, all);
    return typeof choice === "string" ? choice : choice.steps.map(({ name }) => name);
  };
  assert.deepEqual(names(), ["one", "two", "three"]);
  assert.deepEqual(names("--", "--only", "three,one"), ["one", "three"]);
  assert.deepEqual(names("--only=two", "--only", "one", "--keep-going"), ["one", "two"]);
  assert.equal(names("--only", "four"), 'there is no step called "four"');
  assert.equal(names("--only"), 'there is no step called ""');
  assert.equal(names("--fast"), 'unknown word "--fast"');
});

test("steps have names of their own", () => {
  assert.equal(new Set(steps.map(({ name }) => name)).size, steps.length);
});
