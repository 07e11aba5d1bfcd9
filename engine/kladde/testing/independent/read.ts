/**
 * A second reader of the format, independent of the engine's: what a file holds, or why it must be refused.
 *
 *  (1) `doubtful` names what readers may refuse or not.
 */

import type { Content } from "./content.ts";
import { readJournal, replay } from "./journal.ts";
import { contentOf, type Resolved, resolve } from "./resolve.ts";
import {
  frameOf,
  type Header,
  headerOf,
  pageOf,
  Refused,
  type TablePage,
  type TableStatement,
  tablePages,
} from "./tables.ts";

const pageBytes = 4096;

export interface IndependentReading {
  readonly header: Header;
  readonly tables: readonly TablePage[];
  readonly resolved: ReadonlyMap<number, Resolved>;
  /** As of the last flush, the consolidator's state among them. */
  readonly committed: ReadonlyMap<number, Content>;
  /** With the journal applied; without the consolidator's state. */
  readonly contents: ReadonlyMap<number, Content>;
  readonly dataPages: ReadonlySet<number>;
  readonly transactions: readonly Uint8Array[];
  readonly journalPages: readonly number[];
  readonly doubtful: readonly string[];
}

/** Throws `Refused`. */
export function readIndependently(file: Uint8Array): IndependentReading {
  const header = headerOf(file);
  const tables = tablePages(file, header);
  const doubtful: string[] = [];
  const statements = Map.groupBy(
    tables.flatMap(({ statements: all }) => all),
    ({ id }) => id,
  );
  const data = new DataPages(file, header, tables, doubtful);
  const resolved = new Map<number, Resolved>();
  const committed = new Map<number, Content>();
  for (const [id, all] of statements) {
    const one = resolve(id, all);
    resolved.set(id, one);
    if (one.conflict !== undefined) doubtful.push(`${one.conflict}, id ${id}`);
    for (const { from, to, winner } of one.runs)
      if (winner?.kind === "ref") data.require(winner, from - winner.offset, to - from);
    if (one.exists) committed.set(id, contentOf(one, data.bytes));
  }
  for (const { page, epoch, parentEpoch } of tables)
    if (epoch > parentEpoch) doubtful.push(`T8, page ${page}`);
  const journal = readJournal(file, header.epoch + 1, header.journalPointer);
  const used = new Set([...data.pages, ...tables.map(({ page }) => page)]);
  if (used.has(header.journalPointer)) throw new Refused("H12", "the journal's first page is in use");
  if (journal.pages.some((page) => used.has(page))) doubtful.push("the journal's chain names a page in use");
  const contents = new Map(committed);
  for (const records of journal.transactions) replay(records, contents);
  const { consolidatorState: own, root, schemaTable } = header;
  // One that does not exist is none, and what the application names too is not taken for private.
  if (committed.has(own) && own !== root && own !== schemaTable) contents.delete(own);
  return {
    header,
    tables,
    resolved,
    committed,
    contents,
    dataPages: data.pages,
    transactions: journal.transactions,
    journalPages: journal.pages,
    doubtful,
  };
}

class DataPages {
  readonly pages = new Set<number>();
  readonly #file: Uint8Array;
  readonly #header: Header;
  readonly #tables: ReadonlySet<number>;
  readonly #doubtful: string[];

  constructor(file: Uint8Array, header: Header, tables: readonly TablePage[], doubtful: string[]) {
    this.#file = file;
    this.#header = header;
    this.#tables = new Set(tables.map(({ page }) => page));
    this.#doubtful = doubtful;
  }

  readonly bytes = (address: number, length: number): Uint8Array =>
    this.#file.subarray(address, address + length);

  /** Throws unless the bytes that `winner` wins lie in the content of a sound data page. */
  require({ address, epoch }: TableStatement, skipped: number, length: number): void {
    const page = Math.floor(address / pageBytes);
    const offset = (address % pageBytes) + skipped;
    if (page < 2 || page >= Math.floor(this.#file.length / pageBytes)) throw new Refused("D1", `${page}`);
    const frame = frameOf(pageOf(this.#file, page), false);
    if (frame === undefined) throw new Refused("D2", `data page ${page} has a wrong checksum`);
    if (frame.kind !== 2 || this.#tables.has(page)) throw new Refused("D3", `page ${page} is no data page`);
    if (frame.epoch > BigInt(this.#header.epoch)) throw new Refused("D4", `data page ${page} is too new`);
    if (frame.epoch > BigInt(epoch)) this.#doubtful.push(`D5, page ${page}`);
    if (offset < frame.start || offset + length > frame.end) throw new Refused("D6", `page ${page}`);
    this.pages.add(page);
  }
}
