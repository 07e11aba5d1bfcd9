import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { contentOffset, inlineBytesMax, pageBytes, u32Max } from "./layout.ts";
import {
  childListBytes,
  framingBytes,
  isContent,
  StatementReader,
  tagGrow,
  tagInline,
  tagRef,
  tagShrink,
  tagTombstone,
  tagZero,
  writeChildren,
  writeStatement,
} from "./statement.ts";

interface Plain {
  readonly id: number;
  readonly kind: number;
  readonly offset: number;
  readonly size: number;
  readonly address: number;
}

const cursorOf = ({ kind, offset, size }: Plain): number => (kind === tagTombstone ? 0 : offset + size);

/** Numbers of every length, the largest ones among them. */
const u32 = (max = u32Max): fc.Arbitrary<number> =>
  fc
    .oneof(
      fc.nat({ max: 130 }),
      fc.nat({ max: 70000 }),
      fc.integer({ min: 0, max }),
      fc.integer({ min: Math.max(0, max - 3), max }),
    )
    .map((value) => Math.min(value, max));

/** Steps from one statement to the next: to another id, or on within the same one. */
const steps = fc.array(
  fc.record({
    idStep: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: u32(2 ** 28) }),
    kind: fc.constantFrom(tagRef, tagZero, tagShrink, tagGrow, tagTombstone, tagInline),
    gap: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: u32() }),
    size: u32(),
    page: u32(),
    pageOffset: fc.nat({ max: pageBytes - 1 }),
  }),
  { maxLength: 12 },
);

/** Statements that a page can express, in order. */
function statementsOf(raw: typeof steps extends fc.Arbitrary<infer T> ? T : never): Plain[] {
  const list: Plain[] = [];
  for (const { idStep, kind, gap, size, page, pageOffset } of raw) {
    const last = list.at(-1);
    const isNewId = last === undefined || idStep > 0 || kind === tagTombstone || last.kind === tagTombstone;
    const id = (last?.id ?? 0) + (isNewId ? Math.max(1, idStep) : 0);
    const offset = kind === tagTombstone ? 0 : (isNewId ? 0 : cursorOf(last!)) + gap;
    if (id > u32Max || offset > u32Max) break;
    const room = u32Max - offset;
    const bytes =
      kind === tagRef
        ? Math.min(size, room, pageBytes - pageOffset)
        : kind === tagInline
          ? Math.min(room, 1 + (size % inlineBytesMax))
          : Math.min(size, room);
    if (kind === tagInline && bytes === 0) break;
    const address = kind === tagRef ? page * pageBytes + pageOffset : 0;
    list.push({ id, kind, offset, size: isContent(kind) ? bytes : 0, address });
  }
  return list;
}

const childrenOf = fc
  .array(
    u32(2 ** 26).map((step) => Math.max(1, step)),
    { maxLength: 20 },
  )
  .map((gaps) => {
    let page = 1;
    return gaps.map((gap) => {
      page += gap;
      return page;
    });
  });

const payloadByte = (id: number, at: number): number => (id * 31 + at) & 0xff;

/** Encodes everything behind `contentOffset` and returns the end. */
function encode(page: Uint8Array, children: readonly number[], list: readonly Plain[]): number {
  let at = writeChildren(page, contentOffset, children);
  assert.equal(at - contentOffset, childListBytes(children));
  let lastId = 0;
  let lastCursor = 0;
  for (const { id, kind, offset, size, address } of list) {
    const end = writeStatement(page, at, kind, id, offset, size, address, lastId, lastCursor);
    assert.equal(end - at, framingBytes(kind, id, offset, size, address, lastId, lastCursor));
    assert.ok(end - at <= framingBytes(kind, id, offset, size, address, 0, 0), "standalone is shorter");
    at = end;
    if (kind === tagInline) for (let i = 0; i < size; i++) page[at++] = payloadByte(id, i);
    lastId = id;
    lastCursor = cursorOf({ id, kind, offset, size, address });
  }
  return at;
}

test("what is encoded decodes to the same", () => {
  fc.assert(
    fc.property(childrenOf, steps, (children, raw) => {
      const list = statementsOf(raw);
      const page = new Uint8Array(2 * pageBytes);
      const end = encode(page, children, list);
      const reader = new StatementReader();
      reader.open(page, contentOffset, end, "file", 5);
      assert.deepEqual(reader.children(), children);
      for (const { id, kind, offset, size, address } of list) {
        const start = reader.position;
        assert.ok(reader.next());
        const found = { id: reader.id, kind: reader.kind, offset: reader.offset, size: reader.size };
        assert.deepEqual(found, { id, kind, offset, size });
        if (kind === tagRef) assert.equal(reader.address, address);
        const payload = kind === tagInline ? size : 0;
        assert.equal(reader.framing + payload, reader.position - start);
        for (let i = 0; i < payload; i++) assert.equal(page[reader.payloadAt + i], payloadByte(id, i));
      }
      assert.equal(reader.position, end);
      assert.equal(reader.next(), false);
    }),
    { numRuns: 2000 },
  );
});

test("any bytes decode or are refused, and never read past the end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (content) => {
      // What lies behind the content would go on with every number that is cut off.
      const page = new Uint8Array(contentOffset + content.length + 20).fill(0xff);
      page.set(content, contentOffset);
      const reader = new StatementReader();
      reader.open(page, contentOffset, contentOffset + content.length, "file", 5);
      try {
        reader.children();
        while (reader.next()) assert.ok(reader.position <= contentOffset + content.length);
      } catch (error) {
        const { code, rule } = error as { code?: string; rule?: string };
        assert.equal(code, "corrupt");
        assert.match(rule!, /^(?:T[12]|S[1-5])$/);
      }
    }),
    { numRuns: 3000 },
  );
});
