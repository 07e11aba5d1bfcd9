/**
 * The built site in a browser and as files: every page in both themes and two widths, what a reader can operate,
 * and every link, at the root of a host and below a path.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { builtFolder } from "./build.ts";
import { type BuiltPage, builtPages } from "./html.ts";
import { type Site, serve } from "./serve.ts";

const base = "/daybook/";
const study = "evaluation/consolidation/";
const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const looks = [
  { name: "1280 light", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "1280 dark", viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  { name: "390 light", viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { name: "390 dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const satisfies readonly (BrowserContextOptions & { name: string })[];
const [wideLight, , , narrowDark] = looks;

let browser: Browser;
let folder: string;
let site: Site;
let pages: BuiltPage[];
let basedFolder: string;
let basedSite: Site;

before(async () => {
  folder = await builtFolder();
  basedFolder = await builtFolder({ base });
  pages = builtPages(folder);
  [site, basedSite] = await Promise.all([serve(folder), serve(basedFolder, base)]);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await Promise.all([site?.close(), basedSite?.close()]);
});

interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What must stay empty: console errors, failed requests, requests to other hosts. */
  readonly problems: string[];
}

async function watched(options: BrowserContextOptions, origin = site.origin): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (failure) => problems.push(`script: ${failure.message}`));
  page.on("requestfailed", (request) => problems.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== "data:" && url.protocol !== "blob:") {
      problems.push(`another host: ${url.href}`);
    }
  });
  return { page, context, problems };
}

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axeFile });
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: AxeViolation[] }> };
    };
    interface AxeViolation {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
    }
    const result = await axe.run({ resultTypes: ["violations"] });
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.target.join(" ")} ${nodes[0]?.failureSummary}`,
    );
  });
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Pages of figures differ in their data only: the first is looked at in every look, the others as files. */
function pagesToLookAt(): BuiltPage[] {
  const isFigure = (page: BuiltPage): boolean => page.path.startsWith("evaluation/figures/");
  const smallest = pages.filter(isFigure).sort((a, b) => a.html.length - b.html.length)[0];
  return pages.filter((page) => !isFigure(page) || page === smallest);
}

describe("every page", () => {
  for (const look of looks) {
    test(`is sound at ${look.name}`, async () => {
      const { page, context, problems } = await watched(look);
      for (const { path } of pagesToLookAt()) {
        await page.goto(site.root + path, { waitUntil: "load" });
        problems.push(...(await violations(page)));
        const excess = await overflow(page);
        if (excess > 0) problems.push(`${excess} pixels wider than the window`);
        assert.deepEqual(problems, [], path);
      }
      await context.close();
    });
  }

  test("has language, title, description, one heading of the first rank, and a favicon", () => {
    assert.ok(pages.length > 8, `only ${pages.length} pages`);
    const titles = new Map<string, string>();
    for (const { path, html } of pages) {
      assert.match(html, /<html lang="en"/, path);
      const title = /<title>([^<]+)<\/title>/.exec(html)?.[1] ?? "";
      assert.ok(title.length > 5, path);
      assert.equal(titles.get(title), undefined, `${path} and ${titles.get(title)} have the same title`);
      titles.set(title, path);
      assert.match(html, /<meta name="description" content="[^"]{40,}"/, path);
      assert.equal(html.match(/<h1[ >]/g)?.length, 1, path);
      assert.match(html, /rel="icon"/, path);
    }
  });

  test("is light, and names no other host in any address it loads", () => {
    for (const { path, html, links, loads } of pages) {
      const most = path === study ? 600_000 : 150_000;
      if (!path.startsWith("evaluation/figures/"))
        assert.ok(html.length < most, `${path}: ${html.length} characters`);
      if (path === study) assert.ok(loads.length > 2, "a page loads its style and its scripts");
      for (const address of loads) assert.doesNotMatch(address, /^(https?:)?\/\//, path);
      for (const link of links)
        assert.doesNotMatch(link, /^(http:)?\/\//, `${path}: a link elsewhere is https`);
    }
  });

  test("leaves the engine to the page that edits a document, where its script is small enough", () => {
    const scripts = new Map<string, string[]>();
    for (const { path, loads } of pages)
      for (const address of loads.filter((load) => load.includes("LiveDocument") && load.endsWith(".js")))
        scripts.set(address, [...(scripts.get(address) ?? []), path]);
    assert.deepEqual([...scripts.values()], [["guide/watch-a-document/"]]);
    for (const address of scripts.keys()) {
      const compressed = gzipSync(readFileSync(join(folder, address))).length;
      assert.ok(compressed < 125_000, `${compressed} bytes compressed`);
    }
  });
});

/** Links and addresses of a page that lead nowhere, or to an anchor that is not there. */
function deadLinks(page: BuiltPage, all: readonly BuiltPage[], root: string, from: string): string[] {
  const known = new Map(all.map((other) => [other.path, other]));
  const here = page.path.endsWith(".html") ? "" : page.path;
  return page.links.filter((link) => {
    if (/^(https?:|mailto:|data:)/.test(link)) return false;
    const url = new URL(link, `http://x${root}${here}`);
    if (!url.pathname.startsWith(root)) return true;
    const path = decodeURIComponent(url.pathname.slice(root.length));
    const target = known.get(path);
    if (target === undefined)
      return !existsSync(join(from, path)) || statSync(join(from, path)).isDirectory();
    return url.hash !== "" && !target.ids.has(decodeURIComponent(url.hash.slice(1)));
  });
}

