/**
 * The other side of the speed floor: a file that gets the same pages with nothing but Node's own calls.
 *
 *  (1) Every page of a change is one `writeSync` of 4 KiB, in the order the store wrote them.
 *  (2) What is written has no meaning; the file has the size and the dirty pages of the store's.
 */

import { closeSync, fdatasyncSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { type Cost, costNow, costSince } from "./cost.ts";
import type { Change } from "./recording-file.ts";

const pageBytes = 4096;

export class PlainFile {
  readonly #name: string;
  readonly #descriptor: number;
  readonly #page = new Uint8Array(pageBytes).fill(0x5a);

  constructor(name: string) {
    this.#name = name;
    this.#descriptor = openSync(name, "w+");
  }

  /** Leaves the pages of these changes dirty, each written once. */
  write(changes: readonly Change[]): void {
    const pages = new Set<number>();
    for (const { at, length } of changes) {
      if (length < 0) ftruncateSync(this.#descriptor, at);
      else for (let page = firstPage(at); page < at + length; page += pageBytes) pages.add(page);
    }
    for (const page of pages) this.#writePage(page);
  }

  /** Writes the pages of these changes and makes them durable; what that cost, without and with the sync. */
  flush(changes: readonly Change[]): { written: Cost; durable: Cost } {
    const start = costNow();
    for (const { at, length } of changes) {
      if (length < 0) ftruncateSync(this.#descriptor, at);
      else for (let page = firstPage(at); page < at + length; page += pageBytes) this.#writePage(page);
    }
    const written = costSince(start);
    fdatasyncSync(this.#descriptor);
    return { written, durable: costSince(start) };
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.#name, { force: true });
  }

  #writePage(at: number): void {
    const bytes = writeSync(this.#descriptor, this.#page, 0, pageBytes, at);
    if (bytes !== pageBytes) throw new Error(`wrote ${bytes} of ${pageBytes} bytes to ${this.#name}`);
  }
}

const firstPage = (at: number): number => at - (at % pageBytes);
