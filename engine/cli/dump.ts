/**
 * `kladde dump`: what a file holds, with transactions that its journal still has applied.
 *
 * Cost: the address table in memory; content is read in pieces, and a run of zeros is computed, not read.
 */

import { ReadOnlyStore } from "../kladde/index.ts";
import type { StorageFile } from "../storage/storage.ts";
import type { Output } from "./output.ts";

export async function dump(file: StorageFile, withHeader: boolean, out: Output): Promise<void> {
  const store = ReadOnlyStore.open(file);
  try {
    if (withHeader) for (const line of headerLines(store)) await out.line(line);
    for (const id of store.ids()) {
      const crc = store.crc32c(id).toString(16).padStart(8, "0");
      await out.line(`${id} ${store.size(id)} ${crc}`);
    }
  } finally {
    store.close();
  }
}

function headerLines(store: ReadOnlyStore): string[] {
  const { slot, epoch, fields } = store.header;
  return [
    `slot ${slot}`,
    `epoch ${epoch}`,
    `format_version ${fields.formatVersion}`,
    `min_reader_version ${fields.minReaderVersion}`,
    `root_allocation ${fields.rootAllocation}`,
    `schema_table ${fields.schemaTable}`,
    `consolidator_state ${fields.consolidatorState}`,
    `root_fingerprint ${[...fields.rootFingerprint].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
    `journal_pointer ${fields.journalPointer}`,
  ];
}
