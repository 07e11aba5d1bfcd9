/**
 * Every program of the guide runs, in order, and prints what the page says. Programs are type-checked as well.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { projectFolder } from "./build.ts";
import { codeBlocks, pageSource } from "./mdx.ts";

const blocks = codeBlocks(pageSource("guide/kladde-in-five-minutes.mdx"));
const programs = blocks.flatMap((block, at) => {
  if (block.language !== "ts") return [];
  const next = blocks[at + 1];
  const expected = next?.meta === "output" ? next.code : "";
  return [{ name: /^\/\/ (\w+\.ts)\n/.exec(block.code)?.[1], meta: block.meta, code: block.code, expected }];
});
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "daybook-guide-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, code: string, root: string): string => {
  const file = join(folder, name);
  writeFileSync(file, code.replaceAll('"./engine/', `"${root}engine/`));
  return file;
};

test("every block of TypeScript is a program to run, and says its name", () => {
  assert.ok(programs.length >= 7);
  for (const program of programs) {
    assert.equal(program.meta, "run");
    assert.ok(program.name, program.code);
  }
});

for (const { name, code, expected } of programs) {
  test(`${name} prints what the page says`, () => {
    const file = write(name ?? "", code, pathToFileURL(projectFolder).href);
    const run = spawnSync(process.execPath, ["--no-warnings", file], { cwd: folder, encoding: "utf8" });
    assert.equal(run.stderr, "");
    assert.equal(run.stdout, expected);
    const end = code.includes("SIGKILL") ? { status: null, signal: "SIGKILL" } : { status: 0, signal: null };
    assert.deepEqual({ status: run.status, signal: run.signal }, end);
  });
}

test("the file they leave can be looked into", () => {
  const look = (command: string) =>
    spawnSync(
      process.execPath,
      ["--no-warnings", join(projectFolder, "engine/cli/kladde.ts"), command, "notes.kladde"],
      {
        cwd: folder,
        encoding: "utf8",
      },
    );
  const dump = look("dump");
  assert.equal(dump.status, 0, dump.stderr);
  assert.match(dump.stdout, /^1 17 [0-9a-f]{8}\n$/);
  assert.equal(look("check").status, 0);
});

test("they are well typed", () => {
  const files = programs.map(({ name, code }) => write(`typed-${name}`, code, projectFolder));
  const config = {
    extends: join(projectFolder, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(projectFolder, "node_modules/@types")] },
    include: files,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  execFileSync(process.execPath, [join(projectFolder, "node_modules/typescript/bin/tsc"), "-p", folder], {
    stdio: "pipe",
  });
});
