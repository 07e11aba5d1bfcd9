/**
 * Typesets `$…$` and `$$…$$` with KaTeX while the site is built: no script on the page. Bad TeX fails the build.
 *
 * The Markdown engine hands math over as `code.language-math`; display math sits in a `pre`. It takes no finished
 * HTML in return in an MDX page, so KaTeX's output, which is well-formed, is read back into a tree.
 */
import katex from "katex";

interface HastNode {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly HastNode[];
  readonly value?: string;
}
interface Context {
  textContent(node: unknown): string;
  replaceNode(node: unknown, replacement: unknown): void;
  readonly fileURL: URL | undefined;
}

export function typeset(tex: string, displayMode: boolean, where: string): string {
  try {
    return katex.renderToString(tex, {
      displayMode,
      throwOnError: true,
      strict: "error",
      output: "htmlAndMathml",
    });
  } catch (failure) {
    throw new Error(`${where}: cannot typeset "${tex}": ${(failure as Error).message}`, { cause: failure });
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
const decode = (text: string): string =>
  text.replaceAll(/&(#x27|\w+);/g, (whole, name: string) => entities[name] ?? whole);

const propertyNames: Readonly<Record<string, string>> = { class: "className" };

function attributes(text: string): Record<string, unknown> {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)];
  return Object.fromEntries(
    pairs.map(([, name = "", value = ""]) => [
      propertyNames[name] ?? name,
      name === "class" ? value.split(" ") : decode(value),
    ]),
  );
}

/** Reads well-formed HTML, in which every element is closed, into a tree. */
export function readHtml(html: string): HastNode[] {
  const root: HastNode[] = [];
  const open: { tagName: string; children: HastNode[] }[] = [{ tagName: "", children: root }];
  for (const [token, closing, tagName = "", attributeText = "", selfClosing] of html.matchAll(
    /<(\/?)([\w-]+)((?:\s[^<>]*?)?)(\/?)>|[^<]+/g,
  )) {
    const parent = open.at(-1);
    if (!parent) throw new Error("KaTeX closed an element twice");
    if (!token.startsWith("<")) parent.children.push({ type: "text", value: decode(token) });
    else if (closing) {
      if (open.pop()?.tagName !== tagName) throw new Error(`KaTeX left an element open before </${tagName}>`);
    } else {
      const children: HastNode[] = [];
      parent.children.push({ type: "element", tagName, properties: attributes(attributeText), children });
      if (!selfClosing) open.push({ tagName, children });
    }
  }
  if (open.length !== 1) throw new Error("KaTeX left an element open");
  return root;
}

const hasClass = (node: HastNode | undefined, name: string): boolean => {
  const classes = node?.properties?.className;
  return Array.isArray(classes) && classes.includes(name);
};

function replaceMath(node: HastNode, context: Context, displayMode: boolean): void {
  const html = typeset(context.textContent(node).trim(), displayMode, context.fileURL?.pathname ?? "a page");
  const children = readHtml(html);
  // A wide formula scrolls in a box of its own, which the keyboard can reach.
  const box = { tabIndex: 0, role: "group", ariaLabel: "Formula", className: ["formula"] };
  context.replaceNode(
    node,
    displayMode ? { type: "element", tagName: "div", properties: box, children } : children,
  );
}

export const math = {
  name: "math",
  element: [
    {
      filter: ["pre"],
      visit(node: HastNode, context: Context): void {
        if (hasClass(node.children?.[0], "language-math")) replaceMath(node, context, true);
      },
    },
    {
      filter: ["code"],
      visit(node: HastNode, context: Context): void {
        if (hasClass(node, "math-inline")) replaceMath(node, context, false);
      },
    },
  ],
};
