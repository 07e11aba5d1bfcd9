/**
 * Journals as another writer might leave them: records on ids that exist and on ids that do not, an id that ends and
 * begins again within one segment, overlapping moves, ranges behind the end. And what the format says they do.
 *
 *  (1) `applyRecord` is the format's list of effects and nothing else.
 */

import type { SplitMix32 } from "../../storage/random.ts";
import { type Contents, resized } from "./model.ts";
import { record } from "./pages.ts";

export type JournalRecord =
  | { readonly do: "free"; readonly id: number }
  | { readonly do: "resize"; readonly id: number; readonly size: number }
  | { readonly do: "write"; readonly id: number; readonly offset: number; readonly bytes: Uint8Array }
  | {
      readonly do: "splice";
      readonly id: number;
      readonly offset: number;
      readonly oldLength: number;
      readonly bytes: Uint8Array;
    }
  | {
      readonly do: "copy" | "move";
      readonly src: number;
      readonly srcOffset: number;
      readonly length: number;
      readonly dst: number;
      readonly dstOffset: number;
    };

export function encodeRecord(one: JournalRecord): number[] {
  switch (one.do) {
    case "free":
      return record.free(one.id);
    case "resize":
      return record.resize(one.id, one.size);
    case "write":
      return record.write(one.id, one.offset, one.bytes);
    case "splice":
      return record.splice(one.id, one.offset, one.oldLength, one.bytes);
    default:
      return record[one.do](one.src, one.srcOffset, one.length, one.dst, one.dstOffset);
  }
}

/** The state after `one`; arrays are replaced, never changed. */
export function applyRecord(before: Contents, one: JournalRecord): Contents {
  const after = new Map(before);
  if (one.do === "free") {
    after.delete(one.id);
    return after;
  }
  if (one.do === "resize") return after.set(one.id, resized(before.get(one.id) ?? nothing, one.size));
  if (one.do === "write") {
    const target = reaching(before, one.id, one.offset + one.bytes.length);
    target.set(one.bytes, one.offset);
    return after.set(one.id, target);
  }
  if (one.do === "splice") {
    const target = reaching(before, one.id, one.offset + one.oldLength);
    const spliced = [target.subarray(0, one.offset), one.bytes, target.subarray(one.offset + one.oldLength)];
    return after.set(one.id, new Uint8Array(Buffer.concat(spliced)));
  }
  const source = before.get(one.src) ?? nothing;
  const range = resized(source.subarray(one.srcOffset, one.srcOffset + one.length), one.length);
  if (one.do === "move" && source.length > one.srcOffset)
    after.set(one.src, source.slice().fill(0, one.srcOffset, one.srcOffset + one.length));
  const target = reaching(after, one.dst, one.dstOffset + one.length);
  target.set(range, one.dstOffset);
  return after.set(one.dst, target);
}

const nothing = new Uint8Array(0);

/** A copy of what `id` holds, none if it does not exist, with zeros up to `end` if it is shorter. */
function reaching(contents: Contents, id: number, end: number): Uint8Array {
  const content = contents.get(id) ?? nothing;
  return resized(content, Math.max(content.length, end));
}

/** A record on one of `ids` or a few beside them. */
export function drawRecord(random: SplitMix32, ids: readonly number[], contents: Contents): JournalRecord {
  const below = (count: number): number => random.below(count);
  const pick = (): number => (below(8) === 0 ? 1 + below(30) : ids[below(ids.length)]!);
  const id = pick();
  const size = contents.get(id)?.length ?? 0;
  const offset = below(3) === 0 ? below(size + 20) : below(size + 1);
  const length = below(3) === 0 ? 0 : below(below(8) === 0 ? 6000 : 80);
  const bytes = Uint8Array.from({ length }, () => 1 + below(255));
  switch (below(8)) {
    case 0:
      return { do: "free", id };
    case 1:
    case 2:
      return { do: "resize", id, size: below(3) === 0 ? below(size + 1) : below(size + 50) };
    case 3:
    case 4:
      return { do: "write", id, offset, bytes };
    case 5:
      return { do: "splice", id, offset, oldLength: below(Math.max(1, size - offset + 5)), bytes };
    default: {
      const dst = below(3) === 0 ? id : pick();
      const dstOffset = dst === id ? Math.max(0, offset + below(21) - 10) : below(40);
      return { do: below(2) === 0 ? "copy" : "move", src: id, srcOffset: offset, length, dst, dstOffset };
    }
  }
}
