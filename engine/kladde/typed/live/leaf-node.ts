/** A live object whose content is bytes without places: a text, or bytes. */

import { assert } from "../../../errors.ts";
import { ContentNode } from "./content-node.ts";

const noPlaces = (): never => {
  assert(false, "the content has no places");
  throw new Error();
};

export abstract class LeafNode extends ContentNode {
  override $valueAt(): never {
    return noPlaces();
  }

  override $typeAt(): never {
    return noPlaces();
  }

  override $offsetAt(): never {
    return noPlaces();
  }

  override $isPacked(): never {
    return noPlaces();
  }

  override $stepAt(): never {
    return noPlaces();
  }

  override $storeAt(): never {
    return noPlaces();
  }

  override $idAt(): never {
    return noPlaces();
  }

  override $bytesAt(): never {
    return noPlaces();
  }

  override $shiftAt(): never {
    return noPlaces();
  }

  override $pushChildren(): void {}
}
