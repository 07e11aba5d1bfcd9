/**
 * The page that `kladde inspect --html` prints, in a browser: the map by pointer and keyboard, its filter, its list,
 * in both themes and two widths, and without scripts. The file it shows is the guide's example.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Store, surveyFile, surveyHtml } from "../../engine/kladde/index.ts";
import { MemoryFile } from "../../engine/storage/memory.ts";
import { brokenLibrary, examples, libraryBytes } from "../site/inspector-example.ts";
import { launchBrowser } from "./browser.ts";
import { projectFolder } from "./build.ts";
import { codeBlocks, pageSource } from "./mdx.ts";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let browser: Browser;

before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

/** Shows `html`; what goes wrong, and whatever it asks for, is collected. */
async function shown(
  html: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (failure) => problems.push(failure.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) problems.push(`asks for ${request.url()}`);
  });
  await page.setContent(html);
  return { page, problems };
}

const valueText = (page: Page): Promise<string | null> => page.getAttribute("#map", "aria-valuetext");

/** What is hard to use, too wide, or went wrong. */
async function complaints(html: string, options: BrowserContextOptions): Promise<string[]> {
  const { page, problems } = await shown(html, options);
  await page.addScriptTag({ path: axeFile });
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wider > 0) problems.push(`${wider} pixels wider than the window`);
  await page.context().close();
  return [...violations, ...problems];
}

test("is operable and readable in both themes and two widths, and asks for nothing", async () => {
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [390, 1280]) {
      const viewport = { width, height: 900 };
      const found = await complaints(examples.html(), { colorScheme, viewport });
      assert.deepEqual(found, [], `${colorScheme} ${width}`);
    }
});

test("so are the types and values of a file that has them, and what is wrong with those", async () => {
  const html = [...surveyHtml(surveyFile(brokenLibrary()))].join("\n");
  for (const title of ["Types", "Values", "Findings in types and values"])
    assert.match(html, new RegExp(`<h2>${title}</h2>`));
  assert.deepEqual(await complaints(html, { viewport: { width: 390, height: 900 } }), []);
});

