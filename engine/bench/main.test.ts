import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
    [["tables", "uniform"], /unexpected "uniform"/],
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
  });

  it("exits with 1 where the folder cannot be made", () => {
    const { status, stderr } = bench("run", `${script}/below-a-file`, "uniform", "--quick");
    assert.equal(status, 1);
    assert.match(stderr, /ENOTDIR/);
  });
});
