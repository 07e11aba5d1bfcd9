/** Reads built pages without a browser: which there are, where they link to, which anchors they have. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface BuiltPage {
  /** Path below the site's root: `evaluation/`, empty for the front page. */
  readonly path: string;
  readonly html: string;
  readonly ids: ReadonlySet<string>;
  /** Addresses in `href` and `src`, entities resolved. */
  readonly links: readonly string[];
  /** Those of them that a browser asks for by itself: all but what a reader may follow. */
  readonly loads: readonly string[];
}

const attribute = (html: string, names: string): string[] =>
  [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, "g"))].map(([, value = ""]) =>
    value.replaceAll("&amp;", "&").replaceAll("&#38;", "&"),
  );

export function builtPages(folder: string): BuiltPage[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".html"))
    .sort()
    .map((name) => {
      const html = readFileSync(join(folder, name), "utf8");
      return {
        path: name.replace(/(^|[/\\])index\.html$/, "$1").replaceAll("\\", "/"),
        html,
        ids: new Set(attribute(html, "id")),
        links: attribute(html, "href|src"),
        loads: attribute(html.replaceAll(/<a\s[^>]*>/g, "<a>"), "href|src"),
      };
    });
}
