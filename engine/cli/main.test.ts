import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32c } from "../codec/crc32c.ts";
import { Store } from "../kladde/index.ts";
import { openNodeFile } from "../storage/node.ts";
import { usage } from "./main.ts";
import { kladde, withFolder } from "./testing.ts";

const entry = fileURLToPath(new URL("kladde.ts", import.meta.url));

/** Makes a store at `name`, lets `fill` work on it, and closes it. */
function makeStore(name: string, fill: (store: Store) => void): void {
  const store = Store.create(openNodeFile(name, "create"), { consolidate: false });
  try {
    fill(store);
  } finally {
    store.close();
  }
}

const pattern = (bytes: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (i * 31 + seed) % 251);

const hex = (value: number): string => value.toString(16).padStart(8, "0");

/** Six data pages, and some small allocations. */
function fillData(store: Store): void {
  for (let i = 0; i < 6; i++) store.write(store.alloc(4081), 0, pattern(4081, i));
  store.write(store.alloc(5), 0, pattern(5, 9));
  store.alloc(0);
}

test("dump prints what is there, the header on request", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeStore(name, (store) => {
      fillData(store);
      store.free(2);
      store.setRoots(7, 8, pattern(16, 200));
    });
    const lines = [1, 3, 4, 5, 6].map((id) => `${id} 4081 ${hex(crc32c(pattern(4081, id - 1)))}`);
    lines.push(`7 5 ${hex(crc32c(pattern(5, 9)))}`, "8 0 00000000");
    const body = lines.map((line) => `${line}\n`).join("");
    assert.deepEqual(await kladde("dump", name), { code: 0, out: body, complaints: "" });
    const { out, code } = await kladde("dump", name, "--header");
    assert.equal(code, 0);
    assert.ok(out.endsWith(body));
    const header = out.slice(0, -body.length).trimEnd().split("\n");
    assert.deepEqual(header.slice(0, -1), [
      "slot 1",
      "epoch 1",
      "format_version 0",
      "min_reader_version 0",
      "root_allocation 7",
      "schema_table 8",
      "consolidator_state 0",
      `root_fingerprint ${Buffer.from(pattern(16, 200)).toString("hex")}`,
    ]);
    assert.match(header.at(-1)!, /^journal_pointer \d+$/);
  }));

test("4 GiB of zeros take no time", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "zeros");
    const size = 2 ** 32 - 1;
    makeStore(name, (store) => {
      store.alloc(size);
      store.write(store.alloc(size), 3 * 2 ** 30, Uint8Array.of(1));
    });
    assert.ok(statSync(name).size <= 5 * 4096);
    const start = performance.now();
    const { out, code } = await kladde("dump", name);
    assert.equal((await kladde("check", name)).code, 0);
    assert.ok(performance.now() - start < 1000);
    assert.equal(code, 0);
    const [zeros, withOne] = out.split("\n");
    // Both CRCs by a library that reads all the bytes.
    assert.equal(zeros, `1 ${size} 527d5351`);
    assert.equal(withOne, `2 ${size} 527d5341`);
  }));

test("nothing of the file changes, and no lock is taken", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeStore(name, fillData);
    const file = openNodeFile(name, "write");
    file.lock();
    try {
      const bytes = readFileSync(name);
      chmodSync(name, 0o444);
      const before = statSync(name, { bigint: true });
      const names = readdirSync(folder);
      for (const words of [["dump"], ["dump", "--header"], ["check"]]) {
        assert.equal((await kladde(...words, name)).code, 0);
      }
      const after = statSync(name, { bigint: true });
      assert.equal(after.mtimeNs, before.mtimeNs);
      assert.equal(after.ctimeNs, before.ctimeNs);
      assert.deepEqual(readFileSync(name), bytes);
      assert.deepEqual(readdirSync(folder), names);
    } finally {
      file.close();
    }
  }));

test("no lock file appears beside a file that never had one", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeStore(name, fillData);
    const copy = path.join(folder, "b");
    writeFileSync(copy, readFileSync(name));
    await kladde("dump", copy);
    await kladde("check", copy);
    assert.ok(!readdirSync(folder).includes("b.lock"));
  }));

