/**
 * Opening and making documents, in a file that is given, or by name on a disk.
 *
 *  (1) A file of another schema is refused unchanged, with the differences.
 *  (2) On a disk a new document appears under its name complete or not at all: it is made beside it and then takes its
 *      name. The lock of the name is held meanwhile.
 *  (3) In a file that is given, a crash while the document is made leaves a file that counts as missing, or all of the
 *      document; a failure leaves an empty file empty.
 */

// `using` and Disposable, also for programs whose own settings do not name them.
/// <reference lib="esnext.disposable" preserve="true" />

import { StoreError } from "../../../errors.ts";
import type { Disk, StorageFile } from "../../../storage/storage.ts";
import { bodyFault, refuseFault, requireFunction, requireObject } from "../../arguments.ts";
import { describe } from "../live/mistakes.ts";
import type { Infer, InitOf } from "../schema/infer.ts";
import type { SealedSchema } from "../schema/model.ts";
import { seal } from "../schema/seal.ts";
import { HeldFile, replaceWith } from "./beside.ts";
import { Change, isMissing } from "./change.ts";
import { Document, type DocumentOptions } from "./document.ts";
import { type Handle, handleOf, rootOf } from "./handle.ts";
import { type EvolveOptions, upgradeIn, upgradeOn } from "./upgrade.ts";

export interface OpenOptions<S> extends DocumentOptions, EvolveOptions {
  /** The first value of a new document. Default: the type's zero value. */
  readonly init?: InitOf<S>;
  /** Refuse to make a document that is missing. Default: false. */
  readonly mustExist?: boolean;
}

export interface AsyncOptions<S> extends OpenOptions<S> {
  /** Resolves when loading may go on. Default: in another turn of the event loop. */
  readonly pause?: () => Promise<void>;
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
   * `io-failed`; `TypeError` for bad options or a broken schema, and as an assignment does for a first value that does not
   * fit. A file that is refused is left as it was; an empty one stays empty whatever fails while the document is made.
   */
  open<S>(target: string | StorageFile, schema: S, options?: OpenOptions<S>): Opened<S>;
  /**
   * As `open`, giving way to others now and then while a document's values are loaded. Making and upgrading do not, nor
   * does what comes before the values: the journal is replayed and pages are verified at once.
   */
  openAsync<S>(target: string | StorageFile, schema: S, options?: AsyncOptions<S>): Promise<Opened<S>>;
  /** The handle of the document that a live value is part of. Throws `TypeError` for a value outside. */
  of(value: unknown): Handle;
}

/** Openers on `disk`; without one, only files that are given can be opened. */
export function kladdeOn(disk?: Disk): KladdeOpener {
  return {
    open<S>(target: string | StorageFile, schema: S, options: OpenOptions<S> = {}): Opened<S> {
      return rootOf(openWith(disk, target, schema, options, Document.open)) as Opened<S>;
    },
    async openAsync<S>(
      target: string | StorageFile,
      schema: S,
      { pause = nextTurn, ...options }: AsyncOptions<S> = {},
    ): Promise<Opened<S>> {
      requireFunction("options: pause", pause);
      const open: Open<Promise<Document>> = (file, sealed, rest) =>
        Document.openInSlices(file, sealed, rest, pause);
      return rootOf(await openWith(disk, target, schema, options, open)) as Opened<S>;
    },
    of: handleOf,
  };
}

/** How a document that is there is opened. */
type Open<D> = (file: StorageFile, schema: SealedSchema, options: DocumentOptions) => D;

const nextTurn = (): Promise<void> => new Promise((go) => setTimeout(go));

function openWith<S, D>(
  disk: Disk | undefined,
  target: string | StorageFile,
  schema: S,
  options: OpenOptions<S>,
  open: Open<D>,
): Document | D {
  requireOptions(options);
  if (typeof target === "string") {
    if (disk === undefined)
      throw new TypeError("there is no disk to find a name on; pass a file, such as a MemoryFile");
    return openOn(disk, target, schema, options, open);
  }
  requireFile(target);
  if (options.keepOld === true)
    throw new TypeError("options: keepOld needs a name to keep the old file beside; open it by name");
  return openIn(target, schema, options, open);
}

