/**
 * Every program of the guide and of the front page runs, in the order of its page, and prints what the page says; all are type-checked.
 *
 * With `GUIDE_OUTPUT=write` what the programs print is put into the pages instead: nobody types output.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { projectFolder } from "./build.ts";
import { codeBlocks, pageSource, withOutput } from "./mdx.ts";

interface Program {
  readonly name: string;
  readonly meta: string;
  readonly code: string;
  readonly expected: string;
}

const writesOutput = process.env.GUIDE_OUTPUT === "write";
/** Pages whose TypeScript shows a call, in a program of the reader's. */
const excerptPages = ["guide/inspector"];

const guidePages = readdirSync(join(projectFolder, "content/guide"))
  .filter((file) => file.endsWith(".mdx"))
  .map((file) => `guide/${file.slice(0, -".mdx".length)}`);
const pages = ["index", ...guidePages]
  .filter((page) => !excerptPages.includes(page))
  .map((page) => ({ page, programs: programsOf(page) }))
  .filter(({ programs }) => programs.length > 0);

function programsOf(page: string): Program[] {
  const blocks = codeBlocks(pageSource(`${page}.mdx`));
  return blocks.flatMap((block, at) => {
    if (block.language !== "ts") return [];
    const next = blocks[at + 1];
    const expected = next?.meta === "output" ? next.code : "";
    const name = /^\/\/ ([\w-]+\.ts)\n/.exec(block.code)?.[1] ?? "";
    return [{ name, meta: block.meta, code: block.code, expected }];
  });
}

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "daybook-guide-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const { page } of pages) mkdirSync(join(folder, page), { recursive: true });
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a program with its imports led to the sources: of a clone, or of the package. */
const write = (file: string, code: string, root: string): string => {
  const ours = code
    .replaceAll('"./engine/', `"${root}engine/`)
    .replaceAll('"daybook/kladde"', `"${root}engine/node/kladde.ts"`);
  writeFileSync(join(folder, file), ours);
  return join(folder, file);
};

test("every block of TypeScript is a program to run, and says its name", () => {
  assert.ok(pages.length >= 2);
  for (const { page, programs } of pages) {
    for (const { meta, name, code } of programs) {
      assert.equal(meta, "run", `${page}: ${code}`);
      assert.notEqual(name, "", `${page}: ${code}`);
    }
    assert.equal(new Set(programs.map(({ name }) => name)).size, programs.length, `${page}: a name twice`);
  }
});

function runs(page: string, { name, code, expected }: Program): void {
  const file = write(join(page, name), code, pathToFileURL(projectFolder).href);
  const run = spawnSync(process.execPath, ["--no-warnings", file], {
    cwd: join(folder, page),
    encoding: "utf8",
  });
  assert.equal(run.stderr, "");
  const end = code.includes("SIGKILL") ? { status: null, signal: "SIGKILL" } : { status: 0, signal: null };
  assert.deepEqual({ status: run.status, signal: run.signal }, end);
  if (writesOutput) {
    const source = join(projectFolder, `content/${page}.mdx`);
    writeFileSync(source, withOutput(pageSource(`${page}.mdx`), code, run.stdout));
  } else assert.equal(run.stdout, expected);
}

for (const { page, programs } of pages)
  describe(page, () => {
    for (const program of programs)
      test(`${program.name} prints what the page says`, () => runs(page, program));
  });

test("the file they leave can be looked into", () => {
  const look = (command: string) =>
    spawnSync(
      process.execPath,
      ["--no-warnings", join(projectFolder, "engine/cli/kladde.ts"), command, "notes.kladde"],
      {
        cwd: join(folder, "guide/kladde-in-five-minutes"),
        encoding: "utf8",
      },
    );
  const dump = look("dump");
  assert.equal(dump.status, 0, dump.stderr);
  assert.match(dump.stdout, /^1 17 [0-9a-f]{8}\n$/);
  assert.equal(look("check").status, 0);
});

test("they are well typed", () => {
  const include = pages.flatMap(({ page, programs }) =>
    programs.map(({ name, code }) => write(join(page, `typed-${name}`), code, projectFolder)),
  );
  const config = {
    extends: join(projectFolder, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(projectFolder, "node_modules/@types")] },
    include,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(projectFolder, "node_modules/typescript/bin/tsc");
  const run = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  assert.equal(run.stdout, "");
  assert.equal(run.status, 0);
});
