/** What callers may do wrong: refused before anything is recorded, with the right kind of error. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../errors.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./store.ts";
import { caught, contentsOf } from "./testing/refusal.ts";
import { StoreView } from "./view.ts";

/** A call that the types forbid. */
type Call = (store: Record<string, (...given: unknown[]) => unknown>) => unknown;
type Kind = typeof TypeError | typeof RangeError;

const notNumbers = ["1", "", null, undefined, 1n, true, {}, [], [1], () => 1, Symbol("one"), new Date(1)];
const outOfRange = [
  -1,
  -0.5,
  0.5,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  2 ** 32,
  2 ** 53,
  1e300,
];
const notBytes = [
  [1, 2],
  "ab",
  null,
  undefined,
  7,
  {},
  { length: 2 },
  new Uint16Array(2),
  new Int8Array(2),
  new Uint8ClampedArray(2),
  new Float64Array(1),
  new ArrayBuffer(2),
  new DataView(new ArrayBuffer(2)),
];
const notFunctions = [undefined, null, 1, "f", {}];
const bytes = Uint8Array.of(1, 2);
const u32Max = 2 ** 32 - 1;

/** Sound arguments of every method that has some, and what each argument is. `fresh` is an allocation of 10 bytes. */
type Argument = "id" | "whole" | "bytes" | "function" | "print" | "source";
const fresh = 1;
const methods: Record<string, readonly (readonly [Argument, unknown])[]> = {
  alloc: [["whole", 4]],
  free: [["id", fresh]],
  resize: [
    ["id", fresh],
    ["whole", 4],
  ],
  write: [
    ["id", fresh],
    ["whole", 0],
    ["bytes", bytes],
  ],
  splice: [
    ["id", fresh],
    ["whole", 0],
    ["whole", 1],
    ["bytes", bytes],
  ],
  copy: [
    ["source", fresh],
    ["whole", 0],
    ["whole", 1],
    ["id", fresh],
    ["whole", 5],
  ],
  move: [
    ["source", fresh],
    ["whole", 0],
    ["whole", 1],
    ["id", fresh],
    ["whole", 5],
  ],
  size: [["id", fresh]],
  exists: [["source", fresh]],
  committedSize: [["id", fresh]],
  crc32c: [["id", fresh]],
  read: [
    ["id", fresh],
    ["whole", 0],
    ["whole", 1],
  ],
  readInto: [
    ["id", fresh],
    ["whole", 0],
    ["bytes", bytes],
  ],
  setRoots: [
    ["whole", 0],
    ["whole", 0],
    ["print", new Uint8Array(16)],
  ],
  transaction: [["function", () => 1]],
  batch: [["function", () => 1]],
  visitDataFragments: [["function", () => 1]],
};

const wrong: Record<Argument, readonly (readonly [Kind, readonly unknown[]])[]> = {
  whole: [
    [TypeError, notNumbers],
    [RangeError, outOfRange],
  ],
  /** An id that must exist. */
  id: [
    [TypeError, notNumbers],
    [RangeError, [...outOfRange, 0, 2, 3, 99, u32Max]],
  ],
  source: [
    [TypeError, notNumbers],
    [RangeError, [...outOfRange, 0]],
  ],
  bytes: [[TypeError, notBytes]],
  print: [
    [TypeError, notBytes],
    [RangeError, [new Uint8Array(0), new Uint8Array(15), new Uint8Array(17)]],
  ],
  function: [[TypeError, notFunctions]],
};

