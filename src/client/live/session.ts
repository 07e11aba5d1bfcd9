/**
 * A document in a file in memory, and what each change does to the file.
 *
 *  (1) The file is looked into as a stranger would: by its bytes, while the document has it open.
 *
 * Cost: each step reads the whole file a few times, so the document should stay small.
 */
import { Kladde, k, MemoryFile, type Opened, type Survey, surveyFile } from "../../../engine/kladde/index.ts";
import { type ByteRange, changedRanges } from "./ranges.ts";

export const Note = k.struct(
  { title: k.string(), tags: k.vec(k.string()), body: k.text() },
  { name: "Note" },
);

/** Longer than a kibibyte: edits of shorter texts are not looked for, they are written anew. */
const seed = [
  "This text lies in a file, and the file lies in the memory of this page. Change a letter, and look below at what " +
    "happens: the change goes to the journal, as a record of a few bytes, and it is there when your key comes up.",
  "Nothing else in the file moves until the next flush. A flush folds the journal into fresh pages, writes a new " +
    "header, and leaves the old pages alone until that header is known to be on the disk. Whatever happens in between, " +
    "one of the two headers is whole, and so is everything it names.",
  "Press Crash after some changes, without a flush. The document is dropped as if the process had died, and the bytes " +
    "of the file are opened again. What you had changed is there.",
  "Long texts are edited where they change. This one is long enough: a letter in the middle of it is a record of one " +
    "byte and a little framing. A short text is written anew, which costs less in the long run, because every patch has " +
    "to be described until the text is next written as a whole. A database would write its row anew for every letter; a " +
    "program that saves JSON would write the whole file.",
].join("\n\n");

const firstValue = () => ({ title: "Groceries", tags: ["home", "weekly"], body: seed });

export type NoteDocument = Opened<typeof Note>;

export interface PageView {
  readonly page: number;
  readonly use: string;
  readonly symbol: string;
  readonly says: string;
}

/** What the file holds after a step. */
export interface FileView {
  readonly bytes: number;
  readonly pages: readonly PageView[];
  readonly journal: {
    readonly streamBytes: number;
    /** Records of each transaction, in words. */
    readonly transactions: readonly (readonly string[])[];
  };
}

export interface Step {
  /** The statement, as a program would have it. */
  readonly code: string;
  /** Message of what the statement threw. */
  readonly failure: string | null;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Bytes of the journal's stream that the step added; negative if a flush folded it. */
  readonly journalBytes: number;
  readonly ranges: readonly ByteRange[];
  readonly view: FileView;
}

export class LiveSession {
  #file = new MemoryFile("note.kladde");
  #document: NoteDocument;
  /** By allocation, freed ones too: the path of the value whose bytes it holds, or held last. */
  readonly #names = new Map<number, string>();

  constructor() {
    this.#document = Kladde.open(this.#file, Note, { init: firstValue });
  }

  get document(): NoteDocument {
    return this.#document;
  }

  view(): FileView {
    const survey = surveyFile(this.#file);
    for (const [id, name] of valueNames(survey)) this.#names.set(id, name);
    return viewOf(survey, this.#names);
  }

  /** Runs `change` and tells what became of the file. */
  perform(code: string, change: (document: NoteDocument) => void): Step {
    return this.#observe(code, () => change(this.#document));
  }

  /** Forgets the document, as the death of a process does, and opens the bytes of the file again. */
  crash(): Step {
    return this.#observe('doc = Kladde.open("note.kladde", Note)', () => {
      this.#file = this.#file.clone();
      this.#document = Kladde.open(this.#file, Note);
    });
  }

  #observe(code: string, run: () => void): Step {
    const before = this.#file.bytes();
    const journalBefore = this.view().journal.streamBytes;
    let failure: string | null = null;
    try {
      run();
    } catch (thrown) {
      failure = (thrown as Error).message;
    }
    const after = this.#file.bytes();
    const view = this.view();
    return {
      code,
      failure,
      bytesBefore: before.length,
      bytesAfter: after.length,
      journalBytes: view.journal.streamBytes - journalBefore,
      ranges: changedRanges(before, after),
      view,
    };
  }
}

function viewOf(survey: Survey, names: ReadonlyMap<number, string>): FileView {
  const { fileBytes, journal, slots } = survey.head;
  return {
    bytes: fileBytes,
    pages: [...survey.pages()].map((row) => {
      const { page, use, liveBytes, contentBytes } = row;
      if (use === "header") return { page, use, ...headerText(slots[page]?.state ?? "missing") };
      const hasContent = contentBytes !== null && use !== "free" && use !== "quarantined";
      const says = hasContent ? `${use}, ${liveBytes} of ${contentBytes} bytes live` : use;
      return { page, use, symbol: symbols[use] ?? "?", says };
    }),
    journal: {
      streamBytes: journal?.streamBytes ?? 0,
      transactions: (journal?.listed ?? []).map(({ records }) =>
        records.map((row) => recordText(row, names)),
      ),
    },
  };
}

const headerText = (state: string): { symbol: string; says: string } =>
  state === "governs"
    ? { symbol: "H", says: "header, governs" }
    : { symbol: "h", says: state === "older" ? "header, the older one" : `header, ${state}` };

const symbols: Readonly<Record<string, string>> = {
  interior: "T",
  leaf: "T",
  data: "D",
  journal: "J",
  quarantined: "Q",
  free: "·",
};

type RecordRow = NonNullable<Survey["head"]["journal"]>["listed"][number]["records"][number];

function* valueNames(survey: Survey): Generator<[number, string]> {
  const steps: string[] = [];
  for (const { depth, step, id } of survey.typed({ length: 1 }).values?.rows ?? []) {
    steps.length = depth;
    steps.push(step);
    if (id !== null) yield [id, steps.join("").replace(/^\./, "") || "the root"];
  }
}

function recordText(row: RecordRow, names: ReadonlyMap<number, string>): string {
  const { record, id, offset, length, oldLength } = row;
  const name = names.get(id);
  const what = name === undefined ? `allocation ${id}` : `${name} (allocation ${id})`;
  if (record === "Free") return `Free ${what}`;
  if (record === "Resize") return `Resize ${what} to ${bytesText(length ?? 0)}`;
  if (record === "Splice")
    return `Splice ${what} at ${offset}: ${bytesText(oldLength ?? 0)} become ${length ?? 0}`;
  return `${record} ${bytesText(length ?? 0)} to ${what} at ${offset}`;
}

export const bytesText = (count: number): string => (count === 1 ? "1 byte" : `${grouped(count)} bytes`);

/** With a comma between thousands, whatever the reader's locale: the page is in English. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
