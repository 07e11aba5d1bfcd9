/**
 * Standard output for a program that may be cut off by its reader, as in `kladde dump FILE | head -1`.
 *
 *  (1) Lines are collected and written in blocks; the writer waits until a block is taken.
 *  (2) What would steer a terminal, or turn the direction of its text, is written as an escape: files name things.
 *  (3) A reader that has gone away ends the output silently: `line` throws `OutputClosed`, no stack is printed.
 */

import type { Writable } from "node:stream";

/** Nobody reads any more; the command has nothing left to do. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** All controls but tab and newline; embeddings, overrides and isolates of direction. */
const steering = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** `text` with every such character as `\u` and four digits, which JSON reads as the same character. */
export const printable = (text: string): string =>
  text.replace(steering, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const blockChars = 65536;

export class Output {
  readonly #stream: Writable;
  #failure: Error | undefined;
  #block = "";

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === "EPIPE" ? new OutputClosed() : error;
    });
  }

  async line(text: string): Promise<void> {
    this.#block += `${printable(text)}\n`;
    if (this.#block.length >= blockChars) await this.flush();
  }

  async flush(): Promise<void> {
    const block = this.#block;
    this.#block = "";
    if (block !== "") await new Promise<void>((taken) => this.#stream.write(block, () => taken()));
    if (this.#failure !== undefined) throw this.#failure;
  }
}
