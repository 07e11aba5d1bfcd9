/**
 * The package as others get it: packed by the documented command, installed into an empty project without a network,
 * run by both Nodes, compiled against, and bundled for a browser.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { sourceFiles } from "../gate/source.ts";
import { consumer, inBrowser, misuse, underNode } from "./testing.ts";

const project = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "daybook-package-"));
const installed = join(folder, "node_modules/daybook");
const { resolve: find } = createRequire(import.meta.url);

/** The project's own compiler, and the oldest that the README promises. */
const compilers = ["typescript", "typescript-5.7"] as const;

/** The pnpm that runs the tests, a script or a program; else the one that the README names. */
function pnpm(words: readonly string[], cwd: string): string {
  const running = process.env.npm_execpath;
  const isPnpm = running !== undefined && /pnpm[^/\\]*$/.test(running);
  const begin = !isPnpm
    ? ["npx", "-y", pnpmOfReadme()]
    : /js$/.test(running)
      ? [process.execPath, running]
      : [running];
  const [program, ...rest] = [...begin, ...words];
  return execFileSync(program!, rest, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const pnpmOfReadme = (): string =>
  /pnpm@[0-9.]+/.exec(readFileSync(join(project, "README.md"), "utf8"))?.[0] ?? "pnpm";

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

before(() => {
  pnpm(["pack", "--pack-destination", folder], join(project, "engine"));
  const [tarball, ...others] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  assert.deepEqual([tarball, others], ["daybook-0.1.0.tgz", []]);
  write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }));
  write("pnpm-workspace.yaml", "packages: []\n");
  pnpm(["add", `./${tarball}`, "--offline", "--no-optional", "--ignore-scripts"], folder);
});

