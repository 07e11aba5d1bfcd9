import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Arena, arenaBlockBytes, Log } from "./log.ts";

const noise = new Uint8Array(3 * arenaBlockBytes + 2 ** 16);
for (let i = 0, x = 1; i < noise.length; i++) {
  x = Math.imul(x, 1_664_525) + 1_013_904_223;
  noise[i] = x >>> 24;
}

const pattern = (seed: number, length: number): Uint8Array =>
  noise.subarray(seed * 1009, seed * 1009 + length);

test("a log keeps its rows through growth, truncation and discarding", () => {
  const log = new Log();
  for (let i = 0; i < 1000; i++) log.push(i % 7, i, i + 1, i + 2, i + 3, 2 ** 32 - 1 - i, 2 ** 40 + i);
  log.truncate(900);
  log.discard(100);
  assert.equal(log.count, 800);
  for (let i = 0; i < 800; i++) {
    const n = i + 100;
    const row = [log.tag[i], log.a[i], log.b[i], log.c[i], log.d[i], log.e[i], log.payload[i]];
    assert.deepEqual(row, [n % 7, n, n + 1, n + 2, n + 3, 2 ** 32 - 1 - n, 2 ** 40 + n]);
  }
  log.discard(800);
  assert.equal(log.count, 0);
});

test("an arena gives back what was put in, wherever blocks begin and end", () => {
  const lengths = fc.oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: arenaBlockBytes - 50, max: arenaBlockBytes + 50 }),
    fc.constantFrom(0, 1, 300_000, arenaBlockBytes, 3 * arenaBlockBytes),
  );
  const step = fc.record({ length: lengths, drop: fc.constantFrom("nothing", "nothing", "after", "before") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.nat(), (steps, pick) => {
      const arena = new Arena();
      let held: { mark: number; position: number; bytes: Uint8Array }[] = [];
      steps.forEach(({ length, drop }, seed) => {
        const bytes = pattern(seed, length);
        const mark = arena.end;
        held.push({ mark, position: arena.append(bytes), bytes });
        const at = pick % held.length;
        if (drop === "after") {
          arena.truncate(held[at]!.mark);
          held = held.slice(0, at);
        } else if (drop === "before") {
          arena.discard(held[at]!.mark);
          held = held.slice(at);
        }
        for (const { position, bytes } of held) {
          assert.ok(Buffer.from(bytes).equals(arena.view(position, bytes.length)));
          if (bytes.length > 1000) continue;
          const copy = new Uint8Array(bytes.length + 2);
          arena.copyTo(position, bytes.length, copy, 1);
          assert.ok(Buffer.from(bytes).equals(copy.subarray(1, bytes.length + 1)));
          assert.equal(copy[0]! + copy[bytes.length + 1]!, 0);
        }
      });
    }),
    { numRuns: 60 },
  );
});

test("positions that continue each other are bytes that do", () => {
  const arena = new Arena();
  const first = arena.append(pattern(1, arenaBlockBytes));
  const second = arena.append(pattern(2, 10));
  assert.notEqual(second, first + arenaBlockBytes);
  const third = arena.append(pattern(3, 10));
  assert.equal(third, second + 10);
  assert.deepEqual(arena.view(second, 20), Uint8Array.from([...pattern(2, 10), ...pattern(3, 10)]));
});

test("an arena that is emptied again and again keeps its blocks", () => {
  const arena = new Arena();
  const buffers = new Set<ArrayBufferLike>();
  const payload = pattern(5, 1000);
  for (let i = 0; i < 20_000; i++) {
    const position = arena.append(payload);
    buffers.add(arena.view(position, 1).buffer);
    if (i % 1500 === 0) arena.discard(arena.end);
  }
  assert.ok(buffers.size <= 3, `${buffers.size} blocks`);
});
