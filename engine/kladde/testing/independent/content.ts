/**
 * Contents of allocations as a list of pieces, each of them bytes or so many zeros: four billion zeros cost nothing.
 *
 *  (1) A content is never changed, only replaced.
 */

export interface Piece {
  readonly length: number;
  /** Undefined: zeros. */
  readonly bytes?: Uint8Array;
}

export type Content = readonly Piece[];

export const zeros = (length: number): Content => (length === 0 ? [] : [{ length }]);

export const bytesContent = (bytes: Uint8Array): Content =>
  bytes.length === 0 ? [] : [{ length: bytes.length, bytes }];

export const lengthOf = (content: Content): number => content.reduce((sum, { length }) => sum + length, 0);

/** Bytes `[from, to)`, zeros where there are none. */
export function range(content: Content, from: number, to: number): Content {
  const out: Piece[] = [];
  let at = 0;
  for (const { length, bytes } of content) {
    const low = Math.max(from, at);
    const high = Math.min(to, at + length);
    if (low < high)
      out.push({ length: high - low, ...(bytes && { bytes: bytes.subarray(low - at, high - at) }) });
    at += length;
  }
  const missing = to - Math.max(from, at);
  return missing > 0 ? [...out, ...zeros(missing)] : out;
}

export const joined = (...parts: readonly Content[]): Content => parts.flat();

/** `bytes` in place of the bytes that lie there, which must exist. */
export const replaced = (content: Content, at: number, bytes: Content): Content =>
  joined(
    range(content, 0, at),
    bytes,
    range(content, at + lengthOf(bytes), Math.max(lengthOf(content), at + lengthOf(bytes))),
  );
