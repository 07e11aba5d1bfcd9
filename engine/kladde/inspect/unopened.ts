/**
 * What opening a file would still find, told from its table and journal: for files so dense that the structures of an
 * opened store would be many times as large as they are.
 *
 *  (1) For a table without faults. Only the ids that the header and the journal name are remembered.
 *
 * Cost: a pass over the table.
 */

import type { StorageFile } from "../../storage/storage.ts";
import type { Governing } from "../format/header.ts";
import { recordCopy, recordMove } from "../format/record.ts";
import { Geometry, geometryAbsent } from "../journal/geometry.ts";
import type { Log } from "../journal/log.ts";
import type { StatementMerge } from "../open/merge.ts";
import { requireSizes } from "../open/open.ts";
import { Sweep, type SweepTarget, type SweptId } from "../open/sweep.ts";
import { AllocationTable, idExisting } from "../state/allocations.ts";

/** What an opened store takes for each statement, and for each 2^15 ids of which one is named. */
const bytesPerStatement = 176;
const bytesPerIdRange = 2 * 4300;
/** What it may take: so much, and so much for each byte of the file. */
const bytesFree = 2 ** 26;
const bytesPerFileByte = 16;

/** Counts over the pages of a table. */
export interface Density {
  readonly statements: number;
  /** At most. */
  readonly idRanges: number;
}

export const isTooDense = (file: StorageFile, { statements, idRanges }: Density): boolean =>
  statements * bytesPerStatement + idRanges * bytesPerIdRange > bytesFree + bytesPerFileByte * file.size();

export interface Unopened {
  /** As after the journal; the store's own is not counted. */
  readonly allocations: number;
  exists(id: number): boolean;
  /** Whether the store would find its own allocation. */
  readonly holdsConsolidatorState: boolean;
}

/** Throws `corrupt` (J8). */
export function readUnopened(
  merge: StatementMerge,
  file: StorageFile,
  { fields }: Governing,
  log: Log,
): Unopened {
  const { rootAllocation, schemaTable, consolidatorState } = fields;
  const known = new KnownIds([rootAllocation, schemaTable, consolidatorState]);
  for (let row = 0; row < log.count; row++) known.name(log.a[row]!, targetOf(log, row));
  new Sweep(merge, known, file.name).run();
  requireSizes(known.table, file, log, fields.journalPointer);
  const geometry = new Geometry(known.table);
  for (let row = 0; row < log.count; row++) geometry.apply(log, row);
  const exists = (id: number): boolean => geometry.now(id) !== geometryAbsent;
  const isOwn = consolidatorState !== rootAllocation && consolidatorState !== schemaTable;
  // If the journal names it, the store takes it for the application's, and frees it.
  const isFreed = known.isNamed(consolidatorState);
  const hasOwn = isOwn && exists(consolidatorState);
  const before = known.table.existing.count;
  let after = 0;
  for (const id of known.wanted) if (exists(id)) after++;
  const allocations = known.existing - before + after - (hasOwn ? 1 : 0);
  return { allocations, exists, holdsConsolidatorState: hasOwn && !isFreed };
}

function targetOf(log: Log, row: number): number {
  const isTransfer = log.tag[row] === recordCopy || log.tag[row] === recordMove;
  return isTransfer ? log.c[row]! : log.a[row]!;
}

class KnownIds implements SweepTarget {
  /** Ids that exist. */
  existing = 0;
  readonly wanted: Set<number>;
  readonly #named = new Set<number>();
  readonly table = new AllocationTable();

  constructor(wanted: readonly number[]) {
    this.wanted = new Set(wanted.filter((id) => id !== 0));
  }

  /** The journal names them. */
  name(...ids: readonly number[]): void {
    for (const id of ids) {
      this.wanted.add(id);
      this.#named.add(id);
    }
  }

  isNamed(id: number): boolean {
    return this.#named.has(id);
  }

  fragment(): void {}

  finish({ id, exists, size }: SweptId): void {
    if (!exists) return;
    this.existing++;
    if (!this.wanted.has(id)) return;
    const row = this.table.ensureRow(id);
    this.table.setState(id, row, idExisting);
    this.table.setSize(row, size);
  }
}
