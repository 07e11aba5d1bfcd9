/** Documents among a user's files: rights are kept, other files are left alone, a failure leaves nothing behind. */

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { nodeDisk } from "../../../storage/node.ts";
import * as k from "../schema/k.ts";
import { kladdeOn } from "./kladde.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "daybook-files-"));
after(() => fs.rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);
const Kladde = kladdeOn(nodeDisk);
const One = k.struct({ a: k.u8() });
const Two = k.struct({ a: k.u8(), b: k.option(k.string()) });

test("an upgrade keeps the rights of the file, and its copy has them", () => {
  Kladde.open(at("rights"), One).close();
  fs.chmodSync(at("rights"), 0o600);
  Kladde.open(at("rights"), Two, { evolve: "upgrade", keepOld: true }).close();
  const files = fs.readdirSync(folder).filter((name) => /^rights(\.[0-9a-f]{8})?$/.test(name));
  assert.equal(files.length, 2);
  for (const name of files) assert.equal(fs.statSync(at(name)).mode & 0o777, 0o600, name);
});

test("a file of the user's in the place where a document is made is refused and stays", () => {
  fs.writeFileSync(at("mine.new"), "my own file");
  assert.throws(() => Kladde.open(at("mine"), One), { code: "exists" });
  assert.equal(fs.readFileSync(at("mine.new"), "utf8"), "my own file");
  assert.equal(fs.existsSync(at("mine")), false);
});

test("what a crash left of a document in the making is overwritten", () => {
  Kladde.open(at("whole"), One).close();
  fs.copyFileSync(at("whole"), at("again.new"));
  fs.truncateSync(at("again.new"), 100);
  Kladde.open(at("again"), One).close();
  fs.writeFileSync(at("third.new"), new Uint8Array(8192));
  Kladde.open(at("third"), One).close();
  assert.equal(fs.existsSync(at("third.new")), false);
});

test("a first value that is refused leaves no file", () => {
  assert.throws(() => Kladde.open(at("refused"), One, { init: () => ({ a: 300 }) }), RangeError);
  const failing = () => {
    throw new Error("mine");
  };
  assert.throws(() => Kladde.open(at("refused"), One, { init: failing }), /mine/);
  assert.equal(fs.existsSync(at("refused")), false);
  fs.writeFileSync(at("empty"), "");
  assert.throws(() => Kladde.open(at("empty"), One, { init: failing }), /mine/);
  assert.equal(fs.existsSync(at("empty")), true);
});

test("what is neither a name nor a file is refused by what it is", () => {
  const url = new URL("file:///tmp/x");
  assert.throws(
    () => Kladde.open(url as never, One),
    /^TypeError: target must be .* not an instance of URL; fileURLToPath/,
  );
  for (const target of [Buffer.from("x"), undefined, 5, {}, null])
    assert.throws(() => Kladde.open(target as never, One), /^TypeError: target must be the name of a file/);
});

test("a value that the schema cannot take is no damage", () => {
  Kladde.open(at("wide"), k.struct({ n: k.u64() }), { init: () => ({ n: 1n << 60n }) }).close();
  const Narrow = k.struct({ n: k.u64({ as: "number" }) });
  assert.throws(() => Kladde.open(at("wide"), Narrow), { code: "schema-mismatch", at: "n" });
  Kladde.open(at("text"), k.struct({ j: k.string() }), { init: () => ({ j: "a" }) }).close();
  assert.throws(() => Kladde.open(at("text"), k.struct({ j: k.json() })), {
    code: "schema-mismatch",
    at: "j",
  });
});
