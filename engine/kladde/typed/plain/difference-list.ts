/** Differences as they are found; at most `differencesMax` are kept, all are counted. */

import { pathOf, type Way } from "../types/path.ts";
import type { Bridge, SchemaDifference } from "./mismatch.ts";

export const differencesMax = 100;

export class DifferenceList {
  readonly list: SchemaDifference[] = [];
  readonly counts: Record<Bridge, number> = { upgrade: 0, "drop-fields": 0, "if-unused": 0, none: 0 };

  add(way: Way | undefined, message: string, bridge: Bridge): void {
    this.counts[bridge]++;
    if (this.list.length < differencesMax) this.list.push({ at: pathOf(way), message, bridge });
    else if (this.list.length === differencesMax)
      this.list.push({ at: "value", message: `there are more than ${differencesMax} differences`, bridge });
  }
}
