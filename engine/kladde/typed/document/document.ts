/**
 * An open document: the store below, the live values above, and what both need to begin and to end.
 *
 *  (1) The file is compared with the schema before it is opened for writing: a file that is refused is left as it was.
 *  (2) After `close`, reading goes on, from memory; changes throw `closed`.
 */

import { StoreError } from "../../../errors.ts";
import type { StorageFile } from "../../../storage/storage.ts";
import { refuseFault, resultFault } from "../../arguments.ts";
import { closingOnFailure, cutToNothing } from "../../open/open.ts";
import type { StoreOptions } from "../../options.ts";
import { ReadOnlyStore } from "../../readonly.ts";
import type { StoreStats } from "../../stats.ts";
import { Store } from "../../store.ts";
import { typeOf } from "../live/compile.ts";
import { type ByteStore, Ledger } from "../live/ledger.ts";
import { Loader } from "../live/loader.ts";
import { typeMistake } from "../live/mistakes.ts";
import { claimMark, dropClaims, keepClaims, Node, topOf } from "../live/node.ts";
import type { Type } from "../live/type.ts";
import type { SealedSchema } from "../schema/model.ts";
import { RootNode } from "./root.ts";

export interface DocumentOptions extends StoreOptions {
  /** Only reading; the file is neither locked nor changed. Default: false. */
  readonly readonly?: boolean;
  /**
   * `now`: a flush that is due happens within the change that made it due. `idle`: in a turn of the event loop of its own,
   * unless the journal has grown to four times its budget. Default: now.
   */
  readonly autoFlush?: "now" | "idle";
  /** Bytes of values that may be loaded: a small file may claim large ones. Default: 2^26 + 32 × the file's length. */
  readonly loadLimitBytes?: number;
}

/** What `stats()` of a document gives besides the store's. */
export interface DocumentStats extends StoreStats {
  /** Allocations that nothing points to; see `sweep`. Opaque values may point to them. */
  readonly leaked: number;
}

/** A writer of ours stores every byte of a value, so that its values are no longer than the file. */
export const loadLimitDefault = (fileBytes: number): number => 0x400_0000 + 32 * fileBytes;

/** The allocation of the descriptor table in a new document; the root's comes before it. */
export const firstTableId = 2;

export class Document {
  readonly schema: SealedSchema;
  readonly file: string;
  readonly ledger: Ledger;
  readonly #store: Store | ReadOnlyStore;
  #root: RootNode | undefined;
  #leaked: number[] = [];

  private constructor(store: Store | ReadOnlyStore, file: string, schema: SealedSchema) {
    this.schema = schema;
    this.file = file;
    this.#store = store;
    this.ledger = new Ledger(store as unknown as ByteStore, file);
    this.ledger.isReadOnly = store instanceof ReadOnlyStore;
  }

  /**
   * Makes a document in `file`, whose lock is held and which counts as missing; durable when this returns. `init` gives
   * the first value; without it, zeros. A value that is refused is refused before anything is written; whatever fails
   * later leaves an empty file empty.
   */
  static create(
    file: StorageFile,
    schema: SealedSchema,
    options: DocumentOptions,
    init?: () => unknown,
  ): Document {
    const first = closingOnFailure(file, () => FirstValue.of(schema, init));
    const isEmpty = closingOnFailure(file, () => file.size() === 0);
    const store = first.orDropped(() => Store.create(file, { ...storeOptionsOf(options), overwrite: true }));
    const step = (): Document => {
      const document = new Document(store, file.name, schema);
      document.#write(first);
      store.flush();
      return document;
    };
    return closingStore(store, step, () => {
      if (isEmpty) cutToNothing(file);
    });
  }

  /** Opens a file and gives it another value, of another schema; `readValue` reads it from the store. */
  static rewrite(
    file: StorageFile,
    schema: SealedSchema,
    options: DocumentOptions,
    readValue: (store: Store) => unknown,
  ): Document {
    const store = Store.open(file, storeOptionsOf(options));
    return closingStore(store, () => {
      const old = [...store.ids()];
      const value = readValue(store);
      const document = new Document(store, file.name, schema);
      document.#write(FirstValue.of(schema, () => value));
      store.flush();
      store.batch(() => {
        for (const id of old) store.free(id);
      });
      store.flush();
      return document;
    });
  }

  /** Opens a document whose schema is known to be the file's. */
  static open(file: StorageFile, schema: SealedSchema, options: DocumentOptions): Document {
    const { store, loader, document } = Document.#opened(file, schema, options);
    try {
      const root = document.#loadableRoot();
      loader.load(root);
      document.#loaded(root, loader);
      return document;
    } catch (cause) {
      return refuse(store, cause);
    }
  }

  /** As `open`, with `pause` awaited now and then while values are loaded. */
  static async openInSlices(
    file: StorageFile,
    schema: SealedSchema,
    options: DocumentOptions,
    pause: () => Promise<void>,
  ): Promise<Document> {
    const { store, loader, document } = Document.#opened(file, schema, options);
    try {
      const root = document.#loadableRoot();
      await loader.loadInSlices(root, pause);
      document.#loaded(root, loader);
      return document;
    } catch (cause) {
      return refuse(store, cause);
    }
  }

