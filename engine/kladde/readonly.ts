/**
 * A store opened for reading: no lock, nothing written. Transactions that recovery finds are applied in memory.
 *
 *  (1) The file must not be written while it is open; that is outside the format.
 */

import { StoreError } from "../errors.ts";
import type { StorageFile } from "../storage/storage.ts";
import { requireId } from "./arguments.ts";
import type { HeaderFields } from "./format/header.ts";
import { closingOnFailure, openSnapshot, type Snapshot } from "./open/open.ts";
import { resolveOptions, type StoreOptions } from "./options.ts";
import { collectStats, type StoreStats } from "./stats.ts";
import { StoreView } from "./view.ts";

export class ReadOnlyStore extends StoreView {
  readonly #snapshot: Snapshot;
  #isClosed = false;

  private constructor(snapshot: Snapshot) {
    super(snapshot.context);
    this.#snapshot = snapshot;
  }

  /** Closes `file` on a failure. With `verify: "lazy"`, a damaged data page fails the reads that need it. */
  static open(file: StorageFile, options: Pick<StoreOptions, "verify"> = {}): ReadOnlyStore {
    const resolved = closingOnFailure(file, () => resolveOptions(options));
    return new ReadOnlyStore(openSnapshot(file, resolved));
  }

  /** Epoch of the governing header, its fields as they are in the file, and its slot. */
  get header(): { readonly epoch: number; readonly slot: number; readonly fields: HeaderFields } {
    this.requireUsable();
    const { epoch, slot, fields } = this.#snapshot.header;
    return { epoch, slot, fields };
  }

  /** Complete transactions found in the journal. */
  get recoveredTransactions(): number {
    this.requireUsable();
    return this.#snapshot.journal.transactions;
  }

  /** Whether the consolidator state that the header names exists. */
  get holdsConsolidatorState(): boolean {
    this.requireUsable();
    return this.context.fields.consolidatorState !== 0;
  }

  /** What the file holds, the transactions that recovery found included, and the pages read since it was opened. */
  stats(): StoreStats {
    this.requireUsable();
    return collectStats(this.context, { transactions: 0, bytes: 0, pages: this.#snapshot.journal.pages });
  }

  size(id: number): number {
    return this.committedSize(id);
  }

  exists(id: number): boolean {
    this.requireUsable();
    requireId("id", id);
    return this.isVisible(id);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.context.file.close();
  }

  protected override requireUsable(): void {
    if (!this.#isClosed) return;
    throw new StoreError("closed", "the store was closed; open the file again", {
      file: this.context.file.name,
    });
  }

  protected override guard<T>(step: () => T): T {
    return step();
  }
}
