/** Edits of long texts begin and end between code points, and the file holds the text that memory does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryFile } from "../../../storage/memory.ts";
import { kladdeOn } from "../document/kladde.ts";
import * as k from "../schema/k.ts";
import { runsOf } from "../testing/tape.ts";

const kladde = kladdeOn();
const Note = k.struct({ string: k.string(), text: k.text(), list: k.vec(k.string()) });

/** Code points that share a half with another one, or have other lengths in UTF-8. */
const points = ["\u{1f600}", "\u{20600}", "\u{1f601}", "é", "漢", "a", "\u{10ffff}", "\0"] as const;

const texts = fc.array(fc.constantFrom(...points), { maxLength: 6 }).map((parts) => parts.join(""));

test("whatever changes in the middle of a long text, the file follows", () => {
  const fillers = fc.constantFrom("ab", "é漢", "\u{1f600}");
  const property = fc.property(fillers, texts, texts, texts, texts, (filler, front, old, next, back) => {
    const long = filler.repeat(700);
    const before = front + long + old + long + back;
    const file = new MemoryFile("note");
    const doc = kladde.open(file, Note, { init: () => ({ string: before, text: before, list: [before] }) });
    for (const after of [
      front + long + next + long + back,
      old + long + next + long,
      long,
      next + long + long,
    ]) {
      doc.string = after;
      doc.text.assign(after);
      doc.list.set(0, after);
      const again = kladde.open(new MemoryFile("copy", file.bytes()), Note);
      assert.equal(again.string, after);
      assert.equal(String(again.text), after);
      assert.equal(again.list.at(0), after);
    }
  });
  fc.assert(property, runsOf(100) as fc.Parameters<[string, string, string, string, string]>);
});
