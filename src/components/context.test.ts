import assert from "node:assert/strict";
import { test } from "node:test";
import { checkProps, currentPage, evaluation } from "./context.ts";

const locals = { page: { file: "p.mdx", study: undefined, tables: 0 } };

test("a component names its page when it lacks or does not know a property", () => {
  checkProps(locals, "Value", { of: "a", decimals: 1 }, ["of"], ["study", "decimals"]);
  assert.throws(() => checkProps(locals, "Value", {}, ["of"]), /p\.mdx: <Value> lacks of/);
  assert.throws(
    () => checkProps(locals, "Value", { of: "a", x: 1 }, ["of"]),
    /p\.mdx: <Value> does not know x/,
  );
});

test("a component needs a page, and a study from somewhere", () => {
  assert.throws(() => currentPage({}), /outside a page/);
  assert.throws(() => evaluation(locals, "Value"), /p\.mdx: <Value> needs a study/);
});
