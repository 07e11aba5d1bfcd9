/** Which statement wins which bytes, against paint byte by byte. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SplitMix32 } from "../../storage/random.ts";
import { tagGrow, tagInline, tagRef, tagShrink, tagTombstone, tagZero } from "../format/statement.ts";
import { grown } from "../state/columns.ts";
import { Resolution } from "./resolution.ts";
import { noStatement, TableStatements } from "./statements.ts";

interface Said {
  readonly kind: number;
  readonly epoch: number;
  readonly offset: number;
  readonly size: number;
}

/** A table with one allocation, whose statements come in no order. */
function tableOf(said: readonly Said[]): TableStatements {
  const table = new TableStatements();
  for (const column of ["epoch", "kind", "offset", "size", "slot", "next"] as const)
    Object.assign(table, { [column]: grown(table[column], said.length) });
  said.forEach(({ kind, epoch, offset, size }, at) => {
    table.kind[at] = kind;
    table.epoch[at] = epoch;
    table.offset[at] = offset;
    table.size[at] = size;
    table.next[at] = at === 0 ? noStatement : at - 1;
  });
  table.count = said.length;
  return table;
}

const endOf = ({ kind, offset, size }: Said, bytes: number): number =>
  kind === tagShrink || kind === tagTombstone ? bytes : kind === tagGrow ? offset : offset + size;

/** The winner of each of the first `bytes` bytes, the oldest painted first. */
function painted(said: readonly Said[], bytes: number): Uint32Array {
  const winners = new Uint32Array(bytes).fill(noStatement);
  const oldestFirst = said.map((_, at) => at).sort((a, b) => said[a]!.epoch - said[b]!.epoch);
  for (const at of oldestFirst) winners.fill(at, said[at]!.offset, endOf(said[at]!, bytes));
  return winners;
}

function assertResolves(said: readonly Said[], bytes: number): void {
  const resolution = new Resolution();
  const first = said.length === 0 ? noStatement : said.length - 1;
  resolution.resolve(tableOf(said), first);
  const winners = painted(said, bytes);
  const starts = [0];
  for (let at = 1; at < bytes; at++) if (winners[at] !== winners[at - 1]) starts.push(at);
  // What lies beyond is not painted byte by byte: the last segment reaches for ever.
  assert.deepEqual([...resolution.starts.subarray(0, resolution.segments)], starts);
  assert.deepEqual(
    [...resolution.winners.subarray(0, resolution.segments)],
    starts.map((at) => winners[at]!),
  );
}

test("statements of any kind win what nothing newer covers", () => {
  const random = new SplitMix32(11);
  const kinds = [tagRef, tagRef, tagInline, tagZero, tagGrow, tagShrink, tagTombstone];
  for (let run = 0; run < 3000; run++) {
    const count = random.below(run % 10 === 0 ? 60 : 5);
    const said = Array.from({ length: count }, (_, i): Said => {
      const kind = kinds[random.below(run % 3 === 0 ? 4 : kinds.length)]!;
      const isBound = kind === tagGrow || kind === tagShrink || kind === tagTombstone;
      const offset = kind === tagTombstone ? 0 : random.below(run % 2 === 0 ? 100 : 8);
      return { kind, epoch: i, offset, size: isBound ? 0 : random.below(30) };
    });
    // No bound lies at or past this.
    assertResolves(shuffled(random, said), 200);
  }
});

test("a quarter of a million statements, each epoch's between those of all before", () => {
  const [epochs, perEpoch] = [500, 500];
  const random = new SplitMix32(12);
  const order = shuffled(random, [...Array(epochs).keys()]);
  const said: Said[] = [];
  for (const [epoch, place] of order.entries())
    for (let i = 0; i < perEpoch; i++)
      said.push({ kind: tagRef, epoch, offset: 3 * (i * epochs + place), size: 1 + random.below(3) });
  assertResolves(said, 3 * epochs * perEpoch + 10);
});

test("one segment of statements that all lie on the same bytes", () => {
  const said = Array.from(
    { length: 1000 },
    (_, epoch): Said => ({ kind: tagZero, epoch, offset: 5, size: 7 }),
  );
  assertResolves(said, 20);
});

function shuffled<T>(random: SplitMix32, items: readonly T[]): T[] {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [mixed[i], mixed[other]] = [mixed[other]!, mixed[i]!];
  }
  return mixed;
}
