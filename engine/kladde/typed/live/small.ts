/**
 * Small values: content that lies inside the value around it while it is short, and in an allocation of its own otherwise.
 *
 *   inline:   content's bytes, from 0 to 254 (1 byte) | content
 *   spilled:  255 (1 byte) | allocation (varint, 0: empty)
 *
 *  (1) Where content lies is the writer's choice; a reader takes either. Ours lets it out above `inlineBytesMax` and takes
 *      it back below `spilledBytesMin`, so that a value at one of the limits does not go out and in with each change.
 */

export const inlineBytesMax = 128;
export const spilledBytesMin = 64;

/** The longest content that a foreign writer may have put inline. */
export const inlineBytesLimit = 254;
export const spilledTag = 255;

/** Stands for the allocation of spilled content that has none: a null pointer. 0 stands for inline content. */
export const nowhere = -1;

/** A change of bytes within one allocation. */
export interface Patch {
  readonly offset: number;
  readonly removed: number;
  readonly bytes: Uint8Array;
}

/** `content` with a range replaced, in a new array. */
export function patched(content: Uint8Array, { offset, removed, bytes }: Patch): Uint8Array {
  const next = new Uint8Array(content.length - removed + bytes.length);
  next.set(content.subarray(0, offset));
  next.set(bytes, offset);
  next.set(content.subarray(offset + removed), offset + bytes.length);
  return next;
}
