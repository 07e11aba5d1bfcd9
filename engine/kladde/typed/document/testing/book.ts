/** A document of two versions, for the tests of upgrades. */

import { MemoryFile } from "../../../../storage/memory.ts";
import { MemoryDisk } from "../../../../storage/memory-disk.ts";
import type { Disk } from "../../../../storage/storage.ts";
import * as k from "../../schema/k.ts";
import { kladdeOn } from "../kladde.ts";

export const OldNote = k.struct({ title: k.string(), count: k.u8(), gone: k.u32() }, { name: "Note" });
export const Old = k.struct(
  { notes: k.vec(OldNote), names: k.map(k.u32(), k.string()), state: k.oneOf("draft", "final") },
  { name: "Book" },
);
const NewNote = k.struct(
  { heading: k.string().was("title"), count: k.u32(), tags: k.vec(k.string()) },
  { name: "Note" },
);
export const New = k.struct(
  {
    names: k.sortedMap(k.u64(), k.string()),
    notes: k.packedVec(NewNote),
    state: k.oneOf("draft", "final", "sent"),
    limit: k.option(k.u32()).default(5),
  },
  { name: "Book" },
);

export const firstValue = () => ({
  notes: [
    { title: "one", count: 1, gone: 7 },
    { title: "zwei", count: 200, gone: 8 },
  ],
  names: new Map([
    [9, "nine"],
    [3, "three"],
  ]),
  state: "final" as const,
});

export const upgradedValue = {
  names: new Map([
    [9n, "nine"],
    [3n, "three"],
  ]),
  notes: [
    { heading: "one", count: 1, tags: [] },
    { heading: "zwei", count: 200, tags: [] },
  ],
  state: "final",
  limit: 5,
};

export function contentOf(disk: Disk, name: string): Uint8Array {
  const file = disk.open(name, "read");
  const bytes = new Uint8Array(file.size());
  file.read(bytes, 0);
  file.close();
  return bytes;
}

/** A disk with one old document, `book`, part of which is in its journal only. */
export function oldDisk(): MemoryDisk {
  const file = new MemoryFile("book");
  const doc = kladdeOn().open(file, Old, { init: () => ({ ...firstValue(), names: [] }) });
  doc.names.setAll(firstValue().names);
  const bytes = file.bytes();
  const disk = new MemoryDisk();
  const target = disk.open("book", "create");
  target.truncate(bytes.length);
  target.write(bytes, 0);
  return disk;
}
