import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, parseOptions, UsageError } from "./options.ts";

const plain = { quick: false, only: [], bench: true, check: false, repeat: 1, site: true };

test("no words: measure everything once, redraw, build the site", () => {
  assert.deepEqual(parseOptions([]), plain);
  assert.deepEqual(parseOptions(["reproduce"]), plain);
  assert.deepEqual(parseOptions(["reproduce", "--"]), plain);
});

test("every word has its effect, in either spelling", () => {
  assert.deepEqual(parseOptions(["--quick", "--check", "--no-site"]), {
    ...plain,
    quick: true,
    check: true,
    site: false,
  });
  assert.deepEqual(parseOptions(["--only", "a,b/c", "--only=d", "--repeat=5"]), {
    ...plain,
    only: ["a", "b/c", "d"],
    repeat: 5,
  });
  assert.deepEqual(parseOptions(["--no-bench"]), { ...plain, bench: false });
  assert.equal(parseOptions(["--quick", "--help"]), "help");
});

test("what is not understood is refused, never ignored", () => {
  const wrong: readonly (readonly string[])[] = [
    ["--fast"],
    ["quick"],
    ["--quick", "reproduce"],
    ["--only"],
    ["--only", ""],
    ["--only", "--quick"],
    ["--repeat"],
    ["--repeat", "0"],
    ["--repeat", "-1"],
    ["--repeat", "2.5"],
    ["--repeat", "five"],
    ["--repeat="],
    ["--repeat", "101"],
    ["--no-bench", "--quick"],
    ["--no-bench", "--repeat", "2"],
  ];
  for (const words of wrong) assert.throws(() => parseOptions(words), UsageError, words.join(" "));
});

test("the command in a manifest is the one that was typed", () => {
  const options = parseOptions(["--repeat=5", "--quick", "--only", "consolidation/uniform"]);
  assert.notEqual(options, "help");
  assert.equal(
    options === "help" ? "" : commandOf(options),
    "pnpm reproduce --quick --only consolidation/uniform --repeat 5",
  );
});
