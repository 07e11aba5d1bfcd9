/** Opening files of other schemas: what is refused, what an upgrade makes of them, and that nothing is lost on the way. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../errors.ts";
import { CrashingFile, PowerCut } from "../../../storage/crashing.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { MemoryDisk } from "../../../storage/memory-disk.ts";
import { SplitMix32 } from "../../../storage/random.ts";
import type { Disk, StorageFile } from "../../../storage/storage.ts";
import { WrappedFile } from "../../../storage/wrapped.ts";
import { plainOf } from "../live/plain.ts";
import { SchemaMismatch } from "../plain/index.ts";
import * as k from "../schema/k.ts";
import { kladdeOn } from "./kladde.ts";
import { CrashingDisk } from "./testing/crashing-disk.ts";

const OldNote = k.struct({ title: k.string(), count: k.u8(), gone: k.u32() }, { name: "Note" });
const Old = k.struct(
  { notes: k.vec(OldNote), names: k.map(k.u32(), k.string()), state: k.oneOf("draft", "final") },
  { name: "Book" },
);
const NewNote = k.struct(
  { heading: k.string().was("title"), count: k.u32(), tags: k.vec(k.string()) },
  { name: "Note" },
);
const New = k.struct(
  {
    names: k.sortedMap(k.u64(), k.string()),
    notes: k.packedVec(NewNote),
    state: k.oneOf("draft", "final", "sent"),
    limit: k.option(k.u32()).default(5),
  },
  { name: "Book" },
);

const firstValue = () => ({
  notes: [
    { title: "one", count: 1, gone: 7 },
    { title: "zwei", count: 200, gone: 8 },
  ],
  names: new Map([
    [9, "nine"],
    [3, "three"],
  ]),
  state: "final" as const,
});

const upgradedValue = {
  names: new Map([
    [9n, "nine"],
    [3n, "three"],
  ]),
  notes: [
    { heading: "one", count: 1, tags: [] },
    { heading: "zwei", count: 200, tags: [] },
  ],
  state: "final",
  limit: 5,
};

function contentOf(disk: Disk, name: string): Uint8Array {
  const file = disk.open(name, "read");
  const bytes = new Uint8Array(file.size());
  file.read(bytes, 0);
  file.close();
  return bytes;
}

/** A disk with one old document, `book`, part of which is in its journal only. */
function oldDisk(): MemoryDisk {
  const file = new MemoryFile("book");
  const doc = kladdeOn().open(file, Old, { init: () => ({ ...firstValue(), names: [] }) });
  doc.names.setAll(firstValue().names);
  const bytes = file.bytes();
  const disk = new MemoryDisk();
  const target = disk.open("book", "create");
  target.truncate(bytes.length);
  target.write(bytes, 0);
  return disk;
}

test("another schema is refused: what was expected, what was found, what differs, and what could be done", () => {
  const disk = oldDisk();
  const bytes = contentOf(disk, "book");
  assert.throws(
    () => kladdeOn(disk).open("book", New),
    (error) => {
      assert.ok(error instanceof SchemaMismatch && error instanceof StoreError);
      assert.equal(error.code, "schema-mismatch");
      assert.equal(error.expected.name, "Book");
      assert.equal(error.expected.fingerprint, Buffer.from(New.fingerprint()).toString("hex"));
      assert.equal(error.found.fingerprint, Buffer.from(Old.fingerprint()).toString("hex"));
      assert.equal(error.upgradable, false);
      assert.deepEqual(
        error.differences.filter(({ bridge }) => bridge !== "upgrade").map(({ at, bridge }) => [at, bridge]),
        [["notes[]", "drop-fields"]],
      );
      assert.match(
        error.message,
        /^book: the file holds Book \([0-9a-f]{8}\), not Book \([0-9a-f]{8}\); evolve: "upgrade" with dropFields: true/,
      );
      return true;
    },
  );
  assert.throws(() => kladdeOn(disk).open("book", New, { evolve: "upgrade" }), { code: "schema-mismatch" });
  assert.throws(() => kladdeOn(disk).open("book", New, { readonly: true }), { code: "schema-mismatch" });
  assert.deepEqual(contentOf(disk, "book"), bytes);
  assert.equal(disk.size("book.new"), -1);
});

