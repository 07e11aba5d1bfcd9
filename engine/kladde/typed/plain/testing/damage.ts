/** Damage to stored values, for tests. */

import fc from "fast-check";

/** What a damaged file may hold: a few bytes changed, allocations cut, grown, gone or put in each other's place. */
export const damage = fc.array(
  fc.tuple(
    fc.constantFrom("flip", "set", "cut", "grow", "drop", "swap", "id"),
    fc.nat(),
    fc.nat(),
    fc.nat(255),
  ),
  { minLength: 1, maxLength: 3 },
);

export function damaged(
  allocations: ReadonlyMap<number, Uint8Array>,
  steps: readonly (readonly [string, number, number, number])[],
): Map<number, Uint8Array> {
  const result = new Map([...allocations].map(([id, bytes]) => [id, bytes.slice()]));
  for (const [step, which, where, value] of steps) {
    const ids = [...result.keys()];
    const id = ids[which % ids.length];
    if (id === undefined) break;
    const bytes = result.get(id)!;
    const at = where % Math.max(1, bytes.length);
    if (step === "flip") bytes[at]! ^= 1 << (value & 7);
    else if (step === "set") bytes[at] = value;
    else if (step === "id") bytes[at] = ids[value % ids.length]!;
    else if (step === "cut") result.set(id, bytes.slice(0, at));
    else if (step === "grow")
      result.set(id, Uint8Array.from([...bytes, ...new Array<number>((value & 7) + 1).fill(where & 1)]));
    else if (step === "drop") result.delete(id);
    else result.set(id, result.get(ids[value % ids.length]!)!.slice());
  }
  return result;
}
