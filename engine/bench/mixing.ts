/**
 * How classes of data share data pages: hot, cool and cold allocations of the workload `mixed`.
 *
 *  (1) Only data pages count; the few bytes that lie in table pages are left out.
 *  (2) A page is mixed if it holds live bytes of at least two classes.
 *  (3) What the store keeps for itself is of no class and counts nowhere.
 *
 * Cost: one visit of all fragments in data pages, and three numbers a page of the file.
 */

import { dataClass, dataClasses } from "./drawing.ts";
import type { BenchStore } from "./store.ts";

export interface Mixing {
  readonly mixed_pages: number;
  readonly mixed_bytes: number;
  readonly cold_bytes: number;
  readonly cold_mixed_bytes: number;
}

export const noMixing: Mixing = { mixed_pages: 0, mixed_bytes: 0, cold_bytes: 0, cold_mixed_bytes: 0 };

/** `classOfId` names the class of every allocation of the workload. */
export function mixingOf(store: BenchStore, classOfId: ReadonlyMap<number, number>): Mixing {
  const bytesByClass = new Float64Array(store.stats().filePages * dataClasses);
  store.visitDataFragments((page, id, bytes) => {
    const classOf = classOfId.get(id);
    if (classOf === undefined) return;
    const at = page * dataClasses + classOf;
    bytesByClass[at] = bytesByClass[at]! + bytes;
  });
  const sums = { mixed_pages: 0, mixed_bytes: 0, cold_bytes: 0, cold_mixed_bytes: 0 };
  for (let first = 0; first < bytesByClass.length; first += dataClasses) {
    const ofPage = bytesByClass.subarray(first, first + dataClasses);
    const cold = ofPage[dataClass.cold]!;
    sums.cold_bytes += cold;
    if (ofPage.filter((bytes) => bytes > 0).length < 2) continue;
    sums.mixed_pages++;
    sums.mixed_bytes += ofPage.reduce((sum, bytes) => sum + bytes, 0);
    sums.cold_mixed_bytes += cold;
  }
  return sums;
}
