import assert from "node:assert/strict";
import { test } from "node:test";
import { readHtml, typeset } from "./math.ts";

interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
  readonly value?: string;
}
const write = (nodes: readonly Node[]): string =>
  nodes
    .map((node) => {
      if (node.type === "text")
        return node.value?.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const properties = Object.entries(node.properties ?? {}).map(([name, value]) =>
        name === "className" ? ` class="${(value as string[]).join(" ")}"` : ` ${name}="${value}"`,
      );
      return `<${node.tagName}${properties.join("")}>${write(node.children ?? [])}</${node.tagName}>`;
    })
    .join("");

test("KaTeX's output survives being read", () => {
  for (const tex of [
    "\\frac{a_1 \\cdot P}{b} \\le c",
    "x < y > z \\& \\text{a b}",
    "\\sqrt{2} \\to \\infty",
  ]) {
    const html = typeset(tex, true, "test");
    assert.equal(write(readHtml(html) as Node[]), html.replaceAll(/<(\w+)([^<>]*)\/>/g, "<$1$2></$1>"), tex);
  }
});

test("bad TeX and bad HTML are errors", () => {
  assert.throws(() => typeset("\\frac{a", false, "page.mdx"), /page\.mdx.*\\frac/s);
  assert.throws(() => typeset("\\nosuch", false, "page.mdx"), /page\.mdx/);
  assert.throws(() => readHtml("<a><b></a>"), /open/);
  assert.throws(() => readHtml("<a>"), /open/);
});
