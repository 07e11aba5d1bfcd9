/**
 * The parts of an evaluation page over a study that was made up for the purpose, and the ways in which a build must
 * fail: each over a copy of it with one thing broken.
 */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Build, buildSite, builtFolder } from "./build.ts";

const sample = fileURLToPath(new URL("./fixtures/content", import.meta.url));
const summaryPath = "evaluation/summary/sample.json";
const pagePath = "evaluation/sample.mdx";

function copyOfSample(): string {
  const copy = join(mkdtempSync(join(tmpdir(), "daybook-content-")), "content");
  cpSync(sample, copy, { recursive: true });
  return copy;
}

function replace(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  assert.ok(text.includes(from), `${file} has no ${from}`);
  writeFileSync(file, text.replace(from, to));
}

/** The build after `breaks` has been done to a copy of the sample; it must have failed. */
async function failure(breaks: (content: string) => void): Promise<Build> {
  const content = copyOfSample();
  breaks(content);
  const build = await buildSite({ content });
  assert.equal(build.ok, false, "the build went through");
  return build;
}

test("the parts show what the summary says", async () => {
  const folder = await builtFolder({ content: sample });
  const html = readFileSync(join(folder, "evaluation/sample/index.html"), "utf8").replaceAll("\u202f", " ");
  assert.match(html, /<data class="value" value="3.31"[^>]*>.*?=.*?3\.31 ×<\/data>/);
  assert.match(
    html,
    /<data class="value" value="14100" title="measured: median flush; a single run">.*?≈.*?14\.1 ms/,
  );
  assert.match(html, /Run a ends larger than run b\.<span class="mark/);
  assert.match(html, /Said in other words<span class="mark/);
  assert.match(html, /id="figure-lines"/);
  assert.match(html, /<title id="lines-title">Lines<\/title>/);
  assert.match(html, /A flush takes less than a second\.<span class="mark mark--measured">≈\?<\/span>/);
  assert.match(html, /Every tenth row is drawn\./);
  assert.match(html, /2 of 3 published numbers reproduced/);
  assert.match(html, /id="comparison-b">[\s\S]*?B counts its headers\.[\s\S]*?\+10\.0 % pts/);
  assert.match(html, /at most 3\.00 ×/);
  assert.match(html, /Published in words: 1[\s\S]*?b stays small/);
  assert.match(html, /2 of 3 claims that this build has checked, beside the 3 published numbers/);
  assert.match(html, /Imaginary processor/);
  assert.match(html, /Your run beside the committed one/);
  assert.match(html, /row 3: file_pages 10, committed 11/);
  assert.match(html, /class="katex-display"/);
  const figurePage = readFileSync(join(folder, "evaluation/figures/sample/lines/index.html"), "utf8");
  assert.equal(figurePage.match(/<tr>/g)?.length, 25);
  for (const served of [
    "figures/sample/lines.csv",
    "data/sample/main/sample.csv.gz",
    "summary/sample.json",
  ]) {
    const path = `evaluation/${served}`;
    assert.deepEqual(readFileSync(join(folder, path)), readFileSync(join(sample, path)), path);
  }
});

test("claims that do not hold stop the build together, with page, sentence and both values", async () => {
  const { output, folder } = await failure((content) => {
    rmSync(join(content, "evaluation/summary/sample.changes.json"));
    const file = join(content, summaryPath);
    const summary = JSON.parse(readFileSync(file, "utf8"));
    summary.claims.grows = { ...summary.claims.grows, left: 1.5, holds: false };
    summary.claims.unseen = {
      says: "Nobody quotes this.",
      kind: "exact",
      left: 2,
      relation: "<",
      right: 1,
      holds: false,
    };
    writeFileSync(file, JSON.stringify(summary));
  });
  assert.match(output, /2 claim\(s\) do not hold/);
  assert.match(
    output,
    /sample\.mdx: claim "grows" of sample: "Run a ends larger than run b\." needs 1\.5 > 1\.99/,
  );
  assert.match(output, /on no page: claim "unseen" of sample: "Nobody quotes this\." needs 2 < 1/);
  // The pages are written before the judgement; without a run of the reader's own, nothing is said of one.
  assert.doesNotMatch(readFileSync(join(folder, "evaluation/sample/index.html"), "utf8"), /Your run/);
});

test("digits typed by hand stop the build", async () => {
  const { output } = await failure((content) =>
    replace(join(content, pagePath), "CRC-32C is allowed.", "It grows `6.28` times, to 12,295 pages."),
  );
  assert.match(
    output,
    /sample\.mdx: digits typed by hand: .*"6\.28".*"12,295"|digits typed by hand: .*"12,295".*"6\.28"/,
  );
});

test("a missing summary stops the build and says what writes it", async () => {
  const { output } = await failure((content) => rmSync(join(content, summaryPath)));
  assert.match(
    output,
    /summary\/sample\.json, which does not exist; "pnpm reproduce --only sample" writes it/,
  );
});

test("an unknown id stops the build with page and file", async () => {
  const { output } = await failure((content) =>
    replace(join(content, pagePath), 'of="a.space"', 'of="a.spcae"'),
  );
  assert.match(output, /sample\.mdx: no value "a\.spcae" in .*sample\.json; there are: a\.space, a\.flush/);
});

test("a figure whose data does not match its summary stops the build", async () => {
  const { output } = await failure((content) =>
    replace(join(content, summaryPath), '"rowCount": 24', '"rowCount": 23'),
  );
  assert.match(output, /figure "lines" has 24 rows, its summary says 23/);
});
