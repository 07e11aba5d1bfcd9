/** The command line as a program: what it prints and what it returns. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeComplaint } from "./node-version.ts";

function run(file: string, ...words: readonly string[]): { code: number | null; out: string; err: string } {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...words], { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

test("an unknown word is told with the usage, exit code 2, nothing on the standard output", () => {
  for (const words of [["--fast"], ["--only", "no-such-study"], ["--repeat", "0"], ["site"]]) {
    const { code, out, err } = run("main.ts", ...words);
    assert.equal(code, 2, words.join(" "));
    assert.equal(out, "");
    assert.match(err, /Usage: pnpm reproduce/);
  }
  assert.match(run("main.ts", "--only", "x").err, /nothing is called "x"; there are consolidation, /);
});

test("help is help", () => {
  const { code, out } = run("main.ts", "reproduce", "--help");
  assert.equal(code, 0);
  for (const word of ["--quick", "--only", "--no-bench", "--check", "--repeat", "--no-site"]) {
    assert.ok(out.includes(word), word);
  }
});

test("the gate refuses unknown words and steps with 2, and lists its steps", () => {
  assert.equal(run("test.ts", "--fast").code, 2);
  assert.equal(run("test.ts", "--only", "tests").code, 2);
  const { code, out } = run("test.ts", "--list");
  assert.equal(code, 0);
  assert.match(out, /^types .*\nlint /);
});

test("a Node that is too old is told what to do", () => {
  for (const version of ["22.18.0", "22.20.1", "24.0.0", "26.1.0"])
    assert.equal(nodeComplaint(version), undefined);
  for (const version of ["18.20.1", "20.20.2", "22.17.9"]) {
    assert.match(
      nodeComplaint(version) ?? "",
      new RegExp(`needs Node 22\\.18 or later; this is Node ${version}`),
    );
  }
});
