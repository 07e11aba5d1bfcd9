/**
 * Reading committed content through the fragment map.
 *
 *  (1) What no fragment's bytes provide is zero; bytes at or past the size are never provided.
 *  (2) A zero run is computed, not read: an allocation may be 4 GiB of zeros in a file of 12 KiB.
 *
 * Cost: one descent, then the fragments in order.
 */

import { crc32cZeros } from "../codec/crc32c.ts";
import { copyFragment, type FlushContext, hasBytes } from "./flush/context.ts";

type Source = Pick<FlushContext, "state" | "arena" | "cache" | "file">;

/** Fills `into` from `offset` of `id`; the range must lie below the committed size. */
export function readCommitted(source: Source, id: number, offset: number, into: Uint8Array): void {
  forEachPart(source, id, offset, offset + into.length, (at, skip, start, bytes) => {
    if (at < 0) into.fill(0, start - offset, start - offset + bytes);
    else copyFragment(source, at, skip, bytes, into, start - offset);
  });
}

const chunkBytes = 65536;
/** Made once: a file may hold a million allocations of one byte. */
const chunk = new Uint8Array(chunkBytes);

/** CRC-32C of the whole content of `id`. */
export function contentCrc(source: Source, id: number): number {
  let crc = 0;
  forEachPart(source, id, 0, source.state.allocations.sizeOf(id), (at, skip, _start, bytes) => {
    if (at < 0) {
      crc = crc32cZeros(crc, bytes);
      return;
    }
    for (let done = 0; done < bytes; done += chunkBytes) {
      const part = chunk.subarray(0, Math.min(chunkBytes, bytes - done));
      copyFragment(source, at, skip + done, part.length, part, 0);
      crc = source.file.crc32c(part, crc);
    }
  });
  return crc;
}

/** `at`: position of a fragment with bytes, `skip` bytes into it; −1 for zeros. */
type VisitPart = (at: number, skip: number, start: number, bytes: number) => void;

function forEachPart(source: Source, id: number, from: number, to: number, visit: VisitPart): void {
  const { state } = source;
  const size = state.allocations.sizeOf(id);
  if (from >= to) return;
  for (let at = state.fragmentAt(id, from), start = from; start < to; at = state.fragments.next(at)) {
    const begin = state.fragments.keyOffset[at]!;
    const stop = Math.min(state.fragmentEnd(at, id, size), to);
    visit(hasBytes(source, at) ? at : -1, start - begin, start, stop - start);
    start = stop;
  }
}