describe("links", () => {
  test("lead to a page and an anchor that exist", () => {
    for (const page of pages) assert.deepEqual(deadLinks(page, pages, "/", folder), [], page.path);
  });

  test("do so below a path too", () => {
    const based = builtPages(basedFolder);
    assert.equal(based.length, pages.length);
    for (const page of based) assert.deepEqual(deadLinks(page, based, base, basedFolder), [], page.path);
  });
});

describe("a reader", () => {
  test("opens a figure's panel, reads its data and takes it away", async () => {
    const { page, context, problems } = await watched(wideLight);
    await page.goto(site.root + study);
    const figures = page.locator("figure.figure");
    assert.ok((await figures.count()) >= 3);
    const figure = figures.first();
    await figure.locator("summary").click();
    const link = figure.getByRole("link", { name: "Data, CSV" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const csv = readFileSync(await download.path(), "utf8");
    const address = new URL((await link.getAttribute("href")) ?? "", site.root);
    assert.equal(csv, readFileSync(join(folder, address.pathname), "utf8"));
    assert.ok(csv.trimEnd().split("\n").length > 10);
    await figure.getByRole("link", { name: /rows as a table/ }).click();
    assert.equal(await page.locator("figure.figure tbody tr").count(), csv.trimEnd().split("\n").length - 1);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("loads the interactive view only on request", async () => {
    const { page, context, problems } = await watched(wideLight);
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(request.url());
    });
    await page.goto(site.root + study, { waitUntil: "networkidle" });
    assert.ok(scripts.length <= 2, scripts.join(" "));
    const figure = page.locator("figure.figure").first();
    await figure.locator("summary").click();
    await figure.getByRole("button", { name: "Interactive view" }).click();
    const drawing = figure.locator(".interactive svg");
    await drawing.waitFor();
    assert.ok((await drawing.locator("path").count()) > 5);
    // Colours follow the theme while the view is open; text has a font that could be measured.
    assert.match(await drawing.innerHTML(), /var\(--series-1/);
    assert.doesNotMatch(await drawing.innerHTML(), /var\(--figure-font/);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("finds a page by its words, with the keyboard alone", async () => {
    const { page, context, problems } = await watched(wideLight);
    await page.goto(site.root);
    await page.keyboard.press("/");
    const dialog = page.getByRole("dialog", { name: "Search" });
    await page.keyboard.type("tombstone");
    await dialog.getByRole("link").first().waitFor();
    assert.match((await dialog.getByRole("status").textContent()) ?? "", /\d+ pages?/);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/format\/kladde\//);
    await page.keyboard.press("/");
    await page.keyboard.type("zqzqzq");
    await dialog.getByText("Nothing found.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await dialog.isVisible(), false);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("chooses a theme, and keeps it", async () => {
    const { page, context, problems } = await watched(wideLight);
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto(site.root);
    const light = await paper();
    const toggle = page.getByRole("button", { name: "Dark theme" });
    assert.equal(await toggle.getAttribute("aria-pressed"), "false");
    await toggle.click();
    assert.equal(await toggle.getAttribute("aria-pressed"), "true");
    const dark = await paper();
    assert.notEqual(dark, light);
    // Before the first paint: the theme is there when the body begins, not only when the script has run.
    await page.addInitScript(() => {
      const seen = new MutationObserver(() => {
        if (!document.body) return;
        document.documentElement.dataset.seen = document.documentElement.dataset.theme ?? "none";
        seen.disconnect();
      });
      seen.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.seen), "dark");
    assert.equal(await paper(), dark);
    await toggle.click();
    assert.equal(await page.evaluate(() => localStorage.getItem("theme")), null);
    assert.equal(await paper(), light);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("gets around on a narrow screen", async () => {
    const { page, context, problems } = await watched(narrowDark);
    await page.goto(site.root);
    await page.getByText("Menu", { exact: true }).click();
    const menu = page.getByRole("navigation", { name: "All pages, menu" });
    assert.deepEqual(await violations(page), []);
    await menu.getByRole("link", { name: "Limits" }).click();
    await page.waitForURL(/\/guide\/limits\//);
    await page.getByText("On this page", { exact: true }).first().click();
    assert.ok(await page.getByRole("navigation", { name: "On this page, folded" }).isVisible());
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("reaches content and wide boxes with the keyboard", async () => {
    const { page, context } = await watched(narrowDark);
    await page.goto(site.root + study);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "content");
    const stuck = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("main *")]
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .filter((element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX))
        .filter((element) => element.tabIndex < 0 && !element.closest("details:not([open])"))
        .map((element) => element.className),
    );
    assert.deepEqual(stuck, []);
    await context.close();
  });

  test("without script sees figures, tables and all pages", async () => {
    const { page, context, problems } = await watched({ ...narrowDark, javaScriptEnabled: false });
    await page.goto(site.root + study);
    const drawing = page.locator("figure.figure svg").first();
    assert.ok(((await drawing.boundingBox())?.height ?? 0) > 100);
    assert.equal(await page.locator("[data-theme-toggle]").isVisible(), false);
    await page.getByText("Menu", { exact: true }).click();
    assert.ok(await page.getByRole("navigation", { name: "All pages, menu" }).isVisible());
    await page.locator("figure.figure summary").first().click();
    assert.ok(await page.getByRole("link", { name: "Data, CSV" }).first().isVisible());
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("prints the article without what surrounds it", async () => {
    const { page, context } = await watched({ ...wideLight, colorScheme: "dark" });
    await page.goto(site.root + study);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".sidebar").isVisible(), false);
    assert.equal(await page.locator("[data-search-open]").isVisible(), false);
    assert.ok(await page.locator("figure.figure svg").first().isVisible());
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "light");
    await context.close();
  });

  test("finds everything below a path: pages, search, figures, data", async () => {
    const { page, context, problems } = await watched(wideLight, basedSite.origin);
    await page.goto(basedSite.root);
    await page
      .getByRole("navigation", { name: "Sections" })
      .getByRole("link", { name: "Evaluation" })
      .click();
    await page.getByRole("main").getByRole("link", { name: "Consolidation under load" }).first().click();
    await page.waitForURL(new RegExp(`${base}${study}`));
    const figure = page.locator("figure.figure").first();
    await figure.locator("summary").click();
    await figure.getByRole("button", { name: "Interactive view" }).click();
    await figure.locator(".interactive svg").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("tombstone");
    await page.getByRole("dialog").getByRole("link").first().click();
    await page.waitForURL(new RegExp(`${base}format/`));
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("edits a document, and sees its journal and its pages change", async () => {
    const { page, context, problems } = await watched(wideLight);
    await page.goto(`${site.root}guide/watch-a-document/`);
    await page.locator("[data-live] fieldset:not([disabled])").waitFor();
    const records = page.locator(".live__journal li");
    const journalPages = page.locator('.live__map [data-use="journal"]');
    assert.equal(await records.count(), 0);
    await page.getByLabel("Title").press("End");
    await page.getByLabel("Title").pressSequentially("!!");
    assert.equal(await records.count(), 2);
    assert.match((await records.first().textContent()) ?? "", /^Write 1 byte to title/);
    assert.equal(await journalPages.getAttribute("data-changed"), "");
    await page.getByText("10 bytes changed in the file").waitFor();
    await page.getByRole("button", { name: "Flush" }).click();
    assert.equal(await records.count(), 0);
    assert.equal(await journalPages.count(), 0);
    await page.getByLabel("Text").fill("Short");
    await page.getByRole("button", { name: "Crash" }).click();
    assert.equal(await page.getByLabel("Title").inputValue(), "Groceries!!");
    assert.equal(await page.getByLabel("Text").inputValue(), "Short");
    await page.getByRole("button", { name: "Fail in a transaction" }).click();
    await page.getByText("nothing changed in the file").waitFor();
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("edits a document below a path, on a narrow screen, with the keyboard alone", async () => {
    const { page, context, problems } = await watched(narrowDark, basedSite.origin);
    await page.goto(`${basedSite.root}guide/watch-a-document/`);
    await page.locator("[data-live] fieldset:not([disabled])").waitFor();
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await page.getByLabel("Title").focus();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Remove the tag home");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "Remove the tag weekly");
    await page.keyboard.press("Enter");
    // The last one is gone: what comes next takes the focus.
    await page.keyboard.type("<b>new & long tag that does not fit</b>");
    await page.keyboard.press("Enter");
    const tags = page.getByRole("list", { name: "Tags" }).getByRole("listitem");
    assert.equal(await tags.count(), 1);
    assert.match((await tags.textContent()) ?? "", /^<b>new & long tag/);
    await page
      .locator("[data-live]")
      .getByText(/^The journal grew by \d+ bytes/)
      .waitFor();
    assert.ok((await overflow(page)) <= 0);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test("meets a page that helps where there is none", async () => {
    const { page, context } = await watched(wideLight);
    const answer = await page.goto(`${site.root}no/such/page/`);
    assert.equal(answer?.status(), 404);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    assert.ok(await page.getByRole("heading", { name: "Contents" }).isVisible());
    await context.close();
  });
});
