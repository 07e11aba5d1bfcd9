/**
 * The byte store: durable allocations in one file.
 *
 *  (1) A mutation is with the operating system when its call returns; outside a transaction each is one of its own.
 *  (2) `flush` makes everything so far survive a power cut; the store also flushes by itself.
 *  (3) `read` serves the state of the last flush, `size` and `exists` the state as of now.
 *  (4) A wrong argument is refused before anything is recorded.
 *
 * Cost: a mutation is one write to the journal; a flush writes the dirty bytes, one header, and syncs once.
 */

import type { StorageFile } from "../storage/storage.ts";
import {
  bodyFault,
  dangling,
  refuseFault,
  requireBytes,
  requireId,
  requireObject,
  requireRange,
  requireWhole,
  resultFault,
} from "./arguments.ts";
import { checkMinting } from "./check.ts";
import { headerLayout, u32Max } from "./format/layout.ts";
import {
  recordCopy,
  recordFree,
  recordMove,
  recordResize,
  recordSplice,
  recordWrite,
} from "./format/record.ts";
import { geometryAbsent, geometryReserved } from "./journal/geometry.ts";
import { closingOnFailure, createSession, openSession } from "./open/open.ts";
import { resolveOptions, type StoreOptions } from "./options.ts";
import { ReadOnlyStore } from "./readonly.ts";
import type { Session } from "./session.ts";
import { collectStats, type StoreStats } from "./stats.ts";
import { StoreView } from "./view.ts";

const fingerprintBytes = headerLayout.fields.rootFingerprint.bytes;

export class Store extends StoreView {
  readonly #session: Session;

  private constructor(session: Session) {
    super(session.flushing);
    this.#session = session;
  }

  /**
   * Makes a new file, durable when this returns, and opens it. `overwrite` (default false) replaces what is there.
   * Throws `exists`, `locked`, `disk-full`, `io-failed`; `TypeError` for bad options. The file is closed on failure.
   */
  static create(file: StorageFile, options: StoreOptions & { readonly overwrite?: boolean } = {}): Store {
    const session = closingOnFailure(file, () => {
      requireObject("options", options);
      const { overwrite = false, ...rest } = options;
      if (typeof overwrite !== "boolean") throw new TypeError("options: overwrite must be true or false");
      return createSession(file, resolveOptions(rest), overwrite);
    });
    return new Store(session);
  }

  /**
   * Opens a file for writing; transactions that a crash left in the journal are folded first.
   * Throws `not-kladde`, `unsupported-format`, `corrupt`, `locked`, `disk-full`, `too-large`, `io-failed`; `TypeError` for bad
   * options. A file that is refused is left as it was, and closed.
   */
  static open(file: StorageFile, options: StoreOptions = {}): Store {
    return new Store(closingOnFailure(file, () => openSession(file, resolveOptions(options))));
  }

  /** Opens a file for reading only: no lock, nothing written. Throws as `open`. */
  static openReadOnly(file: StorageFile, options: Pick<StoreOptions, "verify"> = {}): ReadOnlyStore {
    return ReadOnlyStore.open(file, options);
  }

  /** A new allocation of `size` zero bytes. Throws `too-large` when all ids are in use. */
  alloc(size: number): number {
    this.requireUsable();
    requireWhole("size", size, 0, u32Max);
    const id = this.#mint();
    this.#session.record(recordResize, id, size, 0, 0, 0, undefined);
    return id;
  }

  /** An id without a record yet: its first `write`, `splice` or `resize` creates it. */
  newId(): number {
    this.requireUsable();
    const id = this.#mint();
    this.#session.geometry.set(id, geometryReserved);
    this.#session.keepReserved();
    return id;
  }

  /** Ends an allocation; its id may be handed out again after the next flush. */
  free(id: number): void {
    this.#requireExisting("allocation", id);
    this.#session.record(recordFree, id, 0, 0, 0, 0, undefined);
  }

