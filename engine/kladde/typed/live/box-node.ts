/**
 * The content of a box: one place in an allocation of its own, or nothing.
 *
 *  (1) The application never sees the box, only its content, or null.
 *  (2) New content replaces the old in the same allocation; null gives the allocation back.
 */

import { assign, type Cell, makeFor, publishPointer, shiftPlace } from "./assign.ts";
import { ContentNode } from "./content-node.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { typeMistake } from "./mistakes.ts";
import { claimMark, dropClaims, keepClaims, Node, place, undoOutside } from "./node.ts";
import { Malformed } from "./reader.ts";
import type { Type } from "./type.ts";

/** Nothing in the box; null may be content, of an option. */
export const nothing = Symbol("nothing");

export class BoxNode extends ContentNode implements Cell {
  #stored: unknown = nothing;
  #textId = 0;
  #textBytes = 0;
  readonly #content: Type;
  readonly #isPacked: boolean;

  constructor(type: Type, content: Type, isPacked: boolean) {
    super(type);
    this.#content = content;
    this.#isPacked = isPacked;
  }

  /** The content, or null. */
  get $value(): unknown {
    return this.#stored === nothing ? null : this.#content.read(this.#stored);
  }

  /** Fills a new box. */
  $fill(stored: unknown): void {
    this.#stored = stored;
    if (stored instanceof Node) place(stored, this, 0);
  }

  $set(input: unknown): void {
    if (input === null || input === undefined) this.#empty();
    else if (this.#stored === nothing) this.#fillFirst(input);
    else assign(this, 0, input);
  }

  #fillFirst(input: unknown): void {
    const mark = claimMark();
    const stored = makeFor(this, 0, this.#content, input, mark);
    if (this.#stored !== nothing) {
      dropClaims(mark);
      throw typeMistake("the box was changed while a value for it was read");
    }
    const ledger = this.$doc;
    if (ledger === null) {
      const undo = undoOutside(this);
      this.$fill(stored);
      undo?.push(() => this.#forget());
      keepClaims(mark, undo);
      return;
    }
    let textId = 0;
    let textBytes = 0;
    let delta = 0;
    let id = 0;
    ledger.record(mark, () => {
      textId = this.#content.attach(ledger, ledger.out, this.#isPacked, stored, 0);
      textBytes = ledger.textBytes;
      ledger.drain();
      id = ledger.store.newId();
      ledger.store.write(id, 0, ledger.out.view());
      delta = publishPointer(ledger, this, id);
    });
    this.$fill(stored);
    this.#textId = textId;
    this.#textBytes = textBytes;
    this.$id = id;
    shiftPlace(this, delta);
    ledger.undo?.push(() => {
      shiftPlace(this, -delta);
      this.#forget();
    });
    keepClaims(mark, ledger.undo);
    ledger.settle();
  }

  #forget(): void {
    this.#stored = nothing;
    this.#textId = 0;
    this.#textBytes = 0;
    this.$id = 0;
  }

  #empty(): void {
    if (this.#stored === nothing) return;
    const ledger = this.$doc;
    const undo = ledger === null ? undoOutside(this) : ledger.undo;
    const stored = this.#stored;
    const ids = [this.$id, this.#textId, this.#textBytes] as const;
    let delta = 0;
    if (ledger !== null) {
      ledger.record(claimMark(), () => {
        delta = publishPointer(ledger, this, 0);
        ledger.retire(this.#content, stored, this.#textId);
        ledger.retireAllocation(this.$id);
      });
    } else if (stored instanceof Node) stored.$parent = null;
    this.#forget();
    shiftPlace(this, delta);
    undo?.push(() => {
      shiftPlace(this, -delta);
      this.$fill(stored);
      [this.$id, this.#textId, this.#textBytes] = ids;
    });
    ledger?.settle();
  }

  override $isEmpty(): boolean {
    return this.#stored === nothing;
  }

  override $valueAt(_index: number): unknown {
    return this.#stored === nothing ? null : this.#stored;
  }

  override $typeAt(_index: number): Type {
    return this.#content;
  }

  override $offsetAt(_index: number): number {
    return 0;
  }

  override $isPacked(): boolean {
    return this.#isPacked;
  }

  override $stepAt(_index: number): string {
    return "";
  }

  override $storeAt(_index: number, value: unknown, id: number, bytes: number): void {
    this.#stored = value;
    this.#textId = id;
    this.#textBytes = bytes;
  }

  override $idAt(_index: number): number {
    return this.#textId;
  }

  override $bytesAt(_index: number): number {
    return this.#textBytes;
  }

  override $shiftAt(): void {}

  override $attachContent(ledger: Ledger, out: Encoder): void {
    if (this.#stored === nothing) return;
    this.#textId = this.#content.attach(ledger, out, this.#isPacked, this.#stored, this.#textId);
    this.#textBytes = ledger.textBytes;
  }

  override $load(loader: Loader): void {
    loader.at(this, 0);
    const reader = loader.open(this.$id, this);
    this.#stored = this.#content.decode(reader, this.#isPacked, loader, this, 0);
    if (reader.at !== reader.end) throw new Malformed(`${reader.end - reader.at} bytes follow the value`);
    if (this.#content.holding !== "text") return;
    this.#textId = loader.textId;
    this.#textBytes = loader.textBytes;
  }

  override $collectIds(into: number[]): void {
    super.$collectIds(into);
    into.push(this.#textId);
  }

  override $clearIds(): void {
    super.$clearIds();
    this.#textId = 0;
  }

  override $restoreIds(from: readonly number[], at: number): number {
    const next = super.$restoreIds(from, at);
    this.#textId = from[next]!;
    return next + 1;
  }

  override $pushChildren(stack: Node[]): void {
    if (this.#stored instanceof Node) stack.push(this.#stored);
  }

  override $toPlain(toPlain: (value: unknown) => unknown): unknown {
    return toPlain(this.$value);
  }
}
