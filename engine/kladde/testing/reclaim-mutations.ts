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
    from: "    state.dirty.add(id, from, end, at);\n",
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
  {
    name: "the tail moves upward",
    noticedBy: reclaim("compaction"),
    file: "reclaim/compaction.ts",
    from: " && lowest >= 0 && lowest < tail ? tail : -1",
    to: " && lowest >= 0 ? tail : -1",
  },
  { noticedBy: reclaim("defects"), ...heldToFloors },
  { noticedBy: "engine/bench/compaction.test.ts", ...quarantine },
  {
    name: "an anchor is forgotten when its page leaves",
    noticedBy: reclaim("defects"),
    file: "state/taking.ts",
    from: "if (slab.liesIn(allocations.anchor[row]!, page)) state.mark(id, replaceAnchor);",
    to: "",
  },
  {
    name: "zeros that a tombstone owns stay where they are",
    noticedBy: reclaim("defects"),
    file: "state/taking.ts",
    from: "else if (kind === tagShrink || kind === tagTombstone)",
    to: "else if (kind === tagShrink)",
  },
  {
    name: "a page that carries survivors is planned with again",
    noticedBy: reclaim("evacuation"),
    file: "reclaim/evacuation.ts",
    from: "    this.#chosen.skipped.add(victim);\n    return { victim,",
    to: "    return { victim,",
  },
  {
    name: "a part of a victim is moved though its statement stays",
    noticedBy: reclaim("evacuation"),
    file: "reclaim/evacuation.ts",
    from: "if (owner[i] === owner[first]) group.push(i);",
    to: "if (owner[i] === 0) group.push(i);",
  },
  {
    name: "an offer need not fill its page",
    noticedBy: reclaim("budget"),
    file: "reclaim/budget.ts",
    from: " && offer.fill >= 1 - flush.options.theta",
    to: "",
  },
  {
    name: "an offer need not pay",
    noticedBy: reclaim("budget"),
    file: "reclaim/budget.ts",
    from: "return policy.pays(offer.reclaimed, offer.written) && offer.fill",
    to: "return offer.fill",
  },
  {
    name: "what is carried is left where it lies",
    noticedBy: reclaim("budget"),
    file: "reclaim/budget.ts",
    from: "    carried = fillPage(parts, carried, data);\n",
    to: "    fillPage(parts, carried, data);\n",
  },
  {
    name: "every sample starts at the same place",
    noticedBy: reclaim("sampling"),
    file: "reclaim/churn-floor.ts",
    from: "this.#rotation++ % count",
    to: "this.#rotation % count",
  },
  {
    name: "the young are cleaned first",
    noticedBy: reclaim("sampling"),
    file: "reclaim/churn-floor.ts",
    from: "((1 - u) * (now - epoch[page]!)) / (1 + u)",
    to: "(1 - u) / (now - epoch[page]!) / (1 + u)",
  },
  {
    name: "holes do not count as unfilled",
    noticedBy: reclaim("controller"),
    file: "reclaim/consolidator.ts",
    from: "live / ((filePages - firstOrdinaryPage) * contentCapacity)",
    to: "live / ((filePages - this.#flush.state.pages.ready.count - firstOrdinaryPage) * contentCapacity)",
  },
  {
    name: "a proof in a page that the window took from stays there",
    noticedBy: reclaim("window"),
    file: "reclaim/window.ts",
    from: "    this.#search.finish();\n    this.#restateProofs();",
    to: "    this.#search.finish();",
  },
  {
    name: "the walk ends where nothing more fits",
    noticedBy: reclaim("window"),
    file: "reclaim/window.ts",
    from: "      this.#visit(at);\n",
    to: "      this.#visit(at);\n      if (this.#room <= 0) break;\n",
  },
  {
    name: "a run goes on across a long zero",
    noticedBy: reclaim("description"),
    file: "reclaim/description.ts",
    from: "      if (weight <= 0) {\n",
    to: "      if (row === 0) {\n",
  },
  {
    name: "a rewrite makes its allocation young",
    noticedBy: reclaim("defragmentation"),
    file: "reclaim/defragmentation.ts",
    from: "    counters.defragRewrites++;\n",
    to: "    counters.defragRewrites++;\n    state.allocations.lastWritten[state.allocations.row(id)] = state.epoch + 1;\n",
  },
  {
    name: "what is written in this very flush is rewritten",
    noticedBy: reclaim("defragmentation"),
    file: "reclaim/defragmentation.ts",
    from: "if (!(gain > 0) || age < 1) return undefined;",
    to: "if (!(gain > 0)) return undefined;",
  },
  {
    name: "the share has no bound",
    noticedBy: reclaim("defragmentation"),
    file: "reclaim/defragmentation.ts",
    from: "      if (bytes > left) {\n",
    to: "      if (left < 0) {\n",
  },
  {
    name: "chunks of rewrites stay behind the others",
    noticedBy: reclaim("defragmentation"),
    file: "reclaim/defragmentation.ts",
    from: "    chunks.mergeFrom(firstChunk);\n",
    to: "",
  },
  {
    name: "a state that is behind the file is appended to",
    noticedBy: reclaim("kept-state"),
    file: "reclaim/kept-state.ts",
    from: "if (!this.#isCurrent || isDue)",
    to: "if (isDue)",
  },
  {
    name: "a state that is behind the file gives every age",
    noticedBy: reclaim("kept-state"),
    file: "reclaim/kept-state.ts",
    from: "allocations.exists(id) && youngestStatement[row]! <= fields.upToDate",
    to: "allocations.exists(id)",
  },
  {
    name: "the state takes an id that an open transaction copies from",
    noticedBy: reclaim("kept-state"),
    file: "reclaim/kept-state.ts",
    from: " || waitingSources.has(next)) passed",
    to: ") passed",
  },
  {
    name: "the application copies and moves the state",
    noticedBy: reclaim("kept-state"),
    file: "store.ts",
    from: '    this.#refusePrivate("source", src);\n',
    to: "",
  },
  {
    name: "a damaged state fails the open",
    noticedBy: reclaim("kept-state"),
    file: "reclaim/kept-state.ts",
    from: 'if (error instanceof StoreError && error.code === "corrupt") return undefined;\n',
    to: "",
  },
  {
    name: "a record of an epoch to come is taken",
    noticedBy: reclaim("ages"),
    file: "reclaim/ages.ts",
    from: "epoch < 0 || epoch > newest",
    to: "epoch < 0",
  },
  {
    name: "a snapshot forgets what the pages do not tell",
    noticedBy: reclaim("sessions"),
    file: "reclaim/kept-state.ts",
    from: "    const epochs = [...byEpoch.keys()]",
    to: "    byEpoch.clear();\n    const epochs = [...byEpoch.keys()]",
  },
  {
    name: "another session does not know the budget",
    noticedBy: reclaim("sessions"),
    file: "reclaim/consolidator.ts",
    from: "      this.#policy.resume(kept.budget);\n",
    to: "",
  },
  {
    name: "another session's window begins anew",
    noticedBy: reclaim("sessions"),
    file: "reclaim/consolidator.ts",
    from: "{ id: kept.windowId, offset: kept.windowOffset }",
    to: "{ id: 0, offset: 0 }",
  },
  {
    name: "free filling is held to the floor",
    noticedBy: reclaim("free-filling"),
    file: "reclaim/free-filling.ts",
    from: "  return policy.dataVictim(0, open.room, chosen);",
    to: "  return policy.dataVictim(0, Math.min(open.room, policy.victimBytesMax), chosen);",
  },
  {
    name: "a filler may be a little larger than the room",
    noticedBy: reclaim("leaves"),
    file: "reclaim/leaves.ts",
    from: "      const victim = policy.leafVictim(0, left / restatedBytesPerByte, this);",
    to: "      const victim = policy.leafVictim(0, left, this);",
  },
];
