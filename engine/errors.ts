/**
 * Failures of the world, for both engines: one class, stable codes.
 *
 * Branch on `code`; show `message`, which says what happened, where, and what to do. Codes are stable, messages are
 * not. A caller's mistake is a `TypeError` or `RangeError`, a broken invariant of ours an `AssertionError`.
 */

export type StoreErrorCode =
  /** The file is not of our format at all; also an empty one. */
  | "not-kladde"
  /** Our format, but a version, page size or edition that this implementation does not handle. */
  | "unsupported-format"
  /** The bytes contradict the format; `rule` names the condition. The file is left as it was. */
  | "corrupt"
  /** A sound file whose values are of another type than the one asked for, or of kinds not known here. */
  | "schema-mismatch"
  /** The system refused a call (also a missing file or a directory); the system's error is the `cause`. */
  | "io-failed"
  /** No room for another page. Nothing acknowledged is lost. */
  | "disk-full"
  /** An earlier failure left memory and disk in doubt: close the store and open the file again. */
  | "poisoned"
  /** The store was closed. */
  | "closed"
  /** Somebody else has the file open for writing. */
  | "locked"
  /** A mutation of a store that was opened for reading. */
  | "read-only"
  /** `create` over a file that has content. */
  | "exists"
  /** A limit of the format or of the implementation. */
  | "too-large";

/** Where it happened, as far as it is known. */
export interface Place {
  readonly file?: string | undefined;
  readonly page?: number | undefined;
  /** Byte offset within the page if `page` is given, else within the file. */
  readonly offset?: number | undefined;
  /** Allocation. */
  readonly id?: number | undefined;
  /** Condition of the format's list of invalid files, such as `T4`. */
  readonly rule?: string | undefined;
  /** Path of the value, such as `notes[3].title`; empty for the root. */
  readonly at?: string | undefined;
}

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly file: string | undefined;
  readonly page: number | undefined;
  readonly offset: number | undefined;
  readonly id: number | undefined;
  readonly rule: string | undefined;
  readonly at: string | undefined;

  constructor(code: StoreErrorCode, message: string, place: Place = {}, cause?: unknown) {
    super(locate(message, place), cause === undefined ? undefined : { cause });
    this.code = code;
    this.file = place.file;
    this.page = place.page;
    this.offset = place.offset;
    this.id = place.id;
    this.rule = place.rule;
    this.at = place.at;
  }
}

/** `message` behind its place, as far as that is known. */
export function locate(message: string, { file, page, offset, id, rule }: Place): string {
  const where = [
    file,
    page === undefined ? undefined : `page ${page}`,
    offset === undefined ? undefined : `offset ${offset}`,
    id === undefined ? undefined : `allocation ${id}`,
    rule === undefined ? undefined : `rule ${rule}`,
  ].filter((part) => part !== undefined);
  return where.length === 0 ? message : `${where.join(", ")}: ${message}`;
}

/** An invariant of ours broke: a fault in the engine, never the caller's or the world's. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Cheap and always on. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
