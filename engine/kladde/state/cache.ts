/**
 * Data pages read lately: a small least-recently-used cache.
 *
 *  (1) A page is checked when it is read from the file, before its first byte is used; that bytes lie inside its
 *      content, whenever they are used.
 *  (2) An entry is forgotten when its page is written.
 *
 * Cost: a hit is two map operations; a miss a read and a CRC. 256 pages, 1 MiB.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { contentOffset, pageBytes } from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";

const pagesKept = 256;

export class PageCache {
  /** Pages read from the file. */
  reads = 0;
  readonly #file: StorageFile;
  readonly #check: (bytes: Uint8Array, page: number) => void;
  readonly #pages = new Map<number, Uint8Array>();

  /** `check` throws if the bytes are not those of a sound data page. */
  constructor(file: StorageFile, check: (bytes: Uint8Array, page: number) => void) {
    this.#file = file;
    this.#check = check;
  }

  /** The page's bytes, valid until the next call, of which those before `end` are needed. Throws `corrupt` (D2 … D6). */
  get(page: number, end: number): Uint8Array {
    const bytes = this.#get(page);
    const contentEnd = contentOffset + pageContentBytes(bytes, false);
    if (end <= contentEnd) return bytes;
    throw new StoreError(
      "corrupt",
      `bytes up to ${end} are named, its content ends at ${contentEnd}; restore the file from a copy`,
      { file: this.#file.name, page, rule: "D6" },
    );
  }

  #get(page: number): Uint8Array {
    const known = this.#pages.get(page);
    if (known !== undefined) {
      this.#pages.delete(page);
      this.#pages.set(page, known);
      return known;
    }
    const bytes = this.#buffer();
    this.#file.read(bytes, page * pageBytes);
    this.reads++;
    this.#check(bytes, page);
    this.#pages.set(page, bytes);
    return bytes;
  }

  forget(page: number): void {
    this.#pages.delete(page);
  }

  #buffer(): Uint8Array {
    if (this.#pages.size < pagesKept) return new Uint8Array(pageBytes);
    const oldest = this.#pages.keys().next().value!;
    const bytes = this.#pages.get(oldest)!;
    this.#pages.delete(oldest);
    return bytes;
  }
}
