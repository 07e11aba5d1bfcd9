/**
 * A live object: part of a tree of values, in a file or not yet.
 *
 *  (1) Every node has one parent; the tree has no cycles. `$parent` is null at the top of a tree that is in no file.
 *  (2) `$doc` is the ledger of the file the node lives in, null while it is in none. Only a node with a ledger records.
 *  (3) A node holds places, numbered by it: what is stored there, and where its bytes lie.
 *  (4) A node taken out of a file in a transaction keeps its allocation ids until the transaction ends: it may come back.
 *
 * Names begin with `$` because application classes extend the structs among these.
 */

import { assert } from "../../../errors.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger, Undo } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { ownedMistake } from "./mistakes.ts";
import type { Patch } from "./small.ts";
import type { Type } from "./type.ts";

export abstract class Node {
  // Private, or whatever prints all of an object, as assertions do, would print the whole document and its store.
  #parent: Node | Retired | null = null;
  #doc: Ledger | null = null;
  /** The place within the parent. */
  $index = 0;

  get $parent(): Node | Retired | null {
    return this.#parent;
  }

  set $parent(parent: Node | Retired | null) {
    this.#parent = parent;
  }

  get $doc(): Ledger | null {
    return this.#doc;
  }

  set $doc(ledger: Ledger | null) {
    this.#doc = ledger;
  }

  abstract get $type(): Type;

  /** What is stored at a place: a primitive, or a node, or null. */
  abstract $valueAt(index: number): unknown;
  abstract $typeAt(index: number): Type;
  /** Allocation that holds the place's bytes. */
  abstract $allocationAt(index: number): number;
  /** Where the place's bytes begin within its allocation. */
  abstract $offsetAt(index: number): number;
  /** Whether places are packed. */
  abstract $isPacked(): boolean;
  /** The place's step in a value path, such as `.title` or `[3]`. */
  abstract $stepAt(index: number): string;
  /** Replaces what is stored at a place, in memory. `id` and `bytes` belong to text. */
  abstract $storeAt(index: number, value: unknown, id: number, bytes: number): void;
  /** Allocation of the text at a place; 0: none. */
  abstract $idAt(index: number): number;
  /** UTF-8 bytes of the text at a place. */
  abstract $bytesAt(index: number): number;
  /** The place has become `delta` bytes longer: those behind it move. Only where places are packed. */
  abstract $shiftAt(index: number, delta: number): void;
  /** Records a change of the bytes that the node, or something inline in it, lies in. */
  abstract $patch(ledger: Ledger, patch: Patch): void;

  /** Encodes the node as it stands in a place; allocations it points to exist. */
  abstract $encode(out: Encoder, packed: boolean): void;
  /** Makes the node part of `ledger`'s file and encodes it; content that is not in the file yet is queued. */
  abstract $attach(ledger: Ledger, out: Encoder, packed: boolean): void;
  /** Records the content of a queued node's own allocation. */
  abstract $writeContent(ledger: Ledger): void;
  /** Whether a place can do without its text until the rest is loaded. A map's keys cannot. */
  $readsTextsLate(_index: number): boolean {
    return true;
  }
  /** Fills the node from its own allocation. */
  abstract $load(loader: Loader): void;
  /** Adds the allocation ids that the node itself holds, 0 for those it lacks; not those of its nodes. */
  abstract $collectIds(into: number[]): void;
  /** Forgets those ids. */
  abstract $clearIds(): void;
  /** Sets them again, in the order of `$collectIds`, and returns the position behind them. */
  abstract $restoreIds(from: readonly number[], at: number): number;
  /** Measures packed places again, after an undo. */
  $remeasure(_encoder: Encoder): void {}
  /** Adds the nodes directly below. */
  abstract $pushChildren(stack: Node[]): void;
  /** The value as plain data, one level deep: places of nodes are set by whoever walks. */
  abstract $toPlain(walk: (value: unknown) => unknown): unknown;

  /** What a printer shows: the value one level deep, live below, and the name of its class. */
  $shown(): { readonly plain: unknown; readonly name: string } {
    const { [Symbol.toStringTag]: name = "Value" } = this as { [Symbol.toStringTag]?: string };
    return { plain: this.$toPlain((value) => value), name };
  }
}

