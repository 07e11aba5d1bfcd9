/**
 * `Text`: a string that is edited in place.
 *
 *  (1) Lengths and indices count UTF-16 units, as JavaScript's strings do; a range that cuts a surrogate pair is refused.
 *  (2) Each edit is one record.
 */

import type { Text } from "../schema/containers.ts";
import { publishPointer, shiftPlace } from "./assign.ts";
import type { Encoder } from "./encoder.ts";
import { LeafNode } from "./leaf-node.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { blame, describe, rangeMistake, typeMistake } from "./mistakes.ts";
import { claimMark, type Node, pathOf, undoOutside } from "./node.ts";
import { decodeText } from "./reader.ts";
import { recordReplacement, recordText } from "./text-edit.ts";
import { wellFormed } from "./text-types.ts";

export class TextNode extends LeafNode implements Text {
  #text = "";
  #bytes = 0;

  /** Fills a new text. */
  $fill(text: string): void {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  get [Symbol.toStringTag](): string {
    return "Text";
  }

  append(text: string): this {
    return this.replaceRange(this.length, this.length, text);
  }

  insert(index: number, text: string): this {
    return this.replaceRange(index, index, text);
  }

  delete(start: number, end: number): this {
    return this.replaceRange(start, end, "");
  }

  replaceRange(start: number, end: number, text: string): this {
    const from = this.#inside("start", start, 0);
    const to = this.#inside("end", end, from);
    const inserted = this.#formed(text);
    const old = this.#text;
    if (old.slice(from, to) === inserted) return this;
    const next = old.slice(0, from) + inserted + old.slice(to);
    this.#change(next, (ledger) => recordReplacement(ledger, this.$id, old, this.#bytes, from, to, inserted));
    return this;
  }

  assign(text: string | Text): this {
    const next = this.#formed(text instanceof TextNode ? text.#text : text);
    const old = this.#text;
    if (old !== next) this.#change(next, (ledger) => recordText(ledger, this.$id, old, this.#bytes, next));
    return this;
  }

  slice(start?: number, end?: number): string {
    return this.#text.slice(start, end);
  }

  indexOf(text: string, from?: number): number {
    return this.#text.indexOf(text, from);
  }

  override toString(): string {
    return this.#text;
  }

  override valueOf(): string {
    return this.#text;
  }

  [Symbol.toPrimitive](hint: string): string | number {
    return hint === "number" ? Number(this.#text) : this.#text;
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#text[Symbol.iterator]();
  }

  toJSON(): string {
    return this.#text;
  }

  #formed(text: unknown): string {
    try {
      return wellFormed(text);
    } catch (cause) {
      throw blame(cause, pathOf(this));
    }
  }

  #inside(name: string, index: number, low: number): number {
    const isInside = Number.isInteger(index) && index >= low && index <= this.length;
    const cutsPair = isInside && index > 0 && index < this.length && isPair(this.#text, index - 1);
    if (isInside && !cutsPair) return index;
    const mistake =
      typeof index !== "number"
        ? typeMistake(`${name} must be a number, not ${describe(index)}`)
        : rangeMistake(
            cutsPair
              ? `${name} ${index} is inside a surrogate pair`
              : `${name} ${index} is not from ${low} to ${this.length}`,
          );
    throw blame(mistake, pathOf(this));
  }

  #change(next: string, edit: (ledger: Ledger) => number): void {
    const ledger = this.$doc;
    const undo = ledger === null ? undoOutside(this) : ledger.undo;
    const [old, bytes, before] = [this.#text, this.#bytes, this.$id];
    let id = before;
    let size = 0;
    let delta = 0;
    ledger?.record(claimMark(), () => {
      if (before !== 0) {
        size = edit(ledger);
        return;
      }
      id = ledger.writeText(next);
      size = ledger.textBytes;
      delta = publishPointer(ledger, this, id);
    });
    [this.#text, this.#bytes, this.$id] = [next, size, id];
    shiftPlace(this, delta);
    undo?.push(() => {
      shiftPlace(this, -delta);
      [this.#text, this.#bytes, this.$id] = [old, bytes, before];
    });
    ledger?.settle();
  }

  override $isEmpty(): boolean {
    return this.#text === "";
  }

  override $attachContent(_ledger: Ledger, out: Encoder): void {
    this.#bytes = out.text(this.#text);
  }

  override $load(loader: Loader): void {
    loader.at(this.$parent as Node, this.$index);
    const bytes = loader.readLeaf(this.$id);
    this.#bytes = bytes.length;
    this.#text = decodeText(bytes, 0, bytes.length);
  }

  override $toPlain(): string {
    return this.#text;
  }
}

const isPair = (text: string, at: number): boolean => {
  const high = text.charCodeAt(at);
  const low = text.charCodeAt(at + 1);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
};
