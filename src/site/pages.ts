/**
 * The order of the pages: sections, sidebar, previous and next. All of it derives from folders and frontmatter, so a
 * new page appears by being there.
 */
import { type CollectionEntry, getCollection } from "astro:content";

export interface CurrentPage {
  /** Path of the source below `content/`, for messages. */
  readonly file: string;
  readonly study: string | undefined;
  /** Numbers the page's tables, so that each scrolling box has a name of its own. */
  tables: number;
}

export interface PageLink {
  readonly id: string;
  readonly href: string;
  readonly title: string;
  readonly description: string;
}
export interface Section {
  readonly folder: string;
  readonly title: string;
  readonly pages: readonly PageLink[];
}

/** Folders below `content/`, in the order of the sidebar. */
const sectionTitles: Readonly<Record<string, string>> = {
  guide: "Guide",
  evaluation: "Evaluation",
  format: "File format",
  design: "Design",
};

const base = import.meta.env.BASE_URL.replace(/\/$/, "");

/** The address of a path below the site's root, under whatever base the site is served. */
export const link = (path: string): string => `${base}/${path.replace(/^\//, "")}`;

/** The entry for the home page has an id of its own. */
export const isHome = (id: string): boolean => id === "index";
export const pageHref = (id: string): string => (isHome(id) ? link("/") : link(`/${id}/`));

const toLink = (entry: CollectionEntry<"pages">): PageLink => ({
  id: entry.id,
  href: pageHref(entry.id),
  title: entry.data.short ?? entry.data.title,
  description: entry.data.description,
});

export async function sections(): Promise<Section[]> {
  const entries = (await getCollection("pages")).filter((entry) => !isHome(entry.id));
  const stray = entries.find((entry) => !((entry.id.split("/")[0] ?? "") in sectionTitles));
  if (stray)
    throw new Error(`content/${stray.id}.mdx is in no section; sections: ${Object.keys(sectionTitles)}`);
  return Object.entries(sectionTitles).flatMap(([folder, title]) => {
    const own = entries.filter((entry) => entry.id === folder || entry.id.startsWith(`${folder}/`));
    own.sort((a, b) => a.data.order - b.data.order || a.id.localeCompare(b.id));
    return own.length === 0 ? [] : [{ folder, title, pages: own.map(toLink) }];
  });
}

/** The neighbours of a page in reading order. */
export function neighbours(all: readonly Section[], id: string): { previous?: PageLink; next?: PageLink } {
  const order = all.flatMap((section) => section.pages);
  const at = order.findIndex((page) => page.id === id);
  if (at < 0) return {};
  const previous = order[at - 1];
  const next = order[at + 1];
  return { ...(previous && { previous }), ...(next && { next }) };
}