/** Where the node's own bytes begin within its parent's allocation. */
export function baseOf(node: Node): number {
  const parent = node.$parent as Node;
  return parent.$offsetAt(node.$index) + parent.$typeAt(node.$index).shift;
}

/** Calls `visit` for `top` and every node below. */
export function walk(top: Node, visit: (node: Node) => void): void {
  const stack = [top];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visit(node);
    node.$pushChildren(stack);
  }
}

/** What left its place inside an open transaction, or is about to at the end of one mutation. */
export class Retired {
  readonly ledger: Ledger;
  /** Null for a text. */
  readonly node: Node | null;
  /** Allocations to be freed unless the node comes back. */
  readonly ids: readonly number[];
  /** Whether the node has forgotten its ids: it was changed since. */
  isReleased = false;
  /** Whether the node was stored in the file again, and has the ids for itself. */
  isBack = false;

  constructor(ledger: Ledger, node: Node | null, ids: readonly number[]) {
    this.ledger = ledger;
    this.node = node;
    this.ids = ids;
  }
}

/** The ids of `top` and of every node below, in a fixed order, 0 for those they lack. */
export function allIds(top: Node): number[] {
  const ids: number[] = [];
  walk(top, (node) => node.$collectIds(ids));
  return ids;
}

/** Takes a tree out of every file, for good. */
export function strip(top: Node): void {
  walk(top, (node) => {
    node.$doc = null;
    node.$clearIds();
  });
}

/** Takes a tree out of its file; it may come back. */
export function suspend(top: Node): void {
  walk(top, (node) => {
    node.$doc = null;
  });
}

/** Brings a suspended tree back. */
export function revive(top: Node, ledger: Ledger): void {
  walk(top, (node) => {
    node.$doc = ledger;
  });
}

function restore(top: Node, ids: readonly number[]): void {
  let at = 0;
  walk(top, (node) => {
    at = node.$restoreIds(ids, at);
  });
}

/** The node at the top of the tree that `node` is part of. */
export function topOf(node: Node): Node {
  let top = node;
  while (top.$parent instanceof Node) top = top.$parent;
  return top;
}

/** The node forgets its allocations: they hold a state that is not the node's any more. */
function release(entry: Retired, top: Node): void {
  if (entry.isReleased) return;
  entry.isReleased = true;
  const ids = allIds(top);
  walk(top, (below) => below.$clearIds());
  entry.ledger.undo?.push(() => {
    restore(top, ids);
    entry.isReleased = false;
  });
}

/**
 * Called before a node outside every file changes. If an open transaction took it out, its undo log is returned, so that
 * the change can be taken back.
 */
export function undoOutside(node: Node): Undo[] | null {
  const top = topOf(node);
  const entry = top.$parent;
  if (!(entry instanceof Retired)) return null;
  release(entry, top);
  return entry.ledger.undo;
}

interface Claim {
  readonly node: Node;
  /** A box that is in no place itself, or what a transaction took the node out by. */
  readonly former: Node | Retired | null;
}

/** Nodes that became part of a new value which is not stored yet, outermost mutation first. */
const claims: Claim[] = [];

export const claimMark = (): number => claims.length;

/** Takes `node`, an object of the application's, as part of a new value. Throws if it is part of one already. */
export function claim(node: Node): void {
  const former = node.$parent;
  const isHeld = former instanceof Node && !isLooseBox(former);
  if (isHeld || node.$doc !== null)
    throw ownedMistake(
      "the object is part of another value already; copy it with k.clone, or take it out of its place first, in one transaction",
    );
  claims.push({ node, former });
}

/** A box that left its place: the application sees its content only, and may store that elsewhere. */
export const isLooseBox = (node: Node): boolean =>
  node.$doc === null && !(node.$parent instanceof Node) && node.$type.isCell;

/** What a transaction took the node of a claim, or the box around it, out by. */
function retiredOf({ former }: Claim): Retired | null {
  const above = former instanceof Node ? former.$parent : former;
  return above instanceof Retired ? above : null;
}

/**
 * Called before what was claimed since `mark` is stored below `holder`: what keeps allocations must find itself in the file
 * that they are in. Throws if an open transaction of another document could take it back.
 */
