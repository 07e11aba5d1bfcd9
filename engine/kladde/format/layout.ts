/**
 * Where every fixed field of a kladde file lies. Reader, writer, checker and documentation take their offsets here.
 *
 *  (1) The file is a sequence of 4 KiB pages; pages 0 and 1 are the header slots.
 *  (2) An ordinary page is framed: kind, epoch, content size, content, CRC. A header page has 48 bytes before that.
 *  (3) A page of the current journal segment has no frame, only a trailer.
 */

export interface Field {
  readonly offset: number;
  readonly bytes: number;
}

/** Turns sizes, in order, into fields; offsets are computed, never typed by hand. */
export function layout<const Name extends string>(
  sizes: readonly (readonly [Name, number])[],
): { readonly fields: Readonly<Record<Name, Field>>; readonly bytes: number } {
  const fields = {} as Record<Name, Field>;
  let offset = 0;
  for (const [name, bytes] of sizes) {
    fields[name] = { offset, bytes };
    offset += bytes;
  }
  return { fields, bytes: offset };
}

export const log2PageBytes = 12;
export const pageBytes = 4096;

/** Fields that only the two header slots have, at their start. */
export const headerLayout = layout([
  ["magic", 11],
  ["log2PageSize", 1],
  ["formatVersion", 2],
  ["minReaderVersion", 2],
  ["rootAllocation", 4],
  ["schemaTable", 4],
  ["consolidatorState", 4],
  ["rootFingerprint", 16],
  ["journalPointer", 4],
]);

/** Frame in front of the content of every page but a journal page; a header page's starts at `headerLayout.bytes`. */
export const frameLayout = layout([
  ["kind", 1],
  ["epoch", 8],
  ["contentSize", 2],
]);

export const crcBytes = 4;

/** Trailer of a journal page that the stream continues from. */
export const trailerLayout = layout([
  ["next", 4],
  ["trailerCrc", 4],
]);

/** First byte of an ordinary page's content, and of a header page's. */
export const contentOffset = frameLayout.bytes;
export const headerContentOffset = headerLayout.bytes + frameLayout.bytes;

/** Bytes of content that fit: 4081 in an ordinary page, 4033 in a header page. */
export const contentCapacity = pageBytes - frameLayout.bytes - crcBytes;
export const headerContentCapacity = contentCapacity - headerLayout.bytes;

/** Bytes of the journal stream in one page: 4088. */
export const streamBytesPerPage = pageBytes - trailerLayout.bytes;

export const pageKindTable = 1;
export const pageKindData = 2;

/** `\x8B`, `KLADDE`, CR LF, `1A`, LF: binary at the first byte, and damaged by any text-mode transfer. */
export const magic: Uint8Array = Uint8Array.of(
  0x8b,
  0x4b,
  0x4c,
  0x41,
  0x44,
  0x44,
  0x45,
  0x0d,
  0x0a,
  0x1a,
  0x0a,
);

/** What this implementation writes, and the newest `minReaderVersion` it can serve. */
export const formatVersion = 0;
export const readerVersion = 0;

/** The first page that is not a header slot. */
export const firstOrdinaryPage = 2;

/** Largest id, size, offset and page number. */
export const u32Max = 0xffffffff;

/** Inline payloads of 1 … 251 bytes. */
export const inlineBytesMax = 251;

/** Page and offset of a file address; addresses pass 2^32, so no bit operators. */
export const addressPage = (address: number): number => Math.floor(address / pageBytes);
export const addressOf = (page: number, offset: number): number => page * pageBytes + offset;
