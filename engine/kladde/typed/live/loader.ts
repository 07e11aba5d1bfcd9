/**
 * Reads a whole document into live objects.
 *
 *  (1) No recursion over allocations: a container's content waits in a queue.
 *  (2) Every allocation has one owner; every bound is checked before bytes are believed.
 *  (3) A size is a claim: allocations are read only as long as their sum stays below `limitBytes`.
 *
 *  (4) Texts are read last, in the order of the file: in that of their places, each page would be read many times.
 *
 * Cost: one read per allocation.
 */

import { StoreError } from "../../../errors.ts";
import type { Ledger } from "./ledger.ts";
import { type Node, pathAt } from "./node.ts";
import { Malformed, Reader, Unsuited } from "./reader.ts";

/** A few milliseconds of work. */
const sliceElements = 4096;

/** Where contents come from. */
export interface Contents {
  /** Bytes of an allocation; −1 if it does not exist. */
  sizeOf(id: number): number;
  /** Fills `into` with the front of an allocation. */
  readInto(id: number, into: Uint8Array): void;
  /** Where an allocation begins in the file; contents are read fastest in this order. */
  pageOf(id: number): number;
}

/** A text that is read from its allocation when many are known. */
interface LateText {
  readonly type: { parseBytes(bytes: Uint8Array): unknown };
  readonly holder: Node;
  readonly index: number;
  readonly id: number;
}

/** Texts that wait at once: their number fits behind a page number in a double. */
const lateTextsMax = 0x4_0000;

export class Loader {
  readonly ledger: Ledger;
  /** Allocation and bytes of the text that was decoded last. */
  textId = 0;
  textBytes = 0;
  /** Every allocation that something points to. */
  readonly seen = new Set<number>();
  /** Bytes of everything read. */
  loadedBytes = 0;

  readonly #contents: Contents;
  readonly #limitBytes: number;
  readonly #queue: Node[] = [];
  readonly #leaf = { bytes: new Uint8Array(4096) };
  readonly #reader = new Reader();
  #holder: Node | null = null;
  #index = 0;
  #allocation = 0;
  /** The leaf that is decoded now; 0: none. */
  #leafId = 0;
  /** Elements until the current slice of loading is over. */
  #left = Number.POSITIVE_INFINITY;
  readonly #late: LateText[] = [];
  #held: { readonly node: Node; readonly bytes: Uint8Array; readonly at: number } | null = null;

  constructor(ledger: Ledger, contents: Contents, limitBytes: number) {
    this.ledger = ledger;
    this.#contents = contents;
    this.#limitBytes = limitBytes;
  }

  /** The place that is decoded now, for errors. */
  at(holder: Node, index: number): void {
    this.#leafId = 0;
    this.#holder = holder;
    this.#index = index;
  }

  /** The content of an allocation that holds no pointers; valid until the next call. */
  readLeaf(id: number): Uint8Array {
    return this.#read(id, this.#own(id));
  }

  #read(id: number, bytes: number): Uint8Array {
    this.#leafId = id;
    const leaf = this.#leaf;
    if (leaf.bytes.length < bytes) leaf.bytes = new Uint8Array(Math.max(bytes, 2 * leaf.bytes.length));
    const into = leaf.bytes.subarray(0, bytes);
    if (bytes > 0) this.#contents.readInto(id, into);
    return into;
  }

  /** The text in allocation `id` is stored in its place later, in the order of the file. */
  readLate(type: LateText["type"], holder: Node, index: number, id: number): void {
    this.#own(id);
    // Before this place is added, which its holder has not got yet.
    if (this.#late.length === lateTextsMax) this.#readLate(lateTextsMax);
    this.#late.push({ type, holder, index, id });
  }

  /** Reads texts that wait, at most `count`. */
  #readLate(count: number): void {
    const late = this.#late.splice(0, count);
    const order = Float64Array.from(
      late,
      ({ id }, at) => this.#contents.pageOf(id) * lateTextsMax + at,
    ).sort();
    for (const key of order) {
      const { type, holder, index, id } = late[key % lateTextsMax]!;
      this.at(holder, index);
      const bytes = this.#read(id, this.#contents.sizeOf(id));
      holder.$storeAt(index, type.parseBytes(bytes), id, bytes.length);
    }
  }

  /** `node` is loaded from its allocation later. */
  enqueue(node: Node): void {
    this.#queue.push(node);
  }

  /** The content of `node`'s allocation `id`, from where `hold` left off. */
  open(id: number, node: Node): Reader {
    this.#allocation = id;
    const held = this.#held;
    if (held?.node === node) {
      this.#held = null;
      this.#reader.open(held.bytes).at = held.at;
      return this.#reader;
    }
    const bytes = new Uint8Array(this.#own(id));
    if (bytes.length > 0) this.#contents.readInto(id, bytes);
    return this.#reader.open(bytes);
  }

  /** Loads `root` from its allocation, and everything below. Throws `corrupt`, `too-large`. */
  load(root: Node): void {
    this.enqueue(root);
    this.#loadQueue();
  }

  /** As `load`, with `pause` awaited after every `sliceElements` elements. */
  async loadInSlices(root: Node, pause: () => Promise<void>): Promise<void> {
    this.enqueue(root);
    while (this.#queue.length + this.#late.length > 0) {
      this.#left = sliceElements;
      this.#loadQueue();
      await pause();
    }
  }

  /** Whether a list or a map should stop before its next element, and `hold`. */
  isSliceOver(): boolean {
    return this.#left-- <= 0;
  }

  /** Goes on with `node`, whose content `open` gave, in the next slice. */
  hold(node: Node, reader: Reader): void {
    this.#held = { node, bytes: reader.bytes, at: reader.at };
    this.enqueue(node);
  }

  #loadQueue(): void {
    try {
      while (this.#left > 0) {
        const node = this.#queue.pop();
        if (node === undefined) {
          this.#readLate(Math.min(this.#left, this.#late.length));
          return;
        }
        this.#left--;
        node.$load(this);
      }
    } catch (cause) {
      if (cause instanceof Malformed) throw this.#corrupt(cause);
      throw cause;
    }
  }

  /** Takes ownership of an allocation and returns its bytes. */
  #own(id: number): number {
    const bytes = this.#contents.sizeOf(id);
    if (bytes < 0) throw new Malformed(`a pointer names allocation ${id}, which does not exist`);
    if (this.seen.has(id)) throw new Malformed(`a second pointer names allocation ${id}`);
    this.seen.add(id);
    this.loadedBytes += bytes;
    if (this.loadedBytes > this.#limitBytes)
      throw new StoreError(
        "too-large",
        `the values come to more than ${this.#limitBytes} bytes; open the file with a larger loadLimitBytes`,
        { file: this.ledger.name, id, at: this.#path },
      );
    return bytes;
  }

  get #path(): string {
    return this.#holder === null ? "" : pathAt(this.#holder, this.#index);
  }

  #corrupt(cause: Malformed): StoreError {
    const at = this.#path;
    const place = { file: this.ledger.name, id: this.#leafId || this.#allocation, at };
    const code = cause instanceof Unsuited ? "schema-mismatch" : "corrupt";
    return new StoreError(code, `${at === "" ? "the root" : at}: ${cause.message}`, place);
  }
}
