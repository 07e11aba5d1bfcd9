/**
 * What live objects record into: the byte store, the mutation that is under way, and what it would take to undo it.
 *
 *  (1) Record first, then memory: a mutation that throws has changed neither.
 *  (2) Every mutation is one transaction of the store: prepare, publish, clean up.
 *  (3) Frees wait for the end of the outermost transaction; a node that was stored again by then keeps its allocations.
 *  (4) The undo log exists only while a transaction is open. Undoing never fails; if it does, the store is poisoned.
 *  (5) While a value is read from the application, which may run its code, and while it is recorded, nothing else changes.
 *
 * Cost: a mutation begins and ends a transaction of the store; what comes and goes is visited once, with its allocations.
 * Inside a transaction of the application, an entry for each of them until it ends.
 */

import { assert, StoreError } from "../../../errors.ts";
import type { ContentNode } from "./content-node.ts";
import { Encoder } from "./encoder.ts";
import { typeMistake } from "./mistakes.ts";
import { allIds, dropClaims, type Node, Retired, revive, strip, suspend, walk } from "./node.ts";
import { type Scope, Scopes } from "./scopes.ts";
import type { Type } from "./type.ts";

/** What the typed layer needs of a byte store. */
export interface ByteStore {
  newId(): number;
  write(id: number, offset: number, bytes: Uint8Array): void;
  resize(id: number, size: number): void;
  splice(id: number, offset: number, oldLength: number, bytes: Uint8Array): void;
  free(id: number): void;
  begin(): void;
  commit(): void;
  abort(): void;
  beginBatch(): void;
  endBatch(): void;
  poison(): void;
}

export type Undo = () => void;

interface Step {
  readonly node: ContentNode;
  readonly id: number;
  readonly delta: number;
}

export class Ledger {
  readonly store: ByteStore;
  /** File name, for errors. */
  readonly name: string;
  /** Null outside transactions. */
  undo: Undo[] | null = null;
  /** The bytes that a mutation publishes. */
  readonly out = new Encoder();
  /** Content that a mutation prepares, one allocation at a time. */
  readonly content = new Encoder();
  /** Inline content that changes. */
  readonly inline = new Encoder();
  /** UTF-8 bytes of the text that `writeText` recorded last. */
  textBytes = 0;
  isReadOnly = false;

  readonly #text = new Encoder();
  readonly #queue: Node[] = [];
  /** Nodes that the current mutation made part of the file: new ones, and ones that came back. */
  #fresh: Node[] = [];
  #revived: Node[] = [];
  /** What content of the current mutation goes out of the value around it, or comes in. */
  #steps: Step[] = [];
  /** What left its place since the outermost transaction began. */
  #retired: Retired[] = [];
  /** Entries of `#retired` that are older than the current mutation. */
  #settled = 0;
  /** Values that are being read from the application. */
  making = 0;
  /** Transactions and batches of the application. */
  readonly scopes = new Scopes(this);
  #step: "idle" | "recording" | "committing" = "idle";

  constructor(store: ByteStore, name: string) {
    this.store = store;
    this.name = name;
  }

  /** Allocation `id`, whose content left its place on its own, goes with this mutation. */
  retireAllocation(id: number): void {
    if (id > 0) this.#retired.push(new Retired(this, null, [id]));
  }

  /**
   * Records one mutation: `body` makes its records. If it or the store throws, the file, the nodes that were to become
   * part of it, and the claims since `mark` are as they were. Throws `read-only`, `closed`, `poisoned`, and as the store does.
   */
  record(mark: number, body: () => void): void {
    try {
      this.#begin();
    } catch (cause) {
      dropClaims(mark);
      throw cause;
    }
    try {
      body();
      this.#end();
    } catch (cause) {
      this.#fail();
      dropClaims(mark);
      throw cause;
    }
  }

