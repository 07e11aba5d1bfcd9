/** The README's example runs and prints what the README says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const project = join(import.meta.dirname, "..");
const readme = readFileSync(join(project, "README.md"), "utf8");

test("the example of the README prints what the README says", () => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-readme-"));
  try {
    const block = /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1];
    const printed = /It prints `(.+?)`/.exec(readme)?.[1];
    assert.ok(block !== undefined && printed !== undefined);
    const program = block.replaceAll('"./engine/', `"${pathToFileURL(project).href}/engine/`);
    writeFileSync(join(folder, "example.ts"), program);
    const run = spawnSync(process.execPath, ["--no-warnings", "example.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
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
  for (const name of named) assert.ok(name === "exec" || name in scripts, `${name} is no script`);
});
