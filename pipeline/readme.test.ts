/** The README's examples run and print what the README says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const project = join(import.meta.dirname, "..");
const readme = readFileSync(join(project, "README.md"), "utf8");

const examples = [...readme.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```[\s\S]*?It prints `(.+?)`/gm)];

test("every example of the README says its name and what it prints", () => {
  assert.equal(examples.length, [...readme.matchAll(/^```ts$/gm)].length);
  assert.ok(examples.length >= 2);
});

for (const [, name = "", program = "", printed] of examples)
  test(`the README's ${name} prints what the README says`, () => {
    const folder = mkdtempSync(join(tmpdir(), "daybook-readme-"));
    try {
      writeFileSync(
        join(folder, name),
        program.replaceAll('"./engine/', `"${pathToFileURL(project).href}/engine/`),
      );
      const run = spawnSync(process.execPath, ["--no-warnings", name], { cwd: folder, encoding: "utf8" });
      assert.deepEqual([run.stderr, run.stdout], ["", `${printed}\n`]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

test("the commands of the README are those of package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/pnpm(?:@[\d.]+)? (?:--silent )?([a-z:]+)/g)].map((match) => match[1]!);
  assert.ok(named.length >= 5);
  for (const name of named)
    assert.ok(["exec", "pack"].includes(name) || name in scripts, `${name} is no script`);
});
