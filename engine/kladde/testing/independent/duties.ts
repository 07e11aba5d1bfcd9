/**
 * What a flush must state, judged by the bytes of the file before its header was written and after: the writer's duties
 * of the format, one by one.
 *
 *  (1) What was to be done is read from the journal that the flush has folded; so all of its records must be in it.
 *  (2) "Stated" means: by a statement in a page of the flush's epoch.
 *
 * Cost: both files are read and resolved in full.
 */

import { assert } from "../../../errors.ts";
import { type Content, lengthOf } from "./content.ts";
import { replay } from "./journal.ts";
import type { IndependentReading } from "./read.ts";
import type { Resolved } from "./resolve.ts";
import { isContentKind, type TableStatement } from "./tables.ts";

/** Remembers which ids were freed, whatever became of them then. */
class NotingMap extends Map<number, Content> {
  readonly freed = new Set<number>();

  override delete(id: number): boolean {
    if (this.has(id)) this.freed.add(id);
    return super.delete(id);
  }
}

/** Throws if the flush that led from `before` to `after` neglected a duty. */
export function requireDuties(before: IndependentReading, after: IndependentReading): void {
  assert(after.header.epoch === before.header.epoch + 1, `epoch ${after.header.epoch} is not the next`);
  const worked = new NotingMap(before.committed);
  for (const records of before.transactions) replay(records, worked);
  requireSameContents(before, after, worked);
  requireOneVoice(after);
  requireOwnBytes(after);
  const ids = new Set([...before.resolved.keys(), ...after.resolved.keys(), ...worked.freed]);
  const dropped = droppedPages(before, after);
  for (const id of ids) new Duty(id, before, after, dropped, worked.freed.has(id)).require();
}

/** The flush commits what the journal made of the file; the consolidator's own allocation is its own affair. */
function requireSameContents(
  before: IndependentReading,
  after: IndependentReading,
  worked: ReadonlyMap<number, Content>,
): void {
  const own = [before.header.consolidatorState, after.header.consolidatorState];
  const ids = new Set([...worked.keys(), ...after.committed.keys()]);
  for (const id of ids) {
    if (own.includes(id)) continue;
    const [expected, found] = [worked.get(id), after.committed.get(id)];
    assert(expected !== undefined && found !== undefined, `allocation ${id} exists on one side only`);
    assert(isSame(expected, found), `allocation ${id} was committed with other contents`);
  }
}

function isSame(a: Content, b: Content): boolean {
  if (lengthOf(a) !== lengthOf(b)) return false;
  const flat = (content: Content): Buffer =>
    Buffer.concat(content.map(({ length, bytes }) => bytes ?? new Uint8Array(length)));
  return Buffer.compare(flat(a), flat(b)) === 0;
}

function droppedPages(before: IndependentReading, after: IndependentReading): ReadonlySet<number> {
  const kept = new Set(after.tables.map(({ page, epoch }) => `${page}/${epoch}`));
  return new Set(
    before.tables.filter(({ page, epoch }) => !kept.has(`${page}/${epoch}`)).map(({ page }) => page),
  );
}

/** 7.5, over all pages of the flush. */
function requireOneVoice(after: IndependentReading): void {
  const { epoch } = after.header;
  const own = after.tables.flatMap(({ statements }) => statements).filter((one) => one.epoch === epoch);
  for (const [id, said] of Map.groupBy(own, (one) => one.id)) {
    const kinds = said.map(({ kind }) => kind);
    const sizes = kinds.filter((kind) => kind === "shrink" || kind === "grow").length;
    assert(!kinds.includes("tombstone") || said.length === 1, `rule 1: the Tombstone of ${id} is not alone`);
    assert(sizes <= 1, `rule 4: the size of ${id} is stated ${sizes} times`);
    const content = said.filter(({ kind }) => isContentKind(kind)).sort((a, b) => a.offset - b.offset);
    content.forEach(({ offset, size }, i) => {
      assert(size > 0, `content of ${id} of length 0`);
      const next = content[i + 1]?.offset ?? Number.POSITIVE_INFINITY;
      assert(offset + size <= next, `rule 2: byte ${next} of ${id} is stated twice`);
    });
    for (const { kind, offset, page } of said) {
      const isPast = (one: TableStatement): boolean => one.offset + one.size > offset;
      if (kind === "shrink") assert(!content.some(isPast), `rule 3: content of ${id} past its Shrink`);
      const beside = content.filter((one) => one.page === page);
      if (kind === "grow")
        assert(!beside.some(isPast), `rule 5: content of ${id} past its Grow, in its page`);
    }
  }
}

