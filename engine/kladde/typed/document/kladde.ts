/**
 * Opening and making documents, in a file that is given, or by name on a disk.
 *
 *  (1) A file of another schema is refused unchanged, with the differences.
 *  (2) On a disk a new document appears under its name complete or not at all: it is made beside it and then takes its
 *      name. The lock of the name is held meanwhile.
 *  (3) In a file that is given, a crash while the document is made leaves a file that counts as missing.
 */

import { StoreError } from "../../../errors.ts";
import type { Disk, StorageFile } from "../../../storage/storage.ts";
import { requireFunction, requireObject } from "../../arguments.ts";
import { readGoverning } from "../../open/load.ts";
import { Store } from "../../store.ts";
import type { Infer, Init } from "../schema/infer.ts";
import type { SealedSchema } from "../schema/model.ts";
import { seal } from "../schema/seal.ts";
import { decodeTable, differences, sameLayout } from "../types/index.ts";
import { replaceWith } from "./beside.ts";
import { Document, type DocumentOptions } from "./document.ts";
import { type Handle, handleOf, rootOf } from "./handle.ts";

export interface OpenOptions<S> extends DocumentOptions {
  /** The first value of a new document. Default: the type's zero value. */
  readonly init?: () => Init<S>;
  /** Refuse to make a document that is missing. Default: false. */
  readonly mustExist?: boolean;
}

export type RootMethods = Pick<Handle, "transaction" | "batch" | "flush" | "close" | "stats"> & Disposable;

/** The root with the methods of its document; a member of the root's own wins. */
export type Opened<S> =
  Infer<S> extends object ? Infer<S> & Omit<RootMethods, keyof Infer<S>> : { value: Infer<S> } & RootMethods;

/** The ways to a document. */
export interface KladdeOpener {
  /**
   * Opens the document `target`, a file's name or a file, or makes it if it is missing or empty, and returns its root.
   * Throws `schema-mismatch`, `corrupt`, `not-kladde`, `unsupported-format`, `locked`, `disk-full`, `too-large`,
   * `io-failed`; `TypeError` for bad options or a broken schema. A file that is refused is left as it was.
   */
  open<S>(target: string | StorageFile, schema: S, options?: OpenOptions<S>): Opened<S>;
  /** The handle of the document that a live value is part of. Throws `TypeError` for a value outside. */
  of(value: unknown): Handle;
}

/** Openers on `disk`; without one, only files that are given can be opened. */
export function kladdeOn(disk?: Disk): KladdeOpener {
  return {
    open<S>(target: string | StorageFile, schema: S, options: OpenOptions<S> = {}): Opened<S> {
      requireOptions(options);
      if (typeof target !== "string") {
        requireObject("target", target);
        return openIn(target, schema, options);
      }
      if (disk === undefined)
        throw new TypeError("there is no disk to find a name on; pass a file, such as a MemoryFile");
      return openOn(disk, target, schema, options);
    },
    of: handleOf,
  };
}

/** Opens the document in `file`, or makes it there. The file is closed on failure. */
export function openIn<S>(file: StorageFile, schema: S, options: OpenOptions<S> = {}): Opened<S> {
  const { init, mustExist = false, ...rest } = options;
  const sealed = closing(file, () => seal(schema));
  if (closing(file, () => isMissing(file))) {
    if (mustExist || rest.readonly === true) throw closingWith(file, missing(file.name));
    return rootOf(Document.create(file, sealed, rest, init as (() => unknown) | undefined)) as Opened<S>;
  }
  closing(file, () => requireSameSchema(file, sealed));
  return rootOf(Document.open(file, sealed, rest)) as Opened<S>;
}

function openOn<S>(disk: Disk, name: string, schema: S, options: OpenOptions<S>): Opened<S> {
  const { init, mustExist = false, ...rest } = options;
  const isThere = disk.size(name) > 0;
  if (!isThere) {
    if (mustExist || rest.readonly === true) throw missing(name);
    const sealed = seal(schema);
    makeOn(disk, name, (file) =>
      Document.create(file, sealed, rest, init as (() => unknown) | undefined).close(),
    );
  }
  return openIn(disk.open(name, rest.readonly === true ? "read" : "write"), schema, options);
}

/** Makes the file `name` under its lock, unless somebody else was faster. */
function makeOn(disk: Disk, name: string, make: (file: StorageFile) => void): void {
  const target = disk.open(name, "create");
  try {
    target.lock();
    if (target.size() === 0) replaceWith(disk, name, make);
  } finally {
    target.close();
  }
}

const missing = (file: string): StoreError =>
  new StoreError("io-failed", "there is no such document; open it without `mustExist` to make it", { file });

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

function requireOptions(options: unknown): void {
  requireObject("options", options);
  const { init } = options as { init?: unknown };
  if (init !== undefined) requireFunction("options: init", init);
}

function closing<T>(file: StorageFile, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw closingWith(file, cause);
  }
}

function closingWith(file: StorageFile, cause: unknown): unknown {
  file.close();
  return cause;
}