test("the keyboard moves over the map, and the filter says what it moves over", async () => {
  const { page, problems } = await shown(examples.html());
  assert.match((await valueText(page))!, /^page 0: header; epoch 6; /);
  await page.focus("#map");
  await page.keyboard.press("ArrowRight");
  assert.match((await valueText(page))!, /^page 1: header; epoch 5; written 1 flush ago/);
  await page.keyboard.press("End");
  assert.match((await valueText(page))!, /^page 26: /);
  await page.keyboard.press("Home");
  for (const use of ["header", "leaf", "free", "journal", "quarantined"])
    await page.uncheck(`input[data-use="${use}"]`);
  assert.match((await page.textContent("#shown"))!, /^12 of 27 pages$/);
  assert.match((await valueText(page))!, /^page \d+: data; .* of /);
  assert.equal(await page.locator("#list tbody tr").count(), 12);
  await page.check("#damaged-only");
  assert.match((await page.textContent("#shown"))!, /^0 of 27 pages$/);
  assert.equal(await valueText(page), "no page is shown");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("pointing at a cell says what the page is; colours follow the theme", async () => {
  const { page, problems } = await shown(examples.html());
  const canvas = page.locator("#map canvas");
  await canvas.hover({ position: { x: 2 + 3 * 16 + 5, y: 8 } });
  assert.match((await page.textContent("#detail"))!, /^page 3: data; /);
  const pixel = () =>
    page.evaluate(() => {
      const map = document.querySelector("canvas")!;
      return [...map.getContext("2d")!.getImageData(9, 14, 1, 1).data];
    });
  const light = await pixel();
  await page.emulateMedia({ colorScheme: "dark" });
  // The map is drawn anew with the next frame, whenever that comes.
  const until = Date.now() + 10_000;
  let dark = await pixel();
  while (`${dark}` === `${light}` && Date.now() < until) dark = await pixel();
  assert.notDeepEqual(dark, light);
  await page.selectOption("#colouring", "age");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("a map of many thousands of pages scrolls, and its list grows on demand", async () => {
  const file = new MemoryFile("large.kladde");
  const store = Store.create(file, { consolidate: false });
  const id = store.alloc(0);
  for (let i = 0; i < 20; i++) store.write(id, i * 500_000, new Uint8Array(500_000).fill(1));
  store.close();
  const { page, problems } = await shown([...surveyHtml(surveyFile(file))].join("\n"));
  await page.focus("#map");
  await page.keyboard.press("End");
  const { last, top } = await page.evaluate(() => {
    const map = document.getElementById("map")!;
    return { last: Number(map.getAttribute("aria-valuenow")), top: map.scrollTop };
  });
  assert.equal(last, file.size() / 4096 - 1);
  assert.ok(last > 2000 && top > 100);
  await page.click("#list summary");
  await page.click("#more");
  assert.equal(await page.locator("#list tbody tr").count(), 200);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("without scripts the tables are all there", async () => {
  const { page } = await shown(examples.html(), { javaScriptEnabled: false });
  for (const title of ["Header slots", "Space", "Address table", "Allocations", "Journal"])
    assert.equal(await page.locator("h2", { hasText: title }).count(), 1);
  assert.ok((await page.locator("table").count()) >= 5);
  await page.context().close();
});

test("the examples of types and values show what the guide says of them", () => {
  assert.match(
    examples.types(),
    /^Types: the root is Library; .*, as the header says\n {2}Library: struct, /s,
  );
  assert.match(examples.values(), /books +map\(u64, Book\) +4 entries/);
  assert.doesNotMatch(examples.values(), /\[103\]/);
  assert.match(examples.path(), /\n {2}books\[102\] +Book .*"Organic chemistry"/s);
  assert.match(
    examples.broken(),
    /^fault: .*rule second-owner: readers\["Ada"\]\.borrowed: .*\nnote: .*may be leaked/,
  );
});

test("the guide's commands and its program work on a file of that name", () => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-inspector-"));
  const run = (...words: string[]) =>
    spawnSync(process.execPath, ["--no-warnings", ...words], { cwd: folder, encoding: "utf8" });
  const file = new MemoryFile("notes.kladde");
  const store = Store.create(file, { consolidate: false });
  for (let i = 0; i < 3; i++) store.write(store.alloc(0), 0, new Uint8Array(4081).fill(7));
  store.close();
  writeFileSync(join(folder, "notes.kladde"), file.bytes());
  const blocks = codeBlocks(pageSource("guide/inspector.mdx"));
  const commands = blocks
    .find(({ language }) => language === "sh")!
    .code.trim()
    .split("\n");
  assert.equal(commands.length, 5);
  for (const command of commands) {
    const words = /kladde (inspect [^#>]*)/.exec(command)![1]!.trim().split(" ");
    const { status, stdout, stderr } = run(join(projectFolder, "engine/cli/kladde.ts"), ...words);
    assert.deepEqual([status, stderr], [0, ""], command);
    assert.ok(stdout.length > 100, command);
  }
  writeFileSync(join(folder, "library.kladde"), libraryBytes());
  const typed = blocks
    .filter(({ language }) => language === "sh")[1]!
    .code.trim()
    .split("\n");
  assert.equal(typed.length, 4);
  for (const command of typed) {
    const words = /kladde (inspect .*)/.exec(command)![1]!.replaceAll('"', "").split(" ");
    const { status, stdout, stderr } = run(join(projectFolder, "engine/cli/kladde.ts"), ...words);
    assert.deepEqual([status, stderr], [0, ""], command);
    assert.match(stdout, /Library|books\[102\]/, command);
  }
  const program = blocks.find(({ language }) => language === "ts")!.code;
  writeFileSync(join(folder, "program.ts"), program.replaceAll('"./engine/', `"${projectFolder}engine/`));
  const { stdout, stderr } = run("program.ts");
  assert.equal(stderr, "");
  assert.match(stdout, /^\d+ 4081\n\d+ 4081\n\d+ 4081\n$/);
  rmSync(folder, { recursive: true });
});