export function admitClaims(mark: number, holder: Node): void {
  for (let at = mark; at < claims.length; at++) {
    const claimed = claims[at]!;
    const entry = retiredOf(claimed);
    if (entry === null) continue;
    if (entry.ledger !== (holder.$doc ?? ledgerOutside(holder) ?? entry.ledger))
      throw ownedMistake(
        "the object was taken out of another document by a transaction that is still open; copy it with k.clone, or end that transaction first",
      );
    const { node, former } = claimed;
    // A holder outside every file may change again, and a box is not stored with its content.
    if (holder.$doc === null || former instanceof Node)
      release(entry, former instanceof Node ? former : node);
  }
}

/** The document that a transaction took the tree around `node` out of. */
function ledgerOutside(node: Node): Ledger | null {
  const { $parent: above } = topOf(node);
  return above instanceof Retired ? above.ledger : null;
}

/** The mutation failed: nodes claimed since `mark` are as free as before. */
export function dropClaims(mark: number): void {
  while (claims.length > mark) {
    const { node, former } = claims.pop()!;
    node.$parent = former;
    node.$index = 0;
  }
}

/**
 * The mutation is done: nodes claimed since `mark` stay where they are, unless the transaction is rolled back. A holder
 * outside every file, which a rollback does not concern, keeps copies then.
 */
export function keepClaims(mark: number, undo: Undo[] | null): void {
  while (claims.length > mark) {
    const claimed = claims.pop()!;
    const { node, former } = claimed;
    const entry = retiredOf(claimed);
    if (entry !== null && node.$doc !== null) entry.isBack = true;
    (undo ?? entry?.ledger.undo)?.push(() => {
      const { $parent: holder, $index: index } = node;
      if (entry !== null && isOutside(holder) && holder.$valueAt(index) === node) {
        const copy = copyOf(node);
        holder.$storeAt(index, copy, 0, 0);
        place(copy, holder, index);
      }
      // What took it in has meanwhile become part of another document, which cannot give it back.
      else if (entry !== null && isElsewhere(holder, entry)) holder.$doc!.poison();
      if (entry !== null) entry.isBack = false;
      node.$parent = former;
      node.$index = 0;
    });
  }
}

const isOutside = (holder: Node | Retired | null): holder is Node =>
  holder instanceof Node && holder.$doc === null;

const isElsewhere = (holder: Node | Retired | null, { ledger }: Retired): holder is Node =>
  holder instanceof Node && holder.$doc !== null && holder.$doc !== ledger;

/** A copy of a tree in no file. What a class adds to its fields is not copied. */
function copyOf(top: Node): Node {
  const mark = claims.length;
  const nodes: Node[] = [];
  walk(top, (node) => nodes.push(node));
  const made = new Map<unknown, unknown>();
  const below = (value: unknown): unknown => made.get(value) ?? value;
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const plain = node.$toPlain(below);
    made.set(node, node.$type.isCell && node !== top ? plain : node.$type.make(plain));
  }
  claims.length = mark;
  return made.get(top) as Node;
}

/** Puts `node` under `parent`, in memory. */
export function place(node: Node, parent: Node, index: number): void {
  node.$parent = parent;
  node.$index = index;
}

/** Throws if storing `node` below `holder` would make a circle. What is in a file is never claimed. */
export function refuseCycle(holder: Node, node: unknown): void {
  if (node instanceof Node && holder.$doc === null && topOf(holder) === node)
    throw ownedMistake("a value cannot become part of itself");
}

/** The path of a place of `holder` from the root, such as `notes[3].title`. */
export function pathAt(holder: Node, index: number): string {
  const steps = [holder.$stepAt(index)];
  for (let node = holder; node.$parent instanceof Node; node = node.$parent)
    steps.push(node.$parent.$stepAt(node.$index));
  const path = steps.reverse().join("");
  return path.startsWith(".") ? path.slice(1) : path;
}

export function pathOf(node: Node): string {
  return node.$parent instanceof Node ? pathAt(node.$parent, node.$index) : "";
}

/** For places that have no text. */
export function noText(): never {
  assert(false, "the place holds no text");
  throw new Error();
}
