/**
 * What a command line shows of its runs: one line for each, which on a terminal, and not in CI, counts up.
 */

import { type Run, runTitle, sessionsOf } from "./runs.ts";
import type { Standing } from "./table.ts";

const mib = 1024 * 1024;
const betweenMillis = 100;
const titleWidth = 30;

export class Progress {
  readonly #isLive = process.stdout.isTTY === true && !process.env.CI;
  #start = performance.now();
  #shown = 0;

  show(run: Run, rows: number, standing?: Standing): void {
    if (standing === undefined) {
      this.#write(`${runTitle(run).padEnd(titleWidth)} ${String(rows).padStart(5)} ${ending(this.#start)}\n`);
      return;
    }
    if (rows === 1) this.#start = performance.now();
    if (this.#isLive && performance.now() - this.#shown > betweenMillis) this.#draw(run, standing);
  }

  #draw(run: Run, { flush, app_bytes }: Standing): void {
    const percent = String(Math.min(Math.floor(100 * shareDone(run, flush, app_bytes)), 100)).padStart(3);
    this.#shown = performance.now();
    this.#write(`${runTitle(run).padEnd(titleWidth)} ${String(flush).padStart(5)} flushes, ${percent} %`);
  }

  #write(line: string): void {
    process.stdout.write(this.#isLive ? `\r\x1b[2K${line}` : line);
  }
}

function shareDone({ scenario, sizeBytes }: Run, flush: number, appBytes: number): number {
  if (scenario === "shrink") return flush / 401;
  return scenario === "sessions" ? flush / sessionsOf(sizeBytes) : appBytes / (8 * sizeBytes);
}

/** The peak is the process's, so it says something about a run that is the first or the largest so far. */
const ending = (start: number): string =>
  `flushes in ${seconds(start).padStart(7)}, ${peakMemoryMiB().toFixed(0).padStart(4)} MiB of memory at most so far`;

export const seconds = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;

/** Peak resident memory of this process. */
export const peakMemoryMiB = (): number => (process.resourceUsage().maxRSS * 1024) / mib;
