/**
 * Budget pages: data pages that are opened, and leaves that are rewritten, only to reclaim.
 *
 *  (1) An offer is computed without taking anything; it names the victims that would fill one page.
 *  (2) An offer is taken if what it frees is worth what it writes and it fills its page to `1 − theta`; one that moves
 *      the tail in compaction mode always: a full leaf at the end would stop the mode for good otherwise.
 *  (3) What is carried over from a cut victim forces the next page open; the last page of the budget cuts nothing.
 *  (4) When nothing pays, the rest of the budget is kept.
 *
 * Cost: a choice of victims per offer; two offers a page.
 */

import { assert } from "../../errors.ts";
import type { FlushContext } from "../flush/context.ts";
import { closePage, OpenPage } from "../flush/open-page.ts";
import { contentCapacity } from "../format/layout.ts";
import { pageData, pageLeaf } from "../state/pages.ts";
import type { Chosen } from "./chosen.ts";
import type { Compaction } from "./compaction.ts";
import type { Carried, Evacuation } from "./evacuation.ts";
import { type LeafRewriting, restatedBytesPerByte } from "./leaves.ts";
import type { Policy } from "./policy.ts";

interface Offer {
  readonly whole: readonly number[];
  /** The victim that is cut at the page's end; −1: none. */
  readonly cut: number;
  readonly holdsTail: boolean;
  /** Bytes that come free, and bytes that must be written for it. */
  readonly reclaimed: number;
  readonly written: number;
  /** Share of the page that is filled. */
  readonly fill: number;
}

export interface BudgetParts {
  readonly flush: FlushContext;
  readonly policy: Policy;
  readonly chosen: Chosen;
  readonly compaction: Compaction;
  readonly evacuation: Evacuation;
  readonly leaves: LeafRewriting;
}

export function spendBudget(parts: BudgetParts): void {
  const { flush, policy, leaves } = parts;
  const { pages } = policy;
  let carried: Carried | undefined;
  for (let i = 0; i < pages; i++) {
    const data = dataOffer(parts, carried?.bytes ?? 0, i + 1 < pages);
    if (carried === undefined) {
      const table = leafOffer(parts);
      const isTable = table !== undefined && takes(parts, table) && isBetter(parts, table, data);
      if (!isTable && (data === undefined || !takes(parts, data))) break;
      flush.counters.budgetPagesUsed++;
      if (isTable) {
        for (const page of table.whole) leaves.rewrite(page);
        continue;
      }
    } else flush.counters.budgetPagesUsed++;
    carried = fillPage(parts, carried, data);
  }
  assert(carried === undefined, "survivors are carried out of the budget");
}

/** Whether the offer of leaves goes before that of data pages; of equals data goes first. */
function isBetter(parts: BudgetParts, table: Offer, data: Offer | undefined): boolean {
  if (data === undefined || !takes(parts, data)) return true;
  if (table.holdsTail !== data.holdsTail) return table.holdsTail;
  return table.reclaimed / Math.max(table.written, 1) > data.reclaimed / Math.max(data.written, 1);
}

function takes({ flush, policy }: BudgetParts, offer: Offer): boolean {
  if (offer.holdsTail) return true;
  return policy.pays(offer.reclaimed, offer.written) && offer.fill >= 1 - flush.options.theta;
}

/** Fills a page with what an earlier victim left over, then with the offer; returns what is left over now. */
function fillPage(
  { flush, evacuation }: BudgetParts,
  carried: Carried | undefined,
  offer: Offer | undefined,
): Carried | undefined {
  const open = new OpenPage(flush);
  if (carried !== undefined) evacuation.lead(carried, open);
  for (const victim of offer?.whole ?? []) evacuation.whole(victim, open);
  const left = offer !== undefined && offer.cut >= 0 ? evacuation.across(offer.cut, open) : undefined;
  closePage(flush, open);
  return left;
}

/** Data pages that would fill a page of which `carriedBytes` are taken. */
function dataOffer(parts: BudgetParts, carriedBytes: number, mayCut: boolean): Offer | undefined {
  const { flush, policy, chosen, compaction } = parts;
  const { coverage } = flush.state.pages;
  const whole: number[] = [];
  let cut = -1;
  let written = 0;
  let room = contentCapacity - carriedBytes;
  chosen.offered.clear();
  const tail = compaction.movableTail(pageData);
  // Bytes that several allocations share count for each: more than a page of them would not fit the next page either.
  const holdsTail = tail >= 0 && (coverage[tail]! <= room || (mayCut && coverage[tail]! <= contentCapacity));
  if (holdsTail) {
    if (coverage[tail]! <= room) whole.push(tail);
    else cut = tail;
    chosen.offered.add(tail);
    written += coverage[tail]!;
    room = Math.max(0, room - coverage[tail]!);
  }
  while (cut < 0) {
    const victim = policy.dataVictim(0, Math.min(room, policy.victimBytesMax), chosen);
    if (victim < 0) break;
    whole.push(victim);
    chosen.offered.add(victim);
    written += coverage[victim]!;
    room -= coverage[victim]!;
  }
  if (cut < 0 && mayCut && room > flush.options.theta * contentCapacity && room < policy.victimBytesMax) {
    cut = policy.dataVictim(room, policy.victimBytesMax, chosen);
    if (cut >= 0) {
      written += coverage[cut]!;
      room = 0;
    }
  }
  chosen.offered.clear();
  const pages = whole.length + (cut >= 0 ? 1 : 0);
  if (pages === 0) return undefined;
  // The tail counts as a whole page: its length comes off the file.
  const reclaimed = pages * contentCapacity - written + (holdsTail ? coverage[tail]! : 0);
  return { whole, cut, holdsTail, reclaimed, written, fill: (contentCapacity - room) / contentCapacity };
}

/** Leaves whose statements, stated again, would fill a page. */
function leafOffer({ flush, policy, chosen, compaction }: BudgetParts): Offer | undefined {
  const { coverage } = flush.state.pages;
  const whole: number[] = [];
  let written = 0;
  let reclaimed = 0;
  let room: number = contentCapacity;
  const add = (page: number): void => {
    whole.push(page);
    chosen.offered.add(page);
    written += restatedBytesPerByte * coverage[page]!;
    room -= restatedBytesPerByte * coverage[page]!;
    reclaimed += contentCapacity - coverage[page]!;
  };
  chosen.offered.clear();
  const tail = compaction.movableTail(pageLeaf);
  if (tail >= 0) add(tail);
  for (;;) {
    const victim = policy.leafVictim(0, Math.min(room / restatedBytesPerByte, policy.victimBytesMax), chosen);
    if (victim < 0) break;
    add(victim);
  }
  chosen.offered.clear();
  if (whole.length === 0) return undefined;
  if (tail >= 0) reclaimed += coverage[tail]!;
  return { whole, cut: -1, holdsTail: tail >= 0, reclaimed, written, fill: written / contentCapacity };
}
