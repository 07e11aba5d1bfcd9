/**
 * Rejects digits typed by hand in the prose of a page about a study: a number there comes from the summary.
 *
 * A page is about a study when its frontmatter names one. Its frontmatter may list, under `digits`, the few literal
 * texts with digits that are no result ("CRC-32C", a section number). Inline code counts as prose, so that a result
 * cannot hide in it; code blocks and attributes of components do not.
 */
interface Node {
  readonly type: string;
  readonly value?: string;
}
interface Context {
  readonly data: { readonly astro?: { readonly frontmatter?: Record<string, unknown> } };
  readonly fileURL: URL | undefined;
}

/** The words with digits that are left once the allowed texts are taken out. */
export function digitsIn(text: string, allowed: readonly string[]): string[] {
  const longestFirst = [...allowed].sort((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, literal) => left.replaceAll(literal, " "), text);
  return rest.match(/[^\s]*\d[^\s]*/g) ?? [];
}

function allowedDigits(frontmatter: Record<string, unknown>): string[] {
  const { digits } = frontmatter;
  return Array.isArray(digits) ? digits.map(String) : [];
}

/** A Markdown plugin, fresh for every document: collects, then fails with all findings at once. */
export const bareDigits = () => {
  const found: string[] = [];
  const collect = (node: Readonly<Node>, context: Context): undefined => {
    const frontmatter = context.data.astro?.frontmatter ?? {};
    if (frontmatter.study === undefined) return;
    found.push(...digitsIn(node.value ?? "", allowedDigits(frontmatter)));
  };
  return {
    name: "bare-digits",
    text: collect,
    inlineCode: collect,
    after: (_root: unknown, context: Context): void => {
      if (found.length === 0) return;
      const list = found.map((word) => `"${word}"`).join(", ");
      throw new Error(
        `${context.fileURL?.pathname ?? "a page"}: digits typed by hand: ${list}. Use <Value of> or <Claim id>, ` +
          "or list the text under `digits` in the frontmatter if it is no result",
      );
    },
  };
};
