/** What every implementation of `StorageFile` must do alike. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { crc32c } from "../codec/crc32c.ts";
import { StoreError } from "../errors.ts";
import { MemoryFile } from "./memory.ts";
import { openNodeFile } from "./node.ts";
import type { StorageFile } from "./storage.ts";

const folder = mkdtempSync(path.join(tmpdir(), "daybook-storage-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

/** Two handles on the same new file. */
const implementations: Record<string, () => [StorageFile, StorageFile]> = {
  MemoryFile: () => {
    const file = new MemoryFile();
    return [file, file.reopen()];
  },
  "a file of Node's": () => {
    const name = path.join(folder, `file-${files++}`);
    return [openNodeFile(name, "create"), openNodeFile(name, "write")];
  },
};

const code = (expected: string) => (error: unknown) => error instanceof StoreError && error.code === expected;

for (const [name, make] of Object.entries(implementations)) {
  describe(name, () => {
    test("agrees with a plain array after any calls", () => {
      const length = fc.integer({ min: 0, max: 9000 });
      const call = fc.oneof(
        fc.record({ kind: fc.constant("truncate" as const), bytes: length }),
        fc.record({
          kind: fc.constant("write" as const),
          at: length,
          from: fc.uint8Array({ maxLength: 600 }),
        }),
        fc.record({ kind: fc.constant("read" as const), at: length, bytes: fc.nat(600) }),
      );
      fc.assert(
        fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
          const [file, other] = make();
          let model = new Uint8Array(0);
          for (const step of calls) {
            if (step.kind === "truncate") {
              file.truncate(step.bytes);
              const changed = new Uint8Array(step.bytes);
              changed.set(model.subarray(0, step.bytes));
              model = changed;
            } else if (step.kind === "write") {
              const at = Math.min(step.at, model.length);
              const from = step.from.subarray(0, model.length - at);
              file.write(from, at);
              model.set(from, at);
            } else {
              const into = new Uint8Array(step.bytes);
              if (step.at + step.bytes > model.length && step.bytes > 0) {
                assert.throws(() => file.read(into, step.at), code("io-failed"));
              } else if (step.at + step.bytes <= model.length) {
                file.read(into, step.at);
                assert.deepEqual(into, model.slice(step.at, step.at + step.bytes));
              }
            }
            assert.equal(file.size(), model.length);
          }
          file.sync();
          const seen = new Uint8Array(other.size());
          other.read(seen, 0);
          assert.deepEqual(seen, model);
          file.close();
          other.close();
        }),
        { numRuns: 60 },
      );
    });

    test("has one writer at a time", () => {
      const [file, other] = make();
      file.lock();
      assert.throws(() => file.lock(), code("locked"));
      assert.throws(() => other.lock(), code("locked"));
      other.close();
      assert.throws(() => file.lock(), code("locked"), "closing another handle must not release it");
      file.close();
      file.close();
    });

    test("computes CRC-32C", () => {
      const [file, other] = make();
      for (const length of [0, 9, 159, 160, 5000]) {
        const bytes = Uint8Array.from({ length }, (_, i) => i * 31);
        assert.equal(file.crc32c(bytes), crc32c(bytes));
        assert.equal(file.crc32c(bytes, 12345), crc32c(bytes, 12345));
      }
      file.close();
      other.close();
    });
  });
}

test("MemoryFile: closing its holder frees the lock for any handle", () => {
  const file = new MemoryFile("m", Uint8Array.of(1, 2, 3));
  const other = file.reopen();
  file.lock();
  const clone = file.clone();
  clone.lock();
  file.close();
  other.lock();
  other.truncate(1);
  assert.deepEqual(file.bytes(), Uint8Array.of(1));
  assert.deepEqual(clone.bytes(), Uint8Array.of(1, 2, 3));
});
