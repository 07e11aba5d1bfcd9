import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Store, type SurveyDocument } from "../kladde/index.ts";
import { openNodeFile } from "../storage/node.ts";
import { kladde, withFolder } from "./testing.ts";

const entry = fileURLToPath(new URL("kladde.ts", import.meta.url));

/** Ten allocations of a page each, one more in the journal only: the process died. */
function makeFile(name: string, allocations = 10): Buffer {
  const store = Store.create(openNodeFile(name, "create"), { consolidate: false });
  for (let i = 0; i < allocations; i++) store.write(store.alloc(0), 0, new Uint8Array(4081).fill(i));
  store.flush();
  store.write(3, 7, new Uint8Array(5));
  const bytes = readFileSync(name);
  store.close();
  writeFileSync(name, bytes);
  return bytes;
}

const forms = [[], ["--all"], ["--json"], ["--html"], ["--id", "3"], ["--id", "3", "--json"]];

test("inspect only reads: bytes, date and folder stay as they are", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    const bytes = makeFile(name);
    utimesSync(name, 1_000_000_000, 1_000_000_000);
    const before = readdirSync(folder);
    for (const words of forms) {
      const { code, out, complaints } = await kladde("inspect", name, ...words);
      assert.deepEqual([code, complaints], [0, ""], words.join(" "));
      assert.ok(out.length > 100);
    }
    assert.ok(readFileSync(name).equals(bytes));
    assert.equal(statSync(name).mtimeMs, 1_000_000_000_000);
    assert.deepEqual(readdirSync(folder), before);
  }));

test("inspect looks at a file that somebody has open for writing", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeFile(name);
    const store = Store.open(openNodeFile(name, "write"));
    assert.equal((await kladde("inspect", name)).code, 0);
    store.close();
  }));

test("inspect shows the journal of a process that died, and what it means for an allocation", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    makeFile(name);
    const { out } = await kladde("inspect", name);
    assert.match(out, /1 complete transaction of 1 record, /);
    const one = await kladde("inspect", name, "--id", "3");
    assert.match(one.out, /^allocation 3 exists, with 4081 bytes\n/);
    assert.match(one.out, /for the next flush\n {2}Write 5 bytes to 3 at 7\n$/);
    const document = JSON.parse((await kladde("inspect", name, "--json")).out) as SurveyDocument;
    assert.equal(document.allocations.length, 10);
    assert.equal(document.pages.length, document.filePages);
    assert.deepEqual(
      document.slots.map(({ state }) => state),
      ["older", "governs"],
    );
  }));

test("inspect ends with 1 for a file with faults, and shows what it can", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "a");
    const bytes = makeFile(name);
    const document = JSON.parse((await kladde("inspect", name, "--json")).out) as SurveyDocument;
    const { page } = document.pages.find(({ use }) => use === "data")!;
    bytes[page * 4096 + 100]! ^= 1;
    writeFileSync(name, bytes);
    for (const words of forms)
      assert.equal((await kladde("inspect", name, ...words)).code, 1, words.join(" "));
    const { out } = await kladde("inspect", name);
    assert.match(out, /: 1 fault\n/);
    assert.match(out, /Allocations: 10, .*4081 bytes damaged/s);
    bytes.fill(0, 0, 8192);
    writeFileSync(name, bytes);
    const unknown = await kladde("inspect", name);
    assert.deepEqual([unknown.code, unknown.out], [1, ""]);
    assert.match(unknown.complaints, /^kladde: .*not a kladde file/);
    const missing = await kladde("inspect", `${name}x`);
    assert.deepEqual([missing.code, missing.out], [1, ""]);
  }));

test("inspect: a reader that goes away ends it silently", () =>
  withFolder(async (folder) => {
    const name = path.join(folder, "many");
    const store = Store.create(openNodeFile(name, "create"), { consolidate: false });
    store.transaction(() => Array.from({ length: 20_000 }, () => store.alloc(0)));
    store.close();
    const child = spawn(process.execPath, [entry, "inspect", name, "--json"]);
    let complaints = "";
    child.stderr.on("data", (data) => {
      complaints += data;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((ended) => child.on("close", ended));
    assert.deepEqual([complaints, code], ["", 0]);
  }));
