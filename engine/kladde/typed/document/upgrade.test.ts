/** Opening files of other schemas: what is refused, what an upgrade makes of them, and that nothing is lost on the way. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../errors.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { MemoryDisk } from "../../../storage/memory-disk.ts";
import type { Disk, StorageFile } from "../../../storage/storage.ts";
import { WrappedFile } from "../../../storage/wrapped.ts";
import { Store } from "../../store.ts";
import { plainOf } from "../live/plain.ts";
import { SchemaMismatch } from "../plain/index.ts";
import * as k from "../schema/k.ts";
import { kladdeOn } from "./kladde.ts";
import { contentOf, New, Old, OldNote, oldDisk, upgradedValue } from "./testing/book.ts";

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
        /^book: the file holds Book \([0-9a-f]{8}\), not Book \([0-9a-f]{8}\); if a field was renamed, .*; evolve: "upgrade" with dropFields: true .* discards/,
      );
      // What stands in the way is among the few differences that are shown.
      assert.match(error.message, /\n {2}notes\[\]: the file has a field "gone" .*\n/);
      return true;
    },
  );
  assert.throws(() => kladdeOn(disk).open("book", New, { evolve: "upgrade" }), { code: "schema-mismatch" });
  assert.throws(() => kladdeOn(disk).open("book", New, { readonly: true }), { code: "schema-mismatch" });
  assert.deepEqual(contentOf(disk, "book"), bytes);
  assert.equal(disk.size("book.new"), -1);
});

test("a field that was renamed without a word: what to say is said before what discards its values", () => {
  const file = new MemoryFile();
  kladdeOn()
    .open(file, k.struct({ name: k.string() }), { init: () => ({ name: "Ada" }) })
    .close();
  const message = (schema: object, options: object = {}): string => {
    try {
      kladdeOn().open(file.clone(), schema, options);
    } catch (error) {
      if (error instanceof SchemaMismatch) return error.message;
      throw error;
    }
    throw new Error("it was opened");
  };
  const Renamed = k.struct({ title: k.string() }, { name: "Struct" });
  const order =
    /; if "name" is called "title" now, .* \.was\("name"\); evolve: "upgrade" with dropFields: true/;
  assert.match(message(Renamed), order);
  assert.match(message(Renamed, { evolve: "upgrade" }), order);
  assert.match(
    message(Renamed, { dropFields: true }),
    /\.was\("name"\); evolve: "upgrade" rewrites it, and discards/,
  );
  const noZero = k.struct({ title: k.string(), word: k.oneOf("a", { discriminants: { a: 1 } }) });
  assert.match(message(noZero), /\.was\("name"\); open it with a schema that fits/);
  const kept = kladdeOn().open(file, k.struct({ title: k.string().was("name") }), { evolve: "upgrade" });
  assert.equal(kept.title, "Ada");
});

test("what would discard data is not proposed where differences without a way are too many to be listed", () => {
  const file = new MemoryFile();
  const Many = k.struct({
    ...Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, k.u8()])),
    last: k.struct({ n: k.string() }),
  });
  kladdeOn().open(file, Many).close();
  assert.throws(
    () => kladdeOn().open(file, k.struct({ last: k.struct({ n: k.u8() }) })),
    (error) => error instanceof SchemaMismatch && /open it with a schema that fits/.test(error.message),
  );
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

test("what a small file claims is not built", () => {
  const Flags = k.struct({ flags: k.vec(k.bool()), more: k.vec(k.u8()) });
  const Wanted = k.struct({ flags: k.vec(k.option(k.bool())), more: k.vec(k.u64()) });
  for (const [name, size] of [
    ["flags", 2 ** 25],
    ["flags", 2 ** 32 - 1],
    ["more", 2 ** 25],
    ["more", 2 ** 32 - 1],
  ] as const) {
    const file = new MemoryFile("claims");
    const doc = kladdeOn().open(file, Flags, { init: () => ({ flags: [true], more: [1] }) });
    const { store } = kladdeOn().of(doc);
    const claimed = [...store.ids()].filter((id) => store.size(id) === 1)[name === "flags" ? 0 : 1]!;
    doc.close();
    const raw = Store.open(file.reopen());
    raw.resize(claimed, size);
    raw.close();
    const bytes = file.bytes();
    const open = () => kladdeOn().open(file, Wanted, { evolve: "upgrade" });
    assert.throws(open, { code: "too-large" });
    assert.deepEqual(file.bytes(), bytes);
  }
});

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
