/** Where two states of a file differ. */

const pageBytes = 4096;
/** Equal bytes between two differences that do not divide them. */
const gapMax = 7;
/** Bytes of a range that are shown. */
const shownMax = 10;

export interface ByteRange {
  readonly page: number;
  /** Within the page. */
  readonly offset: number;
  readonly length: number;
  /** Hexadecimal of the first bytes; empty where the file did not reach. */
  readonly before: string;
  readonly after: string;
}

/** Ranges in which the files differ, none across a page. Where only one of them reaches, the other counts as zeros. */
export function changedRanges(before: Uint8Array, after: Uint8Array): ByteRange[] {
  const length = Math.max(before.length, after.length);
  const ranges: ByteRange[] = [];
  let from = -1;
  let to = -1;
  const close = (): void => {
    if (from >= 0) ranges.push(rangeOf(before, after, from, to));
    from = -1;
  };
  for (let at = 0; at < length; at++) {
    if (at % pageBytes === 0 || (from >= 0 && at - to > gapMax)) close();
    if ((before[at] ?? 0) === (after[at] ?? 0)) continue;
    if (from < 0) from = at;
    to = at + 1;
  }
  close();
  return ranges;
}

function rangeOf(before: Uint8Array, after: Uint8Array, from: number, to: number): ByteRange {
  return {
    page: Math.floor(from / pageBytes),
    offset: from % pageBytes,
    length: to - from,
    before: hex(before.subarray(from, to)),
    after: hex(after.subarray(from, to)),
  };
}

function hex(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, shownMax), (byte) => byte.toString(16).padStart(2, "0"));
  return shown.join(" ") + (bytes.length > shownMax ? " …" : "");
}
