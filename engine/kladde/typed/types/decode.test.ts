import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../../errors.ts";
import type { Descriptor } from "./descriptor.ts";
import {
  checkDescriptor,
  decodeTable,
  encodeTable,
  fingerprintOf,
  nodesOf,
  sameLayout,
  slotBytes,
  tableBytesMax,
  typeName,
} from "./index.ts";
import { opaque, prim, struct, vec } from "./testing/build.ts";
import { graphs, packedGraphs } from "./testing/random.ts";
import { vectors } from "./testing/vectors.ts";
import { ByteWriter } from "./writer.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

/** Decodes, which must refuse with a code of its own or give a table that every other function can take. */
function decodeSafely(bytes: Uint8Array): Descriptor | undefined {
  let root: Descriptor;
  try {
    root = decodeTable(bytes);
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.match(error.code, /^(corrupt|schema-mismatch|too-large)$/);
    assert.ok(error.message.length < 1500);
    return undefined;
  }
  checkDescriptor(root);
  const again = decodeTable(encodeTable(root));
  assert.equal(hex(fingerprintOf(again)), hex(fingerprintOf(root)));
  assert.ok(sameLayout(root, again));
  assert.ok(slotBytes(root) >= -1);
  assert.ok(typeName(root).length < 500);
  return root;
}

function refuse(bytes: Uint8Array, code: string, message: RegExp): void {
  assert.throws(
    () => decodeTable(bytes),
    (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    },
  );
}

test("what was encoded is decoded", () => {
  fc.assert(
    fc.property(fc.oneof(graphs, packedGraphs), (root) => {
      const bytes = encodeTable(root);
      const decoded = decodeTable(bytes);
      assert.deepEqual(decoded, root);
      assert.equal(hex(encodeTable(decoded)), hex(bytes));
      assert.equal(hex(fingerprintOf(decoded)), hex(fingerprintOf(root)));
      assert.equal(nodesOf(decoded).length, nodesOf(root).length);
    }),
  );
});

test("a byte order mark is part of a name", () => {
  const root = struct("\ufeffS", { "\ufeff": prim("u8"), "": prim("u8") });
  assert.deepEqual(decodeTable(encodeTable(root)), root);
});

test("every truncation of a table is refused", () => {
  fc.assert(
    fc.property(fc.oneof(graphs, packedGraphs), (root) => {
      const bytes = encodeTable(root);
      for (let end = 0; end < bytes.length; end++) refuse(bytes.subarray(0, end), "corrupt", /table/);
    }),
    { numRuns: 20 },
  );
});

test("every flipped bit of a table is refused or gives a table that keeps the rules", () => {
  const outcomes = { refused: 0, valid: 0 };
  const flipAll = (bytes: Uint8Array): void => {
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      outcomes[decodeSafely(flipped) === undefined ? "refused" : "valid"] += 1;
    }
  };
  for (const { table } of vectors) if (table !== undefined) flipAll(fromHex(table));
  fc.assert(
    fc.property(fc.oneof(graphs, packedGraphs), (root) => flipAll(encodeTable(root))),
    { numRuns: 10 },
  );
  assert.ok(outcomes.refused > 100 && outcomes.valid > 100, JSON.stringify(outcomes));
});

test("any bytes are refused or give a table that keeps the rules", () => {
  const tags = fc.constantFrom(128, 129, 130, 132, 133, 134, 135, 136, 0, 1, 2, 3);
  const bytes = fc.array(fc.oneof({ weight: 3, arbitrary: tags }, fc.nat(255)), { maxLength: 40 });
  fc.assert(
    fc.property(bytes, (list) => {
      decodeSafely(Uint8Array.from(list));
    }),
    { numRuns: 3000 },
  );
});

