/** What must happen to a file that is damaged, and to one that only looks so. */

import assert from "node:assert/strict";
import { StoreError, type StoreErrorCode } from "../../errors.ts";
import type { MemoryFile } from "../../storage/memory.ts";
import type { Finding } from "../inspect/findings.ts";
import { type Inspection, inspectFile } from "../inspect/inspect.ts";
import { Store } from "../store.ts";
import type { StoreView } from "../view.ts";
import { assertSurveyed } from "./surveyed.ts";
import { caught, WatchedFile } from "./watched-file.ts";

export { caught, WatchedFile };

export const fileName = "test.kladde";

export interface Refusal {
  readonly code: StoreErrorCode;
  readonly rule?: string;
  readonly page?: number;
  readonly offset?: number;
  readonly id?: number;
}

type Opening = (file: MemoryFile) => unknown;

export const openings: Readonly<Record<string, Opening>> = {
  "open for reading": (file) => Store.openReadOnly(file),
  "open for writing": (file) => Store.open(file),
};

/** Every way of opening refuses the file as expected, before it is locked, synced or written. */
export function assertRefused(bytes: Uint8Array, expected: Refusal, ways = openings): void {
  for (const [way, open] of Object.entries(ways)) {
    const file = new WatchedFile(fileName, bytes);
    const error = caught(() => open(file));
    assert.ok(error instanceof StoreError, `${way}: ${String(error)}`);
    assertPlace(error, expected, way);
    assert.equal(error.file, fileName, way);
    assert.deepEqual([file.writes, file.syncs, file.locks], [0, 0, 0], way);
    assert.ok(Buffer.from(file.bytes()).equals(bytes), way);
  }
  if (expected.code === "corrupt") assertFound(bytes, expected);
  assertSurveyed(bytes);
}

/** The inspection reports the same fault, thrown if no header governs. */
function assertFound(bytes: Uint8Array, expected: Refusal): void {
  const file = new WatchedFile(fileName, bytes);
  let findings: readonly Finding[] = [];
  const error = caught(() => {
    findings = inspectFile(file).findings;
  });
  if (error !== undefined) {
    assert.ok(error instanceof StoreError, `inspection: ${String(error)}`);
    assertPlace(error, expected, "inspection");
    return;
  }
  const rules = findings.filter(({ severity }) => severity === "fault").map(({ rule }) => rule);
  assert.ok(rules.includes(expected.rule), `inspection: ${JSON.stringify(findings)}`);
  assert.deepEqual([file.writes, file.syncs, file.locks], [0, 0, 0], "inspection");
}

function assertPlace(error: StoreError, expected: Refusal, way: string): void {
  for (const key of Object.keys(expected) as (keyof Refusal)[])
    assert.equal(error[key], expected[key], `${way}: ${key} of "${error.message}"`);
}

/** Contents by id: up to 64 bytes in hex, else size and CRC. */
export type Contents = Readonly<Record<number, string>>;

export function contentsOf(store: StoreView): Contents {
  const contents: Record<number, string> = {};
  for (const id of store.ids()) {
    const size = store.committedSize(id);
    contents[id] =
      size <= 64
        ? Buffer.from(store.read(id, 0, size)).toString("hex")
        : `${size} bytes, ${store.crc32c(id).toString(16)}`;
  }
  return contents;
}

/**
 * The file opens with these contents, for reading and for writing; they survive two flushes and a reopening, with
 * all invariants intact. Returns what an inspection of the file says.
 */
export function assertHolds(bytes: Uint8Array, expected: Contents): Inspection {
  const file = new WatchedFile(fileName, bytes);
  const reading = Store.openReadOnly(file);
  assert.deepEqual(contentsOf(reading), expected, "open for reading");
  reading.check();
  reading.close();
  assert.deepEqual([file.writes, file.syncs, file.locks], [0, 0, 0]);
  const store = Store.open(file);
  assert.deepEqual(contentsOf(store), expected, "open for writing");
  store.check();
  for (let flush = 0; flush < 2; flush++) {
    store.setRoots(store.root, store.schemaTable, store.fingerprint);
    store.flush();
    store.check();
    assert.deepEqual(contentsOf(store), expected, `flush ${flush}`);
  }
  store.close();
  const again = Store.openReadOnly(file);
  assert.deepEqual(contentsOf(again), expected, "reopened");
  again.check();
  const inspection = inspectFile(new WatchedFile(fileName, bytes));
  assert.equal(inspection.faults, 0, JSON.stringify(inspection.findings));
  assertSurveyed(bytes);
  return inspection;
}

export const rulesOf = ({ findings }: Inspection): (string | undefined)[] => findings.map(({ rule }) => rule);
