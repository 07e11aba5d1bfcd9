import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("main.ts", import.meta.url));
const bench = (...words: string[]) => spawnSync(process.execPath, [script, ...words], { encoding: "utf8" });

describe("the benchmark's command line", () => {
  const wrong: [string[], RegExp][] = [
    [[], /a command is missing/],
    [["rnu"], /unknown command "rnu"/],
    [["run"], /OUT_DIR is missing/],
    [["run", "/tmp/never-made", "unfiorm"], /no table "unfiorm"/],
    [["run", "/tmp/never-made", "--quikc"], /--quikc/],
    [["run", "--quick"], /OUT_DIR is missing/],
    [["run", "/tmp/never-made", "uniform", "--size", "3"], /no run is like that/],
    [["tables", "unfiorm"], /no table "unfiorm"/],
    [["memory", "uniform", "--variant", "no"], /no run is like that/],
    [["fingerprints", "1"], /takes no arguments/],
  ];
  for (const [words, message] of wrong) {
    it(`answers "${words.join(" ")}" with its usage and exit code 2`, () => {
      const { status, stderr, stdout } = bench(...words);
      assert.equal(status, 2);
      assert.match(stderr, message);
      assert.match(stderr, /usage: /);
      assert.equal(stdout, "");
    });
  }

  it("lists what there is to run", () => {
    const { status, stdout } = bench("tables", "--quick");
    assert.equal(status, 0);
    assert.match(stdout, /^uniform: patches/);
    assert.match(stdout, /shrink off 4 MiB +about \d+ s/);
    assert.match(stdout, /all of these: about \d+ s\n$/);
  });

  it("lists what was asked for", () => {
    const { stdout } = bench("tables", "skewed", "shrink", "--variant", "on", "--size", "64");
    assert.deepEqual(stdout.match(/^ {2}[^0-9]*\d+ MiB/gm), ["  skewed on 64 MiB", "  shrink on 64 MiB"]);
  });

  it("makes just the runs that were asked for", () => {
    const directory = mkdtempSync(path.join(tmpdir(), "daybook-bench-"));
    try {
      const { status, stdout } = bench("run", directory, "uniform", "--variant", "off", "--size", "1");
      assert.equal(status, 0);
      assert.match(
        stdout,
        /^uniform off 1 MiB +33 flushes in +[\d.]+ s, +\d+ MiB of memory at most so far\n$/,
      );
      assert.deepEqual(readdirSync(directory), ["uniform.csv"]);
      assert.equal(readFileSync(path.join(directory, "uniform.csv"), "utf8").split("\n").length, 35);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("tells the memory that a run takes in a process of its own", () => {
    const { status, stdout } = bench("memory", "uniform", "--quick", "--variant", "off");
    assert.equal(status, 0);
    const [, peakMiB] = /^uniform off 1 MiB +(\d+) MiB\n$/.exec(stdout) ?? [];
    assert.ok(Number(peakMiB) > 30 && Number(peakMiB) < 500, stdout);
  });

  it("exits with 1 where the folder cannot be made", () => {
    const { status, stderr } = bench("run", `${script}/below-a-file`, "uniform", "--quick");
    assert.equal(status, 1);
    assert.match(stderr, /ENOTDIR/);
  });
});