  /** A document without its values. */
  static #opened(file: StorageFile, schema: SealedSchema, options: DocumentOptions) {
    const { readonly: isReadOnly = false, loadLimitBytes = loadLimitDefault(file.size()) } = options;
    const storeOptions = storeOptionsOf(options);
    const store = isReadOnly ? Store.openReadOnly(file, storeOptions) : Store.open(file, storeOptions);
    const document = new Document(store, file.name, schema);
    const contents = {
      sizeOf: (id: number) => (id !== 0 && store.exists(id) ? store.committedSize(id) : -1),
      readInto: (id: number, into: Uint8Array) => void store.readInto(id, 0, into),
      pageOf: (id: number) => store.pageOf(id),
    };
    const loader = new Loader(document.ledger, contents, loadLimitBytes);
    // No value owns the descriptor table.
    loader.seen.add(store.schemaTable);
    return { store, document, loader };
  }

  /** The document that a live value is part of. Throws `TypeError` for everything else. */
  static of(value: unknown): Document {
    const top = value instanceof Node ? topOf(value) : value;
    if (top instanceof RootNode) return top.document;
    throw typeMistake("the value is not part of an open document");
  }

  /** The store below. Changing it behind the document's back is not seen by the document. */
  get store(): Store | ReadOnlyStore {
    return this.#store;
  }

  get root(): RootNode {
    return this.#root!;
  }

  #write({ type, value, mark }: FirstValue): void {
    const { ledger } = this;
    const store = this.#store as Store;
    const root = new RootNode(this, type, store.newId(), ledger);
    const tableId = store.newId();
    root.$fill(value);
    // Before the transaction: a flush that it makes due is to name what it brings.
    store.setRoots(root.$id, tableId, this.schema.fingerprint);
    ledger.record(mark, () => {
      store.write(tableId, 0, this.schema.table);
      root.$writeContent(ledger);
      ledger.drain();
    });
    keepClaims(mark, null);
    ledger.settle();
    this.#root = root;
  }

  #loadableRoot(): RootNode {
    return new RootNode(this, typeOf(this.schema.root), this.#store.root, this.ledger);
  }

  #loaded(root: RootNode, { seen }: Loader): void {
    this.#root = root;
    for (const id of this.#store.ids()) if (!seen.has(id)) this.#leaked.push(id);
  }

  flush(): void {
    const store = this.#writable();
    this.ledger.flush(() => store.flush());
  }

  close(): void {
    if (this.ledger.scopes.inTransaction) throw typeMistake("close inside an open transaction; end it first");
    this.#store.close();
  }

  stats(): DocumentStats {
    return { ...this.#store.stats(), leaked: this.#leaked.length };
  }

  /** Frees allocations that nothing points to, and returns how many. Not for documents with opaque values that point. */
  sweep(): number {
    const store = this.#writable();
    const leaked = this.#leaked;
    store.transaction(() => {
      for (const id of leaked) store.free(id);
    });
    this.#leaked = [];
    return leaked.length;
  }

  #writable(): Store {
    if (this.#store instanceof Store) return this.#store;
    throw new StoreError("read-only", "the document was opened for reading; open it without `readonly`", {
      file: this.file,
    });
  }
}

/** What the store is told of a document's options. */
function storeOptionsOf({
  readonly: _,
  loadLimitBytes: __,
  autoFlush,
  ...rest
}: DocumentOptions): StoreOptions {
  return autoFlush === "idle" ? { postpone: (flush) => void setTimeout(flush), ...rest } : rest;
}

/** The value that a document begins with, in memory. */
class FirstValue {
  readonly type: Type;
  readonly value: unknown;
  readonly mark: number;

  private constructor(type: Type, value: unknown, mark: number) {
    this.type = type;
    this.value = value;
    this.mark = mark;
  }

  static of(schema: SealedSchema, init: (() => unknown) | undefined): FirstValue {
    const type = typeOf(schema.root);
    const mark = claimMark();
    try {
      return new FirstValue(type, init === undefined ? type.zero() : type.make(firstOf(init)), mark);
    } catch (cause) {
      dropClaims(mark);
      throw cause;
    }
  }

  /** Runs `step`; if it throws, there will be no document that the value belongs to. */
  orDropped<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      dropClaims(this.mark);
      throw cause;
    }
  }
}

function firstOf(init: () => unknown): unknown {
  const value = init();
  refuseFault("options: init", resultFault(value));
  return value;
}

/** Releases the file as it is: a store that was only opened has nothing to write, and must not cut the file either. */
function refuse(store: Store | ReadOnlyStore, cause: unknown): never {
  return closingStore(store, () => {
    throw cause;
  });
}

/** Runs `step`; if it throws, the store is closed without a trace of it, after `cleanUp`. */
function closingStore<T>(store: Store | ReadOnlyStore, step: () => T, cleanUp = (): void => {}): T {
  try {
    return step();
  } catch (cause) {
    try {
      // A poisoned store writes nothing when it is closed.
      if (store instanceof Store && !store.poisoned) store.poison();
      cleanUp();
    } catch {
      // The first failure tells more.
    }
    try {
      store.close();
    } catch {
      // As above.
    }
    throw cause;
  }
}
