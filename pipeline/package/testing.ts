/** Programs of an application that has installed the package; `daybook` resolves only where they are put. */

/** Opens, changes, locks out, reopens, inspects; prints what it found as JSON. */
export const underNode = `
import { surveyFile } from "daybook/inspect";
import { k, Kladde, openNodeFile, Store } from "daybook/kladde";

const Note = k.struct({ title: k.string(), tags: k.vec(k.string()) }, { name: "Note" });
const doc = Kladde.open("note.kladde", Note, { init: () => ({ title: "Groceries" }) });
doc.tags.push("home", "weekly");
doc.transaction(() => {
  doc.title += " (week 12)";
});
let code;
try {
  Kladde.open("note.kladde", Note);
} catch (error) {
  code = error.code;
}
doc.close();
const note = JSON.parse(JSON.stringify(Kladde.open("note.kladde", Note, { readonly: true })));
const sound = surveyFile(openNodeFile("note.kladde", "read")).head.sound;

const store = Store.create(openNodeFile("bytes.kladde", "create"));
const id = store.alloc(0);
store.write(id, 0, new TextEncoder().encode("hello"));
store.flush();
const bytes = new TextDecoder().decode(store.read(id, 0, 5));
store.close();
console.log(JSON.stringify({ note, code, sound, bytes }));
`;

/** For a bundler. */
export const inBrowser = `
import { k, Kladde, MemoryFile } from "daybook/kladde";
import { surveyFile } from "daybook/inspect";

const Note = k.struct({ title: k.string(), tags: k.vec(k.string()) });
const file = new MemoryFile("note");
const doc = Kladde.open(file, Note, { init: () => ({ title: "in memory" }) });
doc.tags.push("a");
let refused;
try {
  Kladde.open("note.kladde", Note);
} catch (error) {
  refused = error.name;
}
doc.close();
if (!surveyFile(file).head.sound) throw new Error("not sound");
export const result = { ...JSON.parse(JSON.stringify(Kladde.open(file, Note))), refused };
`;

/** Compiles. */
export const consumer = `
import { type KVec, k, Kladde, MemoryFile, type StorageFile, StoreError } from "daybook/kladde";
import { surveyFile, surveyText } from "daybook/inspect";

class Person extends k.struct({ first: k.string(), last: k.string().default("") }) {
  get full(): string {
    return this.first + " " + this.last;
  }
}
const Tree = k.struct({
  value: k.i32(),
  owner: k.option(Person),
  get children() {
    return k.vec(Tree);
  },
});
type Tree = k.Infer<typeof Tree>;

using doc = Kladde.open("tree.kladde", Tree, { init: () => ({ value: 1 }) });
doc.children.push({ value: 2, children: [{ value: 3 }] });
const tree: Tree = doc;
const deep: number | undefined = tree.children.at(0)?.children.at(0)?.value;
const names: string[] = doc.children.map((child) => child.owner?.full ?? String(deep));
doc.transaction(() => names.length);
doc.flush();
Kladde.of(doc).batch(() => {});

const file: StorageFile = new MemoryFile("m");
const counter = Kladde.open(file, k.u64());
counter.value += 1n;
const list: KVec<string> = Kladde.open(new MemoryFile("l"), k.vec(k.string()));
list.push("a");
try {
  for (const line of surveyText(surveyFile(file), { all: false })) line.trim();
} catch (error) {
  if (error instanceof StoreError && error.code === "corrupt") throw error;
}
`;

/** Lines of a program, with what the compiler must say of the ones that are mistakes. */
export const misuse: readonly { readonly line: string; readonly error?: RegExp }[] = [
  { line: 'import { k, Kladde } from "daybook/kladde";' },
  { line: "const Shape = k.enum({ Circle: { r: k.f64() }, Square: { side: k.f64() } });" },
  { line: "const Note = k.struct({ title: k.string(), tags: k.vec(k.string()), shape: Shape });" },
  { line: 'const doc = Kladde.open("note.kladde", Note);' },
  { line: 'doc.titel = "x";', error: /TS2551: Property 'titel' does not exist/ },
  { line: "doc.title = 5;", error: /TS2322: Type 'number' is not assignable to type 'string'/ },
  { line: "doc.tags.push(5);", error: /TS2345: Argument of type 'number' is not assignable/ },
  {
    line: "doc.shape.r;",
    error: /TS2339: Property 'r' does not exist on type '\{ kind: "Circle"; r: number; \} \|/,
  },
  { line: 'if (doc.shape.kind === "Circle") doc.shape.r;' },
  { line: 'export * from "daybook/dist/kladde/store.js";', error: /TS2307: Cannot find module/ },
];
