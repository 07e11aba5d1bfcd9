/** Types and values through the command line. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Kladde, k, MemoryFile, Store, type SurveyDocument, type TypedDocument } from "../kladde/index.ts";
import { openNodeFile } from "../storage/node.ts";
import { kladde, type Outcome, withFolder } from "./testing.ts";

const Author = k.struct({ born: k.i16(), nick: k.option(k.string()) }, { name: "Author" });
const Shape = k.enum({ Dot: {}, Circle: { radius: k.f64() } }, { name: "Shape" });
const Library = k.struct(
  { title: k.string(), authors: k.map(k.string(), Author), shapes: k.vec(Shape) },
  { name: "Library" },
);

const Notes = k.struct({ texts: k.vec(k.string()) }, { name: "Notes" });

function libraryBytes(): Uint8Array {
  const file = new MemoryFile("library");
  const library = Kladde.open(file, Library, {
    init: () => ({
      title: "Books",
      authors: [
        ["Bob", { born: 1, nick: null }],
        ["Ada", { born: 1815, nick: "AL" }],
        ["Grace", { born: 1906, nick: null }],
      ] as const,
      shapes: [{ kind: "Dot" as const }, { kind: "Circle" as const, radius: 0.5 }],
    }),
  });
  library.authors.delete("Bob");
  library.close();
  return file.bytes();
}

/** Writes a library, and one with a leak, and says how to call the command on them. */
function withFiles(
  step: (
    run: (which: "library" | "leaky", ...words: string[]) => Promise<Outcome>,
    leakedId: number,
  ) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    for (const which of ["library", "leaky"]) writeFileSync(path.join(folder, which), libraryBytes());
    const store = Store.open(openNodeFile(path.join(folder, "leaky"), "write"), { consolidate: false });
    const leakedId = store.alloc(3);
    store.close();
    await step((which, ...words) => {
      const [command, ...rest] = words;
      return kladde(command!, path.join(folder, which), ...rest);
    }, leakedId);
  });
}

test("inspect shows types and values, alone or with everything else", () =>
  withFiles(async (run) => {
    const types = await run("library", "inspect", "--types");
    assert.deepEqual([types.code, types.complaints], [0, ""]);
    assert.match(types.out, /^Types: the root is Library; 16 types in 158 bytes\n/);
    assert.doesNotMatch(types.out, /Values/);
    const values = await run("library", "inspect", "--values", "--depth", "1");
    assert.match(values.out, /^Values: 81 bytes in 7 allocations\n/);
    assert.doesNotMatch(values.out, /radius/);
    const { out } = await run("library", "inspect");
    assert.match(out, /\nTypes: the root is Library;.*\nValues: 81 bytes.*\n {2}root .*\n {6}\["Ada"\] /s);
    assert.match((await run("library", "inspect", "--html")).out, /<h2>Types<\/h2>.*<h2>Values<\/h2>/s);
    const document = JSON.parse((await run("library", "inspect", "--json")).out) as SurveyDocument;
    assert.equal(document.typed.values?.rows.length, 13);
  }));

test("inspect finds the value at a path, and says if there is none", () =>
  withFiles(async (run) => {
    const found = await run("library", "inspect", "--values", "--path", "authors[Ada].nick", "--json");
    assert.equal(found.code, 0);
    assert.equal((JSON.parse(found.out) as TypedDocument).values?.value, "AL");
    const none = await run("library", "inspect", "--values", "--path", "authors[Bob]");
    assert.equal(none.code, 0);
    assert.match(none.out, /there is no authors\[Bob\]/);
    const raw = await run("library", "inspect", "--values", "--raw", "--path", "authors[0].live");
    assert.match(raw.out, /authors\[0\]\.live {2}bool {2}false/);
    const cut = await run("library", "inspect", "--values", "--limit", "3");
    assert.match(cut.out, / {2}and 10 values more \(--limit, --depth, --path\)\n$/);
  }));

test("check and inspect end with 1 for a leak, and name it", () =>
  withFiles(async (run, leakedId) => {
    const checked = await run("leaky", "check");
    assert.equal(checked.code, 1);
    const found = `, allocation ${leakedId}, rule leak: leaked: no value leads to it; it has 3 bytes\n`;
    assert.ok(checked.out.includes(found), checked.out);
    assert.match(checked.out, /: 1 fault; .*; values of type Library, in 7 allocations\n$/);
    for (const words of [[], ["--json"], ["--html"], ["--values"], ["--values", "--json"]])
      assert.equal((await run("leaky", "inspect", ...words)).code, 1, words.join(" "));
    const sound = await run("library", "check");
    assert.equal(sound.code, 0);
    assert.match(sound.out, /: sound; .*; values of type Library, in 7 allocations\n$/);
  }));