/** No byte of a data page is named by two Refs that win something. */
function requireOwnBytes({ resolved }: IndependentReading): void {
  const live = new Set([...resolved.values()].flatMap(({ runs }) => runs.map(({ winner }) => winner)));
  const refs = [...live].filter((one) => one?.kind === "ref").sort((a, b) => a!.address - b!.address);
  refs.forEach((one, i) => {
    const next = refs[i + 1]?.address ?? Number.POSITIVE_INFINITY;
    assert(
      one!.address + one!.size <= next,
      `address ${next} is named by two Refs, one of them of ${one!.id}`,
    );
  });
}

class Duty {
  readonly #id: number;
  readonly #epoch: number;
  readonly #dropped: ReadonlySet<number>;
  readonly #isNewIncarnation: boolean;
  readonly #old: Resolved | undefined;
  readonly #new: Resolved | undefined;
  /** Statements of the id that can be reached after the flush; `own` are those of the flush. */
  readonly #all: readonly TableStatement[];
  readonly #own: readonly TableStatement[];

  constructor(
    id: number,
    before: IndependentReading,
    after: IndependentReading,
    dropped: ReadonlySet<number>,
    wasFreed: boolean,
  ) {
    this.#id = id;
    this.#epoch = after.header.epoch;
    this.#dropped = dropped;
    this.#old = before.resolved.get(id);
    this.#new = after.resolved.get(id);
    this.#isNewIncarnation = wasFreed && this.#exists && this.#existed;
    this.#all = after.tables.flatMap(({ statements }) => statements).filter((one) => one.id === id);
    this.#own = this.#all.filter(({ epoch }) => epoch === this.#epoch);
  }

  get #existed(): boolean {
    return this.#old?.exists === true;
  }

  get #exists(): boolean {
    return this.#new?.exists === true;
  }

  get #oldSize(): number {
    return this.#existed ? this.#old!.size : 0;
  }

  require(): void {
    if (!this.#exists) this.#requireTombstone();
    else {
      const size = this.#new!.size;
      if (size < this.#oldSize) this.#requireShrink("2: a shrink");
      if (size > this.#oldSize || !this.#existed) this.#requireSizeStated(size);
      if (this.#isNewIncarnation)
        this.#requireStated(0, Math.min(size, this.#oldSize), "5: an id that came back");
      this.#requireDropped(size);
    }
  }

  /** 4, and 6 for an id that does not exist. */
  #requireTombstone(): void {
    const others = this.#all.filter(({ kind, epoch }) => kind !== "tombstone" || epoch !== this.#epoch);
    const isStated = this.#own.some(({ kind }) => kind === "tombstone");
    const held = this.#old?.anchor;
    const isDue = this.#existed || (held?.kind === "tombstone" && this.#dropped.has(held.page));
    if (isDue && others.length > 0) this.#demand(isStated, "4: no Tombstone, and old statements name it");
    this.#demand(!isStated || others.length > 0, "6: a Tombstone, and nothing else names it");
  }

  #requireShrink(why: string): void {
    const isStated = this.#own.some(({ kind, offset }) => kind === "shrink" && offset === this.#new!.size);
    this.#demand(isStated, `${why} without its Shrink`);
  }

  /** 3 */
  #requireSizeStated(size: number): void {
    const reaches = this.#own.some(
      ({ kind, offset, size: bytes }) =>
        (kind === "grow" || kind === "shrink" || (isContentKind(kind) && bytes > 0)) &&
        offset + bytes === size,
    );
    this.#demand(reaches, `3: nothing states the size of ${size}`);
  }

  /** 6 and 7: what the statements of a dropped page said is said again. */
  #requireDropped(size: number): void {
    const old = this.#old;
    if (old === undefined) return;
    const { anchor } = old;
    const losesAnchor = anchor !== undefined && this.#dropped.has(anchor.page);
    if (losesAnchor) {
      this.#requireShrink("6: a dropped anchor");
      this.#requireStated(this.#oldSize, size, "7: a growth with a dropped anchor");
    }
    if (!this.#existed) return;
    for (const { from, to, winner } of old.runs) {
      if (winner === undefined || !this.#dropped.has(winner.page)) continue;
      this.#requireStated(from, Math.min(to, size), "6: content of a dropped page");
    }
  }

  /** Bytes `[from, to)` are won by statements of this flush; as content, so that nothing older shows through later. */
  #requireStated(from: number, to: number, why: string): void {
    for (const run of this.#new!.runs) {
      if (run.to <= from || run.from >= to) continue;
      const { winner } = run;
      const isStated = winner?.epoch === this.#epoch && isContentKind(winner.kind);
      this.#demand(isStated, `${why}: bytes from ${Math.max(from, run.from)} are not stated`);
    }
  }

  #demand(condition: boolean, what: string): void {
    assert(condition, `duty ${what}: allocation ${this.#id}, flush ${this.#epoch}`);
  }
}