/** Allocation 1 has 10 bytes; 2 was freed before the last flush, 3 was never there. */
function storeWithData(): { readonly store: Store; readonly file: MemoryFile } {
  const file = new MemoryFile("misuse");
  const store = Store.create(file);
  store.alloc(10);
  store.alloc(20);
  store.write(1, 0, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  store.flush();
  store.free(2);
  store.flush();
  return { store, file };
}

/** Every call is refused with its kind of error, and leaves file, contents and counters alone. */
function assertRefusedCalls(
  store: Store,
  file: MemoryFile,
  calls: readonly (readonly [string, Kind, Call])[],
): void {
  const before = {
    bytes: file.bytes(),
    stats: store.stats(),
    contents: contentsOf(store),
    size: store.size(1),
  };
  for (const [what, kind, call] of calls) {
    const error = caught(() => call(store as unknown as Parameters<Call>[0]));
    assert.ok(error instanceof kind, `${what}: ${String(error)}`);
    assert.ok(!(error instanceof StoreError), what);
    assert.ok(
      error.message.length > 10 && !/undefined \(reading|is not a function$/.test(error.message),
      error.message,
    );
  }
  const after = {
    bytes: file.bytes(),
    stats: store.stats(),
    contents: contentsOf(store),
    size: store.size(1),
  };
  assert.deepEqual(after, before);
}

function wrongCalls(): [string, Kind, Call][] {
  const calls: [string, Kind, Call][] = [];
  for (const [method, given] of Object.entries(methods))
    given.forEach(([argument], position) => {
      for (const [kind, values] of wrong[argument])
        for (const value of values) {
          const words = given.map(([, sound], i) => (i === position ? value : sound));
          const what = `${method}, argument ${position} ${String(typeof value === "object" ? JSON.stringify(value) : value)}`;
          calls.push([what, kind, (store) => store[method]!(...words)]);
        }
    });
  return calls;
}

test("every wrong argument of every method", (context) => {
  const { store, file } = storeWithData();
  const calls = wrongCalls();
  context.diagnostic(`${calls.length} calls`);
  assertRefusedCalls(store, file, calls);
  store.begin();
  assertRefusedCalls(store, file, calls);
  store.commit();
  store.beginBatch();
  assertRefusedCalls(store, file, calls);
  store.endBatch();
  store.check();
  assert.equal(store.alloc(1), 2);
  store.close();
});

test("ranges that do not fit", () => {
  const { store, file } = storeWithData();
  const ranges: [string, Kind, Call][] = [
    ["write past 2^32 − 1", RangeError, (s) => s.write!(1, u32Max, Uint8Array.of(1))],
    ["write of nothing past it", RangeError, (s) => s.write!(1, 2 ** 32, new Uint8Array(0))],
    ["splice at the end of it", RangeError, (s) => s.splice!(1, u32Max, 1, bytes)],
    ["splice that replaces too much", RangeError, (s) => s.splice!(1, 1, u32Max, bytes)],
    ["splice to more than it", RangeError, (s) => s.splice!(1, u32Max, 0, Uint8Array.of(1))],
    ["copy from past it", RangeError, (s) => s.copy!(1, u32Max, 1, 1, 0)],
    ["copy to past it", RangeError, (s) => s.copy!(1, 0, 1, 1, u32Max)],
    ["copy too much", RangeError, (s) => s.copy!(1, 1, u32Max, 1, 0)],
    ["move to past it", RangeError, (s) => s.move!(1, 0, 2, 1, u32Max - 1)],
    ["read past the end", RangeError, (s) => s.read!(1, 0, 11)],
    ["read from past the end", RangeError, (s) => s.read!(1, 11, 0)],
    ["read far past the end", RangeError, (s) => s.read!(1, u32Max, u32Max)],
  ];
  assertRefusedCalls(store, file, ranges);
  assert.deepEqual(store.read(1, 10, 0), new Uint8Array(0));
  assert.equal(store.readInto(1, 10, new Uint8Array(4)), 0);
  assert.equal(store.readInto(1, u32Max, new Uint8Array(4)), 0);
  store.resize(1, u32Max);
  const full: [string, Kind, Call][] = [
    ["splice into a full allocation", RangeError, (s) => s.splice!(1, 0, 0, Uint8Array.of(1))],
    ["splice of one byte to two", RangeError, (s) => s.splice!(1, 7, 1, bytes)],
  ];
  assertRefusedCalls(store, file, full);
  store.splice(1, 0, 2, bytes);
  store.write(1, u32Max - 2, bytes);
  store.close();
});

test("a freed allocation", () => {
  const { store, file } = storeWithData();
  const reserved = store.newId();
  store.free(1);
  const calls: [string, Kind, Call][] = ["free", "resize", "write", "splice", "size"].map((method) => {
    const rest = methods[method]!.slice(1).map(([, sound]) => sound);
    return [method, RangeError, (s) => s[method]!(1, ...rest)];
  });
  calls.push(["copy to it", RangeError, (s) => s.copy!(reserved, 0, 0, 1, 0)]);
  calls.push(["move to it", RangeError, (s) => s.move!(reserved, 0, 0, 1, 0)]);
  calls.push(["read of a reserved id", RangeError, (s) => s.read!(reserved, 0, 0)]);
  const before = { bytes: file.bytes(), stats: store.stats() };
  for (const [what, kind, call] of calls)
    assert.ok(caught(() => call(store as unknown as Parameters<Call>[0])) instanceof kind, what);
  assert.deepEqual({ bytes: file.bytes(), stats: store.stats() }, before);
  assert.equal(store.exists(1), false);
  // Reading serves the last flush, which still has it.
  assert.equal(store.read(1, 9, 1)[0], 10);
  store.copy(1, 0, 5, reserved, 0);
  store.flush();
  assert.throws(() => store.read(1, 0, 0), RangeError);
  assert.throws(() => store.committedSize(1), RangeError);
  assert.deepEqual(store.read(reserved, 0, 5), new Uint8Array(5));
  store.close();
});

test("every kind of Uint8Array works, and is copied at the call", () => {
  const { store } = storeWithData();
  const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(7);
  const whole = new Uint8Array(100).fill(9);
  for (const given of [Buffer.from("abc"), shared, whole.subarray(50, 53), new Uint8Array([1, 2, 3])]) {
    const expected = Uint8Array.from(given);
    store.write(1, 2, given);
    store.splice(1, 0, 0, given);
    given.fill(0);
    store.flush();
    assert.deepEqual(store.read(1, 0, 3), expected);
    assert.deepEqual(store.read(1, 5, 3), expected);
    const into = Buffer.alloc(3);
    assert.equal(store.readInto(1, 0, into), 3);
    assert.deepEqual(Uint8Array.from(into), expected);
  }
  const read = store.read(1, 0, 2);
  read.fill(0x55);
  assert.notDeepEqual(store.read(1, 0, 2), read);
  const print = store.fingerprint;
  print.fill(1);
  assert.deepEqual(store.fingerprint, new Uint8Array(16));
  store.close();
});

test("scopes out of order", () => {
  const { store, file } = storeWithData();
  const ending: [string, Kind, Call][] = [
    ["commit", TypeError, (s) => s.commit!()],
    ["abort", TypeError, (s) => s.abort!()],
    ["endBatch", TypeError, (s) => s.endBatch!()],
  ];
  assertRefusedCalls(store, file, ending);
  store.begin();
  store.beginBatch();
  assertRefusedCalls(store, file, ending.slice(0, 2));
  assertRefusedCalls(store, file, [["close", TypeError, (s) => s.close!()]]);
  store.endBatch();
  store.begin();
  assertRefusedCalls(store, file, ending.slice(2));
  store.write(1, 0, Uint8Array.of(77));
  store.abort();
  store.commit();
  assertRefusedCalls(store, file, ending);
  store.flush();
  assert.equal(store.read(1, 0, 1)[0], 1);
  store.close();
});

test("a body that is async, or throws, is taken back", async () => {
  const { store } = storeWithData();
  const before = contentsOf(store);
  const body = () => {
    store.write(1, 0, Uint8Array.of(99));
    return Promise.reject(new Error("later"));
  };
  assert.throws(() => store.transaction(body), /must not be async/);
  assert.deepEqual(contentsOf(store), before);
  for (const run of [store.transaction, store.batch]) {
    assert.throws(() => run.call(store, async () => store.free(1)), /must not be async/);
    assert.throws(
      () =>
        run.call(store, function* () {
          yield store.free(1);
        }),
      /must not be a generator/,
    );
  }
  const mine = new Error("mine");
  const throwing = () =>
    store.transaction(() => {
      store.write(1, 0, Uint8Array.of(98));
      store.transaction(() => store.free(1));
      store.begin();
      store.alloc(5);
      store.abort();
      throw mine;
    });
  assert.equal(caught(throwing), mine);
  store.flush();
  assert.deepEqual(contentsOf(store), before);
  store.check();
  // Nobody has to handle the rejection of a body that was refused.
  await new Promise((later) => setImmediate(later));
  store.close();
});

/** Every method and getter of a store, called soundly. */
const members = [Store.prototype, StoreView.prototype].flatMap((prototype) =>
  Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(
    ([name]) =>
      !["constructor", "requireUsable", "guard", "isVisible", "visibleIds", "fields"].includes(name),
  ),
);

function assertEveryMember(store: Store, code: "closed" | "poisoned"): void {
  const silent = ["close", "poisoned"];
  let called = 0;
  for (const [name, { get, value }] of members) {
    if (silent.includes(name)) continue;
    called++;
    const given = (methods[name] ?? []).map(([, sound]) => sound);
    const error = caught(() => (get === undefined ? value.call(store, ...given) : get.call(store)));
    assert.ok(error instanceof StoreError, `${name}: ${String(error)}`);
    assert.equal(error.code, code, name);
    assert.equal(error.file, "misuse");
  }
  assert.ok(called >= 30, `${called} members`);
}

test("a closed store", () => {
  const { store, file } = storeWithData();
  store.close();
  const bytes = file.bytes();
  assertEveryMember(store, "closed");
  store.close();
  assert.equal(store.poisoned, false);
  assert.deepEqual(file.bytes(), bytes);
  const reading = Store.openReadOnly(file);
  reading.close();
  reading.close();
  for (const call of [
    () => reading.ids(),
    () => reading.read(1, 0, 1),
    () => reading.root,
    () => reading.size(1),
    () => reading.exists(1),
    () => reading.header,
    () => reading.check(),
    () => reading.recoveredTransactions,
    () => reading.stats(),
  ]) {
    const error = caught(call);
    assert.ok(error instanceof StoreError && error.code === "closed", String(call));
  }
});

test("a poisoned store", () => {
  const { store, file } = storeWithData();
  store.write(1, 0, Uint8Array.of(42));
  store.poison();
  const bytes = file.bytes();
  assertEveryMember(store, "poisoned");
  assert.equal(store.poisoned, true);
  store.close();
  assertEveryMember(store, "closed");
  assert.deepEqual(file.bytes(), bytes);
  // The lock is free, and what was acknowledged is there.
  const again = Store.open(file);
  assert.equal(again.read(1, 0, 1)[0], 42);
  again.close();
});

test("poisoned in the middle of a transaction", () => {
  const { store } = storeWithData();
  const body = () =>
    store.transaction(() => {
      store.write(1, 0, Uint8Array.of(42));
      store.poison();
      throw new Error("mine");
    });
  assert.throws(body, /mine/);
  assert.throws(() => store.transaction(() => 1), { code: "poisoned" });
  store.close();
});

test("opened twice, created over content", () => {
  const { store, file } = storeWithData();
  const code = (step: () => unknown) => {
    const error = caught(step);
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.file, "misuse");
    return error.code;
  };
  assert.equal(
    code(() => Store.open(file.reopen())),
    "locked",
  );
  assert.equal(
    code(() => Store.create(file.reopen())),
    "exists",
  );
  assert.equal(
    code(() => Store.create(file.reopen(), { overwrite: true })),
    "locked",
  );
  // Still there, and still ours.
  store.write(1, 0, Uint8Array.of(5));
  store.flush();
  assert.equal(Store.openReadOnly(file.reopen()).read(1, 0, 1)[0], 5);
  store.close();
  assert.equal(
    code(() => Store.create(file)),
    "exists",
  );
  const empty = Store.create(file, { overwrite: true });
  assert.deepEqual([...empty.ids()], []);
  empty.close();
});

test("options: every problem is named, and the file is released", () => {
  const file = new MemoryFile("misuse");
  const given = {
    inlineThreshold: 252,
    theta: 1,
    lookahead: 0.5,
    consolidate: 1,
    verify: "later",
    edition: "sizing",
    journal: 3,
  };
  for (const open of [Store.create, Store.open]) {
    const error = caught(() => open(file, given as never));
    assert.ok(error instanceof TypeError);
    for (const name of Object.keys(given)) assert.match(error.message, new RegExp(`\\b${name}\\b`));
  }
  assert.equal(file.size(), 0);
  for (const options of [null, 3, "options"])
    assert.throws(() => Store.create(file, options as never), TypeError);
  assert.throws(() => Store.create(file, { overwrite: 1 } as never), TypeError);
  Store.create(file, { inlineThreshold: undefined, theta: 0 }).close();
});

test("the store's own allocation is neither root nor schema table", () => {
  const store = Store.create(new MemoryFile("misuse"));
  store.write(store.alloc(8), 0, Uint8Array.of(1));
  store.flush();
  const named = new Set(store.ids());
  const own = [1, 2, 3].find((id) => !named.has(id) && !store.exists(id))!;
  assert.ok(store.stats().statements > named.size, "there is a private allocation");
  const fingerprint = new Uint8Array(16);
  assert.throws(() => store.setRoots(own, 0, fingerprint), RangeError);
  assert.throws(() => store.setRoots(0, own, fingerprint), RangeError);
  store.setRoots(own + 1, 0, fingerprint);
  store.close();
});
