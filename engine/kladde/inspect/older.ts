/**
 * The world of the header that does not govern: its table, its data, the segment it names.
 *
 *  (1) Its pages may have been written over since the governing header became durable; then its world is gone. That is
 *      no fault, and what can still be read of it counts.
 *
 * Cost: a second table in memory.
 */

import type { StorageFile } from "../../storage/storage.ts";
import { addressPage, firstOrdinaryPage } from "../format/layout.ts";
import { tagRef } from "../format/statement.ts";
import { Sweep, type SweepTarget, type SweptStatement } from "../open/sweep.ts";
import type { Frames } from "./frames.ts";
import { readJournalContents } from "./journal-contents.ts";
import { headerOf } from "./slots.ts";
import { mergeOf, readWorld } from "./world.ts";

export interface OlderPages {
  readonly epoch: number;
  readonly pages: ReadonlySet<number>;
  /** Pages that it names and that hold something else by now. */
  readonly lost: number;
}

/** Pages past the end of the file that are told apart: a table may name any number of them. */
const lostBeyondMax = 1000;

class NamedData implements SweepTarget {
  readonly found = new Set<number>();
  readonly lost = new Set<number>();
  #lostBeyond = 0;
  readonly #frames: Frames;
  readonly #epoch: number;

  constructor(frames: Frames, epoch: number) {
    this.#frames = frames;
    this.#epoch = epoch;
  }

  fragment(_id: number, _from: number, _to: number, winner: SweptStatement | undefined): void {
    if (winner?.kind !== tagRef) return;
    const page = addressPage(winner.address);
    if (this.#frames.dataFault(page, this.#epoch) === undefined) this.found.add(page);
    else if (page < this.#frames.count || this.lost.has(page)) this.lost.add(page);
    else if (this.#lostBeyond++ < lostBeyondMax) this.lost.add(page);
  }

  finish(): void {}
}

export function readOlder(file: StorageFile, page: Uint8Array, slot: number, frames: Frames): OlderPages {
  const header = headerOf(page, slot);
  let lost = 0;
  const lose = (): void => {
    lost++;
  };
  const world = readWorld(file, header, lose);
  const data = new NamedData(frames, header.epoch);
  new Sweep(mergeOf(world, file.name), data, file.name).run(lose);
  const pages = new Set([...world.state.pages.resident.keys(), ...data.found]);
  const { journalPointer } = header.fields;
  if (journalPointer >= firstOrdinaryPage)
    for (const each of readJournalContents(file, header, lose, () => false).pages) pages.add(each);
  return { epoch: header.epoch, pages, lost: lost + data.lost.size };
}
