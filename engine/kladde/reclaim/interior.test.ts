/** Reclamation in a table of more leaves than the header names: with interior pages, and on the way back from them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { Store, type StoreOptions } from "../index.ts";
import { bytesOf } from "../testing/perform.ts";
import { checkReclaim, failOnLostReferrers } from "../testing/reclaim-oracle.ts";
import { compareWithReload, contextOf } from "../testing/reload.ts";
import { compareContents } from "../testing/run.ts";

failOnLostReferrers();

/** Leaves are rewritten early; the window is long. */
const options: StoreOptions = { inlineThreshold: 251, churnFloor: 0.3, theta: 0.5, walk: 3000 };

test("leaves are rewritten while an interior page names them, until the header does again", () => {
  const random = new SplitMix32(1);
  const file = new MemoryFile();
  let store = Store.create(file, options);
  const contents = new Map<number, Uint8Array>();
  const make = (bytes: Uint8Array): void => {
    const id = store.alloc(0);
    store.write(id, 0, bytes);
    contents.set(id, bytes);
  };
  store.batch(() => {
    for (let i = 0; i < 11_500; i++) make(bytesOf(i, 200 + random.below(50)));
  });
  const judge = (): void => {
    store.check();
    compareWithReload(contextOf(store));
    checkReclaim(store);
    compareContents(store, contents);
  };
  const seen = { interior: 0, none: 0, rewrites: 0 };
  for (let flush = 0; flush < 9; flush++) {
    const ids = [...contents.keys()];
    store.batch(() => {
      for (let i = 0; i < 300; i++) {
        const id = ids[random.below(ids.length)]!;
        const bytes = contents.get(id)!.slice();
        const offset = random.below(bytes.length);
        bytes.set(bytesOf(i, 1), offset);
        contents.set(id, bytes);
        store.write(id, offset, bytesOf(i, 1));
      }
      if (flush !== 4 && flush !== 6) return;
      for (const id of ids) {
        if (random.below(3) === 0) continue;
        store.free(id);
        contents.delete(id);
      }
    });
    store.flush();
    judge();
    const { interiorPages, tableRewrites } = store.stats();
    if (interiorPages > 0) seen.interior++;
    else seen.none++;
    if (flush % 4 !== 3) continue;
    seen.rewrites += tableRewrites;
    store.close();
    store = Store.open(file, options);
    judge();
  }
  assert.ok(seen.interior > 2 && seen.none > 2 && seen.rewrites > 100, JSON.stringify(seen));
});
