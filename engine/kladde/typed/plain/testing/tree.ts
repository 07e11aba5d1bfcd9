/**
 * A stored value as a tree of nodes with sizes: for tests, which compare trees.
 *
 *  (1) A node has the type that the file names, and the values in it in the order of their bytes.
 *  (2) Nodes are bounded. What has no room is counted, with its bytes, and not kept; neither is what lies in it.
 *
 * Cost: one object a value kept; the walk looks at all of them.
 */

import type { Descriptor, VariantDescriptor } from "../../types/descriptor.ts";
import type { Access } from "../access.ts";
import type { WalkOptions, WalkResult } from "../reading.ts";
import type { Scalar } from "../scalars.ts";
import type { Composite, ValueSink } from "../sink.ts";
import { walkValue } from "../walk.ts";

export type ValueKind = Composite | "scalar" | "text" | "bytes" | "opaque" | "none" | "broken";

export interface ValueNode {
  readonly kind: ValueKind;
  readonly type: Descriptor;
  /** Of a scalar, text, bytes or opaque value; long ones only from their beginning. */
  readonly value: Scalar | Uint8Array | undefined;
  /** Units of the text, or bytes, that `value` would have in full. */
  readonly length: number;
  readonly variant: VariantDescriptor | undefined;
  /** Allocation with the content; 0: the content lies in the surroundings, or there is none. */
  readonly id: number;
  /** Bytes of that allocation, as claimed. */
  readonly bytes: number;
  /** Bytes of that allocation and of all below it. */
  readonly treeBytes: number;
  /** A map's are keys and values in turns. */
  readonly children: readonly ValueNode[];
  /** Children there are, kept or not. */
  readonly childCount: number;
  /** Whether the value goes on behind what was read of it. */
  readonly isCut: boolean;
}

type Writable = { -readonly [Key in keyof ValueNode]: ValueNode[Key] } & { children: ValueNode[] };

export interface TreeOptions extends Omit<WalkOptions, "isStrict"> {
  /** Values kept; default 100,000. */
  readonly nodesMax?: number | undefined;
  /** Units of a text, or bytes, kept of one value; default 65,536. */
  readonly lengthMax?: number | undefined;
}

export interface ValueTree extends WalkResult {
  readonly root: ValueNode;
  /** Values that there was no room for. */
  readonly nodesLeftOut: number;
}

/** The tree of the value of type `type` in allocation `root`, leniently read. */
export function readTree(
  access: Access,
  type: Descriptor,
  root: number,
  options: TreeOptions = {},
): ValueTree {
  const builder = new TreeBuilder(options.nodesMax ?? 100_000, options.lengthMax ?? 65_536);
  const rootBytes = Math.max(0, root === 0 ? 0 : access.size(root));
  const result = walkValue(access, type, root, builder, { ...options, isStrict: false });
  return { ...result, root: builder.root(type, root, rootBytes), nodesLeftOut: builder.leftOut };
}

class TreeBuilder implements ValueSink {
  leftOut = 0;
  readonly #lengthMax: number;
  #room: number;
  /** Holds the root, once it is there. */
  readonly #outside: Writable = emptyNode("box", { kind: "struct", name: "", fields: [] });
  /** Open nodes; one that is not kept is open too, for what it adds up. */
  readonly #open: Writable[] = [this.#outside];
  /** Open nodes that are not kept, all of them on top. */
  #openUnkept = 0;

  constructor(nodesMax: number, lengthMax: number) {
    this.#room = Math.max(1, nodesMax);
    this.#lengthMax = lengthMax;
  }

  /** The root lies in an allocation of its own. */
  root(type: Descriptor, id: number, bytes: number): ValueNode {
    const root = (this.#outside.children[0] as Writable | undefined) ?? emptyNode("broken", type);
    root.treeBytes += bytes;
    if (root.id === 0) {
      root.id = id;
      root.bytes = bytes;
    }
    return root;
  }

  scalar(type: Descriptor, value: Scalar): void {
    this.#add({ ...emptyNode("scalar", type), value });
  }

  text(type: Descriptor, value: string, id: number, bytes: number, isCutBefore: boolean): void {
    const kept = value.length > this.#lengthMax ? value.slice(0, this.#lengthMax) : value;
    const isCut = isCutBefore || kept.length < value.length;
    this.#add({ ...leaf("text", type, id, bytes), value: kept, length: value.length, isCut });
  }

  bytes(type: Descriptor, value: Uint8Array, id: number, bytes: number): void {
    const kept = value.length > this.#lengthMax ? value.slice(0, this.#lengthMax) : value;
    this.#add({ ...leaf("bytes", type, id, bytes), value: kept, length: bytes, isCut: kept.length < bytes });
  }

  opaque(type: Descriptor, value: Uint8Array): void {
    const kept = value.slice(0, this.#lengthMax);
    const isCut = kept.length < value.length;
    this.#add({ ...emptyNode("opaque", type), value: kept, length: value.length, isCut });
  }

  none(type: Descriptor): void {
    this.#add(emptyNode("none", type));
  }

  broken(type: Descriptor): void {
    this.#add(emptyNode("broken", type));
  }

  enter(kind: Composite, type: Descriptor, id: number, bytes: number, variant?: VariantDescriptor): void {
    const node = { ...leaf(kind, type, id, bytes), variant };
    if (!this.#add(node)) this.#openUnkept++;
    this.#open.push(node);
  }

  leave(): void {
    const node = this.#open.pop()!;
    if (this.#openUnkept > 0) this.#openUnkept--;
    // Its own bytes were added when it was entered.
    this.#open.at(-1)!.treeBytes += node.treeBytes - node.bytes;
  }

  cut(): void {
    this.#open.at(-1)!.isCut = true;
  }

  /** Whether the node is kept. */
  #add(node: Writable): boolean {
    const parent = this.#open.at(-1)!;
    parent.childCount++;
    parent.treeBytes += node.bytes;
    if (this.#room === 0 || this.#openUnkept > 0) {
      this.leftOut++;
      return false;
    }
    this.#room--;
    parent.children.push(node);
    return true;
  }
}

function emptyNode(kind: ValueKind, type: Descriptor): Writable {
  return {
    kind,
    type,
    value: undefined,
    length: 0,
    variant: undefined,
    id: 0,
    bytes: 0,
    treeBytes: 0,
    children: [],
    childCount: 0,
    isCut: false,
  };
}

const leaf = (kind: ValueKind, type: Descriptor, id: number, bytes: number): Writable => ({
  ...emptyNode(kind, type),
  id,
  bytes: id === 0 ? 0 : bytes,
  treeBytes: id === 0 ? 0 : bytes,
});
