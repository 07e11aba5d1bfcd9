/**
 * The site's build. Everything is static; nothing is asked of another host.
 *
 * Environment: `SITE_URL` (for canonical addresses), `SITE_BASE` (the path the site is served under, default `/`),
 * `SITE_OUT` (output folder, default `dist`), `SITE_CACHE` (folder for what is kept between builds; tests that build
 * at the same time need one each), `DAYBOOK_CONTENT` (folder of pages and results, default `content`).
 */

import { satteri } from "@astrojs/markdown-satteri";
import mdx from "@astrojs/mdx";
import { defineConfig } from "astro/config";
import { claimGate } from "./src/build/claim-gate.ts";
import { bareDigits } from "./src/build/digits.ts";
import { math } from "./src/build/math.ts";
import { searchIndex } from "./src/build/search-index.ts";
import { servedFiles } from "./src/build/served-files.ts";

export default defineConfig({
  ...(process.env.SITE_URL ? { site: process.env.SITE_URL } : {}),
  base: process.env.SITE_BASE ?? "/",
  outDir: process.env.SITE_OUT ?? "dist",
  // What is kept of one content folder must not be mistaken for another's.
  cacheDir:
    process.env.SITE_CACHE ??
    `node_modules/.cache/daybook/astro${process.env.DAYBOOK_CONTENT ? "-other" : ""}`,
  trailingSlash: "always",
  compressHTML: true,
  build: { format: "directory", inlineStylesheets: "never" },
  devToolbar: { enabled: false },
  markdown: {
    processor: satteri({
      features: { math: true, smartPunctuation: { dashes: false, ellipses: false } },
      mdastPlugins: [bareDigits],
      hastPlugins: [math],
    }),
    // One set of token colours, taken from the theme's variables: the same markup serves light and dark.
    shikiConfig: { theme: "css-variables" },
  },
  integrations: [mdx(), servedFiles(), claimGate(), searchIndex()],
  vite: {
    build: {
      assetsInlineLimit: 0,
      // The drawing library is one chunk of that size, loaded on request.
      chunkSizeWarningLimit: 1200,
      rolldownOptions: { checks: { moduleLevelDirective: false } },
    },
  },
});
