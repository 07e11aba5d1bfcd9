/**
 * Histories of what old content and old sizes come back through: allocations that shrink, grow again without a byte
 * written, end and begin again, while others keep the header full, so that the statements of all that lie in leaves of
 * every age.
 *
 *  (1) Every flush is followed by another session.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { StoreOptions } from "../options.ts";
import type { Step } from "./history.ts";

const quietCount = 60;
/** Written in every round; more than a header holds. */
const busyCount = 26;
const rounds = 50;
const bytesMax = 220;

/** Many bytes to a statement, so that few fill a leaf, and a short window, so that statements stay where they are. */
export const trapStore: StoreOptions = { inlineThreshold: 251, walk: 4 };

export function drawTrapHistory(seed: number): Step[] {
  const drawing = new Drawing(new SplitMix32(seed));
  for (let round = 0; round < rounds; round++) drawing.round();
  return drawing.steps;
}

class Drawing {
  readonly steps: Step[] = [];
  readonly #random: SplitMix32;
  readonly #quiet: { slot: number; size: number }[] = [];
  readonly #busy: number[] = [];

  constructor(random: SplitMix32) {
    this.#random = random;
    for (let i = 0; i < quietCount; i++) this.#quiet.push(this.#made());
    for (let i = 0; i < busyCount; i++) this.#busy.push(this.#made().slot);
    this.#flush();
  }

  /** A few changes of quiet allocations; the busy ones then take their statements' room in the header. */
  round(): void {
    const { steps } = this;
    for (let changes = this.#random.below(5); changes > 0; changes--) this.#change();
    const length = 100 + this.#random.below(100);
    for (const slot of this.#busy)
      if (this.#random.below(4) > 0)
        steps.push({ do: "write", slot, offset: 0, length, seed: this.#random.next() });
    this.#flush();
  }

  #change(): void {
    const at = this.#random.below(quietCount);
    const one = this.#quiet[at]!;
    const { slot } = one;
    switch (this.#random.below(6)) {
      case 0:
        this.steps.push({ do: "free", slot });
        // The id is another one's from the next flush on.
        this.#quiet[at] = this.#made();
        return;
      case 1:
      case 2:
        one.size = this.#random.below(one.size + 1);
        break;
      case 3:
        if (one.size === 0) return;
        this.steps.push({ do: "write", slot, offset: this.#random.below(one.size), length: 1, seed: 7 });
        return;
      default:
        one.size += this.#random.below(40);
    }
    this.steps.push({ do: "resize", slot, size: one.size });
  }

  #made(): { slot: number; size: number } {
    const slot = this.steps.length;
    const size = this.#random.below(bytesMax);
    const length = this.#random.below(size + 1);
    this.steps.push({ do: "alloc", slot, size });
    if (length > 0) this.steps.push({ do: "write", slot, offset: 0, length, seed: this.#random.next() });
    return { slot, size };
  }

  #flush(): void {
    this.steps.push({ do: "flush" }, { do: "kill" });
  }
}
