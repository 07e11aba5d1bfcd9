/**
 * gzip whose bytes depend on the content alone: level 9, no name, no time, and the system byte fixed.
 *
 * The header's last byte names the operating system of the writer; 255 means "unknown".
 */

import { gunzipSync, gzipSync } from "node:zlib";

const MTIME_AT = 4;
const SYSTEM_AT = 9;
const SYSTEM_UNKNOWN = 255;

export function compress(text: string): Uint8Array {
  const bytes = gzipSync(text, { level: 9 });
  bytes.fill(0, MTIME_AT, MTIME_AT + 4);
  bytes[SYSTEM_AT] = SYSTEM_UNKNOWN;
  return bytes;
}

export function decompress(bytes: Uint8Array): string {
  return gunzipSync(bytes).toString("utf8");
}
