/**
 * Free filling: victims ride in the room of data pages that the flush writes anyway. It costs no page, so any victim
 * that fits pays.
 *
 *  (1) In order: whole victims, rewrites that found no place in the reserved share, a part of one victim.
 *  (2) Only one part per page: trying on would take one sparse page after another from the budget, which needs them.
 */

import type { FlushContext } from "../flush/context.ts";
import { contentCapacity } from "../format/layout.ts";
import type { OpenDataPage } from "../state/hooks.ts";
import type { Chosen } from "./chosen.ts";
import type { Compaction } from "./compaction.ts";
import type { Defragmentation } from "./defragmentation.ts";
import type { Evacuation } from "./evacuation.ts";
import type { Policy } from "./policy.ts";

export interface FillingParts {
  readonly flush: FlushContext;
  readonly policy: Policy;
  readonly chosen: Chosen;
  readonly compaction: Compaction;
  readonly evacuation: Evacuation;
  readonly defragmentation: Defragmentation;
}

export function fillFreeRoom(parts: FillingParts, open: OpenDataPage): void {
  const { flush, policy, chosen, evacuation, defragmentation } = parts;
  for (let victim = nextVictim(parts, open); victim >= 0; victim = nextVictim(parts, open))
    if (evacuation.whole(victim, open)) flush.counters.freeFilledPages++;
  defragmentation.fill(open);
  if (open.room === 0) return;
  const victim = policy.dataVictim(0, contentCapacity, chosen);
  if (victim >= 0) evacuation.part(victim, open);
}

/** The tail in compaction mode, else the policy's choice, if it fits the room; −1 if there is none. */
function nextVictim({ flush, policy, chosen, compaction }: FillingParts, open: OpenDataPage): number {
  if (open.room === 0) return -1;
  const tail = compaction.tailAbove(open.page);
  if (tail >= 0 && flush.state.pages.coverage[tail]! <= open.room) return tail;
  return policy.dataVictim(0, open.room, chosen);
}
