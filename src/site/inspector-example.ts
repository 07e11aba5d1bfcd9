/**
 * The file that the guide looks into: written by the store itself, in memory, whenever the site is built.
 *
 *  (1) Nothing but these calls decides what is in it, so it is the same in every build of one commit.
 */
import {
  allocationText,
  Store,
  type Survey,
  surveyFile,
  surveyHtml,
  surveyText,
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

/** What `kladde inspect` prints, of all three kinds. */
export const examples = {
  text: (): string => [...surveyText(surveyOf(soundBytes()))].join("\n"),
  id: (): string => [...allocationText(surveyOf(soundBytes()).explain(exampleId))].join("\n"),
  html: (): string => [...surveyHtml(surveyOf(soundBytes()))].join("\n"),
  damaged: (): string => {
    const lines = [...surveyText(surveyOf(damagedBytes()))];
    const from = lines.findIndex((line) => line.startsWith("Page map"));
    return [...lines.slice(0, lines.indexOf("", 4)), "…", ...lines.slice(from, from + 2)].join("\n");
  },
};
