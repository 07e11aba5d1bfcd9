/**
 * The fastest CRC-32C that Node has at hand.
 *
 * `@node-rs/crc32` is an optional dependency: where its binary is missing, does not load or computes something else,
 * the portable one does the work, with the same results. A call into the binary costs about 150 ns, so the portable
 * one keeps the short inputs either way.
 */

import { createRequire } from "node:module";
import { type Crc32c, crc32c } from "../codec/crc32c.ts";

/** Shorter inputs are done before a call into the binary returns. */
const nativeBytesMin = 160;

let fastest: Crc32c | undefined;

/** Loaded and verified at the first call. */
export function nodeCrc32c(): Crc32c {
  fastest ??= choose();
  return fastest;
}

function choose(): Crc32c {
  const native = nativeCrc32c();
  if (native === undefined) return crc32c;
  return (bytes, crc = 0) => (bytes.length < nativeBytesMin ? crc32c(bytes, crc) : native(bytes, crc));
}

/** The binary's function if it loads and computes CRC-32C, chained as ours is. */
export function nativeCrc32c(): Crc32c | undefined {
  try {
    const { crc32c: native } = createRequire(import.meta.url)("@node-rs/crc32") as { crc32c: Crc32c };
    return computesCrc32c(native) ? native : undefined;
  } catch {
    return undefined;
  }
}

function computesCrc32c(candidate: Crc32c): boolean {
  const digits = new TextEncoder().encode("123456789");
  const chained = candidate(digits.subarray(4), candidate(digits.subarray(0, 4)));
  return candidate(digits) === 0xe3069283 && chained === 0xe3069283 && candidate(new Uint8Array(0), 7) === 7;
}
