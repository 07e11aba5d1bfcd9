/**
 * Files whose header names any allocation, or none, as the consolidator's: with it, whatever bytes as its state.
 */

import { MemoryFile } from "../../storage/memory.ts";
import { sealPage } from "../format/page.ts";
import { Store, type StoreOptions } from "../index.ts";
import { readGoverning } from "../open/load.ts";
import { readCommitted } from "../read.ts";
import type { StoreView } from "../view.ts";
import type { Contents } from "./model.ts";
import { bytesOf } from "./perform.ts";
import { contextOf } from "./reload.ts";

const pageBytes = 4096;
const consolidatorStateAt = 24;
const headerContentAt = 59;

/** A file, and what an application finds in it. */
export interface PlannedFile {
  readonly file: MemoryFile;
  readonly contents: Contents;
}

/** Names `id` as the consolidator's allocation in the header that governs the file. */
export function nameStateAllocation(file: MemoryFile, id: number): void {
  const { slot } = readGoverning(file);
  const page = new Uint8Array(pageBytes);
  file.read(page, slot * pageBytes);
  const view = new DataView(page.buffer);
  view.setUint32(consolidatorStateAt, id, true);
  const epoch = Number(view.getBigUint64(headerContentAt - 10, true));
  sealPage(page, true, 1, epoch, view.getUint16(headerContentAt - 2, true), file.crc32c);
  file.write(page, slot * pageBytes);
}

/**
 * A file of a few allocations, in data pages, in leaves and in the header, whose consolidator state is `state`: bytes,
 * or so many zeros.
 */
export function fileWithState(state: Uint8Array | number): PlannedFile {
  const file = new MemoryFile();
  const store = Store.create(file, { consolidate: false });
  const contents = new Map<number, Uint8Array>();
  for (let i = 0; i < 120; i++) {
    const id = store.alloc(0);
    const bytes = bytesOf(i, i % 3 === 0 ? 700 : 60);
    store.write(id, 0, bytes);
    contents.set(id, bytes);
    if (i % 40 === 0) store.flush();
  }
  const id = store.alloc(typeof state === "number" ? state : 0);
  if (typeof state !== "number") store.write(id, 0, state);
  store.close();
  nameStateAllocation(file, id);
  return { file, contents };
}

/** The bytes of the consolidator's allocation; undefined if there is none. */
export function stateBytesOf(store: StoreView): Uint8Array | undefined {
  const context = contextOf(store);
  const { consolidatorState } = context.fields;
  if (!context.state.allocations.exists(consolidatorState)) return undefined;
  const bytes = new Uint8Array(context.state.allocations.sizeOf(consolidatorState));
  readCommitted(context, consolidatorState, 0, bytes);
  return bytes;
}

/** A state that a store has written, of a file like the one of `fileWithState`, and the epoch of that file. */
export function stateOfStore(options: StoreOptions = {}): { state: Uint8Array; epoch: number } {
  const { file } = fileWithState(0);
  const store = Store.open(file, options);
  for (let flush = 0; flush < 4; flush++) {
    for (let id = 1; id <= 120; id += 7 + flush) store.write(id, 0, bytesOf(flush, 10));
    store.flush();
  }
  const state = stateBytesOf(store)!;
  const { epoch } = contextOf(store).state;
  store.close();
  return { state, epoch };
}
