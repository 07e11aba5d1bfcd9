/** Real files that are refused: the right error, and nothing of them or beside them changes. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { StoreError, type StoreErrorCode } from "../../errors.ts";
import { openNodeFile } from "../../storage/node.ts";
import { Store } from "../store.ts";
import {
  dataPage,
  fileOf,
  headerPage,
  journalPages,
  pageBytes,
  record,
  tableContent,
  tablePage,
} from "../testing/pages.ts";
import { caught } from "../testing/refusal.ts";

function withFolder(step: (folder: string) => void): void {
  const folder = mkdtempSync(path.join(tmpdir(), "kladde-"));
  try {
    step(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const zeros = new Uint8Array(pageBytes);
const header = (content: number[], options = {}) => headerPage(3, content, { journalPointer: 5, ...options });
const leaf = tablePage(3, tableContent([], [["ref", 1, 0, 5, 3 * pageBytes + 11]]));
const torn = header([0]).map((byte, i) => (i === 50 ? byte ^ 1 : byte));

const refused: Readonly<
  Record<string, readonly [Uint8Array, StoreErrorCode, rule: string, readable?: true]>
> = {
  empty: [new Uint8Array(0), "not-kladde", "H1"],
  "less than a page": [new Uint8Array(100).fill(1), "not-kladde", "H1"],
  foreign: [new Uint8Array(20_000).fill(0x41), "not-kladde", "H7"],
  "both headers torn": [fileOf([torn, torn]), "corrupt", "H6"],
  "larger pages": [fileOf([zeros, header([0], { log2PageSize: 14 })]), "unsupported-format", "H5"],
  "newer reader": [fileOf([zeros, header([0], { minReaderVersion: 1 })]), "unsupported-format", "H8"],
  "newer format": [fileOf([zeros, header([0], { formatVersion: 1 })]), "unsupported-format", "H9", true],
  cycle: [fileOf([zeros, header([2, 0]), tablePage(3, [2, 0])]), "corrupt", "T4"],
  statement: [fileOf([zeros, header([0, 0, 4])]), "corrupt", "S2"],
  conflict: [
    fileOf([
      zeros,
      header(
        tableContent(
          [],
          [
            ["shrink", 1, 1],
            ["shrink", 1, 2],
          ],
        ),
      ),
    ]),
    "corrupt",
    "S6",
  ],
  "data page": [fileOf([zeros, header([2, 0]), leaf, dataPage(3, [1])]), "corrupt", "D6"],
  journal: [
    fileOf([
      zeros,
      header([0]),
      ...[2, 3, 4].map(() => zeros),
      journalPages({ epoch: 4, pages: [5], transactions: [[9]] }).pages.get(5),
    ]),
    "corrupt",
    "J6",
  ],
  splice: [
    fileOf([
      zeros,
      header([0]),
      ...[2, 3, 4].map(() => zeros),
      journalPages({
        epoch: 4,
        pages: [5],
        transactions: [[...record.resize(1, 2 ** 32 - 1), ...record.splice(1, 0, 0, [1])]],
      }).pages.get(5),
    ]),
    "corrupt",
    "J8",
  ],
};

test("a refused file is left as it was, without a lock beside it", () =>
  withFolder((folder) => {
    for (const [name, [bytes, code, rule, readable]] of Object.entries(refused)) {
      const file = path.join(folder, name);
      writeFileSync(file, bytes);
      utimesSync(file, 1_000_000, 2_000_000);
      const before = statSync(file, { bigint: true });
      const ways: (() => unknown)[] = [() => Store.open(openNodeFile(file, "write"))];
      if (!readable) ways.push(() => Store.openReadOnly(openNodeFile(file, "read")));
      if (bytes.length > 0) ways.push(() => Store.create(openNodeFile(file, "create")));
      for (const [i, way] of ways.entries()) {
        const error = caught(way);
        assert.ok(error instanceof StoreError, `${name}: ${String(error)}`);
        const isCreate = i > 0 && way === ways.at(-1) && bytes.length > 0;
        assert.equal(error.code, isCreate ? "exists" : code, name);
        if (!isCreate) assert.equal(error.rule, rule, name);
        assert.equal(error.file, file);
        const after = statSync(file, { bigint: true });
        assert.deepEqual(
          [after.mtimeNs, after.ctimeNs, after.size],
          [before.mtimeNs, before.ctimeNs, before.size],
        );
        assert.ok(readFileSync(file).equals(bytes), name);
      }
    }
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(refused).sort());
  }));

test("a missing file, a directory, a path through a file", () =>
  withFolder((folder) => {
    writeFileSync(path.join(folder, "a"), "");
    const cases: [string, string][] = [
      [path.join(folder, "missing"), "ENOENT"],
      [path.join(folder, "a", "b"), "ENOTDIR"],
    ];
    for (const mode of ["write", "read"] as const)
      for (const [name, code] of cases) {
        const error = caught(() => openNodeFile(name, mode));
        assert.ok(error instanceof StoreError && error.code === "io-failed" && error.file === name);
        assert.equal((error.cause as NodeJS.ErrnoException).code, code);
      }
    for (const mode of ["write", "read", "create"] as const) {
      const error = caught(() => openNodeFile(folder, mode));
      assert.ok(error instanceof StoreError && error.code === "io-failed" && error.file === folder);
      assert.match(error.message, /directory/);
    }
    assert.deepEqual(readdirSync(folder), ["a"]);
  }));
