/**
 * The project's source files, and what can be read off them: imports and functions, by the TypeScript parser.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import ts from "typescript";

export interface SourceFile {
  /** From the project's folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

const FOLDERS = ["engine", "pipeline", "src"];
const CODE = /\.(?:ts|mts|mjs|js|astro)$/;

/** What is installed or built among the sources. */
const MADE = /(?:^|[/\\])(?:node_modules|dist)(?:[/\\]|$)/;

export function sourceFiles(project: string): SourceFile[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && CODE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !MADE.test(relative(project, file))),
  )
    .sort()
    .map((file) => ({
      path: relative(project, file).split(sep).join("/"),
      text: readFileSync(file, "utf8"),
    }));
}

/** The script of a file: all of it, or the part of an Astro component between its fences. */
function scriptOf({ path, text }: SourceFile): string {
  if (!path.endsWith(".astro")) return text;
  const fenced = /^---\n([\s\S]*?)\n---/.exec(text);
  return fenced === null ? "" : `\n${fenced[1]}`;
}

const parsed = new WeakMap<SourceFile, ts.SourceFile>();

function parse(file: SourceFile): ts.SourceFile {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(file.path, scriptOf(file), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  parsed.set(file, tree);
  return tree;
}

export interface Import {
  /** As it is written; undefined when it is computed while the program runs. */
  readonly specifier: string | undefined;
  /** The file from the project's folder, for a relative one. */
  readonly file: string | undefined;
  readonly line: number;
}

/** Every import: declarations, re-exports, types, and calls of `import`. */
export function importsOf(file: SourceFile): Import[] {
  const tree = parse(file);
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined): void => {
    const text = specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
    const isRelative = text?.startsWith(".") === true;
    found.push({
      specifier: text,
      file: isRelative ? posix.join(posix.dirname(file.path), text) : undefined,
      line: lineOf(tree, node),
    });
  };
  visit(tree, (node) => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier);
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node, node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node, node.argument.literal);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0]);
    }
  });
  return found;
}

export interface FunctionLines {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** Functions with a body, wherever they stand; what `describe` is called with only groups tests. */
export function functionsOf(file: SourceFile): FunctionLines[] {
  const tree = parse(file);
  const found: FunctionLines[] = [];
  visit(tree, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined || isGroup(node)) return;
    const first = lineOf(tree, node);
    const last = tree.getLineAndCharacterOfPosition(node.end).line + 1;
    const name = node.name?.getText(tree) ?? "a function without a name";
    found.push({ name, line: first, lines: last - first + 1 });
  });
  return found;
}

const isGroup = ({ parent }: ts.Node): boolean =>
  ts.isCallExpression(parent) && /^(?:describe|suite)\b/.test(parent.expression.getText());

export interface Power {
  readonly line: number;
  readonly text: string;
}

/** Powers that may be rounded: of another base than a written 2, and not of two written numbers. */
export function powersOf(file: SourceFile): Power[] {
  const tree = parse(file);
  const found: Power[] = [];
  visit(tree, (node) => {
    if (!ts.isBinaryExpression(node)) return;
    if (node.operatorToken.kind !== ts.SyntaxKind.AsteriskAsteriskToken) return;
    if (ts.isNumericLiteral(node.left) && (node.left.text === "2" || ts.isNumericLiteral(node.right))) return;
    found.push({ line: lineOf(tree, node), text: node.getText(tree) });
  });
  return found;
}

export interface Call {
  readonly line: number;
  /** What is called, as it is written. */
  readonly callee: string;
}

/** Calls of what `callee` matches that a loop repeats, whether a statement or a callback of an array's method. */
export function callsInLoops(file: SourceFile, callee: RegExp): Call[] {
  const tree = parse(file);
  const found: Call[] = [];
  visit(tree, (node) => {
    if (!ts.isCallExpression(node)) return;
    const text = node.expression.getText(tree);
    if (callee.test(text) && isRepeated(node)) found.push({ line: lineOf(tree, node), callee: text });
  });
  return found;
}

function isRepeated(node: ts.Node): boolean {
  for (let { parent } = node; parent !== undefined; parent = parent.parent) {
    if (ts.isIterationStatement(parent, false)) return true;
    if (ts.isCallExpression(parent) && /\.(?:forEach|map|flatMap)$/.test(parent.expression.getText()))
      return true;
  }
  return false;
}

function visit(node: ts.Node, each: (node: ts.Node) => void): void {
  each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}

const lineOf = (tree: ts.SourceFile, node: ts.Node): number =>
  tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
