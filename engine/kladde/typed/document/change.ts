/**
 * A file whose layout is not the schema's: what differs, and its value as the schema would have it.
 *
 *  (1) The file is only read. What refuses, refuses before anything is written anywhere.
 *  (2) Equal fingerprints mean equal layouts; different ones are settled by comparing the layouts themselves.
 */

import { StoreError } from "../../../errors.ts";
import type { StorageFile } from "../../../storage/storage.ts";
import { readGoverning } from "../../open/load.ts";
import { firstEpoch, isBlank } from "../../open/open.ts";
import type { ReadOnlyStore } from "../../readonly.ts";
import { Store } from "../../store.ts";
import {
  accessOf,
  isUpgradable,
  type Outlook,
  type Resolution,
  readUpgraded,
  resolve,
  type SchemaDifference,
  SchemaMismatch,
  ValueRefused,
} from "../plain/index.ts";
import type { SealedSchema, StructModel } from "../schema/model.ts";
import type { Descriptor } from "../types/descriptor.ts";
import { decodeTable, sameLayout, tableBytesMax, typeName } from "../types/index.ts";
import { firstTableId, loadLimitDefault } from "./document.ts";

/** The longest string, in bytes, with room to spare. */
const allocationBytesMax = 2 ** 29 - 2 ** 10;

/** The types that a store names; a size is a claim, and not believed beyond what a table may have. */
function readTable(store: ReadOnlyStore, id: number): Descriptor {
  const bytes = Math.min(store.committedSize(id), tableBytesMax + 1);
  return decodeTable(store.read(id, 0, bytes));
}

/** A value is in the way of what the types would allow. */
const hopeless: Outlook = { upgradable: false, drops: false, droppable: false };

/** Values and parts of values that any file may have, and more for every byte of it. */
const stepsFree = 2 ** 22;
const stepsPerByte = 32;

export class Change {
  readonly #file: StorageFile;
  readonly #schema: SealedSchema;
  readonly #fingerprint: Uint8Array;
  readonly #resolution: Resolution;

  private constructor(
    file: StorageFile,
    schema: SealedSchema,
    fingerprint: Uint8Array,
    resolution: Resolution,
  ) {
    this.#file = file;
    this.#schema = schema;
    this.#fingerprint = fingerprint;
    this.#resolution = resolution;
  }

  /** What must change in `file` for `schema`; nothing if it is of that layout. Throws `schema-mismatch`, `corrupt`. */
  static of(file: StorageFile, schema: SealedSchema): Change | undefined {
    const { rootFingerprint, schemaTable } = readGoverning(file).fields;
    if (rootFingerprint.every((byte, at) => byte === schema.fingerprint[at])) return undefined;
    const store = Store.openReadOnly(file);
    if (schemaTable === 0 || !store.exists(schemaTable))
      throw new StoreError("schema-mismatch", "the file holds no document: it has no schema table", {
        file: file.name,
      });
    const found = readTable(store, schemaTable);
    if (sameLayout(schema.descriptor, found)) return undefined;
    return new Change(file, schema, rootFingerprint, resolve(found, schema.root));
  }

  /** The first eight hexadecimal digits of the file's fingerprint. */
  get version(): string {
    return hexOf(this.#fingerprint).slice(0, 8);
  }

  /** Why the file cannot be opened, or not without an upgrade. */
  mismatch(dropFields: boolean): SchemaMismatch {
    const { differences, counts, advice } = this.#resolution;
    return this.#mismatch(differences, {
      upgradable: isUpgradable(this.#resolution, dropFields),
      drops: counts["drop-fields"] > 0,
      droppable: isUpgradable(this.#resolution, true),
      advice,
    });
  }

  /**
   * The file's value for the schema: plain data with instances of its structs, made from the inside out, so that putting
   * them into a document does not recurse from one to the next. `store` is open on the file. Throws `schema-mismatch`,
   * `corrupt`, `too-large`.
   */
  read(
    dropFields: boolean,
    loadLimitBytes: number | undefined,
    store: Store | ReadOnlyStore = Store.openReadOnly(this.#file),
  ): unknown {
    if (!isUpgradable(this.#resolution, dropFields)) throw this.mismatch(dropFields);
    const { schemaTable: schemaId, root } = store;
    const fileBytes = this.#file.size();
    const bytesMax = loadLimitBytes ?? loadLimitDefault(fileBytes);
    const bounds = {
      bytesMax,
      allocationBytesMax: Math.min(bytesMax, allocationBytesMax),
      // Plain values take many times their bytes, so what a file only claims is bounded more tightly.
      stepsMax: Math.max(stepsFree + stepsPerByte * fileBytes, loadLimitBytes ?? 0),
    };
    try {
      return readUpgraded(this.#resolution, accessOf(store), root, {
        schemaId,
        file: this.#file.name,
        construct: instanceOf,
        ...bounds,
      });
    } catch (cause) {
      if (cause instanceof ValueRefused) throw this.#mismatch([cause.difference], hopeless);
      throw cause;
    }
  }

  #mismatch(differences: readonly SchemaDifference[], outlook: Outlook): SchemaMismatch {
    const expected = {
      name: typeName(this.#schema.descriptor),
      fingerprint: hexOf(this.#schema.fingerprint),
    };
    const found = { name: typeName(this.#resolution.writer), fingerprint: hexOf(this.#fingerprint) };
    return new SchemaMismatch(expected, found, differences, outlook, this.#file.name);
  }
}

const instanceOf = ({ construct }: StructModel, properties: object): object =>
  new (construct as unknown as new (init: object) => object)(properties);

/** Whether there is nothing yet: no bytes, an empty store, or what a crash left of the making of a document. */
export function isMissing(file: StorageFile): boolean {
  if (isBlank(file)) return true;
  const { rootAllocation, schemaTable } = readGoverning(file).fields;
  if (rootAllocation !== 0 || schemaTable !== 0) return false;
  const store = Store.openReadOnly(file);
  return store.ids().next().done === true || isUnfinished(store);
}

/**
 * Whether a store without a root holds the first transaction of a document and nothing else: the flush that was to name the
 * root did not happen, so nobody was told that there is a document.
 */
function isUnfinished(store: ReadOnlyStore): boolean {
  if (store.header.epoch !== firstEpoch || store.recoveredTransactions !== 1) return false;
  if (!store.exists(firstTableId)) return false;
  try {
    readTable(store, firstTableId);
    return true;
  } catch (cause) {
    if (cause instanceof StoreError) return false;
    throw cause;
  }
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
