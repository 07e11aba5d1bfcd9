/**
 * Looking into a file: everything it holds and how, as far as it can be read, with what is wrong marked.
 *
 *  (1) Nothing is written, synced or locked.
 *  (2) What is damaged is left out and named; what can still be read is shown, though it may be incomplete.
 *  (3) Sizes are claims: no content is built. Rows of the long lists are made when they are asked for, and not kept.
 *  (4) `findings` are those of `inspectFile`. Where that stops, because the table is damaged, what the rest suggests
 *      is added as notes.
 *
 * Cost: every page read twice; the table of both headers in memory, some 60 bytes a page. Before that, if nothing is
 * wrong so far, what opening the file costs. Every list of allocations resolves the table once more.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import type { Governing } from "../format/header.ts";
import { firstOrdinaryPage } from "../format/layout.ts";
import { readSlots } from "../open/load.ts";
import {
  type AllocationDocument,
  type AllocationRow,
  documentVersion,
  type JournalContents,
  type OlderWorld,
  type PageRow,
  pageUses,
  type SpaceRow,
  type SurveyHead,
  type TableTotals,
  type TreeRow,
} from "./document.ts";
import { explainAllocation } from "./explain.ts";
import { Findings } from "./findings.ts";
import { type Frames, readFrames } from "./frames.ts";
import { inspectFile } from "./inspect.ts";
import { readJournalContents } from "./journal-contents.ts";
import { type OlderPages, readOlder } from "./older.ts";
import { describeSlots, governingOf } from "./slots.ts";
import { treeRows } from "./tree-rows.ts";
import { readTyped, type TypedOptions } from "./typed.ts";
import type { TypedDocument } from "./typed-document.ts";
import { allocationRows, largestOf, measureUsage, type Usage } from "./usage.ts";
import { readWorld, shortOf, type World } from "./world.ts";

export interface Survey {
  readonly head: SurveyHead;
  /** The address table, parents before their children. */
  tree(): Generator<TreeRow, void, undefined>;
  pages(): Generator<PageRow, void, undefined>;
  /** As of the last flush, ascending by id; the store's private one too. */
  allocations(): Generator<AllocationRow, void, undefined>;
  /** The `count` largest allocations. */
  largest(count: number): AllocationRow[];
  /** Reads the file again. Throws `RangeError` if `id` is no id. */
  explain(id: number): AllocationDocument;
  /** Types and values. Opens the file once more; throws `RangeError` if an option makes no sense. */
  typed(options?: TypedOptions): TypedDocument;
  /** Whether nothing is wrong: `head` finds no fault, and neither do types and values. */
  isSound(): boolean;
}

/** Looks into `file`, and leaves it open. Throws `not-kladde` and `unsupported-format`. */
export function surveyFile(file: StorageFile): Survey {
  return new FileSurvey(file);
}

const useFree = pageUses.indexOf("free");
const useHeader = pageUses.indexOf("header");
const useInterior = pageUses.indexOf("interior");
const useLeaf = pageUses.indexOf("leaf");
const useData = pageUses.indexOf("data");
const useJournal = pageUses.indexOf("journal");
const useQuarantined = pageUses.indexOf("quarantined");
const useUnknown = pageUses.indexOf("unknown");

class FileSurvey implements Survey {
  readonly head: SurveyHead;
  readonly #file: StorageFile;
  readonly #header: Governing | undefined;
  readonly #world: World | undefined;
  readonly #usage: Usage | undefined;
  readonly #frames: Frames;
  readonly #uses: Uint8Array;
  /** Once they have been looked for; they do not depend on what is shown. */
  #typedFaults: number | undefined;
  /** By page: the first fault found there. */
  readonly #found = new Map<number, string>();

