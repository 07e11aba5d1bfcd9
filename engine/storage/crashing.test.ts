import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionError, StoreError } from "../errors.ts";
import { type CallKind, CrashingFile, type CrashPlan, PowerCut } from "./crashing.ts";
import { SplitMix32 } from "./random.ts";

const filled = (length: number, value: number) => new Uint8Array(length).fill(value);
const code = (expected: string) => (error: unknown) => error instanceof StoreError && error.code === expected;

/** 1024 synced bytes of 1; then 3072 bytes long, sectors 1 and 2 hold 2. */
function withUnsynced(plan: CrashPlan = {}): CrashingFile {
  const file = new CrashingFile(filled(1024, 1), plan);
  file.truncate(3072);
  file.write(filled(1024, 2), 512);
  return file;
}

test("the named choices", () => {
  const file = withUnsynced();
  const kept = new Uint8Array([...filled(512, 1), ...filled(1024, 2), ...filled(1536, 0)]);
  assert.deepEqual(file.bytes(), kept);
  assert.deepEqual(file.image("kept"), kept);
  assert.deepEqual(file.image("lost"), filled(1024, 1));
  assert.deepEqual(file.image("lengthOnly"), new Uint8Array([...filled(1024, 1), ...filled(2048, 0)]));
  assert.deepEqual(file.image("contentsOnly"), kept.slice(0, 1024));
  assert.deepEqual(
    file.image("torn"),
    new Uint8Array([...filled(512, 1), ...filled(512, 2), ...filled(2048, 0)]),
  );
  assert.deepEqual(file.image("lost"), filled(1024, 1), "asking changes nothing");
  file.sync();
  for (const { image } of file.images(new SplitMix32(1), 20)) assert.deepEqual(image, kept);
});

test("every image of whole sectors, unless there are too many", () => {
  const file = withUnsynced();
  const images = file.everyImage(8)!;
  // Sectors 1 and 2 in two versions each, and two lengths.
  assert.deepEqual([images.length, file.everyImage(7)], [8, undefined]);
  const seen = images.map((image) => `${image.length} ${image[512]} ${image[1024] ?? "-"}`);
  assert.deepEqual([...new Set(seen)].sort(), [
    "1024 1 -",
    "1024 2 -",
    "3072 1 0",
    "3072 1 2",
    "3072 2 0",
    "3072 2 2",
  ]);
  file.sync();
  assert.deepEqual(file.everyImage(1), [file.bytes()]);
});

test("by chance, every sector and the length go their own ways, and sectors tear", () => {
  const file = withUnsynced();
  const seen = new Set<string>();
  let torn = 0;
  const random = new SplitMix32(7);
  for (let i = 0; i < 400; i++) {
    const image = file.image(random);
    assert.ok(image.length === 1024 || image.length === 3072);
    assert.ok(
      image.subarray(0, 512).every((byte) => byte === 1),
      "never written",
    );
    const second = new Set(image.subarray(512, 1024));
    if (second.size > 1) torn++;
    else seen.add(`${image.length} ${[...second]} ${image[1024] ?? "-"}`);
  }
  for (const expected of ["1024 1 -", "1024 2 -", "3072 1 0", "3072 1 2", "3072 2 0", "3072 2 2"]) {
    assert.ok(seen.has(expected), `${expected} among ${[...seen].join(", ")}`);
  }
  assert.ok(torn > 5 && torn < 60, `${torn} torn`);
});

test("a sector written twice holds any version it had, and mixes them only when torn", () => {
  const file = new CrashingFile(filled(512, 1));
  file.write(filled(100, 2), 0);
  file.write(filled(100, 3), 200);
  const counts: Record<string, number> = {};
  const random = new SplitMix32(3);
  for (let i = 0; i < 400; i++) {
    const image = file.image(random);
    const versions = `${image[0]} ${image[250]}`;
    counts[versions] = (counts[versions] ?? 0) + 1;
  }
  for (const whole of ["1 1", "2 1", "2 3"]) assert.ok(counts[whole]! > 80, JSON.stringify(counts));
  assert.ok((counts["1 3"] ?? 0) < 20, "the second write reached the disk with the first");
});

test("shrinking and growing again: the old bytes are gone, or the old length is there", () => {
  const file = new CrashingFile(filled(2048, 1));
  file.truncate(700);
  file.truncate(2048);
  assert.deepEqual(file.bytes(), new Uint8Array([...filled(700, 1), ...filled(1348, 0)]));
  assert.deepEqual(file.image("kept"), file.bytes());
  assert.deepEqual(file.image("lost"), filled(2048, 1));
  const lengths = new Set<number>();
  const random = new SplitMix32(5);
  for (let i = 0; i < 50; i++) lengths.add(file.image(random).length);
  assert.deepEqual([...lengths].sort(), [2048, 700]);
});

