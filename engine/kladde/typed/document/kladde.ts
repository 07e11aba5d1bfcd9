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
import type { Infer, Init } from "../schema/infer.ts";
import { seal } from "../schema/seal.ts";
import { replaceWith } from "./beside.ts";
import { Change, isMissing } from "./change.ts";
import { Document, type DocumentOptions } from "./document.ts";
import { type Handle, handleOf, rootOf } from "./handle.ts";
import { type EvolveOptions, upgradeIn, upgradeOn } from "./upgrade.ts";

export interface OpenOptions<S> extends DocumentOptions, EvolveOptions {
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
        if (options.keepOld === true)
          throw new TypeError("options: keepOld needs a name to keep the old file beside; open it by name");
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
  const { init, mustExist = false, evolve = "refuse", dropFields = false, keepOld: _, ...rest } = options;
  const sealed = closing(file, () => seal(schema));
  if (closing(file, () => isMissing(file))) {
    if (mustExist || rest.readonly === true) throw closingWith(file, missing(file.name));
    return rootOf(Document.create(file, sealed, rest, init as (() => unknown) | undefined)) as Opened<S>;
  }
  const change = closing(file, () => Change.of(file, sealed));
  if (change !== undefined) {
    if (evolve === "refuse") throw closingWith(file, change.mismatch(dropFields));
    return rootOf(closing(file, () => upgradeIn(file, change, sealed, { dropFields }, rest))) as Opened<S>;
  }
  return rootOf(Document.open(file, sealed, rest)) as Opened<S>;
}

function openOn<S>(disk: Disk, name: string, schema: S, options: OpenOptions<S>): Opened<S> {
  const { init, mustExist = false, evolve, dropFields, keepOld, ...rest } = options;
  const isThere = disk.size(name) > 0;
  if (!isThere) {
    if (mustExist || rest.readonly === true) throw missing(name);
    const sealed = seal(schema);
    makeOn(disk, name, (file) =>
      Document.create(file, sealed, rest, init as (() => unknown) | undefined).close(),
    );
  } else if (evolve === "upgrade") upgradeOn(disk, name, seal(schema), { dropFields, keepOld }, rest);
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

function requireOptions(options: unknown): void {
  requireObject("options", options);
  const { init, evolve, dropFields, keepOld, readonly } = options as { readonly [Name in string]?: unknown };
  if (init !== undefined) requireFunction("options: init", init);
  if (evolve !== undefined && evolve !== "refuse" && evolve !== "upgrade")
    throw new TypeError('options: evolve must be "refuse" or "upgrade"');
  for (const [name, value] of Object.entries({ dropFields, keepOld }))
    if (value !== undefined && typeof value !== "boolean")
      throw new TypeError(`options: ${name} must be true or false`);
  if (evolve === "upgrade" && readonly === true)
    throw new TypeError("options: an upgrade writes; leave out evolve, or readonly");
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