after(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();

test("the package holds JavaScript, declarations, licences and a README, and nothing else", () => {
  const files = filesOf(installed);
  const beside = files.filter((file) => !/^(?:dist|node_modules)\//.test(file));
  assert.deepEqual(beside, ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"]);
  const inside = files.filter((file) => file.startsWith("dist/"));
  assert.deepEqual(
    inside.filter((file) => !/\.(?:js|d\.ts)$/.test(file)),
    [],
  );
  assert.deepEqual(
    inside.filter((file) => /test|bench|pipeline/.test(file)),
    [],
  );
  assert.ok(inside.includes("dist/kladde/store.js"));
});

test("nothing is installed with it, the project's Node least of all", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<
    string,
    object
  >;
  assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);
  assert.deepEqual(Object.keys(manifest.devDependencies ?? {}), []);
  assert.deepEqual(Object.keys(manifest.optionalDependencies ?? {}), ["@node-rs/crc32"]);
  const packages = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
  assert.deepEqual(packages, ["daybook"]);
  assert.deepEqual(readdirSync(join(folder, "node_modules/.bin")), ["kladde"]);
});

/** The Node of the tests, and the oldest line that the package is for. */
const old = join(project, `node_modules/node-22-${process.platform}-${process.arch}/bin/node`);
const nodes = [process.execPath, old] as const;

for (const [at, program] of nodes.entries()) {
  const isMissing = !existsSync(program);
  const name = at === 0 ? `Node ${process.versions.node}` : "Node 22";
  const skip = isMissing ? `Node 22 is not installed: there is no ${program}` : false;
  test(`it works under ${name}`, { skip }, () => {
    const place = join(folder, `run-${at}`);
    mkdirSync(place);
    const script = write(`run-${at}.mjs`, underNode);
    const { status, stdout, stderr } = spawnSync(program, [script], { cwd: place, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      note: { title: "Groceries (week 12)", tags: ["home", "weekly"] },
      code: "locked",
      sound: true,
      bytes: "hello",
    });
    // Node 22 calls the SQLite behind the lock experimental; nothing else may be said.
    assert.deepEqual(
      stderr.split("\n").filter((line) => line !== "" && !/SQLite|--trace-warnings/.test(line)),
      [],
    );
  });

  test(`its command looks into a file, under ${name}`, { skip }, () => {
    const place = join(folder, `command-${at}`);
    mkdirSync(place);
    execFileSync(program, [write(`command-${at}.mjs`, underNode)], { cwd: place, stdio: "ignore" });
    const words = [join(installed, "dist/cli/kladde.js"), "inspect", "note.kladde", "--values"];
    const printed = execFileSync(program, words, { cwd: place, encoding: "utf8" });
    assert.match(printed, /"Groceries \(week 12\)"/);
  });

  test(`the README's example prints what it says, under ${name}`, { skip }, () => {
    const readme = readFileSync(join(installed, "README.md"), "utf8");
    const script = write(`readme-${at}.mjs`, /```js\n([\s\S]*?)```/.exec(readme)![1]!);
    const place = join(folder, `readme-${at}`);
    mkdirSync(place);
    const printed = execFileSync(program, [script], {
      cwd: place,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    assert.ok(readme.includes(`It prints \`${printed.trim()}\``), printed);
  });
}

test("only the doors can be imported", () => {
  const script = write(
    "doors.mjs",
    `for (const name of ["daybook", "daybook/dist/kladde/store.js", "daybook/kladde/store.js"])
       await import(name).then(() => console.log(name), (error) => console.log(error.code));`,
  );
  const printed = execFileSync(process.execPath, [script], { encoding: "utf8" });
  assert.deepEqual(printed.trim().split("\n"), Array(3).fill("ERR_PACKAGE_PATH_NOT_EXPORTED"));
});

/** What the schema's own test asserts of types, on the package in place of the sources. */
function typeAssertions(): string {
  const own = readFileSync(join(project, "engine/kladde/typed/schema/types.test.ts"), "utf8");
  const [asserted] = own.split('\ntest("');
  assert.match(asserted!, /@ts-expect-error/);
  return asserted!
    .replaceAll(/^import .* from "node:.*;\n/gm, "")
    .replace('"./containers.ts"', '"daybook/kladde"')
    .replace('import * as k from "./k.ts"', 'import { k } from "daybook/kladde"');
}

/** Declarations that need more than a program's own `lib` make their types `any` where nobody checks them. */
const settings = [
  { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022"], skipLibCheck: false },
  { module: "esnext", moduleResolution: "bundler", lib: ["es2022"], skipLibCheck: false },
  // As a site's tools set it up.
  {
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom", "dom.iterable"],
    skipLibCheck: true,
  },
] as const;

for (const compiler of compilers) {
  for (const [at, setting] of settings.entries()) {
    test(`programs compile against it as they should: ${compiler}, ${JSON.stringify(setting)}`, () => {
      const place = join(folder, `${compiler}-${at}`);
      mkdirSync(place);
      const compilerOptions = {
        ...setting,
        target: "es2022",
        types: [],
        strict: true,
        noEmit: true,
      };
      writeFileSync(
        join(place, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["good.ts", "types.ts", "bad.ts"] }),
      );
      writeFileSync(join(place, "types.ts"), typeAssertions());
      writeFileSync(join(place, "good.ts"), consumer);
      writeFileSync(join(place, "bad.ts"), misuse.map(({ line }) => line).join("\n"));
      const program = find(`${compiler}/bin/tsc`);
      const { stdout } = spawnSync(process.execPath, [program, "-p", place], { encoding: "utf8" });
      const told = stdout.split("\n").filter((line) => line.includes("error TS"));
      const wanted = misuse.flatMap(({ error }, at) =>
        error === undefined ? [] : [{ line: at + 1, error }],
      );
      assert.equal(told.length, wanted.length, stdout);
      for (const [at, { line, error }] of wanted.entries()) {
        assert.match(told[at]!, new RegExp(`bad\\.ts\\(${line},`));
        assert.match(told[at]!, error);
      }
    });
  }
}

test("a browser's bundle holds no module of Node, and works in memory", async () => {
  const entry = write("browser.js", inBrowser);
  const outfile = join(folder, "bundle.mjs");
  const { metafile, warnings } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "browser",
    format: "esm",
    metafile: true,
    logLevel: "silent",
  });
  assert.deepEqual(warnings, []);
  const inputs = Object.keys(metafile.inputs);
  assert.deepEqual(
    inputs.filter((file) => /storage\/node|\/node\//.test(file)),
    [],
  );
  assert.deepEqual(
    Object.values(metafile.outputs).flatMap((output) => output.imports),
    [],
  );
  assert.doesNotMatch(readFileSync(outfile, "utf8"), /["']node:/);
  const { result } = (await import(outfile)) as { result: unknown };
  assert.deepEqual(result, { title: "in memory", tags: ["a"], refused: "TypeError" });
});

test("what is built is no source of the project", () => {
  assert.ok(existsSync(join(project, "engine/dist/kladde/index.js")));
  assert.deepEqual(
    sourceFiles(project)
      .map(({ path }) => path)
      .filter((path) => path.includes("/dist/")),
    [],
  );
});

test("the licences are the project's", () => {
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"])
    assert.equal(readFileSync(join(installed, name), "utf8"), readFileSync(join(project, name), "utf8"));
});
