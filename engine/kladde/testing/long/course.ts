/**
 * The course of a long run: when it ends, what it shows on the way, and that one Ctrl-C ends it in order.
 *
 *  (1) Between two pieces of work the event loop turns, so that a signal is heard.
 *  (2) A piece of work that takes longer than `hangMillis` is a hang: a thread of its own notices it, says which
 *      piece it was, and ends the process.
 */

import { Worker } from "node:worker_threads";

export const interruptedExit = 130;

const betweenMillis = 500;
/** Without a terminal a line is a line: one a minute is enough. */
const betweenLinesMillis = 60_000;
const hangMillis = 300_000;

const watchdog = `
const { workerData } = require("node:worker_threads");
const counters = new Float64Array(workerData.shared);
let last = -1;
setInterval(() => {
  if (counters[0] === last) {
    process.stderr.write("\\nno progress for " + workerData.millis / 1000 + " s: seed " + counters[1] + " hangs\\n");
    process.kill(process.pid, "SIGKILL");
  }
  last = counters[0];
}, workerData.millis);
`;

export class Course {
  readonly #isLive = process.stdout.isTTY === true && !process.env.CI;
  readonly #began = performance.now();
  readonly #untilMillis: number;
  readonly #counters = new Float64Array(new SharedArrayBuffer(16));
  #shown = 0;
  #isInterrupted = false;

  /** Ends after `hours`. */
  constructor(hours: number) {
    this.#untilMillis = this.#began + hours * 3_600_000;
    process.once("SIGINT", () => {
      this.#isInterrupted = true;
      process.stdout.write("\nending after this piece of work; press again to end at once\n");
    });
    const workerData = { shared: this.#counters.buffer, millis: hangMillis };
    new Worker(watchdog, { eval: true, workerData }).unref();
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** Whether there is time for the piece of work with this seed. */
  async goesOn(seed: number): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#counters[0]!++;
    this.#counters[1] = seed;
    return !this.#isInterrupted && performance.now() < this.#untilMillis;
  }

  show(line: string): void {
    const now = performance.now();
    if (now - this.#shown < (this.#isLive ? betweenMillis : betweenLinesMillis)) return;
    this.#shown = now;
    const text = `${this.seconds.toFixed(0).padStart(5)} s  ${line}`;
    process.stdout.write(this.#isLive ? `\r\x1b[2K${text}` : `${text}\n`);
  }

  /** A line that stays. */
  say(line: string): void {
    process.stdout.write(`${this.#isLive ? "\r\x1b[2K" : ""}${line}\n`);
  }
}
