/**
 * What an editor shows: the types that people read while they hover, and the messages they get for mistakes, as plain
 * as the schema they wrote. Asked of the compiler's language service over a small program.
 */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Each place of interest is marked in front with a comment that names it. */
const program = `
import * as k from "./k.ts";
const /*note*/Note = k.struct({
  title: k.string(),
  tags: k.vec(k.string()),
  state: k.oneOf("draft", "final"),
  count: k.u64().default(0n),
});
type /*Note*/Note = k.Infer<typeof Note>;
type /*NoteInit*/NoteInit = k.Init<typeof Note>;
class Person extends k.struct({ first: k.string(), get friends() { return k.vec(Person); } }) {}
const Book = k.struct({
  people: k.map(k.string(), Person), notes: k.vec(Note), lookup: k.map(k.u64(), k.string()),
  pair: k.tuple(k.i32(), k.bool()), maybe: k.option(Note), box: k.box(Person), seen: k.set(k.u32()), body: k.text(),
});
const Shape = k.enum({ Circle: { r: k.f64() }, Square: { side: k.f64() } });
type /*Shape*/Shape = k.Infer<typeof Shape>;
export function uses(book: k.Infer<typeof Book>, shape: Shape): void {
  book./*people*/people; book./*notes*/notes; book./*lookup*/lookup; book./*pair*/pair; book./*maybe*/maybe;
  book./*box*/box; book./*seen*/seen; book./*body*/body; book.lookup./*get*/get(1n);
  book.notes.push({ titel: "x" });
  book.notes.push({ title: 5, state: "draft" });
  book.maybe!.state = "fina";
  book.lookup.set(1n, 2);
  shape.r;
}
`;

const file = fileURLToPath(new URL("./hovered.ts", import.meta.url));
const config = fileURLToPath(new URL("../../../../tsconfig.json", import.meta.url));

function serviceOver(text: string): ts.LanguageService {
  const { config: read } = ts.readConfigFile(config, ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(
    read,
    { ...ts.sys, readDirectory: () => [] },
    process.cwd(),
  );
  const readFile = (name: string): string | undefined => (name === file ? text : ts.sys.readFile(name));
  return ts.createLanguageService({
    readFile,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    getCompilationSettings: () => ({ ...options, types: [], configFilePath: config }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getCurrentDirectory: () => fileURLToPath(new URL(".", import.meta.url)),
  });
}

let service: ts.LanguageService;
before(() => {
  service = serviceOver(program);
});

const tidy = (text: string): string => text.replace(/\s+/g, " ");

function hoverOf(mark: string): string {
  const at = program.indexOf(`/*${mark}*/`) + mark.length + 4;
  return tidy(ts.displayPartsToString(service.getQuickInfoAtPosition(file, at)?.displayParts));
}

const person = "{ first: string; friends?: Iterable<...>; }";
const note = '{ title: string; tags: KVec<string>; state: "draft" | "final"; count: bigint; }';
const noteInit = '{ title: string; state: "draft" | "final"; tags?: Iterable<string>; count?: bigint; }';

const hovers: readonly (readonly [mark: string, shown: string])[] = [
  [
    "note",
    "const Note: StructSchema<{ title: KeySchema<string>; tags: VecSchema<KeySchema<string>>; " +
      'state: KeySchema<"draft" | "final">; count: Defaulted<KeySchema<bigint>>; }>',
  ],
  ["Note", `type Note = ${note}`],
  ["NoteInit", `type NoteInit = ${noteInit}`],
  ["Shape", 'type Shape = { kind: "Circle"; r: number; } | { kind: "Square"; side: number; }'],
  ["people", `(property) people: KMapOf<string, Person, ${person}>`],
  ["notes", `(property) notes: KVecOf<${note}, ${noteInit}>`],
  ["lookup", "(property) lookup: KMap<bigint, string>"],
  ["pair", "(property) pair: KTuple<[number, boolean]>"],
  ["maybe", `(property) maybe: ${note} | null`],
  ["box", "(property) box: Person | null"],
  ["seen", "(property) seen: KSet<number>"],
  ["body", "(property) body: Text"],
  ["get", "(method) Map<bigint, string>.get(key: bigint): string | undefined"],
];

for (const [mark, shown] of hovers) {
  test(`over ${mark}`, () => assert.equal(hoverOf(mark), shown));
}

test("mistakes are told in the words of the schema", () => {
  const told = service
    .getSemanticDiagnostics(file)
    .map(({ messageText }) => tidy(ts.flattenDiagnosticMessageText(messageText, "\n")));
  assert.deepEqual(told, [
    `Object literal may only specify known properties, but 'titel' does not exist in type '${noteInit}'. ` +
      "Did you mean to write 'title'?",
    "Type 'number' is not assignable to type 'string'.",
    `Type '"fina"' is not assignable to type '"draft" | "final"'. Did you mean '"final"'?`,
    "Argument of type 'number' is not assignable to parameter of type 'string'.",
    `Property 'r' does not exist on type '{ kind: "Circle"; r: number; } | { kind: "Square"; side: number; }'. ` +
      `Property 'r' does not exist on type '{ kind: "Square"; side: number; }'.`,
  ]);
});
