/**
 * Kept files through the command line: our own golden ones, and files that another implementation wrote, in the
 * folder that the variable KLADDE_FIXTURES names: `NAME.kladde.gz` beside `NAME.dump`. Read as they are, and again
 * after our writer has folded their journal and closed them.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Store } from "../kladde/index.ts";
import { openNodeFile } from "../storage/node.ts";
import { dumpText, kladde, withFolder } from "./testing.ts";

const folder = process.env.KLADDE_FIXTURES;
const notSet =
  "KLADDE_FIXTURES IS NOT SET: files written by the reference implementation are not read. " +
  "Set it to a folder with NAME.kladde.gz and NAME.dump.";

test("the reference implementation's files", { skip: folder === undefined && notSet }, (context) =>
  testFolder(context, folder!),
);

test("the page store's own golden files", (context) =>
  testFolder(context, fileURLToPath(new URL("../kladde/goldens", import.meta.url))));

async function testFolder(context: TestContext, source: string): Promise<void> {
  const names = readdirSync(source)
    .filter((name) => name.endsWith(".kladde.gz"))
    .map((name) => path.basename(name, ".kladde.gz"));
  assert.ok(names.length > 0, `no file NAME.kladde.gz in ${source}`);
  for (const name of names) {
    const bytes = gunzipSync(readFileSync(path.join(source, `${name}.kladde.gz`)));
    const expected = readFileSync(path.join(source, `${name}.dump`), "utf8");
    await context.test(`${name}: read and checked`, () =>
      withFolder(async (place) => {
        const file = write(place, name, bytes);
        assert.equal(await dumpText(file), expected);
        assert.equal((await kladde("check", file)).code, 0);
        assert.ok(readFileSync(file).equals(bytes));
      }),
    );
    await context.test(`${name}: opened for writing, flushed, closed and read again`, () =>
      withFolder(async (place) => {
        const file = write(place, name, bytes);
        await rewrite(file, expected);
        assert.equal(await dumpText(file), expected);
        await rewrite(file, expected);
        assert.equal(await dumpText(file), expected);
      }),
    );
  }
}

function write(place: string, name: string, bytes: Uint8Array): string {
  const file = path.join(place, `${name}.kladde`);
  writeFileSync(file, bytes);
  return file;
}

/** Opens for writing, states the header again in two flushes, and closes. */
async function rewrite(file: string, expected: string): Promise<void> {
  const store = Store.open(openNodeFile(file, "write"));
  try {
    store.check();
    for (let flush = 0; flush < 2; flush++) {
      store.setRoots(store.root, store.schemaTable, store.fingerprint);
      store.flush();
      store.check();
      assert.equal(await dumpText(file), expected);
    }
  } finally {
    store.close();
  }
}
