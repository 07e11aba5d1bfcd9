/** Builds the full-text index over the finished pages; the search box loads it on first use, from this site. */
import { fileURLToPath } from "node:url";
import type { AstroIntegration } from "astro";
import * as pagefind from "pagefind";

export function searchIndex(): AstroIntegration {
  return {
    name: "daybook:search-index",
    hooks: {
      "astro:build:done": async ({ dir, logger }) => {
        const { index, errors } = await pagefind.createIndex({
          // A formula is in the page twice, drawn and as MathML; neither reads well in a result.
          excludeSelectors: [".formula", ".katex-html", "annotation"],
        });
        if (!index) throw new Error(`search index: ${errors.join("; ")}`);
        const added = await index.addDirectory({ path: fileURLToPath(dir) });
        const written = await index.writeFiles({ outputPath: fileURLToPath(new URL("pagefind/", dir)) });
        await pagefind.close();
        const problems = [...added.errors, ...written.errors];
        if (problems.length > 0) throw new Error(`search index: ${problems.join("; ")}`);
        if (added.page_count === 0) throw new Error("search index: no page to index");
        logger.info(`${added.page_count} pages indexed`);
      },
    },
  };
}
