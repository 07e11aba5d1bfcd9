/**
 * A turn for the event loop, at most every 50 ms: a run is synchronous otherwise, and nothing could stop it.
 */

const betweenMillis = 50;

export class Breath {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  /** Throws the signal's reason if it was given already. */
  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.throwIfAborted();
  }

  get isDue(): boolean {
    return performance.now() - this.#last > betweenMillis;
  }

  /** Rejects with the signal's reason. */
  async take(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#last = performance.now();
  }
}
