/** The pages: every MDX file below `content/`, with what its head must say. */

import { defineCollection } from "astro:content";
import { glob } from "astro/loaders";
import { z } from "astro/zod";
import { contentFolder } from "./evaluation/paths.ts";

const pages = defineCollection({
  loader: glob({ base: contentFolder, pattern: "**/*.mdx" }),
  schema: z.strictObject({
    title: z.string(),
    /** Says what the reader will be able to do; shown under the title and by search engines. */
    description: z.string().min(40).max(240),
    /** Name in the navigation, where the title is too long. */
    short: z.string().optional(),
    /** Place within its section. */
    order: z.number().int(),
    /** The study whose results the page shows; digits in its prose must then come from the summary. */
    study: z.string().optional(),
    /** Texts with digits that are no results and may stand in the prose of such a page. */
    digits: z.array(z.string()).default([]),
  }),
});

export const collections = { pages };
