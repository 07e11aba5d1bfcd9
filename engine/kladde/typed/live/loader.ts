/**
 * Reads a whole document into live objects.
 *
 *  (1) No recursion over allocations: a container's content waits in a queue.
 *  (2) Every allocation has one owner; every bound is checked before bytes are believed.
 *  (3) A size is a claim: allocations are read only as long as their sum stays below `limitBytes`.
 *
 * Cost: one read per allocation.
 */

import { StoreError } from "../../../errors.ts";
import type { Ledger } from "./ledger.ts";
import { type Node, pathAt } from "./node.ts";
import { Malformed, Reader } from "./reader.ts";

/** Where contents come from. */
export interface Contents {
  /** Bytes of an allocation; −1 if it does not exist. */
  sizeOf(id: number): number;
  /** Fills `into` with the front of an allocation. */
  readInto(id: number, into: Uint8Array): void;
}

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

  constructor(ledger: Ledger, contents: Contents, limitBytes: number) {
    this.ledger = ledger;
    this.#contents = contents;
    this.#limitBytes = limitBytes;
  }

  /** The place that is decoded now, for errors. */
  at(holder: Node, index: number): void {
    this.#holder = holder;
    this.#index = index;
  }

  /** The content of an allocation that holds no pointers; valid until the next call. */
  readLeaf(id: number): Uint8Array {
    const bytes = this.#own(id);
    const leaf = this.#leaf;
    if (leaf.bytes.length < bytes) leaf.bytes = new Uint8Array(Math.max(bytes, 2 * leaf.bytes.length));
    const into = leaf.bytes.subarray(0, bytes);
    if (bytes > 0) this.#contents.readInto(id, into);
    return into;
  }

  /** `node` is loaded from its allocation later. */
  enqueue(node: Node): void {
    this.#queue.push(node);
  }

  /** The content of an allocation, for the loader's own use. */
  open(id: number): Reader {
    const bytes = new Uint8Array(this.#own(id));
    this.#allocation = id;
    if (bytes.length > 0) this.#contents.readInto(id, bytes);
    return this.#reader.open(bytes);
  }

  /** Loads `root` from its allocation, and everything below. Throws `corrupt`, `too-large`. */
  load(root: Node): void {
    this.enqueue(root);
    try {
      for (let node = this.#queue.pop(); node !== undefined; node = this.#queue.pop()) node.$load(this);
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
        { file: this.ledger.name, id },
      );
    return bytes;
  }

  #corrupt(cause: Malformed): StoreError {
    const path = this.#holder === null ? "" : pathAt(this.#holder, this.#index);
    return new StoreError("corrupt", `${path === "" ? "the root" : path}: ${cause.message}`, {
      file: this.ledger.name,
      id: this.#allocation,
    });
  }
}
