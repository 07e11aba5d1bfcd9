/**
 * Opening and making documents.
 *
 *  (1) A file of another schema is refused unchanged, with the differences.
 *  (2) A new document appears under its name complete or not at all, where the disk can rename; in a file that is given,
 *      a crash while it is made leaves a file that counts as missing.
 */

import { StoreError } from "../../../errors.ts";
import type { StorageFile } from "../../../storage/storage.ts";
import { readGoverning } from "../../open/load.ts";
import { Store } from "../../store.ts";
import type { Infer, Init } from "../schema/infer.ts";
import type { SealedSchema } from "../schema/model.ts";
import { seal } from "../schema/seal.ts";
import { decodeTable, differences, sameLayout } from "../types/index.ts";
import { Document, type DocumentOptions, requireOptions } from "./document.ts";
import { type Handle, handleOf, rootOf } from "./handle.ts";

export interface OpenOptions<S> extends DocumentOptions {
  /** The first value of a new document. Default: the type's zero value. */
  readonly init?: () => Init<S>;
  /** Refuse to make a document that is missing. Default: false. */
  readonly mustExist?: boolean;
}

/** The root with the methods of its document; a member of the root's own wins. */
export type Opened<S> =
  Infer<S> extends object ? Infer<S> & Omit<RootMethods, keyof Infer<S>> : { value: Infer<S> } & RootMethods;

export type RootMethods = Pick<Handle, "transaction" | "batch" | "flush" | "close" | "stats"> & Disposable;

/** Opens the document in `file`, or makes it there if the file is empty. */
export function openDocument<S>(file: StorageFile, schema: S, options: OpenOptions<S> = {}): Opened<S> {
  requireOptions(options);
  const { init, mustExist = false, ...rest } = options;
  const sealed = closing(file, () => seal(schema));
  if (closing(file, () => isMissing(file))) {
    if (mustExist || rest.readonly === true)
      throw closing(file, () => new StoreError("io-failed", "the file is empty", { file: file.name }));
    return rootOf(Document.create(file, sealed, rest, init as (() => unknown) | undefined)) as Opened<S>;
  }
  closing(file, () => requireSameSchema(file, sealed));
  return rootOf(Document.open(file, sealed, rest)) as Opened<S>;
}

/** The handle of the document that a live value is part of. Throws `TypeError` for a value outside. */
export const documentOf = (value: unknown): Handle => handleOf(value);

/** Whether there is nothing yet: no bytes, or what a crash left of the making of a document. */
function isMissing(file: StorageFile): boolean {
  if (file.size() === 0) return true;
  const { rootAllocation, schemaTable } = readGoverning(file).fields;
  return rootAllocation === 0 && schemaTable === 0 && Store.openReadOnly(file).ids().next().done === true;
}

/** Throws `schema-mismatch` unless the file's layout is the schema's. */
function requireSameSchema(file: StorageFile, schema: SealedSchema): void {
  const { rootFingerprint, schemaTable } = readGoverning(file).fields;
  if (rootFingerprint.every((byte, at) => byte === schema.fingerprint[at])) return;
  const store = Store.openReadOnly(file);
  if (schemaTable === 0 || !store.exists(schemaTable))
    throw new StoreError("schema-mismatch", "the file holds no document: it has no schema table", {
      file: file.name,
    });
  const found = decodeTable(store.read(schemaTable, 0, store.committedSize(schemaTable)));
  if (sameLayout(schema.descriptor, found)) return;
  const list = differences(schema.descriptor, found).map(({ at, message }) => `${at}: ${message}`);
  throw new StoreError("schema-mismatch", `the file holds another type than the schema: ${list.join("; ")}`, {
    file: file.name,
  });
}

function closing<T>(file: StorageFile, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    file.close();
    throw cause;
  }
}