test("wrong words: one line, where to read more, and exit code 2", async () => {
  const cases: [string[], RegExp][] = [
    [[], /^kladde: a command is missing$/],
    [["dump"], /^kladde: FILE is missing$/],
    [["check"], /^kladde: FILE is missing$/],
    [["mend", "a"], /^kladde: unknown command "mend"$/],
    [["dump", "a", "b"], /^kladde: unexpected "b"$/],
    [["dump", "a", "--none"], /^kladde: Unknown option '--none'$/],
    [["dump", "a", "--all"], /^kladde: dump takes no --all$/],
    [["check", "a", "--id", "7"], /^kladde: check takes no --id$/],
    [["inspect"], /^kladde: FILE is missing$/],
    [["inspect", "a", "--header"], /^kladde: inspect takes no --header$/],
    [["inspect", "a", "--json", "--html"], /^kladde: only one of --all, --json and --html can be had$/],
    [["inspect", "a", "--id", "7", "--html"], /^kladde: --id cannot be had as --html$/],
    [["inspect", "a", "--id", "0"], /^kladde: "0" is no id of an allocation$/],
    [["inspect", "a", "--id", "4294967296"], /^kladde: "4294967296" is no id of an allocation$/],
    [["inspect", "a", "--id", "1.5"], /^kladde: "1.5" is no id of an allocation$/],
    [["inspect", "a", "--id", "-7"], /^kladde: "-7" is no id of an allocation$/],
    [["dump", "a\u202e", "b\u001b[2J"], /^kladde: unexpected "b\\u001b\[2J"$/],
    [["dump", "a", "-x"], /^kladde: Unknown option '-x'$/],
    [["dump", "a", "--header=1"], /^kladde: Option '--header' does not take an argument$/],
    [["check", "a", "--header"], /^kladde: check takes no --header$/],
  ];
  for (const [words, complaint] of cases) {
    const { code, out, complaints } = await kladde(...words);
    assert.equal(code, 2, words.join(" "));
    assert.equal(out, "");
    const [first, ...rest] = complaints.split("\n");
    assert.match(first!, complaint);
    assert.deepEqual(rest, ["see kladde --help"]);
  }
  for (const words of [["--help"], ["-h"], ["dump", "--help"], ["a", "b", "c", "-h"]])
    assert.deepEqual(await kladde(...words), { code: 0, out: `${usage}\n`, complaints: "" });
});

test("files that cannot be read: one line and exit code 1", () =>
  withFolder(async (folder) => {
    const foreign = path.join(folder, "foreign");
    writeFileSync(foreign, "not a kladde file\n".repeat(1000));
    const empty = path.join(folder, "empty");
    writeFileSync(empty, "");
    const cases: [string, RegExp][] = [
      [path.join(folder, "missing"), /does not exist/],
      [folder, /directory/],
      [foreign, /not a kladde file/],
      [empty, /not a kladde file/],
    ];
    for (const command of ["dump", "check"])
      for (const [name, complaint] of cases) {
        const { code, out, complaints } = await kladde(command, name);
        assert.equal(code, 1);
        assert.equal(out, "");
        assert.match(complaints, complaint);
        assert.ok(complaints.startsWith(`kladde: ${name}`));
        assert.ok(!complaints.includes("\n"));
      }
  }));

test("check names every damaged page, and what it holds", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeStore(name, fillData);
    const sound = await kladde("check", name);
    assert.equal(sound.code, 0);
    assert.match(sound.out, /: sound; epoch 1; 8 allocations; /);
    const bytes = readFileSync(name);
    const damaged: number[] = [];
    for (let page = 2; page < bytes.length / 4096; page++) {
      if (bytes[page * 4096] !== 2) continue;
      damaged.push(page);
      bytes[page * 4096 + 100]! ^= 1;
    }
    assert.equal(damaged.length, 6);
    writeFileSync(name, bytes);
    const { code, out } = await kladde("check", name);
    assert.equal(code, 1);
    const faults = out.split("\n").filter((line) => line.startsWith("fault: "));
    assert.equal(faults.length, 6);
    for (const page of damaged)
      assert.ok(faults.some((line) => line.includes(`, page ${page}, `) && line.includes("rule D2")));
    assert.match(out, /: 6 faults; epoch 1; /);
  }));

test("check calls a dangling root a fault, a cut-off last page a note", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeStore(name, (store) => {
      store.alloc(1);
      store.setRoots(77, 78, new Uint8Array(16));
    });
    const dangling = await kladde("check", name);
    assert.equal(dangling.code, 1);
    assert.match(dangling.out, /fault: .*allocation 77, rule H14: the header names a root allocation that/);
    assert.match(dangling.out, /fault: .*allocation 78, rule H14: the header names a schema table that/);
    makeStore(path.join(folder, "b"), fillData);
    const cut = path.join(folder, "c");
    writeFileSync(cut, Buffer.concat([readFileSync(path.join(folder, "b")), Buffer.alloc(100, 7)]));
    const { code, out } = await kladde("check", cut);
    assert.equal(code, 0);
    assert.match(out, /note: .*rule H2: the last 100 bytes are no whole page/);
  }));

test("a reader that goes away ends the command silently", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "many");
    makeStore(name, (store) => store.transaction(() => Array.from({ length: 30_000 }, () => store.alloc(0))));
    const child = spawn(process.execPath, [entry, "dump", name]);
    let complaints = "";
    child.stderr.on("data", (data) => {
      complaints += data;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((ended) => child.on("close", ended));
    assert.equal(complaints, "");
    assert.equal(code, 0);
  }));

test("the program itself", () =>
  withFolder((folder) => {
    const name = path.join(folder, "a");
    makeStore(name, (store) => store.alloc(3));
    const run = (...words: string[]) => spawnSync(process.execPath, [entry, ...words], { encoding: "utf8" });
    const good = run("dump", name);
    assert.deepEqual(
      [good.status, good.stdout, good.stderr],
      [0, `1 3 ${hex(crc32c(new Uint8Array(3)))}\n`, ""],
    );
    const bad = run("dump", `${name}x`);
    assert.equal(bad.status, 1);
    assert.match(bad.stderr, /^kladde: .*does not exist\n$/);
    assert.equal(run("frobnicate").status, 2);
  }));
