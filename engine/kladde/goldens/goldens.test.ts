/**
 * Files that our own writer has made, kept beside this test: they stay readable, and today's writer still makes the
 * same bytes of the same calls. KLADDE_WRITE_GOLDENS=1 writes them anew.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { MemoryFile } from "../../storage/memory.ts";
import { inspectFile } from "../inspect/inspect.ts";
import { Store } from "../store.ts";
import type { StoreView } from "../view.ts";
import { goldens, makeGolden } from "./testing.ts";

const folder = new URL("./", import.meta.url);
const fileOf = (name: string): URL => new URL(`${name}.kladde.gz`, folder);
const dumpOf = (name: string): URL => new URL(`${name}.dump`, folder);
const command = "KLADDE_WRITE_GOLDENS=1 node --test engine/kladde/goldens/goldens.test.ts";

const dump = (store: StoreView): string =>
  [...store.ids()]
    .map((id) => `${id} ${store.committedSize(id)} ${store.crc32c(id).toString(16).padStart(8, "0")}\n`)
    .join("");

if (process.env.KLADDE_WRITE_GOLDENS === "1")
  for (const name of Object.keys(goldens)) {
    const bytes = makeGolden(name);
    writeFileSync(fileOf(name), gzipSync(bytes, { level: 9 }));
    writeFileSync(dumpOf(name), dump(Store.openReadOnly(new MemoryFile(name, bytes))));
  }

test("every golden file belongs to a sequence of calls, and the other way round", () => {
  const kept = readdirSync(folder).filter((name) => name.endsWith(".kladde.gz"));
  assert.deepEqual(kept.map((name) => name.replace(".kladde.gz", "")).sort(), Object.keys(goldens).sort());
});

for (const name of Object.keys(goldens)) {
  const bytes = Uint8Array.from(gunzipSync(readFileSync(fileOf(name))));
  const expected = readFileSync(dumpOf(name), "utf8");

  test(`${name}: read, folded, flushed and read again`, () => {
    assert.equal(inspectFile(new MemoryFile(name, bytes)).faults, 0);
    const file = new MemoryFile(name, bytes);
    const reading = Store.openReadOnly(file);
    assert.equal(dump(reading), expected);
    reading.check();
    const store = Store.open(file);
    for (let flush = 0; flush < 3; flush++) {
      assert.equal(dump(store), expected);
      store.check();
      store.flush();
    }
    store.close();
    assert.equal(dump(Store.openReadOnly(file)), expected);
  });

  test(`${name}: written the same today`, () => {
    const now = makeGolden(name);
    assert.equal(now.length, bytes.length, hint(name, "its length differs"));
    const at = now.findIndex((byte, i) => byte !== bytes[i]);
    const where = `page ${Math.floor(at / 4096)} differs first, at its byte ${at % 4096}`;
    assert.equal(at, -1, hint(name, where));
  });
}

function hint(name: string, what: string): string {
  return `the writer makes another file of the calls of "${name}": ${what}. If that is meant, and old files stay readable, write the golden files anew and commit them:\n  ${command}`;
}

test("the shapes are what their names say", () => {
  const shape = (name: string) => inspectFile(new MemoryFile(name, makeGolden(name)));
  assert.deepEqual([shape("empty").allocations, shape("empty").filePages], [0, 2]);
  assert.deepEqual([shape("inline").tablePages, shape("inline").dataPages], [0, 0]);
  assert.ok(shape("data").dataPages! > 3);
  assert.ok(shape("leaf").tablePages >= 1);
  assert.ok(shape("interior").tablePages > 600);
  assert.equal(shape("journal").transactions, 4);
  assert.ok(shape("journal").journalPages >= 2);
  assert.ok(shape("anchors").tablePages >= 1);
  assert.ok(shape("reused").epoch > 12);
  const store = Store.open(new MemoryFile("interior", makeGolden("interior")));
  assert.ok(store.stats().interiorPages >= 1);
  store.close();
});