  constructor(file: StorageFile) {
    this.#file = file;
    const findings = new Findings(file.name);
    const slots = readSlots(file);
    const header = governingOf(slots, file, findings);
    this.#header = header;
    const slotRows = describeSlots(slots, header, file);
    const valid = slotRows.filter(({ state, fault }) => fault === null && state !== "never written");
    this.#frames = readFrames(
      file,
      valid.filter(({ state }) => state !== "missing").map(({ slot }) => slot),
    );
    const inspection = findings.faults === 0 ? inspectFile(file) : undefined;
    this.#uses = new Uint8Array(this.#frames.count).fill(header === undefined ? useUnknown : useFree);
    let journal: JournalContents | null = null;
    let older: OlderPages | undefined;
    if (header !== undefined) {
      const refuse = inspection === undefined ? findings.refused : (): void => {};
      this.#world = readWorld(file, header, refuse);
      this.#usage = measureUsage(this.#world, this.#frames, file.name);
      if (header.fields.journalPointer >= firstOrdinaryPage)
        journal = readJournalContents(file, header, refuse);
      const other = slotRows.find(({ state }) => state === "older");
      if (other !== undefined) older = readOlder(file, slots[other.slot]!, other.slot, this.#frames);
      this.#markUses(journal, older);
      if (inspection?.dataPages === undefined) this.#noteData(findings);
    } else for (const slot of slots.keys()) this.#uses[slot] = useHeader;
    const all = [...(inspection?.findings ?? []), ...findings.all];
    const faults = (inspection?.faults ?? 0) + findings.faults;
    for (const { severity, page, message, rule } of all)
      if (severity === "fault" && page !== undefined && !this.#found.has(page))
        this.#found.set(page, shortOf({ message, rule }));
    this.head = {
      format: "kladde survey",
      version: documentVersion,
      file: file.name,
      fileBytes: file.size(),
      filePages: this.#frames.count,
      sound: faults === 0,
      faults,
      findings: all,
      epoch: header?.epoch ?? null,
      slots: slotRows,
      space: this.#space(),
      table: this.#totals(),
      older: older === undefined ? null : this.#olderRow(older),
      journal,
    };
  }

  *tree(): Generator<TreeRow, void, undefined> {
    if (this.#world !== undefined) yield* treeRows(this.#world, this.#usage!);
  }

  *pages(): Generator<PageRow, void, undefined> {
    for (let page = 0; page < this.#frames.count; page++) yield this.#pageRow(page);
  }

  *allocations(): Generator<AllocationRow, void, undefined> {
    if (this.#world !== undefined) yield* allocationRows(this.#world, this.#frames, this.#file.name);
  }

  largest(count: number): AllocationRow[] {
    return largestOf(this.allocations(), count);
  }

  explain(id: number): AllocationDocument {
    if (this.#world === undefined || this.#header === undefined)
      throw new StoreError("corrupt", "no header governs, so nothing is known of any allocation", {
        file: this.#file.name,
        id,
      });
    return explainAllocation(this.#file, this.#world, this.#frames, id);
  }

  typed(options?: TypedOptions): TypedDocument {
    const document = readTyped(this.#file, options);
    if (options?.values !== false) this.#typedFaults = document.faults;
    return document;
  }

  isSound(): boolean {
    return this.head.sound && (this.#typedFaults ?? this.typed({ limit: 1, length: 0 }).faults) === 0;
  }

  /** What is needed comes last: a damaged file may give a page two uses. */
  #markUses(journal: JournalContents | null, older: OlderPages | undefined): void {
    const uses = this.#uses;
    const { state } = this.#world!;
    for (const page of older?.pages ?? []) uses[page] = useQuarantined;
    for (const page of journal?.pages ?? []) uses[page] = useJournal;
    for (let page = firstOrdinaryPage; page < uses.length; page++)
      if (this.#usage!.users[page]! > 0) uses[page] = useData;
    for (const page of this.#world!.faults.keys()) if (page < uses.length) uses[page] = useLeaf;
    for (const page of state.pages.resident.keys())
      uses[page] = state.pages.children.has(page) ? useInterior : useLeaf;
    for (let slot = 0; slot < Math.min(2, uses.length); slot++) uses[slot] = useHeader;
  }

  /** Where the table is damaged, bytes that a broken page restated may seem to be needed: notes, no faults. */
  #noteData(findings: Findings): void {
    for (const [page, fault] of this.#usage!.faults)
      findings.note(`as far as the damaged table tells, its bytes are needed: ${fault}`, {
        page,
        id: page < this.#frames.count ? this.#usage!.firstId[page] : undefined,
      });
  }

  #pageFault(page: number): string | null {
    const use = this.#uses[page]!;
    const own = use === useData ? this.#usage!.faults.get(page) : this.#world?.faults.get(page);
    return own ?? this.#found.get(page) ?? null;
  }

  #pageRow(page: number): PageRow {
    const { epoch, contentBytes } = this.#frames;
    const usage = this.#usage;
    const isFramed = !Number.isNaN(epoch[page]!);
    const users = usage?.users[page] ?? 0;
    const now = this.#header?.epoch;
    return {
      page,
      use: pageUses[this.#uses[page]!]!,
      holds: this.#frames.holding(page),
      epoch: isFramed ? epoch[page]! : null,
      age: isFramed && now !== undefined && epoch[page]! <= now ? now - epoch[page]! : null,
      contentBytes: isFramed ? contentBytes[page]! : null,
      liveBytes: usage?.live[page] ?? 0,
      allocations: users,
      firstId: users > 0 ? usage!.firstId[page]! : null,
      lastId: users > 0 ? usage!.lastId[page]! : null,
      fault: this.#pageFault(page),
    };
  }

  #space(): SpaceRow[] {
    const rows = new Map<string, SpaceRow>();
    for (let page = 0; page < this.#frames.count; page++) {
      const { use, contentBytes, liveBytes, age, fault } = this.#pageRow(page);
      const row = rows.get(use);
      rows.set(use, {
        use,
        pages: (row?.pages ?? 0) + 1,
        contentBytes: (row?.contentBytes ?? 0) + (contentBytes ?? 0),
        liveBytes: (row?.liveBytes ?? 0) + liveBytes,
        damaged: (row?.damaged ?? 0) + (fault === null ? 0 : 1),
        youngest: least(row?.youngest ?? null, age),
        oldest: greatest(row?.oldest ?? null, age),
      });
    }
    return pageUses.flatMap((use) => rows.get(use) ?? []);
  }

  #totals(): TableTotals {
    const world = this.#world;
    const counts = [...(world?.statements.values() ?? [])];
    let depth = 0;
    for (const row of this.tree()) depth = Math.max(depth, row.depth);
    return {
      complete: world?.complete ?? false,
      pages: Math.max(0, (world?.state.pages.resident.size ?? 0) - 1),
      depth,
      statements: counts.reduce((sum, { count }) => sum + count, 0),
      liveStatements: this.#usage?.liveStatements ?? 0,
      framingBytes: counts.reduce((sum, { framingBytes }) => sum + framingBytes, 0),
      liveFramingBytes: this.#usage?.liveFramingBytes ?? 0,
      allocations: this.#usage?.count ?? 0,
      allocationBytes: this.#usage?.bytes ?? 0,
    };
  }

  #olderRow(older: OlderPages): OlderWorld {
    let quarantined = 0;
    for (const use of this.#uses) if (use === useQuarantined) quarantined++;
    return { epoch: older.epoch, pages: older.pages.size, quarantined, lost: older.lost };
  }
}

const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
const greatest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