test("an upgrade rewrites the file, keeps the old one on request, and is done once", () => {
  const disk = oldDisk();
  const before = contentOf(disk, "book");
  const kladde = kladdeOn(disk);
  const options = { evolve: "upgrade", dropFields: true, keepOld: true } as const;
  {
    using doc = kladde.open("book", New, options);
    assert.deepEqual(plainOf(doc), upgradedValue);
    assert.equal(kladde.of(doc).stats().leaked, 0);
    doc.notes.at(0)!.tags.push("x");
  }
  const kept = `book.${Buffer.from(Old.fingerprint()).toString("hex").slice(0, 8)}`;
  assert.deepEqual(contentOf(disk, kept), before);
  assert.equal(disk.size("book.new"), -1);
  {
    using again = kladde.open("book", New, options);
    assert.deepEqual([...again.notes.at(0)!.tags], ["x"]);
  }
  using old = kladde.open(kept, Old);
  assert.equal(old.notes.at(1)!.gone, 8);
});

test("a kept file that is another one is not overwritten, and then nothing happens", () => {
  const disk = oldDisk();
  const kept = `book.${Buffer.from(Old.fingerprint()).toString("hex").slice(0, 8)}`;
  kladdeOn(disk).open(kept, Old).close();
  const before = contentOf(disk, kept);
  const options = { evolve: "upgrade", dropFields: true, keepOld: true } as const;
  assert.throws(() => kladdeOn(disk).open("book", New, options), { code: "exists" });
  assert.deepEqual(contentOf(disk, kept), before);
  using old = kladdeOn(disk).open("book", Old);
  assert.equal(old.notes.length, 2);
});

test("a stored value without a counterpart refuses with its path, before anything is written", () => {
  const disk = oldDisk();
  const bytes = contentOf(disk, "book");
  const Fewer = k.struct({
    notes: k.vec(OldNote),
    names: k.map(k.u32(), k.string()),
    state: k.oneOf("draft"),
  });
  assert.throws(
    () => kladdeOn(disk).open("book", Fewer, { evolve: "upgrade" }),
    (error) =>
      error instanceof SchemaMismatch &&
      error.differences[0]!.at === "state" &&
      /no variant "final"/.test(error.message),
  );
  assert.deepEqual(contentOf(disk, "book"), bytes);
  assert.equal(disk.size("book.new"), -1);
});

test("wrong options are the caller's mistake", () => {
  const kladde = kladdeOn(oldDisk());
  const open = (options: object) => () => kladde.open("book", New, options);
  assert.throws(open({ evolve: "yes" }), /^TypeError: options: evolve must be/);
  assert.throws(open({ dropFields: 1 }), /^TypeError: options: dropFields must be true or false/);
  assert.throws(open({ evolve: "upgrade", readonly: true }), /^TypeError: options: an upgrade writes/);
  assert.throws(
    () => kladde.open(new MemoryFile(), New, { keepOld: true }),
    /^TypeError: options: keepOld needs a name/,
  );
});

test("while another holds the file there is no upgrade", () => {
  const disk = oldDisk();
  using _holder = kladdeOn(disk).open("book", Old);
  assert.throws(() => kladdeOn(disk).open("book", New, { evolve: "upgrade", dropFields: true }), {
    code: "locked",
  });
});

/** Calls `before` ahead of each lock, and of each mutating call of a file or of the directory. */
class WatchedDisk implements Disk {
  readonly #disk: Disk;
  readonly #before: (call: "lock" | "change") => void;

  constructor(disk: Disk, before: (call: "lock" | "change") => void) {
    this.#disk = disk;
    this.#before = before;
  }

  open(name: string, mode: "create" | "write" | "read"): StorageFile {
    return new WatchedFile(this.#disk.open(name, mode), this.#before);
  }

  size(name: string): number {
    return this.#disk.size(name);
  }

  replace(from: string, to: string): void {
    this.#before("change");
    this.#disk.replace(from, to);
  }

  remove(name: string): void {
    this.#disk.remove(name);
  }
}

class WatchedFile extends WrappedFile {
  readonly #before: (call: "lock" | "change") => void;

  constructor(inner: StorageFile, before: (call: "lock" | "change") => void) {
    super(inner);
    this.#before = before;
  }

