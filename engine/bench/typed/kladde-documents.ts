/**
 * The typed layer as the benchmark drives it: a document whose root is a map from u64, read as numbers, to strings.
 */

import { Kladde, k, Store } from "../../kladde/index.ts";
import { openNodeFile } from "../../storage/node.ts";
import type { StorageFile } from "../../storage/storage.ts";
import type { RunOptions } from "../runs.ts";
import type { BenchDocument, Documents } from "./document.ts";

const Texts = k.map(k.u64({ as: "number" }), k.string());

export const kladdeDocuments: Documents = {
  /** The root's pointer to the map, and the descriptors of the map's type. */
  fixedBytes: 4 + 39,
  /** The root, the descriptors and the map. */
  fixedAllocations: 3,
  /** Whether it is taken, the key, the string's id. */
  slotBytes: 1 + 8 + 4,
  create: (name, options) => documentIn(openNodeFile(name, "create"), options),
  open: (name) => documentIn(openNodeFile(name, "write")),
};

function documentIn(file: StorageFile, options: RunOptions = {}): BenchDocument {
  const texts = Kladde.open(file, Texts, options);
  const handle = Kladde.of(texts);
  const { store } = handle;
  if (!(store instanceof Store)) throw new TypeError("the document is open for reading only");
  return {
    texts,
    flush: () => handle.flush(),
    close: () => handle.close(),
    stats: () => handle.stats(),
    check: () => store.check(),
  };
}
