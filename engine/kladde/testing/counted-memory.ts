/**
 * How many bytes of arrays a piece of work makes, freed ones included: what a file claims must not decide it.
 *
 *  (1) The constructors of typed arrays and buffers are replaced while the work is done. Arrays that share a buffer
 *      count nothing.
 */

const names = ["ArrayBuffer", "Uint8Array", "Uint16Array", "Uint32Array", "Float64Array"] as const;

/** Runs `step`, and returns what it returned and how many bytes it made. */
export function counted<T>(step: () => T): readonly [T, number] {
  let bytes = 0;
  const originals = names.map((name) => globalThis[name]);
  const world = globalThis as unknown as Record<string, unknown>;
  names.forEach((name, i) => {
    const original = originals[i] as unknown as new (...given: unknown[]) => { byteLength: number };
    const scale = (original as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
    world[name] = new Proxy(original, {
      construct(target, given: unknown[], newTarget) {
        if (typeof given[0] === "number") bytes += given[0] * scale;
        return Reflect.construct(target, given, newTarget === world[name] ? target : newTarget);
      },
    });
  });
  try {
    const result = step();
    return [result, bytes];
  } finally {
    names.forEach((name, i) => {
      world[name] = originals[i];
    });
  }
}
