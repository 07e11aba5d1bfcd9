/**
 * The types that a file names, and the values that they describe, without knowing any application's.
 *
 *  (1) Values are those that a store would open with: the journal's complete transactions count.
 *  (2) A table that is no descriptor table is no fault: to the page store roots and types are any bytes. Everything that
 *      contradicts the types is one.
 *  (3) A leak is a fault only if nothing can hide a pointer to it: no opaque type, nothing broken, nothing left out.
 *  (4) Data pages are verified as they are read: a damaged one breaks the values with bytes in it, and no others.
 *  (5) Everything is bounded: `boundsOf` says what is read, the options what is shown.
 *
 * Cost: a pass over the address table, the file opened once more, and one read of every allocation that values lie in.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { requireWhole } from "../arguments.ts";
import { chooseHeader } from "../format/header.ts";
import { readSlots } from "../open/load.ts";
import { ReadOnlyStore } from "../readonly.ts";
import {
  type Access,
  accessOf,
  type ValueFinding,
  type ValueSink,
  ValueWalk,
  type WalkOptions,
  type WalkResult,
} from "../typed/plain/index.ts";
import {
  type Descriptor,
  decodeTable,
  nodesOf,
  tableBytesMax,
  targetsOf,
  typeName,
} from "../typed/types/index.ts";
import { documentVersion } from "./document.ts";
import { Findings } from "./findings.ts";
import { lent } from "./inspect.ts";
import { Outline, type OutlineOptions } from "./outline.ts";
import { typesDocument } from "./type-rows.ts";
import type { OwnerRow, TypedDocument, TypesDocument, ValuesDocument } from "./typed-document.ts";
import { type Density, isTooDense } from "./unopened.ts";
import { stepsOf } from "./value-path.ts";
import { plainValue } from "./value-plain.ts";
import { readWorld, shortOf, type World } from "./world.ts";

export interface TypedOptions {
  /** False: values are not read. */
  readonly values?: boolean | undefined;
  /** Of the value that is shown, such as `notes[3].title`; default: the root. */
  readonly path?: string | undefined;
  /** Values inside values that are shown; default and most 200. */
  readonly depth?: number | undefined;
  /** Rows of values; default 100,000. */
  readonly limit?: number | undefined;
  /** Units of a text, and bytes, that are shown of one value; default 65,536. */
  readonly length?: number | undefined;
  /** Shows every box, option and slot of a map as such. */
  readonly raw?: boolean | undefined;
  /** Allocations whose owners are looked for. */
  readonly owners?: readonly number[] | undefined;
}

/** Plain values nest no deeper, so that they can be written by functions that call themselves. */
export const depthMax = 200;
const rowsDefault = 100_000;
const lengthDefault = 65_536;

/**
 * What a walk reads at most. Files claim sizes that they do not have: what no byte of the file provides is zeros, and more
 * of those than there are bytes are not worth a look.
 */
const boundsOf = (fileBytes: number) => ({
  allocationBytesMax: Math.min(2 ** 28, 2 ** 22 + 4 * fileBytes),
  bytesMax: Math.min(2 ** 30, 2 ** 24 + 8 * fileBytes),
  stepsMax: Math.min(2 ** 28, 2 ** 22 + 16 * fileBytes),
  findingsMax: 1000,
});
/** Leaks that are findings of their own, and ids that are listed. */
const leaksListedMax = 100;

/** Types and values of `file`, which is left open. Throws `RangeError` if an option makes no sense. */
export function readTyped(file: StorageFile, options: TypedOptions = {}): TypedDocument {
  const steps = stepsOf(options.path ?? "");
  const findings = new Findings(file.name);
  const { store, unknown } = openedOf(file);
  // Without types, or if it is not to be opened.
  if (store === undefined) return documentOf(file, unknown, null, null, findings);
  const read = readTypes(store, findings);
  if (read.root === undefined) return documentOf(file, read.unknown, null, null, findings);
  const { root, types } = read;
  if (types.fingerprint !== types.fingerprintStated) noteFingerprint(root, types, findings);
  const isAsked = options.values !== false && store.root !== 0;
  const values = isAsked ? readValues(store, root, steps, options, file.size(), findings) : null;
  return documentOf(file, null, types, values, findings);
}

function documentOf(
  file: StorageFile,
  unknown: string | null,
  types: TypesDocument | null,
  values: ValuesDocument | null,
  { all, faults }: Findings,
): TypedDocument {
  const format = "kladde types and values";
  return { format, version: documentVersion, file: file.name, unknown, types, values, findings: all, faults };
}

