/**
 * Faults in what the engine keeps and states, each a way of forgetting one rule, and which test must notice it.
 *
 * The first three were met in implementations: in the reference implementation a page kept its old epoch while its
 * statements were bound, so that a fresh Grow looked older than its anchor and was let go; and a tombstone was let go
 * in the flush that dropped its own page.
 */

import type { Mutation } from "./mutate.ts";

export type StateMutation = Mutation & {
  /** `histories`: random histories; else a file of tests, from the project's folder. */
  readonly noticedBy: "histories" | (string & {});
};

const anchors = "engine/kladde/anchors.test.ts";
const duties = "engine/kladde/duties.test.ts";
const churn = "engine/bench/churn-reopen.test.ts";

const staleEpoch = {
  file: "flush/cut.ts",
  from: "  const headerContentBytes = writeHeaderContent(flush, layout, headerPage);\n",
  to: `  state.pages.epoch[headerPage] = state.epoch - 1;
  const headerContentBytes = writeHeaderContent(flush, layout, headerPage);
  state.pages.epoch[headerPage] = state.epoch + 1;
`,
};

const tombstoneLetGo = {
  file: "state/sizes.ts",
  from: "if (tombstone !== 0 && !state.rewritten.has(slab.page[tombstone]!))",
  to: "if (tombstone !== 0)",
};

