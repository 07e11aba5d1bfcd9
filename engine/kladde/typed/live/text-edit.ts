/**
 * How a text becomes another one with few bytes: appended to, cut, patched, or written anew.
 *
 *  (1) Edits begin and end between code points.
 *  (2) One record, whatever the edit.
 *
 * Cost: finding an append or a cut is one comparison of the shared part. Inner edits are looked for in long texts only:
 * each stays a statement of its own in the address table, while a short text is rewritten for about as many bytes.
 */

import type { Ledger } from "./ledger.ts";

/** Texts below this length are rewritten rather than patched. */
const patchUnitsMin = 1024;

const utf8 = new TextEncoder();
const scratch = new Uint8Array(3 * 4096);

/** UTF-8 bytes of a well-formed text. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let from = 0; from < text.length; ) {
    const { read, written } = utf8.encodeInto(from === 0 ? text : text.slice(from), scratch);
    from += read;
    bytes += written;
  }
  return bytes;
}

const isLowSurrogate = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
};

/** Units that both texts begin with, ending between code points. */
function sharedPrefix(old: string, next: string): number {
  const most = Math.min(old.length, next.length);
  let at = 0;
  while (at < most && old.charCodeAt(at) === next.charCodeAt(at)) at++;
  return at > 0 && (isLowSurrogate(old, at) || isLowSurrogate(next, at)) ? at - 1 : at;
}

/** Units that both texts end with behind `prefix`. */
function sharedSuffix(old: string, next: string, prefix: number): number {
  const most = Math.min(old.length, next.length) - prefix;
  let count = 0;
  while (count < most && old.charCodeAt(old.length - 1 - count) === next.charCodeAt(next.length - 1 - count))
    count++;
  return count > 0 && isLowSurrogate(old, old.length - count) ? count - 1 : count;
}

/** Records that allocation `id`, which holds `old`, holds `next` from now on; returns its bytes. */
export function recordText(ledger: Ledger, id: number, old: string, oldBytes: number, next: string): number {
  const { store } = ledger;
  if (next.length > old.length && next.slice(0, old.length) === old) {
    const tail = ledger.encodeText(next.slice(old.length));
    store.write(id, oldBytes, tail);
    return oldBytes + tail.length;
  }
  if (next.length < old.length && old.slice(0, next.length) === next) {
    const bytes = oldBytes === old.length ? next.length : utf8Bytes(next);
    store.resize(id, bytes);
    return bytes;
  }
  if (old.length >= patchUnitsMin) {
    const prefix = sharedPrefix(old, next);
    const suffix = sharedSuffix(old, next, prefix);
    if (2 * (prefix + suffix) >= next.length) {
      const inserted = next.slice(prefix, next.length - suffix);
      return recordReplacement(ledger, id, old, oldBytes, prefix, old.length - suffix, inserted);
    }
  }
  const bytes = ledger.encodeText(next);
  if (bytes.length >= oldBytes) store.write(id, 0, bytes);
  else store.splice(id, 0, oldBytes, bytes);
  return bytes.length;
}

/** Records that the units `[from, to)` of `old` are replaced by `inserted`; returns the new bytes. */
export function recordReplacement(
  ledger: Ledger,
  id: number,
  old: string,
  oldBytes: number,
  from: number,
  to: number,
  inserted: string,
): number {
  const isAscii = oldBytes === old.length;
  const at = isAscii ? from : utf8Bytes(old.slice(0, from));
  const removed = isAscii ? to - from : utf8Bytes(old.slice(from, to));
  const bytes = ledger.encodeText(inserted);
  const size = oldBytes - removed + bytes.length;
  if (at + removed === oldBytes && bytes.length === 0) ledger.store.resize(id, size);
  else if (bytes.length === removed || at + removed === oldBytes) recordOver(ledger, id, at, removed, bytes);
  else ledger.store.splice(id, at, removed, bytes);
  return size;
}

/** Bytes at the end, or as many as were there. */
function recordOver(ledger: Ledger, id: number, at: number, removed: number, bytes: Uint8Array): void {
  if (bytes.length >= removed) ledger.store.write(id, at, bytes);
  else ledger.store.splice(id, at, removed, bytes);
}
