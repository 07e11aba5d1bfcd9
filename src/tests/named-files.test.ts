/** Files of the project that pages name are there. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder } from "./build.ts";

const pages = readdirSync(join(projectFolder, "content"), { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".mdx"),
);

test("files that pages name exist", () => {
  const named = pages.flatMap((page) =>
    [
      ...readFileSync(join(projectFolder, "content", page), "utf8").matchAll(
        /`((?:engine|pipeline|src)\/[\w./-]+\.\w+)`/g,
      ),
    ].map(([, file]) => ({ page, file: file! })),
  );
  assert.ok(named.length > 3);
  assert.deepEqual(
    named.filter(({ file }) => !existsSync(join(projectFolder, file))),
    [],
  );
});