  #begin(): void {
    if (this.isReadOnly)
      throw new StoreError("read-only", "the document was opened for reading; open it without `readonly`", {
        file: this.name,
      });
    this.requireIdle();
    this.store.begin();
    this.#step = "recording";
    this.#settled = this.#retired.length;
    this.out.clear();
  }

  /** Throws while a value is being stored. */
  requireIdle(): void {
    if (this.#step !== "idle" || this.making > 0)
      throw typeMistake(
        "a document cannot be changed while a value is being stored in it, as by a getter of that value",
      );
  }

  #end(): void {
    assert(this.#queue.length === 0, "content was queued and not recorded");
    if (this.undo === null) this.freeRetired();
    this.#step = "committing";
    this.store.commit();
    this.#step = "idle";
  }

  #fail(): void {
    if (this.#step === "recording") this.abortRecords();
    else this.poisonInBatch();
    this.#step = "idle";
    this.#queue.length = 0;
    for (const node of this.#fresh) detach(node);
    for (const node of this.#revived) suspend(node);
    this.#fresh = [];
    this.#revived = [];
    this.#steps = [];
    this.#retired.length = this.#settled;
  }

  /** A new allocation with `text`, or 0 if it is empty; its bytes are left in `textBytes`. */
  writeText(text: string): number {
    this.textBytes = 0;
    if (text === "") return 0;
    const id = this.store.newId();
    const bytes = this.encodeText(text);
    this.store.write(id, 0, bytes);
    this.textBytes = bytes.length;
    return id;
  }

  /** `text` as UTF-8; valid until the next call. */
  encodeText(text: string): Uint8Array {
    const encoder = this.#text.clear();
    encoder.text(text);
    return encoder.view();
  }

  /** `node` became part of the file with this mutation; `isBack`: after it was taken out in the same transaction. */
  noteAttached(node: Node, isBack: boolean): void {
    node.$doc = this;
    (isBack ? this.#revived : this.#fresh).push(node);
  }

  /** Brings back everything below a node that kept its allocations. */
  reviveTree(node: Node): void {
    revive(node, this);
    this.#revived.push(node);
  }

  /** `node`'s content is recorded before anything points to it. */
  enqueue(node: Node): void {
    this.#queue.push(node);
  }

  /** Records all queued content. */
  drain(): void {
    for (let node = this.#queue.pop(); node !== undefined; node = this.#queue.pop()) node.$writeContent(this);
  }

  /** `stored` leaves its place with this mutation; `id` is the allocation of a text. */
  retire(type: Type, stored: unknown, id: number): void {
    if (type.holding === "text") {
      this.retireAllocation(id);
    } else if (type.holding === "node" && stored !== null) {
      const node = stored as Node;
      this.#retired.push(new Retired(this, node, allIds(node)));
    }
  }

  /** When the mutation is recorded, the content of `node` lies in allocation `id`, and its place is `delta` longer. */
  afterwards(node: ContentNode, id: number, delta: number): void {
    this.#steps.push({ node, id, delta });
  }

  #takeSteps(): void {
    for (const { node, id, delta } of this.#steps) {
      const before = node.$id;
      node.$id = id;
      (node.$parent as Node).$shiftAt(node.$index, delta);
      this.undo?.push(() => {
        (node.$parent as Node).$shiftAt(node.$index, -delta);
        node.$id = before;
      });
    }
    this.#steps = [];
  }

  /** The last step of a mutation: what left its place is out, what came can be taken back. */
  settle(): void {
    if (this.#steps.length > 0) this.#takeSteps();
    if (this.undo === null) {
      for (const { node } of this.#retired) {
        if (node === null) continue;
        strip(node);
        node.$parent = null;
        node.$index = 0;
      }
      this.#retired.length = 0;
      this.#fresh.length = 0;
      this.#revived.length = 0;
      return;
    }
    for (let at = this.#settled; at < this.#retired.length; at++) this.#suspend(this.#retired[at]!);
    this.#undoAttached();
  }

  #suspend(entry: Retired): void {
    const { node } = entry;
    if (node === null) return;
    const { $parent: parent, $index: index } = node;
    suspend(node);
    node.$parent = entry;
    node.$index = 0;
    this.undo!.push(() => {
      revive(node, this);
      node.$parent = parent;
      node.$index = index;
      walk(node, (below) => below.$remeasure(this.content));
    });
  }

  #undoAttached(): void {
    const fresh = this.#fresh;
    const revived = this.#revived;
    if (fresh.length > 0)
      this.undo!.push(() => {
        for (const node of fresh) detach(node);
      });
    if (revived.length > 0)
      this.undo!.push(() => {
        for (const node of revived) suspend(node);
      });
    this.#fresh = [];
    this.#revived = [];
  }

  /** Frees what nobody wanted back. A node may have left more than once. */
  freeRetired(): void {
    if (this.#retired.length === 0) return;
    const freed = new Set<number>();
    for (const { ids, isBack, isReleased } of this.#retired) {
      if (isBack && !isReleased) continue;
      for (const id of ids) {
        if (id <= 0 || freed.has(id)) continue;
        freed.add(id);
        this.store.free(id);
      }
    }
  }

  /** Takes back the innermost transaction of the store, which may have nothing left to take back. */
  abortRecords(): void {
    try {
      this.store.abort();
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
    }
  }

  /** Records could not be appended, and the store has dropped those that the batch held back as well. */
  poisonInBatch(): void {
    if (this.scopes.holdBatch) this.poison();
  }

  /** Refuses every further change: what memory holds is not what the file says. */
  poison(): void {
    try {
      this.store.poison();
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
    }
  }

  /** Flushes the store; a batch that cannot be appended is lost. */
  flush(flush: () => void): void {
    try {
      flush();
    } catch (cause) {
      this.poisonInBatch();
      throw cause;
    }
  }

  /** Entries of the undo log, and of what left its place since the outermost transaction began. */
  get undoCounts(): Pick<Scope, "undoCount" | "retiredCount"> {
    return { undoCount: this.undo?.length ?? 0, retiredCount: this.#retired.length };
  }

  /** Undoes in memory what came after `counts`. */
  takeBack({ undoCount, retiredCount }: Pick<Scope, "undoCount" | "retiredCount">): void {
    try {
      const undo = this.undo!;
      while (undo.length > undoCount) undo.pop()!();
    } catch (cause) {
      this.poison();
      throw cause;
    }
    this.#retired.length = retiredCount;
  }

  /** The outermost transaction is over: nothing of it is undone any more. */
  forgetUndo(): void {
    this.undo = null;
    for (const entry of this.#retired) forget(entry);
    this.#retired.length = 0;
  }
}

/** Takes one node out of its file; the nodes below are noted on their own. */
function detach(node: Node): void {
  node.$doc = null;
  node.$clearIds();
}

/** The transaction is over; unless the node is back, it has no allocations any more. */
function forget(entry: Retired): void {
  const { node, isReleased } = entry;
  if (node === null || node.$doc !== null) return;
  if (!isReleased) strip(node);
  if (node.$parent === entry) node.$parent = null;
}