  /** The first bytes stay, new ones are zero, also when a shrink and a growth happen within one flush. */
  resize(id: number, size: number): void {
    this.#requireExisting("allocation", id);
    requireWhole("size", size, 0, u32Max);
    this.#session.record(recordResize, id, size, 0, 0, 0, undefined);
  }

  /** Overwrites from `offset`; grows the allocation if that reaches past its end. */
  write(id: number, offset: number, bytes: Uint8Array): void {
    this.#requireExisting("allocation", id);
    requireBytes("bytes", bytes);
    requireRange("offset", offset, "length", bytes.length);
    this.#session.record(recordWrite, id, offset, 0, bytes.length, 0, bytes);
  }

  /** Replaces `oldLength` bytes at `offset` by `bytes`; what follows moves. */
  splice(id: number, offset: number, oldLength: number, bytes: Uint8Array): void {
    const size = Math.max(0, this.#requireExisting("allocation", id));
    requireBytes("bytes", bytes);
    requireRange("offset", offset, "oldLength", oldLength);
    const after = Math.max(size, offset + oldLength) - oldLength + bytes.length;
    if (after > u32Max)
      throw new RangeError(`the splice would make allocation ${id} ${after} bytes long, past 2^32 − 1`);
    this.#session.record(recordSplice, id, offset, oldLength, bytes.length, 0, bytes);
  }

  /**
   * Copies a range; bytes that the source, which need not exist, does not have read as zero. Overlaps behave like
   * `memmove`. The store's own allocation is refused as a source with a `RangeError`. Inside a transaction that copies more than a flush can hold, some 500 MiB, throws `too-large`.
   */
  copy(src: number, srcOffset: number, length: number, dst: number, dstOffset: number): void {
    this.#transfer(recordCopy, src, srcOffset, length, dst, dstOffset);
  }

  /** Copies a range, then zeroes what of the source was not overwritten. The source keeps its size. */
  move(src: number, srcOffset: number, length: number, dst: number, dstOffset: number): void {
    this.#transfer(recordMove, src, srcOffset, length, dst, dstOffset);
  }

  /** Size in bytes as of now; 0 for an id without a record. Throws `RangeError` for an id that does not exist. */
  size(id: number): number {
    return Math.max(0, this.#requireExisting("allocation", id));
  }

  /** Whether the id exists as of now, an id of `newId` included. */
  exists(id: number): boolean {
    this.requireUsable();
    requireId("id", id);
    return id !== this.context.fields.consolidatorState && this.#session.geometry.now(id) !== geometryAbsent;
  }

  /** Begins a transaction; inside another one, a savepoint. */
  begin(): void {
    this.requireUsable();
    this.#session.begin("transaction");
  }

  /** Ends the innermost transaction. Throws `TypeError` if none is open, or a batch is inside it. */
  commit(): void {
    this.requireUsable();
    this.#session.end("transaction");
  }

  /** Takes back everything since the innermost `begin`. Throws as `commit`. */
  abort(): void {
    this.requireUsable();
    this.#session.abort();
  }

  /** Begins a batch: its operations may reach the journal later, together, but in order. */
  beginBatch(): void {
    this.requireUsable();
    this.#session.begin("batch");
  }

  endBatch(): void {
    this.requireUsable();
    this.#session.end("batch");
  }

  /** Runs `body` in a transaction: commits what it did, or takes it back and rethrows. */
  transaction<T>(body: () => T): T {
    refuseFault("the body of a transaction", bodyFault(body));
    this.begin();
    const result = this.#inScope(body);
    this.commit();
    return result;
  }

  /**
   * Runs `body` in a batch; what it did stays also when it throws. Its operations reach the journal at the end, or
   * 64 KiB at a time: until then a full disk can take them back, and the call that finds it full throws `disk-full`.
   */
  batch<T>(body: () => T): T {
    refuseFault("the body of a batch", bodyFault(body));
    this.beginBatch();
    const result = this.#inScope(body);
    this.endBatch();
    return result;
  }

  /**
   * Names root, schema table and fingerprint (16 bytes); reaches the file with the next flush. Root and schema table
   * need not exist yet; the store's own allocation is refused with a `RangeError`.
   */
  setRoots(root: number, schemaTable: number, fingerprint: Uint8Array): void {
    this.requireUsable();
    requireWhole("root", root, 0, u32Max);
    requireWhole("schemaTable", schemaTable, 0, u32Max);
    this.#refusePrivate("root", root);
    this.#refusePrivate("schema table", schemaTable);
    requireBytes("fingerprint", fingerprint);
    if (fingerprint.length !== fingerprintBytes)
      throw new RangeError(`fingerprint must be ${fingerprintBytes} bytes long, not ${fingerprint.length}`);
    this.#session.setFields({ rootAllocation: root, schemaTable, rootFingerprint: fingerprint.slice() });
  }

  /** Makes everything so far durable. An open transaction is not part of it. A failure poisons the store. */
  flush(): void {
    this.requireUsable();
    this.#session.flush();
  }

  /** Flushes what is not yet flushed, gives back the free end of the file, and releases it; idempotent. */
  close(): void {
    this.#session.close();
  }

  get poisoned(): boolean {
    return this.#session.isPoisoned;
  }

  /** Refuses every further call but `close`: for a layer above that has lost track of what is in the store. */
  poison(): void {
    this.requireUsable();
    this.#session.poison(new Error("the store was poisoned by its user"));
  }

  stats(): StoreStats {
    this.requireUsable();
    return collectStats(this.context, this.#session.journal);
  }

  /** As `StoreView.check`, and the ids in use since the last flush. */
  override check(): void {
    super.check();
    checkMinting(this.context, this.#session.geometry);
  }

  protected override requireUsable(): void {
    this.#session.requireUsable();
  }

  protected override guard<T>(step: () => T): T {
    return this.#session.guard(step);
  }

  /** Runs `body`, which must leave the scopes as they are; if it throws, its scope is ended, and those it left open. */
  #inScope<T>(body: () => T): T {
    const { scopes } = this.#session;
    const depth = scopes.marks.length;
    try {
      const result = body();
      refuseFault("the body of a transaction or batch", resultFault(result));
      if (scopes.marks.length !== depth)
        throw new TypeError("the body began a scope that it did not end, or ended one that it did not begin");
      return result;
    } catch (cause) {
      if (!this.#session.isPoisoned) this.#session.unwind(depth - 1);
      throw cause;
    }
  }

  #mint(): number {
    const id = this.context.state.ids.mint();
    this.#session.minted.push(id);
    return id;
  }

  /** The size as of now, or `geometryReserved`. */
  #requireExisting(name: string, id: number): number {
    this.#session.requireUsable();
    requireId("id", id);
    const now = this.#session.geometry.now(id);
    if (now === geometryAbsent || id === this.context.fields.consolidatorState) throw dangling(name, id);
    return now;
  }

  /**
   * What need not exist must still not be the store's own allocation. As a root it would show itself at the next open;
   * as the source of a copy it would give its bytes away, of a move lose them.
   */
  #refusePrivate(name: string, id: number): void {
    if (id !== 0 && id === this.context.fields.consolidatorState) throw dangling(name, id);
  }

  #transfer(
    tag: number,
    src: number,
    srcOffset: number,
    length: number,
    dst: number,
    dstOffset: number,
  ): void {
    this.requireUsable();
    requireId("src", src);
    this.#refusePrivate("source", src);
    this.#requireExisting("destination", dst);
    requireRange("srcOffset", srcOffset, "length", length);
    requireRange("dstOffset", dstOffset, "length", length);
    this.#session.record(tag, src, srcOffset, dst, length, dstOffset, undefined);
  }
}
