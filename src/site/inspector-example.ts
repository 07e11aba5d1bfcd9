/**
 * The file that the guide looks into: written by the store itself, in memory, whenever the site is built.
 *
 *  (1) Nothing but these calls decides what is in it, so it is the same in every build of one commit.
 */
import {
  allocationText,
  Kladde,
  k,
  readTyped,
  Store,
  type Survey,
  surveyFile,
  surveyHtml,
  surveyText,
  type TypedOptions,
  typedText,
} from "../../engine/kladde/index.ts";
import { MemoryFile } from "../../engine/storage/memory.ts";

const fileName = "diary.kladde";
export const exampleAddress = "/guide/inspector/example.html";
/** The entry that was corrected most. */
const exampleId = 9;

const entry = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => 97 + ((i * 7 + seed * 11) % 26));

const notes = 160;

/** Twelve entries and some notes, corrections over some flushes, and work that the last flush did not see. */
function writeDiary(): MemoryFile {
  const file = new MemoryFile(fileName);
  const store = Store.create(file, { consolidate: false });
  const ids = Array.from({ length: 12 }, () => store.alloc(0));
  for (const [i, id] of ids.entries()) store.write(id, 0, entry(300 + 450 * i, i));
  const noteIds = Array.from({ length: notes }, () => store.alloc(0));
  store.setRoots(ids[0]!, 0, new Uint8Array(16));
  /** Enough to fill leaves, so that older statements stay where they are. */
  const writeNotes = (flush: number): void => {
    for (const [i, id] of noteIds.entries())
      if (flush === 0 || i % 2 === flush % 2) store.write(id, 0, entry(35 + (i % 20), i + flush));
    store.flush();
  };
  writeNotes(0);
  store.resize(ids[2]!, 700);
  writeNotes(1);
  store.resize(ids[2]!, 900);
  store.write(ids[2]!, 200, entry(100, 20));
  for (let i = 0; i < 3; i++) {
    store.write(exampleId, 1000 * i, entry(150, 30 + i));
    writeNotes(2 + i);
  }
  store.free(ids[1]!);
  store.flush();
  store.write(exampleId, 1100, entry(40, 40));
  store.splice(ids[4]!, 10, 5, entry(30, 50));
  return file;
}

const soundBytes = (): Uint8Array => writeDiary().bytes();

/** The same file with one byte changed in a page that holds entries. */
function damagedBytes(): Uint8Array {
  const bytes = soundBytes();
  const used = [...surveyOf(bytes).pages()].filter(({ use, liveBytes }) => use === "data" && liveBytes > 0);
  const { page } = used[used.length >> 1]!;
  bytes[page * 4096 + 1000]! ^= 1;
  return bytes;
}

const surveyOf = (bytes: Uint8Array): Survey => surveyFile(new MemoryFile(fileName, bytes));

const libraryName = "library.kladde";

const Reader = k.struct({ joined: k.u16(), borrowed: k.vec(k.u64({ as: "number" })) }, { name: "Reader" });
const Kind = k.enum({ Novel: {}, Textbook: { edition: k.u8() } }, { name: "Kind" });
const Book = k.struct({ title: k.string(), kind: Kind, shelf: k.option(k.string()) }, { name: "Book" });
const Library = k.struct(
  { name: k.string(), books: k.map(k.u64({ as: "number" }), Book), readers: k.map(k.string(), Reader) },
  { name: "Library" },
);

/** A small library, edited through its types. */
function writeLibrary(): MemoryFile {
  const file = new MemoryFile(libraryName);
  const library = Kladde.open(file, Library, { init: () => ({ name: "Reading room" }) });
  const titles = ["Emma", "Middlemarch", "Organic chemistry", "Persuasion", "Villette"];
  for (const [i, title] of titles.entries())
    library.books.set(100 + i, {
      title,
      kind: i === 2 ? { kind: "Textbook", edition: 4 } : { kind: "Novel" },
      shelf: i % 2 === 0 ? `A${i + 1}` : null,
    });
  library.readers.set("Ada", { joined: 2024, borrowed: [102] });
  library.readers.set("Grace", { joined: 2025, borrowed: [] });
  library.books.delete(103);
  library.close();
  return file;
}

export const libraryBytes = (): Uint8Array => writeLibrary().bytes();

/** The library after a program that knows nothing of its types has written into it. */
export function brokenLibrary(): MemoryFile {
  const file = writeLibrary();
  const { owners } = readTyped(file, { owners: [...surveyFile(file).allocations()].map(({ id }) => id) })
    .values!;
  const idOf = (path: string): number => owners.find((owner) => owner.path === path)!.id;
  const store = Store.open(file);
  // A reader's list points to the books; and an allocation that nobody points to.
  store.write(idOf("readers"), 7, Uint8Array.of(idOf("books"), 0, 0, 0));
  store.write(store.alloc(0), 0, new Uint8Array(20));
  store.close();
  return file;
}

function typedLines(options: TypedOptions, only: "types" | "values"): string {
  const [, ...lines] = typedText(readTyped(writeLibrary(), { length: 200, ...options }), {
    all: false,
    only,
  });
  return lines.join("\n");
}

/** What `kladde inspect` prints, of all kinds. */
export const examples = {
  types: (): string => typedLines({}, "types"),
  values: (): string => typedLines({}, "values"),
  path: (): string => typedLines({ path: "books[102]" }, "values"),
  broken: (): string => {
    const { findings } = readTyped(brokenLibrary());
    return findings.map(({ severity, message }) => `${severity}: ${message}`).join("\n");
  },
  text: (): string => [...surveyText(surveyOf(soundBytes()))].join("\n"),
  id: (): string => [...allocationText(surveyOf(soundBytes()).explain(exampleId))].join("\n"),
  html: (): string => [...surveyHtml(surveyOf(soundBytes()))].join("\n"),
  damaged: (): string => {
    const lines = [...surveyText(surveyOf(damagedBytes()))];
    const from = lines.findIndex((line) => line.startsWith("Page map"));
    return [...lines.slice(0, lines.indexOf("", 4)), "…", ...lines.slice(from, from + 2)].join("\n");
  },
};