interface Opened {
  readonly store: ReadOnlyStore | undefined;
  readonly unknown: string | null;
}

function openedOf(file: StorageFile): Opened {
  try {
    const header = chooseHeader(readSlots(file), file.name, file.crc32c);
    const { rootAllocation, schemaTable } = header.fields;
    if (schemaTable === 0)
      return { store: undefined, unknown: rootAllocation === 0 ? null : "the header names no types" };
    if (isTooDense(file, densityOf(readWorld(file, header, () => {}))))
      return { store: undefined, unknown: "opened, the file would take many times its size in memory" };
    return { store: ReadOnlyStore.open(lent(file), { verify: "lazy" }), unknown: null };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { store: undefined, unknown: `the file cannot be opened: ${error.message}` };
  }
}

function densityOf({ statements }: World): Density {
  const density = { statements: 0, idRanges: 0 };
  for (const { count, firstId, lastId } of statements.values()) {
    density.statements += count;
    density.idRanges += Math.min(count, (lastId >>> 15) - (firstId >>> 15) + 1);
  }
  return density;
}

type ReadTypes =
  | { readonly root: Descriptor; readonly types: TypesDocument }
  | { readonly root: undefined; readonly unknown: string | null };

function readTypes(store: ReadOnlyStore, findings: Findings): ReadTypes {
  const id = store.schemaTable;
  if (!store.exists(id)) {
    findings.fault("the header names it as the descriptor table, and it does not exist", { id });
    return { root: undefined, unknown: "the descriptor table does not exist" };
  }
  const size = store.committedSize(id);
  if (size > tableBytesMax)
    return { root: undefined, unknown: `${size} bytes are too many for a descriptor table` };
  try {
    const root = decodeTable(store.read(id, 0, size));
    return { root, types: typesDocument(root, size, store.fingerprint) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return {
      root: undefined,
      unknown: `allocation ${id} cannot be read as a table of types: ${error.message}`,
    };
  }
}

/** A graph with cycles may have been hashed with its types shared otherwise. */
function noteFingerprint(root: Descriptor, types: TypesDocument, findings: Findings): void {
  const message = `the header states the fingerprint ${types.fingerprintStated}, the types have ${types.fingerprint}`;
  if (isCyclic(root)) findings.note(`${message}; on cycles it depends on how types are shared`);
  else findings.fault(message);
}

/** Whether types are left when those that refer to nothing are taken away, again and again. */
function isCyclic(root: Descriptor): boolean {
  const nodes = nodesOf(root);
  const users = new Map<Descriptor, Descriptor[]>(nodes.map((node) => [node, []]));
  const open = new Map<Descriptor, number>();
  for (const node of nodes) {
    const targets = targetsOf(node);
    open.set(node, targets.length);
    for (const target of targets) users.get(target)!.push(node);
  }
  const free = nodes.filter((node) => open.get(node) === 0);
  for (const node of free)
    for (const user of users.get(node)!) {
      const left = open.get(user)! - 1;
      open.set(user, left);
      if (left === 0) free.push(user);
    }
  return free.length < nodes.length;
}

function readValues(
  store: ReadOnlyStore,
  root: Descriptor,
  steps: readonly string[],
  options: TypedOptions,
  fileBytes: number,
  findings: Findings,
): ValuesDocument {
  const access = accessOf(store);
  const owners = new Owners(store, root, options.owners ?? []);
  const outline = outlineOf(store, root, steps, options, owners.met);
  const bounds = { ...boundsOf(fileBytes), isStrict: false, schemaId: store.schemaTable };
  if (options.raw === true) owners.walk(access, root, outline, { ...bounds, isRaw: true });
  // Dead slots of maps hold what is left of former values: a raw reading finds faults that are none.
  const result = owners.walk(access, root, options.raw === true ? silence : outline, bounds);
  for (const finding of result.findings) noteValue(finding, findings);
  if (result.findingsLeftOut > 0) findings.fault(`${result.findingsLeftOut} more values are faulty`);
  const hiding = [
    nodesOf(root).some(({ kind }) => kind === "opaque") ? "opaque types may hold pointers" : "",
    result.isComplete ? "" : "not all values could be read",
  ].filter((reason) => reason !== "");
  const leaks = leaksOf(store, result, hiding.length === 0);
  noteLeaks(leaks, hiding.join(", and "), store, findings);
  return {
    path: options.path ?? "",
    found: outline.found,
    complete: result.isComplete,
    ...totalsOf(store, result),
    leaks,
    rows: outline.rows,
    rowsOmitted: outline.omitted,
    value: plainValue(outline.rows),
    owners: owners.rows,
  };
}

function noteValue({ rule, path, id, message, cause }: ValueFinding, findings: Findings): void {
  if (cause?.page !== undefined) {
    const { page } = cause;
    const what = shortOf({ message: cause.message, rule: undefined });
    findings.fault(`${path || "the root"} cannot be read: ${what}`, { page, id, rule: cause.rule });
  } else findings.fault(path === "" ? message : `${path}: ${message}`, id === 0 ? { rule } : { id, rule });
}

/** Notes where wanted allocations are met. */
class Owners {
  readonly rows: OwnerRow[] = [];
  readonly #wanted: Set<number>;
  readonly #root: number;
  #walk: ValueWalk | undefined;

  constructor({ root, schemaTable }: ReadOnlyStore, type: Descriptor, wanted: readonly number[]) {
    this.#wanted = new Set(wanted);
    this.#root = root;
    if (this.#wanted.delete(root)) this.rows.push({ id: root, path: "", type: typeName(type) });
    if (this.#wanted.delete(schemaTable)) this.rows.push({ id: schemaTable, path: "", type: "types" });
  }

  readonly met = (id: number, type: Descriptor): void => {
    if (!this.#wanted.delete(id)) return;
    this.rows.push({ id, path: this.#walk?.path ?? "", type: typeName(type) });
  };

  walk(access: Access, type: Descriptor, sink: ValueSink, options: WalkOptions): WalkResult {
    this.#walk = new ValueWalk(access, sink, options);
    return this.#walk.run(type, this.#root);
  }
}

const nothingToDo = (): void => {};
const silence: ValueSink = {
  scalar: nothingToDo,
  text: nothingToDo,
  bytes: nothingToDo,
  opaque: nothingToDo,
  none: nothingToDo,
  enter: nothingToDo,
  leave: nothingToDo,
  broken: nothingToDo,
  cut: nothingToDo,
};

function outlineOf(
  store: ReadOnlyStore,
  root: Descriptor,
  steps: readonly string[],
  { depth = depthMax, limit = rowsDefault, length = lengthDefault, raw = false }: TypedOptions,
  met: OutlineOptions["met"],
): Outline {
  requireWhole("depth", depth, 0, Number.MAX_SAFE_INTEGER);
  requireWhole("limit", limit, 1, Number.MAX_SAFE_INTEGER);
  requireWhole("length", length, 0, Number.MAX_SAFE_INTEGER);
  const rootBytes = store.exists(store.root) ? store.committedSize(store.root) : 0;
  const shown = { steps, depth: Math.min(depth, depthMax), limit, length, isRaw: raw, met };
  return new Outline(root, store.root, rootBytes, shown);
}

/** Of the allocations that values lie in. */
function totalsOf(store: ReadOnlyStore, { reached }: WalkResult): { allocations: number; bytes: number } {
  let allocations = 0;
  let bytes = 0;
  for (const id of reached) {
    if (id === store.schemaTable) continue;
    allocations++;
    bytes += store.committedSize(id);
  }
  return { allocations, bytes };
}

function leaksOf(store: ReadOnlyStore, { reached }: WalkResult, certain: boolean): ValuesDocument["leaks"] {
  let allocations = 0;
  let bytes = 0;
  const ids: number[] = [];
  for (const id of store.ids()) {
    if (reached.has(id)) continue;
    allocations++;
    bytes += store.committedSize(id);
    if (ids.length < leaksListedMax) ids.push(id);
  }
  return { certain, allocations, bytes, ids };
}

function noteLeaks(
  { certain, allocations, bytes, ids }: ValuesDocument["leaks"],
  hiding: string,
  store: ReadOnlyStore,
  findings: Findings,
): void {
  if (allocations === 0) return;
  const left = allocations === 1 ? "1 allocation" : `${allocations} allocations`;
  if (!certain) {
    findings.note(`no value leads to ${left} of ${bytes} bytes, which may be leaked: ${hiding}`);
    return;
  }
  for (const id of ids)
    findings.fault(`leaked: no value leads to it; it has ${store.committedSize(id)} bytes`, {
      id,
      rule: "leak",
    });
  if (allocations > ids.length) findings.fault(`${allocations - ids.length} more allocations are leaked`);
}
