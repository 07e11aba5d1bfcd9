/** The page on reproducing names every option that the command explains, and no other. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder } from "./build.ts";
import { pageSource } from "./mdx.ts";

test("the options on the page are those of the command", () => {
  const usage =
    /usage = `([^`]*)`/.exec(readFileSync(join(projectFolder, "pipeline/options.ts"), "utf8"))?.[1] ?? "";
  const explained = [...usage.matchAll(/^ {2}(--[a-z-]+(?: [A-Z]+)?)/gm)].map(([, option]) => option);
  const shown = [...pageSource("evaluation/reproduce.mdx").matchAll(/^\| `(--[^`]+)` \|/gm)].map(
    ([, option]) => option,
  );
  assert.ok(explained.length > 4);
  assert.deepEqual(
    shown,
    explained.filter((option) => option !== "--help"),
  );
});