test("each way of being wrong has its message", () => {
  refuse(new Uint8Array(0), "corrupt", /byte 0: it ends inside a number/);
  refuse(fromHex("00"), "corrupt", /no entries/);
  refuse(fromHex("010202"), "corrupt", /1 bytes are left over/);
  refuse(fromHex("018401"), "corrupt", /entry 1 is referred to, of 1/);
  refuse(fromHex("018402"), "corrupt", /entry 2 is referred to/);
  refuse(fromHex("0181014503 00"), "corrupt", /byte 4: a discriminant takes 1, 2, 4 or 8 bytes, not 3/);
  refuse(fromHex("018001ff00"), "corrupt", /a name is not UTF-8/);
  refuse(fromHex("81 00 02"), "corrupt", /shortest form/);
  refuse(fromHex("ffffffffffffffffff01"), "corrupt", /exceeds 2\^53/);
  refuse(fromHex("ffffffff0f 02"), "corrupt", /4294967295 things cannot follow in 1 bytes/);
  refuse(fromHex("018001 53 ffff03"), "corrupt", /65535 things cannot follow in 0 bytes/);
  refuse(new Uint8Array(tableBytesMax + 1), "too-large", /more than 1048576/);
});

test("kinds that are not known, and containers of older files, are told apart from damage", () => {
  refuse(fromHex("0183"), "schema-mismatch", /byte 1: a type is an array, which is reserved/);
  refuse(fromHex("018900"), "schema-mismatch", /kind 137, which is unknown/);
  for (const code of ["0c", "0f", "17", "7f"])
    refuse(fromHex(`01${code}`), "schema-mismatch", /primitive \d+ is reserved or unknown/);
  const old = opaque("kladde-types", "PersistableVec", [0, 1, 0], 4, prim("u32"));
  refuse(
    encodeTable(vec(old)),
    "schema-mismatch",
    /kladde-types\/PersistableVec 0\.1\.0.*earlier format revision/,
  );
  decodeTable(encodeTable(vec(opaque("kladde-types", "PersistableBlob", [0, 1, 0], 4))));
  decodeTable(encodeTable(vec(opaque("another", "PersistableVec", [0, 1, 0], 4))));
});

/** A table of `count` entries, of which `entry` writes one. */
function table(count: number, entry: (writer: ByteWriter, i: number) => void): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(count);
  for (let i = 0; i < count; i++) entry(writer, i);
  return writer.finish();
}

const mebibyte = 2 ** 20;

test("a long chain neither overflows the stack nor takes quadratic time", () => {
  const count = 240_000;
  const chain = table(count, (writer, i) => {
    writer.byte(i === count - 1 ? 2 : 132);
    if (i < count - 1) writer.varint(i + 1);
  });
  assert.ok(chain.length > 0.85 * mebibyte && chain.length < mebibyte);
  const root = decodeSafely(chain);
  assert.ok(root !== undefined);
  const other = decodeTable(
    table(count, (writer, i) => {
      writer.byte(i === count - 1 ? 3 : 132);
      if (i < count - 1) writer.varint(i + 1);
    }),
  );
  assert.equal(sameLayout(root, other), false);
});

test("structs nested a hundred thousand deep are counted through", () => {
  const count = 100_000;
  const nested = table(count, (writer, i) => {
    if (i === count - 1) return writer.byte(2);
    writer.byte(128);
    writer.string("");
    writer.varint(1);
    writer.string("a");
    writer.varint(i + 1);
  });
  const root = decodeSafely(nested);
  assert.ok(root !== undefined);
  assert.equal(slotBytes(root), 4);
});

test("rings of coprime lengths are compared without walking their product", () => {
  const ring = (count: number): Descriptor =>
    decodeTable(
      table(count, (writer, i) => {
        writer.byte(132);
        writer.varint((i + 1) % count);
      }),
    );
  const [a, b] = [ring(99_991), ring(100_003)];
  assert.ok(sameLayout(a, b));
  assert.notEqual(hex(fingerprintOf(a)), hex(fingerprintOf(b)));
});

test("many fields of one type, and one huge name", () => {
  const fields = 100_000;
  const wide = table(2, (writer, i) => {
    if (i === 1) return writer.byte(2);
    writer.byte(128);
    writer.string("Wide");
    writer.varint(fields);
    for (let n = 0; n < fields; n++) {
      writer.string(String(n));
      writer.varint(1);
    }
  });
  const root = decodeSafely(wide);
  assert.ok(root !== undefined);
  assert.equal(slotBytes(root), 4 * fields);
  const name = "x".repeat(mebibyte / 4);
  const named = { kind: "struct", name, fields: [{ name, type: prim("u32") }] } as const;
  const back = decodeSafely(encodeTable(named));
  assert.ok(back !== undefined);
  assert.ok(typeName(back).length < 200);
});
