import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkLinks } from "./links.ts";

function site(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "daybook-links-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

test("a sound site has no faults, at the root and below a path", (context) => {
  const page = (base: string) =>
    `<h1 id="top">A</h1><a href="${base}b/">b</a><a href="#top">up</a><a href="${base}b/?q=1#caf%C3%A9">c</a>
    <a href="mailto:a@example.invalid">m</a><a href="https://example.invalid/x#y">other</a><img src="${base}i.svg">
    <a href="b/">relative</a><a href="b/#:~:text=x">text</a><img srcset="i.svg 1x, ${base}i.svg 2x">`;
  for (const base of ["/", "/daybook/"]) {
    const folder = site(context, {
      "index.html": page(base),
      "b/index.html":
        '<h1 id="café">B</h1><a href="../">up</a><a href="../i.svg">i</a><p id="l"></p><i aria-labelledby="l">',
      "i.svg": "<svg/>",
    });
    const { pages, links, faults } = checkLinks(folder, base);
    assert.deepEqual(faults, []);
    assert.deepEqual([pages, links], [2, 12]);
  }
});

test("every kind of dead link is found", (context) => {
  const dead: Readonly<Record<string, RegExp>> = {
    '<a href="/daybook/missing/">': /\/daybook\/missing\/: no such file/,
    '<a href="/daybook/b">': /a folder needs a slash/,
    '<a href="/b/">': /leaves the site's path \/daybook\//,
    '<a href="../../b/">': /leaves the site's path/,
    '<a href="b/#nowhere">': /no such id on b\/index\.html/,
    '<a href="#nowhere">': /no such id on index\.html/,
    "<a href=''>": /it is empty/,
    '<a href="https://">': /it is no address/,
    '<img src="i.png">': /no such file/,
    '<img srcset="i.svg 1x, j.svg 2x">': /j\.svg: no such file/,
    '<script src="/daybook/a.js"></script>': /a\.js: no such file/,
    '<button data-interactive="f.json">': /f\.json: no such file/,
    '<p id="a"></p><p id="a">': /the id a is there twice/,
    '<i aria-labelledby="a b"></i><p id="a">': /a label names the id b/,
  };
  for (const [html, expected] of Object.entries(dead)) {
    const folder = site(context, { "index.html": html, "b/index.html": "<p>", "i.svg": "<svg/>" });
    const { faults } = checkLinks(folder, "/daybook/");
    assert.equal(faults.length, 1, `${html}: ${faults.join("; ")}`);
    assert.match(faults[0]!, expected);
  }
});

test("addresses in scripts, styles and comments are not links", (context) => {
  const html = `<!-- <a href="x/"> --><script>const a = '<a href="y/">';</script><style>a[href="z/"]{}</style>
    <meta name="a"><meta name="a">`;
  assert.deepEqual(checkLinks(site(context, { "index.html": html })).faults, []);
});

test("a folder without pages is an error, not a sound site", (context) => {
  assert.throws(() => checkLinks(site(context, { "a.txt": "a" })), /build the site first/);
  assert.throws(() => checkLinks("/nowhere/at/all"), /is no folder/);
});
