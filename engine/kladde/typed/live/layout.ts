/**
 * How the fields of a struct, a tuple or a variant lie: in a slot at fixed offsets, packed one behind the other.
 *
 *  (1) A variant's discriminant comes first, in a slot at the enum's width, packed as a varint.
 *  (2) Behind a variant's fields a slot is zero up to the largest variant.
 */

import { lebLength } from "../../../codec/leb128.ts";
import type { DiscriminantWidth } from "../types/descriptor.ts";
import type { Type } from "./type.ts";

export interface Field {
  readonly property: string;
  readonly type: Type;
  /** What a value that leaves the field out gets; absent: nothing declared. */
  readonly initial?: { readonly value: unknown };
  /** Offset within the slot, from its start; −1 if there is none. */
  readonly offset: number;
  /** Position of the text's id in the node's list, with its bytes behind it; −1 if the field is no text. */
  readonly textAt: number;
}

export interface Discriminant {
  readonly value: number;
  readonly width: DiscriminantWidth;
}

export interface Layout {
  readonly fields: readonly Field[];
  readonly byProperty: ReadonlyMap<string, number>;
  /** What the application calls it, for messages. */
  readonly name: string;
  readonly head: Discriminant | null;
  /** The property that names the variant, and what it says. */
  readonly tag: { readonly property: string; readonly value: string } | null;
  /** Whether its plain form is an array. */
  readonly isTuple: boolean;
  /** Bytes of the slot that the fields use; −1 if it has none. */
  readonly usedBytes: number;
  /** Bytes of the slot; −1 if it has none. */
  readonly slotBytes: number;
  /** Entries of the node's list of texts. */
  readonly textEntries: number;
}

export interface LayoutSource {
  readonly name: string;
  readonly head: Discriminant | null;
  readonly tag: Layout["tag"];
  readonly isTuple?: boolean;
  readonly slotBytes: number;
  readonly fields: readonly Pick<Field, "property" | "type" | "initial">[];
}

export function layOut({ name, head, tag, slotBytes, fields, isTuple = false }: LayoutSource): Layout {
  const placed: Field[] = [];
  let offset = head?.width ?? 0;
  let textEntries = 0;
  for (const { property, type, initial } of fields) {
    const textAt = type.holding === "text" ? textEntries : -1;
    if (textAt >= 0) textEntries += 2;
    const at = slotBytes < 0 ? -1 : offset;
    placed.push({ property, type, offset: at, textAt, ...(initial === undefined ? {} : { initial }) });
    offset += type.slotBytes;
  }
  const usedBytes = slotBytes < 0 ? -1 : offset;
  const byProperty = new Map(placed.map(({ property }, at) => [property, at]));
  return { fields: placed, byProperty, name, head, tag, isTuple, usedBytes, slotBytes, textEntries };
}

/** Bytes of the discriminant in a packed value. */
export const packedHeadBytes = (head: Discriminant | null): number =>
  head === null ? 0 : lebLength(head.value);
