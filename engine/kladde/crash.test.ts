/**
 * Power cuts at every write, truncate and sync of random histories. By hand:
 *
 *     SEED=17 node --test engine/kladde/crash.test.ts             one history; a failure prints its shortest part
 *     HISTORIES=1000 node --test engine/kladde/crash.test.ts      more of them
 *     SEED=5000 HISTORIES=1000 node --test engine/kladde/crash.test.ts    others
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../errors.ts";
import { CrashingFile, PowerCut } from "../storage/crashing.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import type { CrashCounts } from "./testing/crash.ts";
import { type Image, imagesAt, ObservedFile } from "./testing/crash-disk.ts";
import { runOrExplain } from "./testing/crash-explain.ts";
import { drawCrashHistory } from "./testing/crash-history.ts";

const firstSeed = Number(process.env.SEED ?? 0);
const histories = Number(process.env.HISTORIES ?? (process.env.SEED === undefined ? 48 : 1));

test(`${histories} histories survive a power cut anywhere, and another one during the recovery`, (t) => {
  const total = { cuts: 0, exhausted: 0, images: 0, distinct: 0, innerImages: 0, innerDistinct: 0 };
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const again = `SEED=${seed} node --test engine/kladde/crash.test.ts`;
    const counts = runOrExplain(drawCrashHistory(seed), again);
    for (const key of Object.keys(total) as (keyof CrashCounts)[]) total[key] += counts[key];
  }
  t.diagnostic(
    `${histories} histories, ${total.cuts} cuts, ${total.images} images (${total.distinct} distinct), ` +
      `${total.innerImages} images of cuts during recoveries (${total.innerDistinct} distinct)`,
  );
  assert.ok(total.cuts > 10 * histories && total.innerDistinct > total.distinct, "the cuts are real ones");
});

/** A few operations between two flushes, the second of which writes data pages. */
function work(file: CrashingFile | ObservedFile): void {
  const store = Store.create(file);
  const id = store.alloc(9000);
  store.write(id, 100, new Uint8Array(6000).fill(7));
  store.flush();
  store.write(id, 0, new Uint8Array(5000).fill(8));
  store.free(store.alloc(10));
  store.flush();
  store.resize(id, 10);
  store.close();
}

test("watching a run shows the disks that cutting it would", () => {
  const watched: Image[] = [];
  const disk = new CrashingFile();
  work(new ObservedFile(disk, (moment) => watched.push(...imagesAt(disk, moment, 1, 2))));
  assert.ok(disk.mutations > 15, `${disk.mutations} calls`);
  for (let cutAt = 0; cutAt < disk.mutations; cutAt++) {
    const cut = new CrashingFile(undefined, { cutAt });
    assert.throws(() => work(cut), PowerCut);
    const seen = watched.filter(({ moment }) => moment.number === cutAt);
    const images = imagesAt(cut, seen[0]!.moment, 1, 2);
    assert.deepEqual(
      images.map(({ choice, bytes }) => [choice, bytes]),
      seen.map(({ choice, bytes }) => [choice, bytes]),
    );
  }
});

test("a file whose making was interrupted is empty, or refused as unfinished", () => {
  const disk = new CrashingFile(new Uint8Array(5 * 4096).fill(0xaa));
  const images: Image[] = [];
  const file = new ObservedFile(disk, (moment) => images.push(...imagesAt(disk, moment, 3, 20)));
  Store.create(file, { overwrite: true });
  const outcomes = new Set<string>();
  for (const { bytes } of images) {
    const image = new MemoryFile("image", bytes);
    try {
      const store = Store.open(image);
      outcomes.add("empty");
      assert.deepEqual([...store.ids()], []);
      store.close();
    } catch (error) {
      assert.ok(error instanceof StoreError);
      assert.ok(error.code === "not-kladde" || error.code === "corrupt", error.message);
      outcomes.add("refused");
    }
    Store.create(image, { overwrite: true }).close();
  }
  assert.deepEqual([...outcomes].sort(), ["empty", "refused"]);
  for (const one of imagesAt(disk, { call: "none", number: 0 }, 3, 20))
    Store.open(new MemoryFile("image", one.bytes)).close();
});