  override lock(): void {
    this.#before("lock");
    super.lock();
  }

  override write(from: Uint8Array, at: number): void {
    this.#before("change");
    super.write(from, at);
  }

  override truncate(bytes: number): void {
    this.#before("change");
    super.truncate(bytes);
  }

  override sync(): void {
    this.#before("change");
    super.sync();
  }
}

test("who waits at the lock while another upgrades does not go on with the old file", () => {
  const disk = oldDisk();
  let isFirst = true;
  const late = new WatchedDisk(disk, (call) => {
    if (call !== "lock" || !isFirst) return;
    isFirst = false;
    kladdeOn(disk).open("book", New, { evolve: "upgrade", dropFields: true }).close();
  });
  assert.throws(() => kladdeOn(late).open("book", Old), SchemaMismatch);
  using doc = kladdeOn(disk).open("book", New);
  assert.deepEqual(plainOf(doc), upgradedValue);
});

test("an upgrade that fails at any call leaves the old file, nothing beside it, and no lock", () => {
  const before = contentOf(oldDisk(), "book");
  const upgrade = { evolve: "upgrade", dropFields: true } as const;
  let failed = 0;
  for (let at = 0; ; at++) {
    const disk = oldDisk();
    let calls = 0;
    const failing = new WatchedDisk(disk, (call) => {
      if (call === "change" && calls++ === at) throw new StoreError("disk-full", "as planned");
    });
    try {
      kladdeOn(failing).open("book", New, upgrade).close();
    } catch (error) {
      assert.ok(error instanceof StoreError && error.message.includes("as planned"), String(error));
    }
    if (calls <= at) break;
    failed++;
    assert.equal(disk.size("book.new"), -1, `call ${at}`);
    if (opensOn(disk, New)) continue;
    assert.deepEqual(contentOf(disk, "book"), before, `call ${at}`);
    using again = kladdeOn(disk).open("book", New, upgrade);
    assert.deepEqual(plainOf(again), upgradedValue);
  }
  assert.ok(failed > 10, `${failed} calls failed`);
});

function opensOn(disk: Disk, schema: typeof New): boolean {
  try {
    using doc = kladdeOn(disk).open("book", schema);
    assert.deepEqual(plainOf(doc), upgradedValue);
    return true;
  } catch (error) {
    if (error instanceof SchemaMismatch) return false;
    throw error;
  }
}

test("structs nest as deep as memory goes", () => {
  const OldChain = k.struct({
    v: k.u8(),
    get next() {
      return k.box(OldChain);
    },
  });
  const NewChain = k.struct({
    v: k.u32(),
    get next() {
      return k.box(NewChain);
    },
  });
  let chain: InstanceType<typeof OldChain> | null = null;
  for (let i = 0; i < 30_000; i++) chain = new OldChain({ v: i & 255, next: chain });
  const disk = new MemoryDisk();
  kladdeOn(disk)
    .open("chain", OldChain, { init: () => chain! })
    .close();
  using doc = kladdeOn(disk).open("chain", NewChain, { evolve: "upgrade" });
  let count = 0;
  for (let at: k.Infer<typeof NewChain> | null = doc; at !== null; at = at.next) {
    assert.equal(at.v, (30_000 - 1 - count) & 255);
    count++;
  }
  assert.equal(count, 30_000);
});

test("a missing or empty file is made, whatever the option says", () => {
  const disk = new MemoryDisk();
  using doc = kladdeOn(disk).open("book", New, { evolve: "upgrade", keepOld: true });
  assert.equal(doc.limit, 5);
});

const options = { evolve: "upgrade", dropFields: true, keepOld: true } as const;

/** The value under `book`, and by which schema. */
function valueOn(disk: Disk): { value: unknown; isNew: boolean } {
  try {
    using doc = kladdeOn(disk).open("book", New, { readonly: true });
    return { value: plainOf(doc), isNew: true };
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error;
    using doc = kladdeOn(disk).open("book", Old, { readonly: true });
    return { value: plainOf(doc), isNew: false };
  }
}

test("a power cut anywhere leaves the old file or the new one, whole; and the upgrade can be done again", () => {
  const files = new Map([["book", contentOf(oldDisk(), "book")]]);
  const rehearsal = new CrashingDisk(files);
  kladdeOn(rehearsal).open("book", New, options).close();
  const cuts = rehearsal.mutations;
  assert.ok(cuts > 15, `${cuts} mutating calls`);
  const random = new SplitMix32(17);
  let olds = 0;
  let news = 0;
  for (let cutAt = 0; cutAt < cuts; cutAt++) {
    const disk = new CrashingDisk(files, cutAt);
    assert.throws(() => kladdeOn(disk).open("book", New, options).close(), PowerCut, `cut ${cutAt}`);
    for (const [names, choice] of [
      ["lost", "lost"],
      ["kept", "kept"],
      ["lost", "kept"],
      ["kept", "lost"],
      ["kept", "torn"],
      ...Array.from({ length: 6 }, () => [random, random] as const),
    ] as const) {
      const after = disk.after(names, choice);
      const { value, isNew } = valueOn(after);
      assert.deepEqual(value, isNew ? upgradedValue : firstValue(), `cut ${cutAt}`);
      if (isNew) news++;
      else olds++;
      using again = kladdeOn(after).open("book", New, options);
      assert.deepEqual(plainOf(again), upgradedValue, `again after cut ${cutAt}`);
      assert.equal(kladdeOn(after).of(again).stats().leaked, 0);
    }
  }
  assert.ok(olds > 100 && news > 10, `${olds} old, ${news} new`);
});

test("a power cut while a document is made leaves nothing under its name, or all of it", () => {
  const init = () => ({ ...firstValue(), names: [] });
  const make = (disk: Disk) => kladdeOn(disk).open("book", Old, { init });
  const rehearsal = new CrashingDisk(new Map());
  make(rehearsal).close();
  const random = new SplitMix32(19);
  const seen = { missing: 0, made: 0 };
  for (let cutAt = 0; cutAt < rehearsal.mutations; cutAt++) {
    const disk = new CrashingDisk(new Map(), cutAt);
    assert.throws(() => make(disk).close(), PowerCut);
    for (let i = 0; i < 10; i++) {
      const after = disk.after(random, random);
      if (after.size("book") > 0) {
        seen.made++;
        using doc = kladdeOn(after).open("book", Old, { readonly: true });
        assert.deepEqual(plainOf(doc), { ...firstValue(), names: new Map() });
      } else seen.missing++;
      using again = make(after);
      assert.equal(again.notes.length, 2);
    }
  }
  assert.ok(seen.missing > 20 && seen.made > 5, JSON.stringify(seen));
});

test("in a file that is given, a power cut leaves the old value or the new one; at worst allocations leak", () => {
  const image = contentOf(oldDisk(), "book");
  const kladde = kladdeOn();
  const inPlace = { evolve: "upgrade", dropFields: true } as const;
  const rehearsal = new CrashingFile(image, {}, "book");
  {
    using doc = kladde.open(rehearsal, New, inPlace);
    assert.deepEqual(plainOf(doc), upgradedValue);
    assert.equal(kladde.of(doc).stats().leaked, 0);
  }
  const random = new SplitMix32(18);
  const seen = { old: 0, new: 0 };
  for (let cutAt = 0; cutAt < rehearsal.mutations; cutAt++) {
    const file = new CrashingFile(image, { cutAt }, "book");
    assert.throws(() => kladde.open(file, New, inPlace).close(), PowerCut);
    for (const { image: after } of file.images(random, 8)) {
      const isNew = opens(after, New);
      seen[isNew ? "new" : "old"]++;
      using doc = kladde.open(new MemoryFile("book", after), isNew ? New : Old);
      assert.deepEqual(plainOf(doc), isNew ? upgradedValue : firstValue());
      kladde.of(doc).sweep();
      using again = kladde.open(new MemoryFile("book", after), New, inPlace);
      assert.deepEqual(plainOf(again), upgradedValue);
    }
  }
  assert.ok(seen.old > 5 && seen.new > 5, JSON.stringify(seen));
});

function opens(image: Uint8Array, schema: typeof New): boolean {
  try {
    kladdeOn().open(new MemoryFile("book", image), schema).close();
    return true;
  } catch (error) {
    if (error instanceof SchemaMismatch) return false;
    throw error;
  }
}
