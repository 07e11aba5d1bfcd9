/**
 * What the engine makes of a damaged file, compared with what an independent reader makes of it.
 *
 *  (1) The two agree: the same contents, or a refusal. Where the format leaves a reader the choice, a refusal or these
 *      contents.
 *  (2) A refusal is a `StoreError` that names the file, and for `corrupt` a page or an allocation. A limit of the
 *      implementation (`too-large`) is allowed where the file asks for more than 500 MiB.
 *  (3) Reading changes nothing, and a refused file stays as it was. A file that opens goes on: two flushes and another
 *      session find the same contents.
 *  (4) Steps and memory are bounded by the size of the file, whatever sizes it claims: reads are counted, and so are
 *      the bytes of every array that is made.
 *
 * Cost: some milliseconds for a file of a few pages.
 */

import { assert, StoreError } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { inspectFile } from "../inspect/inspect.ts";
import { Store } from "../store.ts";
import type { StoreView } from "../view.ts";
import { counted } from "./counted-memory.ts";
import { type Content, lengthOf } from "./independent/content.ts";
import { type IndependentReading, readIndependently } from "./independent/read.ts";
import { Refused } from "./independent/tables.ts";
import { ReadingFile } from "./reading-file.ts";

const fileName = "damaged.kladde";

export type FuzzOutcome = "refused" | "opened" | "choice";

/** What is done with a file besides opening it for reading. */
export interface Depth {
  readonly inspects: boolean;
  /** Whether a session goes on with a file that opens. */
  readonly goesOn: boolean;
}

export const fullDepth: Depth = { inspects: true, goesOn: true };

/** Reads are bounded: every page a few times, and each piece of content. */
class BoundedFile extends ReadingFile {
  #reads = 0;

  override read(into: Uint8Array, at: number): void {
    assert(++this.#reads <= 20_000 + this.size() / 16, "reads without an end");
    super.read(into, at);
  }
}

/** Bytes of arrays that opening, checking and reading a file may make. */
const memoryOf = (file: Uint8Array): number => 32 * 2 ** 20 + 64 * file.length;

/** Throws if the engine does what it must not. */
export function judge(bytes: Uint8Array, { inspects, goesOn } = fullDepth): FuzzOutcome {
  const expected = expectationOf(bytes);
  const before = bytes.slice();
  const [opened, made] = counted(() => attempt(() => readAll(bytes, expected)));
  assert(Buffer.compare(before, bytes) === 0, "opening for reading changed the file");
  assert(made <= memoryOf(bytes), `${made} bytes of arrays for a file of ${bytes.length}`);
  if (inspects) inspect(bytes, before);
  const isRefused = opened instanceof StoreError;
  if (expected instanceof Refused) {
    assert(isRefused, `opened, though a reader must refuse it: ${expected.message}`);
    requireUnchanged(bytes);
    return "refused";
  }
  const hasChoice = expected.doubtful.length > 0;
  if (isRefused) {
    assert(hasChoice || opened.code === "too-large", `refused, though sound: ${opened.message}`);
    requireUnchanged(bytes);
    return "choice";
  }
  if (expected.header.formatVersion > 0) requireUnchanged(bytes);
  else if (goesOn) goOn(bytes, expected);
  return hasChoice ? "choice" : "opened";
}

function inspect(bytes: Uint8Array, before: Uint8Array): void {
  const [, made] = counted(() => attempt(() => inspectFile(new BoundedFile(fileName, bytes))));
  assert(Buffer.compare(before, bytes) === 0, "an inspection changed the file");
  assert(made <= memoryOf(bytes), `${made} bytes of arrays to inspect a file of ${bytes.length}`);
}

function expectationOf(bytes: Uint8Array): IndependentReading | Refused {
  try {
    return readIndependently(bytes);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** The refusal, if there was one. */
function attempt(step: () => unknown): StoreError | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code, file, page, id, message } = error;
    assert(file === fileName, `the refusal names no file: ${message}`);
    const codes = ["corrupt", "not-kladde", "unsupported-format", "too-large"];
    assert(codes.includes(code), `refused with ${code}: ${message}`);
    const isPlaced = page !== undefined || id !== undefined;
    assert(code !== "corrupt" || isPlaced, `the refusal names no place: ${message}`);
    return error;
  }
}

function readAll(bytes: Uint8Array, expected: IndependentReading | Refused): void {
  const store = Store.openReadOnly(new BoundedFile(fileName, bytes));
  store.check();
  if (!(expected instanceof Refused)) requireContents(store, expected.contents);
}

/** A file that is refused, for writing, is left alone. */
function requireUnchanged(bytes: Uint8Array): void {
  const file = new MemoryFile(fileName, bytes);
  const error = attempt(() => Store.open(file));
  assert(error !== undefined, "opened for writing, though not for reading");
  assert(Buffer.compare(file.bytes(), bytes) === 0, "a refused file was changed");
}

function goOn(bytes: Uint8Array, { contents }: IndependentReading): void {
  const file = new MemoryFile(fileName, bytes);
  const [, made] = counted(() => {
    const store = Store.open(file);
    requireContents(store, contents);
    for (let flush = 0; flush < 2; flush++) {
      store.setRoots(store.root, store.schemaTable, store.fingerprint);
      store.flush();
    }
    store.check();
    requireContents(store, contents);
    store.close();
    const next = Store.openReadOnly(file);
    next.check();
    requireContents(next, contents);
  });
  assert(made <= 8 * memoryOf(bytes), `${made} bytes of arrays to go on with a file of ${bytes.length}`);
}

function requireContents(store: StoreView, contents: ReadonlyMap<number, Content>): void {
  const found = [...store.ids()];
  const ids = [...contents.keys()].sort((a, b) => a - b);
  assert(found.join() === ids.join(), `allocations ${found.join()} instead of ${ids.join()}`);
  for (const [id, content] of contents) {
    const size = store.committedSize(id);
    assert(size === lengthOf(content), `allocation ${id} has ${size} bytes, not ${lengthOf(content)}`);
    requireBytes(store, id, content);
  }
}

/** Zeros at most, of a run of them. */
const zerosLooked = 5000;

function requireBytes(store: StoreView, id: number, content: Content): void {
  let at = 0;
  for (const { length, bytes } of content) {
    const looked = bytes === undefined ? Math.min(length, zerosLooked) : length;
    for (const from of new Set([at, at + length - looked])) {
      const found = store.read(id, from, looked);
      const isSame =
        bytes === undefined ? found.every((byte) => byte === 0) : Buffer.compare(found, bytes) === 0;
      assert(isSame, `bytes ${from} to ${from + looked} of allocation ${id} are others`);
    }
    at += length;
  }
}
