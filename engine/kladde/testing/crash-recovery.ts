/**
 * What recovery makes of an image that a crash left, and whether it keeps its side of the promise.
 *
 *  (1) Every image opens, passes `check`, and reads the same in a store opened for reading.
 *  (2) The image is all there is: a cut at any write, truncate and sync of its recovery, and another recovery, lead
 *      to the same contents and header fields, byte for byte.
 *  (3) The recovered store goes on: it takes records, flushes, closes and opens again.
 *  (4) Equal images are recovered once.
 *
 * Cost: a few milliseconds per distinct image.
 */

import { createHash } from "node:crypto";
import { assert } from "../../errors.ts";
import { CrashingFile } from "../../storage/crashing.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { Store } from "../index.ts";
import type { StoreOptions } from "../options.ts";
import type { StoreView } from "../view.ts";
import { type Image, imagesAt, ObservedFile } from "./crash-disk.ts";
import type { Contents } from "./model.ts";
import { bytesOf } from "./perform.ts";

export interface Recovered {
  readonly contents: Contents;
  /** Equal exactly if the contents are. */
  readonly digest: string;
  /** Root, schema table and fingerprint, as text. */
  readonly fields: string;
}

const digests = new WeakMap<Uint8Array, string>();

/** Arrays in `contents` must not change any more. */
export function digestOf(contents: Contents): string {
  const ids = [...contents.keys()].sort((a, b) => a - b);
  return ids.map((id) => `${id}:${digestOfBytes(contents.get(id)!)}`).join(" ");
}

function digestOfBytes(bytes: Uint8Array): string {
  let digest = digests.get(bytes);
  if (digest === undefined) {
    digest = `${bytes.length}/${hash(bytes)}`;
    digests.set(bytes, digest);
  }
  return digest;
}

const hash = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("base64");

/** Everything that the last flush of a store committed. */
export function contentsOf(store: StoreView): Contents {
  const contents = new Map<number, Uint8Array>();
  for (const id of store.ids()) contents.set(id, store.read(id, 0, store.committedSize(id)));
  return contents;
}

export const fieldsOf = (store: StoreView): string =>
  `${store.root}/${store.schemaTable}/${Buffer.from(store.fingerprint).toString("hex")}`;

function recoveredOf(store: StoreView): Recovered {
  const contents = contentsOf(store);
  return { contents, digest: digestOf(contents), fields: fieldsOf(store) };
}

export class Recoveries {
  /** Images asked for, distinct ones among them, and the same for cuts during their recovery. */
  readonly counts = { images: 0, distinct: 0, innerImages: 0, innerDistinct: 0 };
  readonly #options: StoreOptions;
  readonly #outer = new Map<string, Recovered>();
  readonly #inner = new Map<string, Recovered>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** Throws whatever shows that the image was not recovered well. */
  recover({ bytes }: Image): Recovered {
    this.counts.images++;
    const key = hash(bytes);
    const known = this.#outer.get(key);
    if (known !== undefined) return known;
    this.counts.distinct++;
    const recovered = this.#recoverAnew(bytes);
    this.#outer.set(key, recovered);
    this.#inner.set(key, recovered);
    return recovered;
  }

  #recoverAnew(image: Uint8Array): Recovered {
    const disk = new CrashingFile(image);
    const inner: Image[] = [];
    let isOpening = true;
    const file = new ObservedFile(disk, (moment) => {
      if (isOpening) inner.push(...imagesAt(disk, moment, image.length, 1));
    });
    const store = Store.open(file, this.#options);
    isOpening = false;
    store.check();
    const recovered = recoveredOf(store);
    requireSame(recoveredOf(Store.openReadOnly(new MemoryFile("image", image))), recovered, "read-only");
    this.#goOn(store, recovered, disk);
    for (const one of inner) {
      const { call, number } = one.moment;
      const where = `the power fails again in ${call} ${number} of the recovery, ${one.choice}`;
      within(where, () => requireSame(this.#recoverPlainly(one.bytes), recovered, "the second recovery"));
    }
    return recovered;
  }

  #recoverPlainly(image: Uint8Array): Recovered {
    this.counts.innerImages++;
    const key = hash(image);
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    this.counts.innerDistinct++;
    const store = Store.open(new MemoryFile("image", image), this.#options);
    store.check();
    const recovered = recoveredOf(store);
    this.#inner.set(key, recovered);
    return recovered;
  }

  /** Some work on the recovered store, then a session after it. */
  #goOn(store: Store, { contents }: Recovered, disk: CrashingFile): void {
    const expected = new Map(contents);
    const first = store.alloc(0);
    const second = store.alloc(3);
    assert(!contents.has(first) && !contents.has(second), "after recovery an id in use is handed out");
    const bytes = bytesOf(disk.size(), 5000);
    store.write(first, 0, bytes);
    expected.set(first, bytes).set(second, new Uint8Array(3));
    const [old] = contents.keys();
    if (old !== undefined) {
      store.free(old);
      expected.delete(old);
    }
    store.flush();
    store.check();
    requireContents(store, expected, "after a flush of the recovered store");
    store.resize(first, 70);
    expected.set(first, bytes.subarray(0, 70));
    store.close();
    const next = Store.open(disk, this.#options);
    next.check();
    requireContents(next, expected, "in the session after the recovery");
    next.close();
  }
}

function requireSame(found: Recovered, expected: Recovered, what: string): void {
  requireDigest(found.digest, expected.digest, what);
  assert(
    found.fields === expected.fields,
    `${what} has header fields ${found.fields}, not ${expected.fields}`,
  );
}

export function requireContents(store: StoreView, expected: Contents, what: string): void {
  requireDigest(digestOf(contentsOf(store)), digestOf(expected), what);
}

function requireDigest(found: string, expected: string, what: string): void {
  assert(found === expected, `${what} finds other contents:\n  ${found}\ninstead of\n  ${expected}`);
}

/** Runs `step`; an error says where it happened. */
export function within<T>(where: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
