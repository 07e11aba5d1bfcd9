/**
 * Faults that break durability, each a way of forgetting one rule of the format, and which of the crash tests must
 * notice it.
 */

import type { Mutation } from "./mutate.ts";

/** `cuts`: `crash.ts`, `failures`: `crash-faults.ts`; else a file of tests. */
export interface CrashMutation extends Mutation {
  readonly noticedBy: "cuts" | "failures" | `${string}.test.ts`;
  /** The first seed that notices it, 0 unless given: those before only cost time. */
  readonly seed?: number;
}

const commit = "flush/commit.ts";
const session = "session.ts";

export const crashMutations: readonly CrashMutation[] = [
  {
    name: "no sync before the header",
    noticedBy: "cuts",
    file: commit,
    from: "  file.sync();\n  writeHeader(flush, table);",
    to: "  writeHeader(flush, table);",
  },
  {
    name: "the header is written before its pages",
    noticedBy: "cuts",
    file: commit,
    from: "  writePages(flush, nextJournal);\n  if",
    to: "  writeHeader(flush, table);\n  writePages(flush, nextJournal);\n  if",
  },
  {
    name: "a dropped page is written again one flush early",
    noticedBy: "cuts",
    file: commit,
    from: "  retireDrained(state);\n  pages.resident",
    to: "  retireDrained(state);\n  pages.releaseRetired();\n  pages.resident",
  },
  {
    name: "the folded journal's pages are free at once",
    noticedBy: "cuts",
    file: commit,
    from: "if (pages.state[page] === pageJournal) pages.retire(page);",
    to: "if (pages.state[page] === pageJournal) pages.makeReady(page);",
  },
  {
    name: "the first flush leaves old bytes in the next journal page",
    noticedBy: "cuts",
    seed: 4,
    file: commit,
    from: "if (!flush.hasFlushed && nextJournal",
    to: "if (flush.hasFlushed && nextJournal",
  },
  {
    name: "half a lost header stays in its slot",
    noticedBy: "cuts",
    seed: 6,
    file: commit,
    from: "if (!flush.hasFlushed) clearTornSlot(file, table.headerPage);",
    to: "",
  },
  {
    name: "a failed sync is tried again",
    noticedBy: "failures",
    file: commit,
    from: "  file.sync();\n  writeHeader(flush, table);",
    to: "  try {\n    file.sync();\n  } catch {\n    file.sync();\n  }\n  writeHeader(flush, table);",
  },
  {
    name: "a failed sync is ignored",
    noticedBy: "failures",
    file: commit,
    from: "  file.sync();\n  writeHeader(flush, table);",
    to: "  try {\n    file.sync();\n  } catch {}\n  writeHeader(flush, table);",
  },
  {
    name: "the end of the file is cut off with pages that retire",
    noticedBy: "cuts",
    file: "state/pages.ts",
    from: `=== pageReady) end--;
    const cut = this.filePages - end;
    if (cut === 0 || cut < atLeast) return 0;`,
    to: `<= pageRetiring) end--;
    const cut = this.filePages - end;
    if (cut === 0 || cut < atLeast) return 0;
    this.retiring = this.retiring.filter((page) => page < end);`,
  },
  {
    name: "the journal's chain does not know its epoch",
    noticedBy: "cuts",
    file: "journal/segment.ts",
    from: "writeU64(bytes, 0, epoch);",
    to: "writeU64(bytes, 0, 0 * epoch);",
  },
  {
    name: "a transaction's checksum is not looked at",
    noticedBy: "cuts",
    file: "journal/recover.ts",
    from: "readU32(this.#crc, 0) === expected ?",
    to: "readU32(this.#crc, 0) >= 0 * expected ?",
  },
  // No crash shows the next two. A link that is not looked at leads to bytes that the next transaction's checksum does
  // not believe; and a writer never links back, nor does the chain believe a page the second time round what it believed
  // the first time. Links that are damaged, and files made for it, do show them.
  {
    name: "the link of a journal page is followed unchecked",
    noticedBy: "engine/kladde/invalid/journal.test.ts",
    file: "journal/recover.ts",
    from: "    if (readU32(this.#buffer, trailerCrcAt) !== this.#chain) return false;\n",
    to: "",
  },
  {
    name: "the journal comes back to a page of its own",
    noticedBy: "engine/kladde/invalid/journal.test.ts",
    file: "journal/recover.ts",
    from: " || this.#seen.has(next)) return false;",
    to: ") return false;",
  },
  {
    name: "what one flush has joined is joined again by the next",
    noticedBy: "engine/kladde/crash-faults.test.ts",
    file: "flush/cut.ts",
    from: "  flush.joins.length = 0;\n",
    to: "",
  },
  {
    name: "an allocation is lost whose number the index has grown past",
    noticedBy: "engine/kladde/state/allocations.test.ts",
    file: "state/allocations.ts",
    from: "id < this.#dense.length || id < Math.max(",
    to: "id < Math.max(",
  },
  {
    name: "no sync at open",
    noticedBy: "cuts",
    seed: 9,
    file: "open/open.ts",
    from: "  file.sync();\n  ensureSlots",
    to: "  ensureSlots",
  },
  {
    name: "new header fields are not synced",
    noticedBy: "cuts",
    file: session,
    from: "if (this.#fieldsChanged) this.file.sync();",
    to: "",
  },
  {
    name: "a transaction is appended in two",
    noticedBy: "cuts",
    seed: 4,
    file: session,
    from: "      this.#segment.append(this.log, this.arena, this.#appended, end);",
    to: `      const half = (this.#appended + end) >> 1;
      if (half > this.#appended) this.#segment.append(this.log, this.arena, this.#appended, half);
      this.#segment.append(this.log, this.arena, half, end);`,
  },
  {
    name: "a torn append does not poison",
    noticedBy: "failures",
    file: session,
    from: "if (this.#segment.torn) this.poison(cause);\n      else if",
    to: "if",
  },
  {
    name: "records that found no room stay",
    noticedBy: "failures",
    file: session,
    from: "else if (!this.scopes.inTransaction) this.#forget();",
    to: "",
  },
  {
    name: "an id that a scope without records reserved is given back",
    noticedBy: "failures",
    seed: 10,
    file: session,
    from: "    this.#settle();\n    this.#flushIfDue();",
    to: "    this.#flushIfDue();",
  },
  {
    name: "a new journal page is not written before it is used",
    noticedBy: "failures",
    file: session,
    from: "this.file.write(zeroPage, added * pageBytes);",
    to: "this.file.size();",
  },
  {
    name: "a failed flush does not poison",
    noticedBy: "failures",
    file: session,
    from: "this.guard(() => this.#runFlush(this.#segment.pages));",
    to: "this.#runFlush(this.#segment.pages);",
  },
  {
    name: "a failed open keeps the lock",
    noticedBy: "failures",
    file: "open/open.ts",
    from: "    file.close();\n    throw cause;",
    to: "    throw cause;",
  },
];
