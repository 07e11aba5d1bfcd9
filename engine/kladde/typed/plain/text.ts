/** Text as it is stored. */

import type { Range } from "./access.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export interface StoredText {
  readonly value: string;
  readonly isWellFormed: boolean;
}

/** Faulty parts are replacement characters; a character that only the end of reading cut in two is left out. */
export function decodeText({ bytes, at, end, isCut }: Range): StoredText {
  const content = bytes.subarray(at, isCut ? wholeEnd(bytes, at, end) : end);
  try {
    return { value: strict.decode(content), isWellFormed: true };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return { value: lenient.decode(content), isWellFormed: false };
  }
}

/** Before the character that the bytes end in. */
function wholeEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let at = end - 1; at >= from && at >= end - 4; at--) {
    if (bytes[at]! >> 6 === 2) continue;
    return bytes[at]! >= 0xc0 ? at : end;
  }
  return end;
}
