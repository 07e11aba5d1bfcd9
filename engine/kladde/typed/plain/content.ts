/**
 * What a pointer or a small value leads to: text, bytes, elements, the slots of a map, or a single value.
 *
 *  (1) A vector of slots is taken for a map, whose dead slots are not looked at; nothing in a file says so. A raw reading
 *      shows the slots instead, with whatever their pointers have become.
 *
 * Cost: one look-up a value; every type is classified once.
 */

import type {
  Descriptor,
  SmallDescriptor,
  StructDescriptor,
  WrapperDescriptor,
} from "../types/descriptor.ts";
import { primitiveCodes } from "../types/descriptor.ts";
import { isMapSlot } from "../types/shapes.ts";
import { slotBytes } from "../types/slots.ts";

export type Content =
  | { readonly kind: "text" }
  | { readonly kind: "bytes" }
  | {
      readonly kind: "elements";
      readonly element: Descriptor;
      readonly isPacked: boolean;
      /** Bytes of an element's slot; 0 if elements are packed. */
      readonly stride: number;
    }
  | { readonly kind: "slots"; readonly slot: StructDescriptor; readonly stride: number }
  | {
      readonly kind: "single";
      readonly type: Descriptor;
      readonly isPacked: boolean;
      /** Bytes of the content; −1 if it is packed. */
      readonly bytes: number;
    };

export class Contents {
  readonly #isRaw: boolean;
  readonly #vectors: ReadonlySet<Descriptor>;
  readonly #known = new Map<Descriptor, Content>();
  readonly #bytes = new Map<Descriptor, number>();

  /** `vectors` are pointers whose content is no map, whatever it looks like. */
  constructor(isRaw: boolean, vectors: ReadonlySet<Descriptor> = new Set()) {
    this.#isRaw = isRaw;
    this.#vectors = vectors;
  }

  slotBytes(type: Descriptor): number {
    return this.#bytes.get(type) ?? slotBytes(type, this.#bytes);
  }

  /** Of an allocation that `type` points to. */
  ofPointer(type: WrapperDescriptor): Content {
    return this.#remember(type, () => {
      const { target } = type;
      const mayBeMap = !this.#isRaw && !this.#vectors.has(type);
      return target.kind === "packed"
        ? this.#classify(target.target, true, false)
        : this.#classify(target, false, mayBeMap);
    });
  }

  /** Of a small value that is not spilled. */
  ofSmall(type: SmallDescriptor): Content {
    return this.#remember(type, () => this.#classify(type.content, true, false));
  }

  #remember(type: Descriptor, classify: () => Content): Content {
    let content = this.#known.get(type);
    if (content === undefined) {
      content = classify();
      this.#known.set(type, content);
    }
    return content;
  }

  #classify(type: Descriptor, isPacked: boolean, mayBeMap: boolean): Content {
    if (type.kind !== "sequence")
      return { kind: "single", type, isPacked, bytes: isPacked ? -1 : this.slotBytes(type) };
    const element = type.target;
    if (element.kind === "primitive" && element.code === primitiveCodes.u8) return { kind: "bytes" };
    if (isPacked && element.kind === "primitive" && element.code === primitiveCodes.char)
      return { kind: "text" };
    if (isPacked) return { kind: "elements", element, isPacked, stride: 0 };
    const stride = this.slotBytes(element);
    if (mayBeMap && isMapSlot(element)) return { kind: "slots", slot: element, stride };
    return { kind: "elements", element, isPacked, stride };
  }
}
