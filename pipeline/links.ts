/**
 * Checks the links of a built site: every internal address leads to a file, every fragment to an id.
 *
 *  (1) The site may lie below a path (`base`); an internal address outside of it is dead.
 *  (2) A folder answers with its `index.html` and only with a slash at the end, as plain web hosts do.
 *  (3) Ids are unique within a page, and labels that name an id name one that is there.
 *  (4) Addresses of other hosts are not visited.
 *
 * Run by itself: `node pipeline/links.ts [FOLDER] [BASE]`.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Attributes whose value is an address. */
const ADDRESSES = /\s(?:href|src|action|poster|data-interactive)=(?:"([^"]*)"|'([^']*)')/g;
const SETS = /\s(?:srcset|imagesrcset)=(?:"([^"]*)"|'([^']*)')/g;
const IDS = /\s(?:id|name)=(?:"([^"]*)"|'([^']*)')/g;
const LABELS =
  /\s(?:for|aria-labelledby|aria-describedby|aria-controls|aria-owns|headers|popovertarget)=(?:"([^"]*)"|'([^']*)')/g;

/** What holds no addresses of its own. */
const OPAQUE = /<!--[\s\S]*?-->|(<(script|style|template)\b[^>]*>)[\s\S]*?<\/\2>/g;

interface PageContent {
  readonly path: string;
  readonly addresses: readonly string[];
  readonly ids: ReadonlySet<string>;
  readonly faults: readonly string[];
}

export interface LinkReport {
  readonly pages: number;
  readonly links: number;
  readonly faults: readonly string[];
}

export function checkLinks(folder: string, base = "/"): LinkReport {
  const root = base.endsWith("/") ? base : `${base}/`;
  const files = filesBelow(folder);
  const pages = new Map(
    files.filter((path) => path.endsWith(".html")).map((path) => [path, readPage(folder, path)]),
  );
  if (pages.size === 0) throw new Error(`${folder} holds no page; build the site first`);
  const known = new Set(files);
  let links = 0;
  const faults = [...pages.values()].flatMap((page) => {
    links += page.addresses.length;
    const dead = page.addresses.flatMap((address) => {
      const fault = addressFault(address, page, root, known, pages);
      return fault === undefined ? [] : [`${page.path}: ${address}: ${fault}`];
    });
    return [...page.faults, ...new Set(dead)];
  });
  return { pages: pages.size, links, faults };
}

function readPage(folder: string, path: string): PageContent {
  const html = readFileSync(join(folder, path), "utf8").replace(OPAQUE, (_all, open?: string) => open ?? "");
  const ids = valuesOf(html, IDS);
  const unique = new Set(ids);
  const repeated = [...unique].filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id));
  const named = new Set(valuesOf(html, LABELS).flatMap((value) => value.split(/\s+/)));
  const missing = [...named].filter((id) => id !== "" && !unique.has(id));
  const sets = valuesOf(html, SETS).flatMap((set) =>
    set.split(",").map((part) => part.trim().split(/\s+/)[0]!),
  );
  return {
    path,
    addresses: [...valuesOf(html, ADDRESSES), ...sets],
    ids: unique,
    faults: [
      ...(isForwarding(html) ? [] : repeated.map((id) => `${path}: the id ${id} is there twice`)),
      ...missing.map((id) => `${path}: a label names the id ${id}, which is not there`),
    ],
  };
}

/** A page that only forwards is not read. */
const isForwarding = (html: string): boolean => /<meta http-equiv="refresh"/i.test(html);

function valuesOf(html: string, pattern: RegExp): string[] {
  const tags = html.replaceAll(/<meta\b[^>]*>/gi, "");
  return [...tags.matchAll(pattern)].map((match) => withoutEntities(match[1] ?? match[2] ?? ""));
}

const withoutEntities = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

const HOST = "https://site.invalid";

function addressFault(
  address: string,
  page: PageContent,
  base: string,
  files: ReadonlySet<string>,
  pages: ReadonlyMap<string, PageContent>,
): string | undefined {
  if (address === "") return "it is empty";
  const from = `${HOST}${base}${page.path.replace(/(^|\/)index\.html$/, "$1")}`;
  const url = URL.canParse(address, from) ? new URL(address, from) : undefined;
  if (url === undefined) return "it is no address";
  if (url.origin !== HOST) return undefined;
  const path = decodeURIComponent(url.pathname);
  if (!path.startsWith(base)) return `it leaves the site's path ${base}`;
  const inside = path.slice(base.length);
  const file = inside === "" || inside.endsWith("/") ? `${inside}index.html` : inside;
  if (!files.has(file)) {
    return files.has(`${inside}/index.html`) ? "a folder needs a slash at the end" : "no such file";
  }
  const fragment = decodeURIComponent(url.hash.slice(1));
  const target = pages.get(file);
  if (fragment === "" || fragment.startsWith(":~:") || target === undefined) return undefined;
  return target.ids.has(fragment) ? undefined : `no such id on ${file}`;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Error(`${folder} is no folder`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

if (import.meta.main) {
  const [folder = "dist", base = process.env.SITE_BASE ?? "/"] = process.argv.slice(2);
  const { pages, links, faults } = checkLinks(folder, base);
  for (const fault of faults) console.log(fault);
  console.log(`${pages} pages, ${links} links, ${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