function requireFile(target: unknown): void {
  const isFile = typeof target === "object" && target !== null && "truncate" in target && "sync" in target;
  if (isFile) return;
  const hint = target instanceof URL ? "; fileURLToPath of node:url gives a URL's name" : "";
  throw new TypeError(`target must be the name of a file, or a file, not ${describe(target)}${hint}`);
}

/** Opens the document in `file`, or makes it there. The file is closed on failure. */
function openIn<S, D>(file: StorageFile, schema: S, options: OpenOptions<S>, open: Open<D>): Document | D {
  const { init, mustExist = false, evolve = "refuse", dropFields = false } = options;
  const rest = documentOptions(options);
  const sealed = closing(file, () => seal(schema));
  if (closing(file, () => isMissing(file))) {
    if (mustExist || rest.readonly === true) throw closingWith(file, missing(file.name));
    closing(file, () => file.lock());
    const held = new HeldFile(file);
    // Whoever had the lock before may have made a document.
    if (!closing(held, () => isMissing(held))) return openIn(held, schema, options, open);
    return Document.create(held, sealed, rest, init as (() => unknown) | undefined);
  }
  const change = closing(file, () => Change.of(file, sealed));
  if (change !== undefined) {
    if (evolve === "refuse") throw closingWith(file, change.mismatch(dropFields));
    return closing(file, () => upgradeIn(file, change, sealed, { dropFields }, rest));
  }
  return open(file, sealed, rest);
}

/**
 * The lock is taken before the name is looked at, and the file opened after it: whoever had the lock before may have given
 * the name to another file.
 */
function openOn<S, D>(
  disk: Disk,
  name: string,
  schema: S,
  options: OpenOptions<S>,
  open: Open<D>,
): Document | D {
  const { init, mustExist = false, readonly: isReadOnly = false } = options;
  if ((mustExist || isReadOnly) && disk.size(name) <= 0) throw missing(name);
  if (isReadOnly) return openIn(disk.open(name, "read"), schema, options, open);
  const sealed = seal(schema);
  const isNew = disk.size(name) < 0;
  const holder = disk.open(name, "create");
  return closing(holder, () => {
    holder.lock();
    if (disk.size(name) === 0) {
      const make = init as (() => unknown) | undefined;
      removingOnFailure(isNew ? disk : undefined, name, () =>
        replaceWith(disk, name, (file) =>
          Document.create(file, sealed, documentOptions(options), make).close(),
        ),
      );
    } else if (options.evolve === "upgrade") upgradeOn(disk, name, sealed, options, documentOptions(options));
    return openIn(new HeldFile(disk.open(name, "write"), holder), schema, options, open);
  });
}

/** Runs `step`; if it throws, the empty file that held the name's place goes. */
function removingOnFailure(disk: Disk | undefined, name: string, step: () => void): void {
  try {
    step();
  } catch (cause) {
    if (disk?.size(name) === 0) disk.remove(name);
    throw cause;
  }
}

/** Without what opening is told. */
function documentOptions<S>(options: OpenOptions<S>): DocumentOptions {
  const { init: _, mustExist: __, evolve: ___, dropFields: ____, keepOld: _____, ...rest } = options;
  return rest;
}

const missing = (file: string): StoreError =>
  new StoreError(
    "io-failed",
    "there is no such document; open it without `mustExist` and `readonly` to make it",
    { file },
  );

function requireOptions(options: unknown): void {
  requireObject("options", options);
  const { init, evolve, dropFields, keepOld, readonly, autoFlush } = options as {
    readonly [Name in string]?: unknown;
  };
  if (autoFlush !== undefined && autoFlush !== "now" && autoFlush !== "idle")
    throw new TypeError('options: autoFlush must be "now" or "idle"');
  if (init !== undefined) refuseFault("options: init", bodyFault(init));
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