test("the power fails during any mutating call, and stays away", () => {
  const rehearsal = withUnsynced();
  rehearsal.sync();
  assert.equal(rehearsal.mutations, 3);
  for (let cutAt = 0; cutAt < rehearsal.mutations; cutAt++) {
    const file = new CrashingFile(filled(1024, 1), { cutAt });
    assert.throws(() => {
      file.truncate(3072);
      file.write(filled(1024, 2), 512);
      file.sync();
    }, PowerCut);
    assert.equal(file.mutations, cutAt + 1);
    for (const call of [
      () => file.size(),
      () => file.read(new Uint8Array(1), 0),
      () => file.write(new Uint8Array(1), 0),
      () => file.truncate(0),
      () => file.sync(),
      () => file.lock(),
      () => file.close(),
    ]) {
      assert.throws(call, PowerCut);
    }
    assert.equal(file.isCut, true);
    assert.deepEqual(file.image("lost"), filled(1024, 1));
    assert.equal(file.image("kept").length, 3072, "the call under way may have arrived");
    assert.equal(file.image("kept")[512], cutAt === 0 ? 1 : 2);
  }
});

test("planned failures", () => {
  const failures = (["read", "write", "truncate", "sync"] as const).map((call: CallKind) => ({
    call,
    at: 1,
    code: call === "write" ? ("disk-full" as const) : ("io-failed" as const),
  }));
  const file = new CrashingFile(filled(1024, 1), { failures });
  const calls: [string, () => void][] = [
    ["io-failed", () => file.read(new Uint8Array(1), 0)],
    ["disk-full", () => file.write(filled(10, 9), 0)],
    ["io-failed", () => file.truncate(1024)],
    ["io-failed", () => file.sync()],
  ];
  for (const [expected, call] of calls) {
    call();
    assert.throws(call, code(expected));
    call();
  }
});

test("a failed write leaves half, a failed sync nothing for good", () => {
  const failures = [
    { call: "write", at: 0, code: "disk-full" },
    { call: "sync", at: 0, code: "io-failed" },
  ] as const;
  const file = new CrashingFile(filled(512, 1), { failures });
  assert.throws(() => file.write(filled(100, 2), 0), code("disk-full"));
  assert.deepEqual(file.bytes(), new Uint8Array([...filled(50, 2), ...filled(462, 1)]));
  assert.throws(() => file.sync(), code("io-failed"));
  file.sync();
  assert.deepEqual(file.image("lost"), filled(512, 1));
});

test("a full disk", () => {
  const early = new CrashingFile(new Uint8Array(4096), { full: { pages: 2, at: "truncate" } });
  early.truncate(8192);
  assert.throws(() => early.truncate(8193), code("disk-full"));
  assert.equal(early.size(), 8192);
  const late = new CrashingFile(new Uint8Array(4096), { full: { pages: 2, at: "write" } });
  late.truncate(12288);
  late.write(filled(4096, 1), 4096);
  assert.throws(() => late.write(filled(4096, 1), 8192), code("disk-full"));
  assert.throws(
    () => late.write(filled(1, 1), 12288),
    AssertionError,
    "the engine's mistake, not the disk's",
  );
  late.plan = {};
  late.write(filled(4096, 1), 8192);
});

test("after any calls: all kept is what was written, all lost is the last sync's", () => {
  const call = fc.oneof(
    fc.record({ kind: fc.constant("truncate" as const), bytes: fc.nat(6000) }),
    fc.record({
      kind: fc.constant("write" as const),
      at: fc.nat(6000),
      from: fc.uint8Array({ maxLength: 1500 }),
    }),
    fc.record({ kind: fc.constant("sync" as const) }),
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 25 }), fc.nat(), (calls, seed) => {
      const file = new CrashingFile();
      let safe = new Uint8Array(0);
      const history = [safe];
      for (const step of calls) {
        if (step.kind === "truncate") file.truncate(step.bytes);
        else if (step.kind === "write") {
          const at = Math.min(step.at, file.size());
          file.write(step.from.subarray(0, file.size() - at), at);
        } else {
          file.sync();
          safe = file.bytes() as Uint8Array<ArrayBuffer>;
          history.length = 0;
        }
        history.push(file.bytes() as Uint8Array<ArrayBuffer>);
      }
      assert.deepEqual(file.image("lost"), safe);
      assert.deepEqual(file.image("kept"), file.bytes());
      const image = file.image(new SplitMix32(seed));
      assert.ok(history.concat([safe]).some((state) => state.length === image.length));
      for (let at = 0; at < image.length; at++) {
        const possible = [0, ...history.map((state) => state[at] ?? 0), safe[at] ?? 0];
        assert.ok(possible.includes(image[at]!), `byte ${at} is ${image[at]}`);
      }
    }),
    { numRuns: 200 },
  );
});