export const stateMutations: readonly StateMutation[] = [
  { name: "the header keeps its old epoch while it is bound", noticedBy: "histories", ...staleEpoch },
  { name: "the header keeps its old epoch while it is bound", noticedBy: anchors, ...staleEpoch },
  { name: "a tombstone is let go with its own page", noticedBy: "histories", ...tombstoneLetGo },
  { name: "a tombstone is let go with its own page", noticedBy: anchors, ...tombstoneLetGo },
  { name: "a tombstone is let go with its own page", noticedBy: churn, ...tombstoneLetGo },
  {
    name: "a growth in the flush that drops the anchor's page states no zeros",
    noticedBy: "histories",
    file: "state/sizes.ts",
    from: "if ((flags & hasShrunk) !== 0 || ((flags & replaceAnchor) !== 0 && anchor !== 0)) {",
    to: "if ((flags & hasShrunk) !== 0) {",
  },
  {
    name: "an anchor is forgotten when its page leaves",
    noticedBy: "histories",
    file: "state/taking.ts",
    from: "if (slab.liesIn(allocations.anchor[row]!, page)) state.mark(id, replaceAnchor);",
    to: "",
  },
  {
    name: "a grow witness is forgotten when its page leaves",
    noticedBy: "histories",
    file: "state/taking.ts",
    from: "if (slab.liesIn(allocations.grow[row]!, page)) state.mark(id, replaceGrow);",
    to: "",
  },
  {
    name: "a shrink is not stated",
    noticedBy: "histories",
    file: "flush/derive.ts",
    from: "if (shrank || anchorLeaves) into.push(id, tagShrink",
    to: "if (anchorLeaves) into.push(id, tagShrink",
  },
  {
    name: "a growth is not stated",
    noticedBy: "histories",
    file: "flush/derive.ts",
    from: "else if ((restated || witnessLeaves) &&",
    to: "else if (((flags & isNew) !== 0 || witnessLeaves) &&",
  },
  {
    name: "an anchor that leaves is replaced by a Grow",
    noticedBy: "histories",
    file: "flush/derive.ts",
    from: "if (shrank || anchorLeaves) into.push(id, tagShrink",
    to: "if (anchorLeaves && !shrank) into.push(id, tagGrow, size, 0, 0, heat, 0, 0);\n  else if (shrank) into.push(id, tagShrink",
  },
  {
    name: "a free states no tombstone",
    noticedBy: "histories",
    file: "flush/derive.ts",
    from: "((flags & isFreed) !== 0 || anchorReplaced) && mentioned",
    to: "anchorReplaced && mentioned",
  },
  {
    name: "a Grow to 0 above a tombstone is taken for dead",
    noticedBy: "histories",
    file: "state/sizes.ts",
    from: "anchor !== 0 && slab.kind[anchor] === tagShrink && bound <=",
    to: "anchor !== 0 && bound <=",
  },
  {
    name: "a shrink does not cut the fragment that straddles the new end",
    noticedBy: "histories",
    file: "state/sizes.ts",
    from: "if (size > 0) state.split(id, row, size);\n  state.dropFrom(id, row, size);",
    to: "if (size === 0) state.dropFrom(id, row, size);",
  },
  {
    name: "zeros over old content are not stated",
    noticedBy: "histories",
    file: "flush/apply.ts",
    from: "const to = Math.min(content.to[run]!, statedBelow);",
    to: "const to = 0 * statedBelow;",
  },
  {
    name: "a freed id can be handed out before its flush",
    noticedBy: "histories",
    file: "store.ts",
    from: "this.#session.record(recordFree, id, 0, 0, 0, 0, undefined);",
    to: "this.#session.record(recordFree, id, 0, 0, 0, 0, undefined);\n    this.context.state.ids.recycle(id, false);",
  },
  {
    name: "a page of the cache outlives its overwriting",
    noticedBy: "histories",
    file: "flush/commit.ts",
    from: "    cache.forget(page);\n",
    to: "",
  },
  {
    name: "loading takes an old Grow for the witness",
    noticedBy: "histories",
    file: "open/sweep.ts",
    from: "if (top !== undefined && statement.epoch <= top.epoch) return grow;",
    to: "",
  },
  {
    name: "loading lets the older of two statements win",
    noticedBy: "histories",
    file: "open/sweep.ts",
    from: "if (open[parent]!.epoch >= statement.epoch) break;",
    to: "if (open[parent]!.epoch <= statement.epoch) break;",
  },
  {
    name: "a leaf that empties while it is bound retires at once",
    noticedBy: anchors,
    file: "flush/commit.ts",
    from: "if (pages.state[page] === pageData) retire(state, page);",
    to: "if (pages.state[page] === pageData || pages.state[page] === pageLeaf) retire(state, page);",
  },
  {
    name: "a copy within one allocation reads what it has overwritten",
    noticedBy: "histories",
    file: "flush/content.ts",
    from: "else if (!fold.isIdentity(row, pieces, i))",
    to: "else if (pieces.sourceId(i) !== fold.ids[row])",
  },
  {
    name: "taking a transaction back keeps its sizes",
    noticedBy: "histories",
    file: "session.ts",
    from: "this.geometry.rollBack(mark.undoLength);",
    to: "",
  },
  {
    name: "a flush inside a transaction forgets what is reserved",
    noticedBy: "histories",
    file: "journal/geometry.ts",
    from: "if (this.#undoEntries[i] === geometryReserved) this.#entries.set",
    to: "if (this.#undoEntries[i] === Number.NaN) this.#entries.set",
  },
  {
    name: "the link of a journal page is not checked",
    noticedBy: "engine/kladde/invalid/journal.test.ts",
    file: "journal/recover.ts",
    from: "!== this.#chain) return false;",
    to: "!== this.#chain && this.#seen.has(0)) return false;",
  },
  {
    name: "a shrink is not stated",
    noticedBy: duties,
    file: "flush/derive.ts",
    from: "if (shrank || anchorLeaves) into.push(id, tagShrink",
    to: "if (anchorLeaves) into.push(id, tagShrink",
  },
  {
    name: "a dropped page is written again one flush early",
    noticedBy: duties,
    file: "flush/commit.ts",
    from: "  retireDrained(state);\n  pages.resident",
    to: "  retireDrained(state);\n  pages.releaseRetired();\n  pages.resident",
  },
  {
    name: "no sync before the header",
    noticedBy: duties,
    file: "flush/commit.ts",
    from: "  file.sync();\n  writeHeader(flush, table);",
    to: "  writeHeader(flush, table);",
  },
];
