/** Every run's quantities as values that pages quote. */

import type { Results } from "../results.ts";
import { measure, type Series } from "../series.ts";
import { idOf, quantitiesOf } from "./quantities.ts";

export function addValues(results: Results, all: readonly Series[]): void {
  for (const series of all) {
    for (const { name, says, unit, kind, of } of quantitiesOf(series)) {
      const measured = kind === "exact" ? { value: of(series.rows) } : measure(series, of);
      results.value(idOf(series, name), { ...measured, unit, kind, says });
    }
  }
}
