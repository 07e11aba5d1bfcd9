/**
 * Standard output for a program that may be cut off by its reader, as in `kladde dump FILE | head -1`.
 *
 *  (1) Lines are collected and written in blocks; the writer waits until a block is taken.
 *  (2) A reader that has gone away ends the output silently: `line` throws `OutputClosed`, no stack is printed.
 */

import type { Writable } from "node:stream";

/** Nobody reads any more; the command has nothing left to do. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

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
    this.#block += `${text}\n`;
    if (this.#block.length >= blockChars) await this.flush();
  }

  async flush(): Promise<void> {
    const block = this.#block;
    this.#block = "";
    if (block !== "") await new Promise<void>((taken) => this.#stream.write(block, () => taken()));
    if (this.#failure !== undefined) throw this.#failure;
  }
}
