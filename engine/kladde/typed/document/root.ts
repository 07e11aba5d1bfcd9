/**
 * The root of a document: a box that nothing holds and that is never empty.
 *
 *  (1) A slotted root is exactly its slot long, a packed one exactly its encoding.
 */

import { BoxNode } from "../live/box-node.ts";
import type { Ledger } from "../live/ledger.ts";
import type { Type } from "../live/type.ts";
import type { Document } from "./document.ts";

export class RootNode extends BoxNode {
  readonly document: Document;

  constructor(document: Document, content: Type, id: number, ledger: Ledger) {
    super(content, content, content.slotBytes < 0);
    this.document = document;
    this.$id = id;
    this.$doc = ledger;
  }
}
