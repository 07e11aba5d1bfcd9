/** The main job in a folder of its own, with a made-up benchmark: what it writes, says and returns. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import type { Row, Run, RunTableOptions, Table } from "../engine/bench/index.ts";
import type { Changes, Manifest, Summary } from "./data/summary.ts";
import { curves } from "./figures/charts.ts";
import { parseOptions, UsageError } from "./options.ts";
import { reproduce, type World } from "./reproduce.ts";
import { last, progress, space } from "./studies/derive.ts";
import { Results, shorten } from "./studies/results.ts";
import type { Series } from "./studies/series.ts";
import type { Study } from "./studies/study.ts";
import { madeUpRun, madeUpTable } from "./testing/rows.ts";

const study: Study = {
  id: "s",
  title: "S",
  question: "Q?",
  runs: [{ label: "main", tables: ["uniform", "skewed"] }],
  derive: (data) => resultsOf(data.get("main") ?? []),
};

function resultsOf(all: readonly Series[]): Results {
  const results = new Results();
  for (const { name, rows } of all) {
    results.value(`${name}.off.space`, {
      value: space(last(rows)),
      unit: "ratio",
      kind: "exact",
      says: "space",
    });
    const flushMedian = last(rows).flush_us;
    results.value(`${name}.off.flushMedian`, {
      value: flushMedian,
      unit: "micros",
      kind: "measured",
      says: "flush",
    });
  }
  results.claim("small", {
    says: "The file stays small.",
    left: space(last(all[0]!.rows)),
    relation: "<",
    right: 1.5,
  });
  results.figure({
    id: "space",
    title: "Space",
    caption: "c",
    description: "d",
    kind: "exact",
    columns: [
      { key: "name", title: "Name", kind: "label" },
      { key: "x", title: "X", kind: "exact" },
      { key: "space", title: "Space", kind: "exact" },
    ],
    rows: all.flatMap(({ name, rows }) =>
      rows.map((row) => ({ name, x: shorten(progress(row)), space: shorten(space(row)) })),
    ),
    chart: curves({
      x: { field: "x", title: "x" },
      y: { field: "space", title: "space" },
      by: { field: "name", domain: all.map(({ name }) => name), are: "names" },
    }),
  });
  return results;
}

interface Bench {
  change?: (row: Row) => Row;
  slow: number;
  calls: string[];
  failAt?: string;
}

interface Setting {
  readonly project: string;
  readonly root: string;
  readonly bench: Bench;
  readonly said: string[];
  run(...words: readonly string[]): Promise<number>;
  commit(): void;
  read(path: string): string;
  json<T>(path: string): T;
  files(): string[];
}

function setting(context: TestContext, withGit = true): Setting {
  const project = mkdtempSync(join(tmpdir(), "daybook-reproduce-"));
  context.after(() => rmSync(project, { recursive: true }));
  const root = join(project, "content", "evaluation");
  for (const folder of [root, join(project, "engine")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, "engine", "a.ts"), "1");
  writeFileSync(join(project, ".gitignore"), "node_modules/\n*.changes.json\n");
  const bench: Bench = { slow: 1, calls: [] };
  const said: string[] = [];
  const commit = (): void => {
    const git = (...words: string[]) => execFileSync("git", ["-C", project, ...words], { stdio: "pipe" });
    if (!existsSync(join(project, ".git"))) git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qm", "c", "--allow-empty");
  };
  if (withGit) commit();
  const world: World = {
    project,
    root,
    studies: [study],
    bench: { runTable: (name, options) => runTable(bench, name, options), runsOf },
    log: (line) => said.push(line),
    now: () => new Date(0),
    progress: "silent",
    signal: new AbortController().signal,
    buildSite: undefined,
  };
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  return {
    project,
    root,
    bench,
    said,
    commit,
    read,
    json: (path) => JSON.parse(read(path)),
    files: () => filesBelow(root).map((path) => relative(root, path)),
    run: async (...words) => {
      said.length = 0;
      const options = parseOptions(words);
      assert.notEqual(options, "help");
      return options === "help" ? -1 : reproduce(options, world);
    },
  };
}

const sizeOf = (quick: boolean): number => (quick ? 2 ** 20 : 2 ** 23);

function runsOf(table: string, quick = false): Run[] {
  return [
    {
      table,
      scenario: table as Run["scenario"],
      variant: "off",
      options: { consolidate: false },
      sizeBytes: sizeOf(quick),
      seed: 7,
      quick,
      estimatedSeconds: 1,
    },
  ];
}

async function runTable(bench: Bench, name: string, { quick = false }: RunTableOptions): Promise<Table> {
  bench.calls.push(name);
  if (bench.failAt === name) throw new Error("the machine was switched off");
  const rows = madeUpRun(name, "off", sizeOf(quick), 6, bench.slow);
  return madeUpTable(name, bench.change === undefined ? rows : rows.map(bench.change));
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
    )
    .sort();

test("the main job leaves tables, manifest, summary and figures, and says how they compare", async (context) => {
  const { run, files, json, said, commit, bench } = setting(context);
  assert.equal(await run(), 0);
  assert.deepEqual(files(), [
    "columns.json",
    "data/s/main/manifest.json",
    "data/s/main/skewed.csv.gz",
    "data/s/main/uniform.csv.gz",
    "figures/s/space.csv",
    "figures/s/space.svg",
    "figures/s/space.vl.json",
    "summary/s.changes.json",
    "summary/s.json",
  ]);
  assert.ok(said.some((line) => line.includes("nothing of it is committed yet")));
  assert.ok(said.includes("s: 1 of 1 claims hold."));
  commit();
  bench.slow = 2;
  assert.equal(await run(), 0);
  assert.match(
    said.join("\n"),
    /s\/main: 39 of 39 exact columns identical to [0-9a-f]{9} \(12 rows in 2 tables\)\./,
  );
  assert.match(said.join("\n"), /s: 2 times and rates compared, 2 to 2 of those of [0-9a-f]{9}\./);
  const changes = json<Changes>("summary/s.changes.json");
  assert.deepEqual(changes.exact[0], { table: "uniform", rows: 6, differing: 0 });
  assert.equal(changes.measured[0]?.ratio, 2);
});

test("the manifest names commit, command, options, seeds, machine and hashes", async (context) => {
  const { run, json, project } = setting(context);
  await run("--repeat", "2");
  const manifest = json<Manifest>("data/s/main/manifest.json");
  const head = execFileSync("git", ["-C", project, "rev-parse", "HEAD"]).toString().trim();
  assert.equal(manifest.commit, head);
  assert.equal(manifest.dirty, false);
  assert.equal(manifest.date, "1970-01-01T00:00:00.000Z");
  assert.equal(manifest.command, "pnpm reproduce --repeat 2");
  assert.equal(manifest.repeats, 2);
  assert.deepEqual(manifest.options, { quick: false, "off.consolidate": false });
  assert.deepEqual(manifest.seeds, { "uniform-8": 7, "skewed-8": 7 });
  assert.match(manifest.tables.uniform?.sha256 ?? "", /^[0-9a-f]{64}$/);
  assert.notEqual(manifest.machine.kernel, "");
  assert.deepEqual(json<Summary>("summary/s.json").manifest, manifest);
});

test("changed code that is not committed makes the manifest dirty", async (context) => {
  const { run, json, project } = setting(context);
  writeFileSync(join(project, "engine", "a.ts"), "2");
  await run("--quick");
  assert.equal(json<Manifest>("data/s/main-quick/manifest.json").dirty, true);
});

test("a quick run fills the quick tables and touches no page", async (context) => {
  const { run, files } = setting(context);
  assert.equal(await run("--quick"), 0);
  assert.deepEqual(files(), [
    "data/s/main-quick/manifest.json",
    "data/s/main-quick/skewed.csv.gz",
    "data/s/main-quick/uniform.csv.gz",
  ]);
});

test("--check writes nothing and fails on a difference, naming table, row and column", async (context) => {
  const { run, said, commit, bench, project } = setting(context);
  await run("--quick");
  commit();
  const before = filesBelow(project).filter((path) => !path.includes(".git/"));
  bench.slow = 9;
  assert.equal(await run("--quick", "--check"), 0);
  bench.change = (row) => (row.flush === 4 ? { ...row, fragments: row.fragments + 1 } : row);
  assert.equal(await run("--quick", "--check"), 1);
  assert.match(said.join("\n"), /38 of 39 exact columns identical/);
  assert.match(
    said.join("\n"),
    /uniform: 1 of 6 rows differ, in fragments\. First: uniform off 1 MiB, flush 4: fragments is 505, committed 504/,
  );
  assert.deepEqual(
    filesBelow(project).filter((path) => !path.includes(".git/")),
    before,
  );
});

test("--check compares with what is committed, not with what lies there", async (context) => {
  const { run, commit, bench } = setting(context);
  await run("--quick");
  commit();
  bench.change = (row) => ({ ...row, fragments: 1 });
  assert.equal(await run("--quick"), 0, "a reader's run goes on");
  assert.equal(await run("--quick", "--check"), 1);
  commit();
  assert.equal(await run("--quick", "--check"), 0);
});

test("without git, committed is what lay there before the first write", async (context) => {
  const { run, said, json, bench } = setting(context, false);
  await run();
  bench.change = (row) => ({ ...row, fragments: 1 });
  assert.equal(await run(), 0);
  assert.match(said.join("\n"), /38 of 39 exact columns identical to the files as they were/);
  assert.equal(json<Changes>("summary/s.changes.json").exact[0]?.differing, 6);
  assert.equal(json<Manifest>("data/s/main/manifest.json").commit, "unknown");
});

test("--no-bench draws the same bytes from kept tables; its --check finds a file that was changed", async (context) => {
  const { run, root, said, commit, files, read, bench } = setting(context);
  await run();
  commit();
  const before = files().map((path) => [path, read(path)]);
  bench.calls.length = 0;
  assert.equal(await run("--no-bench"), 0);
  assert.deepEqual(bench.calls, []);
  const same = before.filter(([path]) => path !== "summary/s.changes.json");
  assert.deepEqual(
    files().map((path) => [path, read(path)]),
    same,
    "nothing changed, so no changes are told",
  );
  assert.equal(await run("--no-bench", "--check"), 0);
  writeFileSync(join(root, "figures/s/space.svg"), "<svg/>");
  assert.equal(await run("--no-bench", "--check"), 1);
  assert.match(said.join("\n"), /figures\/s\/space\.svg differs/);
});

test("a claim that does not hold is named, and the exit code says so", async (context) => {
  const { run, said, bench } = setting(context);
  bench.change = (row) => ({ ...row, file_pages: row.file_pages * 2 });
  assert.equal(await run(), 1);
  assert.match(
    said.join("\n"),
    /0 of 1 claims hold\.\n {2}small: "The file stays small\." not 2\.\d+ < 1\.5\./,
  );
});

test("repetitions are interleaved, kept as times, and must agree", async (context) => {
  const { run, files, bench } = setting(context);
  let slow = 0;
  Object.defineProperty(bench, "slow", { get: () => ++slow });
  assert.equal(await run("--repeat", "3"), 0);
  assert.deepEqual(bench.calls, ["uniform", "skewed", "uniform", "skewed", "uniform", "skewed"]);
  assert.ok(files().includes("data/s/main/uniform.times.csv.gz"));
  let call = 0;
  bench.change = (row) => (row.flush === 6 ? { ...row, statements: call++ } : row);
  await assert.rejects(
    run("--repeat", "2"),
    /uniform \(2 of 2\).*not what repetition 1 gave.*flush 6: statements is 2, then 0/,
  );
});

test("a part of the tables keeps the others, with where they came from", async (context) => {
  const { run, json, bench, project } = setting(context);
  await run("--repeat", "2");
  const first = json<Manifest>("data/s/main/manifest.json");
  writeFileSync(join(project, "engine", "a.ts"), "2");
  bench.calls.length = 0;
  assert.equal(await run("--only", "s/skewed"), 0);
  assert.deepEqual(bench.calls, ["skewed"]);
  const second = json<Manifest>("data/s/main/manifest.json");
  assert.equal(second.dirty, true);
  assert.equal(second.tables.skewed?.kept, undefined);
  assert.deepEqual(second.tables.uniform, {
    ...first.tables.uniform,
    kept: {
      commit: first.commit,
      dirty: false,
      date: first.date,
      machine: first.machine,
      command: "pnpm reproduce --repeat 2",
      repeats: 2,
    },
  });
  await run("--only", "s/skewed");
  assert.deepEqual(json<Manifest>("data/s/main/manifest.json").tables.uniform, second.tables.uniform);
});

test("a run that stopped goes on where it was; changed code starts afresh", async (context) => {
  const { run, bench, files, project } = setting(context);
  bench.failAt = "skewed";
  await assert.rejects(run(), /switched off/);
  assert.deepEqual(files(), [], "nothing is written before everything was measured");
  bench.calls.length = 0;
  delete bench.failAt;
  assert.equal(await run(), 0);
  assert.deepEqual(bench.calls, ["skewed"]);
  bench.calls.length = 0;
  await run();
  assert.deepEqual(bench.calls, ["uniform", "skewed"], "a finished run leaves nothing to go on from");

  bench.failAt = "skewed";
  await assert.rejects(run());
  writeFileSync(join(project, "engine", "a.ts"), "2");
  delete bench.failAt;
  bench.calls.length = 0;
  await run();
  assert.deepEqual(bench.calls, ["uniform", "skewed"]);
});

test("a table that is not the manifest's is not drawn from", async (context) => {
  const { run, root } = setting(context);
  await run();
  const other = readFileSync(join(root, "data/s/main/skewed.csv.gz"));
  writeFileSync(join(root, "data/s/main/uniform.csv.gz"), other);
  await assert.rejects(
    run("--no-bench"),
    /s\/main\/uniform: the table is not the one its manifest describes/,
  );
});

test("a name that nothing has is wrong usage, and the names there are are listed", async (context) => {
  const { run } = setting(context);
  await assert.rejects(
    run("--only", "t"),
    (error) => error instanceof UsageError && /s, s\/uniform/.test(error.message),
  );
  await assert.rejects(run("--only", "s/churn"), UsageError);
});

test("before it starts it says what it will do and how long that takes", async (context) => {
  const { run, said } = setting(context);
  await run("--quick", "--only", "s/skewed");
  assert.deepEqual(said.slice(0, 3), [
    "This will measure s, run main: skewed.",
    "It takes about 5 seconds on two cores and at most 10 MiB of disk, one file at a time.",
    "It replaces the quick tables, which no page shows.",
  ]);
});
