/**
 * A map of strings made of store calls, one after the other: the records that the typed layer should write, and no more.
 *
 *   insert    the string, then its slot: at a slot that is free, or at the end
 *   replace   one write of the whole string if it is not shorter, else one splice
 *   append    one write of the tail; nothing for the string that is there already
 *   remove    the slot's first byte, or a shorter array if it was the last slot; then the string's end
 *
 * A slot is a byte that says whether it is taken, the key in eight bytes and the string's id in four, all little endian.
 * Letters only: a string has as many bytes as characters.
 */

import { Store } from "../../kladde/index.ts";
import { openNodeFile } from "../../storage/node.ts";
import type { RunOptions } from "../runs.ts";
import type { BenchDocument, Documents, TextMap } from "./document.ts";

const slotBytes = 13;
/** Descriptors of a map from u64 to strings. */
const schema = Buffer.from(
  "09840185028004536c6f7403046c69766503036b6579040576616c7565050a038406860785080b",
  "hex",
);
const fingerprint = Buffer.from("b888158c3d6cae8d0e35ef7ff904b647", "hex");
const rootBytes = 4;

interface Entry {
  slot: number;
  id: number;
  text: string;
}

/** How a new string is written. */
type WriteText = (store: Store, id: number, bytes: Uint8Array) => void;

const whole: WriteText = (store, id, bytes) => store.write(id, 0, bytes);

class RecordedMap implements TextMap {
  readonly #store: Store;
  readonly #write: WriteText;
  readonly #entries = new Map<number, Entry>();
  /** By slot; a free one has none. */
  readonly #keys: (number | undefined)[] = [];
  readonly #root: number;
  #slots = 0;

  constructor(store: Store, root: number, write: WriteText) {
    this.#store = store;
    this.#root = root;
    this.#write = write;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: number): string | undefined {
    return this.#entries.get(key)?.text;
  }

  *[Symbol.iterator](): Generator<[key: number, text: string], void> {
    for (const [key, { text }] of this.#entries) yield [key, text];
  }

  load(): void {
    const store = this.#store;
    const root = Buffer.from(store.read(this.#root, 0, rootBytes));
    this.#slots = root.readUInt32LE();
    const slots = Buffer.from(store.read(this.#slots, 0, store.committedSize(this.#slots)));
    for (let slot = 0; slot < slots.length / slotBytes; slot++) {
      const at = slot * slotBytes;
      if (slots[at] === 0) continue;
      const key = Number(slots.readBigUInt64LE(at + 1));
      const id = slots.readUInt32LE(at + 9);
      const text = Buffer.from(store.read(id, 0, store.committedSize(id))).toString("latin1");
      this.#entries.set(key, { slot, id, text });
      this.#keys[slot] = key;
    }
  }

  set(key: number, text: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#store.transaction(() => this.#insert(key, text));
    else this.#change(entry, text);
  }

  delete(key: number): void {
    const { slot, id } = this.#entries.get(key)!;
    this.#entries.delete(key);
    this.#keys[slot] = undefined;
    this.#store.transaction(() => {
      if (slot < this.#keys.length - 1) this.#store.write(this.#slots, slot * slotBytes, Uint8Array.of(0));
      else {
        while (this.#keys.length > 0 && this.#keys.at(-1) === undefined) this.#keys.pop();
        this.#store.resize(this.#slots, this.#keys.length * slotBytes);
      }
      this.#store.free(id);
    });
  }

  #insert(key: number, text: string): void {
    const store = this.#store;
    const id = store.newId();
    const free = this.#keys.indexOf(undefined);
    const slot = free < 0 ? this.#keys.length : free;
    const bytes = Buffer.alloc(slotBytes, 1);
    bytes.writeBigUInt64LE(BigInt(key), 1);
    bytes.writeUInt32LE(id, 9);
    this.#write(store, id, Buffer.from(text, "latin1"));
    if (this.#slots === 0) {
      this.#slots = store.newId();
      const pointer = Buffer.alloc(rootBytes);
      pointer.writeUInt32LE(this.#slots);
      store.write(this.#slots, 0, bytes);
      store.write(this.#root, 0, pointer);
    } else store.write(this.#slots, slot * slotBytes, bytes);
    this.#keys[slot] = key;
    this.#entries.set(key, { slot, id, text });
  }

  #change(entry: Entry, text: string): void {
    const { id, text: old } = entry;
    if (text === old) return;
    const bytes = Buffer.from(text, "latin1");
    if (text.startsWith(old)) this.#store.write(id, old.length, bytes.subarray(old.length));
    else if (text.length >= old.length) this.#store.write(id, 0, bytes);
    else this.#store.splice(id, 0, old.length, bytes);
    entry.text = bytes.toString("latin1");
  }
}

class RecordedDocument implements BenchDocument {
  readonly texts: RecordedMap;
  readonly #store: Store;

  constructor(store: Store, root: number, write: WriteText) {
    this.#store = store;
    this.texts = new RecordedMap(store, root, write);
  }

  flush = (): void => this.#store.flush();
  close = (): void => this.#store.close();
  stats = () => this.#store.stats();
  check = (): void => this.#store.check();
}

const documentsThat = (write: WriteText): Documents => ({
  fixedBytes: rootBytes + schema.length,
  fixedAllocations: 3,
  slotBytes,
  create(name: string, options: RunOptions): RecordedDocument {
    const store = Store.create(openNodeFile(name, "create"), options);
    const [root, table] = [store.newId(), store.newId()];
    store.write(table, 0, schema);
    store.write(root, 0, new Uint8Array(rootBytes));
    store.setRoots(root, table, fingerprint);
    store.flush();
    return new RecordedDocument(store, root, write);
  },
  open(name: string): RecordedDocument {
    const store = Store.open(openNodeFile(name, "write"));
    const document = new RecordedDocument(store, store.root, write);
    document.texts.load();
    return document;
  },
});

export const recordedDocuments = documentsThat(whole);

/** The same with a mistake that no reader of the file sees: a new string goes to the journal byte by byte. */
export const byteByByte = documentsThat((store, id, bytes) => {
  for (let i = 0; i < bytes.length; i++) store.write(id, i, bytes.subarray(i, i + 1));
});
