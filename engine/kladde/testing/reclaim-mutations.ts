/**
 * Faults in reclamation, each a way of forgetting one rule, and which test must notice it.
 *
 * The first four were met in the reference implementation: the tail was held to the floors, pages in quarantine counted
 * as holes, and an id that came back over its own tombstone, or grew above its own shrink, in the flush that stated
 * those anew, had its old content or size again after a reopen.
 */

import type { Mutation } from "./mutate.ts";

export type ReclaimMutation = Mutation & {
  /** `histories`: random ones with reclamation; `traps`: those of `trap-history.ts`; else a file of tests. */
  readonly noticedBy: "histories" | "traps" | (string & {});
  /** The first seed that notices it, 0 unless given: those before only cost time. */
  readonly seed?: number;
};

const reclaim = (name: string): string => `engine/kladde/reclaim/${name}.test.ts`;

const tombstoneLetGo = {
  name: "a tombstone is let go with its own page",
  file: "state/sizes.ts",
  from: "if (tombstone !== 0 && !state.rewritten.has(slab.page[tombstone]!))",
  to: "if (tombstone !== 0)",
};

const headerKeepsEpoch = {
  name: "the header keeps its old epoch while it is bound",
  file: "flush/cut.ts",
  from: "  const headerContentBytes = writeHeaderContent(flush, layout, headerPage);\n",
  to: `  state.pages.epoch[headerPage] = state.epoch - 1;
  const headerContentBytes = writeHeaderContent(flush, layout, headerPage);
  state.pages.epoch[headerPage] = state.epoch + 1;
`,
};

const leafKeepsEpoch = {
  name: "a leaf keeps its page's old epoch while it is bound",
  file: "flush/cut.ts",
  from: "  const end = writeRows(flush, page, bytes, start, index);\n",
  to: `  flush.state.pages.epoch[page] = 0;
  const end = writeRows(flush, page, bytes, start, index);
  flush.state.pages.epoch[page] = flush.state.epoch + 1;
`,
};

const quarantine = {
  name: "pages in quarantine count as holes",
  file: "reclaim/compaction.ts",
  from: "return pages.ready.count - above >",
  to: "return pages.ready.count + pages.retiring.length - above >",
};

const heldToFloors = {
  name: "the tail is held to the floors",
  file: "reclaim/budget.ts",
  from: "  if (offer.holdsTail) return true;\n",
  to: "",
};

export const reclaimMutations: readonly ReclaimMutation[] = [
  { noticedBy: reclaim("compaction"), ...quarantine },
  { noticedBy: reclaim("budget"), ...heldToFloors },
  { noticedBy: "histories", seed: 3, ...tombstoneLetGo },
  { noticedBy: "histories", seed: 1, ...headerKeepsEpoch },
  { noticedBy: "traps", seed: 7, ...tombstoneLetGo },
  { noticedBy: "traps", ...headerKeepsEpoch },
  { noticedBy: "traps", ...leafKeepsEpoch },
  {
    name: "a chunk's page does not learn whose it is",
    noticedBy: "histories",
    file: "flush/open-page.ts",
    from: "  state.hooks.noteReverse(open.page, id, from, from + bytes);\n",
    to: "",
  },
  {
    name: "a survivor's new page does not learn whose it is",
    noticedBy: "histories",
    file: "reclaim/survivors.ts",
    from: "    this.#reverse.note(open.page, id, from, from + bytes);\n",
    to: "",
  },
  {
    name: "another session does not know who points into a page",
    noticedBy: "histories",
    file: "reclaim/consolidator.ts",
    from: "    noteAllFragments(flush, this.#reverse);\n",
    to: "",
  },
  {
    name: "a page that comes back has the referrers of its earlier life",
    noticedBy: "histories",
    file: "reclaim/consolidator.ts",
    from: "    this.#reverse.forget(page);\n",
    to: "",
  },
  {
    name: "a survivor that this flush has taken is not found",
    noticedBy: "histories",
    file: "reclaim/survivors.ts",
    from: "return pending.place[ref] === placeData ? pending.address[ref]! : -1;",
    to: "return -1;",
  },
  {
    name: "the page that a survivor leaves is not released",
    noticedBy: "histories",
    file: "reclaim/evacuation.ts",
    from: "    this.#flush.state.uncover(victim, moved);\n",
    to: "",
  },
  {
    name: "a survivor that is cut goes on with its first byte",
    noticedBy: "histories",
    seed: 17,
    file: "reclaim/evacuation.ts",
    from: "carried[0] = { id: cut.id, from: cut.from + room, bytes: cut.bytes - room };",
    to: "carried[0] = { id: cut.id, from: cut.from, bytes: cut.bytes - room };",
  },
  {
    name: "a page that this flush has made is a victim",
    noticedBy: "histories",
    file: "reclaim/churn-floor.ts",
    from: "if (kind === pageData) this.data.update(page, coverage[page]!);",
    to: "if (kind === pageData || kind === 7) this.data.enter(page, coverage[page]!);",
  },
  {
    name: "a leaf is rewritten twice",
    noticedBy: "histories",
    seed: 3,
    file: "reclaim/chosen.ts",
    from: " && !this.#state.rewritten.has(page)",
    to: "",
  },
  {
    name: "the last page of a budget cuts a victim",
    noticedBy: "histories",
    file: "reclaim/budget.ts",
    from: "carried?.bytes ?? 0, i + 1 < pages)",
    to: "carried?.bytes ?? 0, i < pages)",
  },
  {
    name: "a filler rewrites a leaf that names an id laid out already",
    noticedBy: "histories",
    file: "reclaim/leaves.ts",
    from: "      if (record !== 0 && record < records.firstNew) return false;\n",
    to: "",
  },
  {
    name: "the window takes what the flush has taken",
    noticedBy: "histories",
    file: "reclaim/window.ts",
    from: "kind === kindPending || kind === kindZeroByDefault) return;",
    to: "kind === kindZeroByDefault) return;",
  },
  {
    name: "what the window takes is not stated",
    noticedBy: "histories",
    file: "reclaim/window.ts",
    from: "    state.dirty.add(id, from, end);\n",
    to: "",
  },
  {
    name: "a range in motion is defragmented",
    noticedBy: "histories",
    seed: 18,
    file: "reclaim/defragmentation.ts",
    from: "if (this.#isInMotion(at)) return undefined;",
    to: "",
  },
  {
    name: "a candidate is rewritten past the end of its allocation",
    noticedBy: "histories",
    seed: 2,
    file: "reclaim/defragmentation.ts",
    from: "    if (to > size) return undefined;\n",
    to: "",
  },
  {
    name: "the application sees the state's allocation",
    noticedBy: "histories",
    file: "view.ts",
    from: "return id !== this.context.fields.consolidatorState && this",
    to: "return this",
  },
  {
    name: "the state's allocation can be freed",
    noticedBy: "histories",
    seed: 9,
    file: "store.ts",
    from: "return id !== this.context.fields.consolidatorState && this.#session",
    to: "return this.#session",
  },
];
