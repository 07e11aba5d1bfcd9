/**
 * Upgrades: a file of an older schema is replaced by one of the schema that is asked for.
 *
 *  (1) The new file is made complete and durable beside the old one before it takes the name: at every moment the name
 *      has one of the two, whole.
 *  (2) The lock of the name is held from before the old file is read until the document is closed.
 *  (3) A kept old file is a copy, made and named before that. A file that has its name already and is another is no one's
 *      to overwrite.
 *  (4) In a file that is given the new value is written beside the old one, becomes the root by a flush, and the old one is
 *      freed after that: a crash in between leaves allocations that nothing points to, and loses nothing.
 *
 * Cost: both values in memory; the old file read, the new one written.
 */

import { StoreError } from "../../../errors.ts";
import type { Disk, StorageFile } from "../../../storage/storage.ts";
import type { SealedSchema } from "../schema/model.ts";
import { replaceWith } from "./beside.ts";
import { Change, isMissing } from "./change.ts";
import { Document, type DocumentOptions } from "./document.ts";

export interface EvolveOptions {
  /** What happens to a file of another schema. Default: "refuse". */
  readonly evolve?: "refuse" | "upgrade" | undefined;
  /** Whether an upgrade may drop what the schema has no field for. Default: false. */
  readonly dropFields?: boolean | undefined;
  /** Whether an upgrade keeps the old file, as `<name>.<first 8 hexadecimal digits of its fingerprint>`. Default: false. */
  readonly keepOld?: boolean | undefined;
}

/** Upgrades the file `name`, whose lock is held, unless its layout is the schema's. Throws `schema-mismatch` if it cannot. */
export function upgradeOn(
  disk: Disk,
  name: string,
  schema: SealedSchema,
  { dropFields = false, keepOld = false }: EvolveOptions,
  options: DocumentOptions,
): void {
  const old = disk.open(name, "read");
  try {
    const change = isMissing(old) ? undefined : Change.of(old, schema);
    if (change === undefined) return;
    const value = change.read(dropFields, options.loadLimitBytes);
    if (keepOld) keep(disk, old, name, `${name}.${change.version}`);
    replaceWith(disk, name, (file) =>
      withoutOverflow(name, () => Document.create(file, schema, options, () => value).close()),
    );
  } finally {
    old.close();
  }
}

/** Upgrades the document in `file`, whose lock is free, and opens it. `change` is what was found in it. */
export function upgradeIn(
  file: StorageFile,
  change: Change,
  schema: SealedSchema,
  { dropFields = false }: EvolveOptions,
  options: DocumentOptions,
): Document {
  const { loadLimitBytes } = options;
  // Opening for writing changes the file, so what refuses must do so before.
  change.read(dropFields, loadLimitBytes);
  return withoutOverflow(file.name, () =>
    Document.rewrite(file, schema, options, (store) => change.read(dropFields, loadLimitBytes, store)),
  );
}

/** Structs may nest as deep as memory goes, other values only as deep as the stack. */
function withoutOverflow<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (!(cause instanceof RangeError) || !cause.message.includes("call stack")) throw cause;
    throw new StoreError("too-large", "the values nest too deep to be written anew", { file }, cause);
  }
}

function keep(disk: Disk, old: StorageFile, like: string, name: string): void {
  if (disk.size(name) < 0) replaceWith(disk, name, (file) => copy(old, file), like);
  else if (!holdsTheSame(disk, old, name))
    throw new StoreError("exists", "an old file was to be kept under this name, which another file has", {
      file: name,
    });
}

/** An upgrade that was cut short has kept it already. */
function holdsTheSame(disk: Disk, old: StorageFile, name: string): boolean {
  const kept = disk.open(name, "read");
  try {
    if (kept.size() !== old.size()) return false;
    for (const [at, bytes] of chunksOf(old)) {
      const other = new Uint8Array(bytes.length);
      kept.read(other, at);
      if (bytes.some((byte, i) => byte !== other[i])) return false;
    }
    return true;
  } finally {
    kept.close();
  }
}

function copy(from: StorageFile, to: StorageFile): void {
  try {
    to.truncate(from.size());
    for (const [at, bytes] of chunksOf(from)) to.write(bytes, at);
    to.sync();
  } finally {
    to.close();
  }
}

const chunkBytes = 2 ** 20;

function* chunksOf(file: StorageFile): Generator<readonly [at: number, bytes: Uint8Array]> {
  const size = file.size();
  for (let at = 0; at < size; at += chunkBytes) {
    const bytes = new Uint8Array(Math.min(chunkBytes, size - at));
    file.read(bytes, at);
    yield [at, bytes];
  }
}
