/** Strings that lie inside the value around them while they are short. */

import { assert } from "../../../errors.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import type { Node } from "./node.ts";
import type { Reader } from "./reader.ts";
import { inlineBytesLimit, inlineBytesMax, nowhere, spilledBytesMin, spilledTag } from "./small.ts";
import { utf8Bytes } from "./text-edit.ts";
import { decodePointer, encodePointer, StringType } from "./text-types.ts";

export class SmallStringType extends StringType {
  override fillsAllocation(stored: string): boolean {
    return stored.length >= spilledBytesMin || utf8Bytes(stored) >= spilledBytesMin;
  }

  override encode(out: Encoder, packed: boolean, stored: string, id: number): void {
    if (id === 0) {
      const bytes = this.#encodeInline(out, stored);
      assert(bytes <= inlineBytesLimit, "content that is inline is short");
      return;
    }
    out.byte(spilledTag);
    encodePointer(out, packed, id === nowhere ? 0 : id);
  }

  override attach(ledger: Ledger, out: Encoder, packed: boolean, stored: string, id: number): number {
    if (id === 0 && stored.length <= inlineBytesMax) {
      const from = out.at;
      ledger.textBytes = this.#encodeInline(out, stored);
      if (ledger.textBytes <= inlineBytesMax) return 0;
      out.at = from;
    }
    const own = id === 0 ? ledger.writeText(stored) : id;
    this.encode(out, packed, stored, own);
    return own;
  }

  #encodeInline(out: Encoder, stored: string): number {
    const from = out.room(1);
    const bytes = out.text(stored);
    out.bytes[from] = bytes;
    return bytes;
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): string {
    const tag = reader.byte();
    if (tag === spilledTag)
      return this.decodeAt(decodePointer(reader, packed) || nowhere, loader, holder, index);
    loader.textId = 0;
    loader.textBytes = tag;
    return reader.text(tag);
  }
}
