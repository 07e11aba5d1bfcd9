/** A short soak; `pnpm soak` works for half an hour, and measures memory too. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { SoakingStore } from "./testing/soak.ts";

test("random work on a live set of one size keeps contents, and the file from growing", () => {
  const file = new MemoryFile("soak");
  const targetBytes = 2 ** 20;
  const store = new SoakingStore(() => file.reopen(), 5, targetBytes);
  let fileBytesMost = 0;
  for (let i = 0; i < 320; i++) {
    store.work();
    if (i % 20 === 0) store.judge();
    if (i > 60) fileBytesMost = Math.max(fileBytesMost, store.fileBytes);
  }
  store.judge();
  store.close();
  assert.ok(store.operations > 30_000 && store.sessions === 1, `${store.operations} operations`);
  assert.ok(store.liveBytesMost > 0.8 * targetBytes && store.liveBytesMost < 1.5 * targetBytes);
  assert.ok(fileBytesMost < 2 * store.liveBytesMost, `${fileBytesMost} bytes of file`);
});