test("options that make no sense are refused with 2", () =>
  withFiles(async (run) => {
    const wrong: [string[], RegExp][] = [
      [["--types", "--values"], /only one of --id, --types and --values/],
      [["--types", "--id", "3"], /only one of --id/],
      [["--path", "a"], /--path needs --values/],
      [["--raw"], /--raw needs --values/],
      [["--types", "--depth", "1"], /--depth needs --values/],
      [["--values", "--html"], /--values cannot be had as --html/],
      [["--values", "--all"], /--values takes --limit, not --all/],
      [["--values", "--path", "a["], /"a\[" is no path of a value: it stops making sense at character 2/],
      [["--values", "--depth", "-1"], /"-1" is no depth: --depth takes a whole number from 0 on\n/],
      [["--values", "--depth", "x"], /"x" is no depth/],
      [["--values", "--limit", "0"], /"0" is no number of rows/],
      [["--values", "--limit", "-1"], /"-1" is no number of rows: --limit takes a whole number from 1 on\n/],
    ];
    for (const [words, message] of wrong) {
      const { code, complaints } = await run("library", "inspect", ...words);
      assert.equal(code, 2, words.join(" "));
      assert.match(complaints, message);
    }
    assert.equal((await run("library", "check", "--values")).code, 2);
  }));

test("inspect reads on beside a damaged data page, ends with 1, and leaves the file as it is", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "notes");
    const texts = Array.from({ length: 300 }, (_, i) => `${i} ${"note ".repeat(16)}`);
    const memory = new MemoryFile("notes");
    Kladde.open(memory, Notes, { init: () => ({ texts }) }).close();
    writeFileSync(name, memory.bytes());
    const whole = JSON.parse((await kladde("inspect", name, "--json")).out) as SurveyDocument;
    const { page } = whole.pages.filter(({ use, allocations }) => use === "data" && allocations > 20)[2]!;
    const bytes = readFileSync(name);
    bytes[page * 4096 + 2000]! ^= 16;
    writeFileSync(name, bytes);
    const json = await kladde("inspect", name, "--values", "--json");
    const shown = (JSON.parse(json.out) as TypedDocument).values!.value as { texts: unknown[] };
    assert.equal(json.code, 1);
    const lost = shown.texts.flatMap((text, i) => (text === texts[i] ? [] : [text]));
    assert.ok(lost.length > 20 && lost.length < 60, `${lost.length} are lost`);
    const fault = `page ${page}, D2: data page has a wrong checksum`;
    for (const text of lost) assert.deepEqual(text, { broken: "string", fault });
    const text = await kladde("inspect", name, "--values", "--limit", "2000");
    assert.equal(text.code, 1);
    assert.equal(text.out.split(`cannot be read: ${fault}`).length - 1, lost.length);
    assert.match(text.out, /^Values: \d+ bytes in \d+ allocations, as far as they can be read\n/);
    const types = await kladde("inspect", name, "--types");
    assert.match(types.out, /^Types: the root is Notes/);
    for (const words of [[], ["--json"], ["--html"], ["--types"]])
      assert.equal((await kladde("inspect", name, ...words)).code, 1, words.join(" "));
    assert.ok(readFileSync(name).equals(bytes));
  }));

test("text and names that would steer a terminal are written as escapes, in JSON as the same characters", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "notes");
    const text = "a\u202eb\u2066c\u2069d\u0085e\u007ff\u001b[2J\u200fg";
    const Steering = k.struct({ "x\u202ey": k.string() }, { name: "Odd\u001b[31m\u2067" });
    const memory = new MemoryFile("notes");
    Kladde.open(memory, Steering, { init: () => ({ "x\u202ey": text }) }).close();
    writeFileSync(name, memory.bytes());
    for (const words of [[], ["--values"], ["--types"], ["--html"], ["--json"], ["--values", "--json"]]) {
      const { out, code } = await kladde("inspect", name, ...words);
      assert.equal(code, 0);
      assert.doesNotMatch(out, /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u, words.join(" "));
    }
    const { out } = await kladde("inspect", name, "--values", "--json");
    assert.deepEqual((JSON.parse(out) as TypedDocument).values?.value, { "x\u202ey": text });
  }));
