/** What the live example says of a step is what happened to the file; its HTML holds what the reader typed as text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedRanges } from "./ranges.ts";
import { journalHtml, mapHtml, stepHtml, stepText, tagsHtml } from "./render.ts";
import { LiveSession } from "./session.ts";

const uses = (session: LiveSession): string[] => session.view().pages.map(({ use }) => use);

test("a letter at the end of the title is one record of one byte, in the journal's page only", () => {
  const session = new LiveSession();
  const step = session.perform("", (note) => {
    note.title += "!";
  });
  assert.deepEqual(step.view.journal.transactions, [["Write 1 byte to title (allocation 3) at 9"]]);
  assert.equal(step.journalBytes, 10);
  const [range, ...others] = step.ranges;
  assert.deepEqual(others, []);
  assert.equal(range?.length, 10);
  assert.equal(step.view.pages[range?.page ?? 0]?.use, "journal");
  assert.match(stepText(step), /^The journal grew by 10 bytes; 10 bytes changed in the file, which is now /);
});

test("a letter in the middle of the text is a short record as well", () => {
  const session = new LiveSession();
  const step = session.perform("", (note) => {
    const text = note.body.toString();
    assert.ok(text.length > 1024);
    note.body.assign(`${text.slice(0, 300)}X${text.slice(300)}`);
  });
  assert.match(step.view.journal.transactions[0]?.[0] ?? "", /^Splice body .* at 300: 0 bytes become 1$/);
});

test("a flush folds the journal and moves the pages; a transaction that throws does nothing", () => {
  const session = new LiveSession();
  session.perform("", (note) => note.tags.push("new"));
  assert.ok(uses(session).includes("journal"));
  const flushed = session.perform("", (note) => note.flush());
  assert.deepEqual(flushed.view.journal.transactions, []);
  assert.ok(flushed.journalBytes < 0);
  assert.match(stepText(flushed), /^The journal’s \d+ bytes were folded into pages; /);
  const failed = session.perform("", (note) =>
    note.transaction(() => {
      note.tags.clear();
      throw new Error("no");
    }),
  );
  assert.equal(failed.failure, "no");
  assert.deepEqual(failed.ranges, []);
  assert.equal(stepText(failed), "It threw “no”; nothing changed in the file.");
  assert.deepEqual([...session.document.tags], ["home", "weekly", "new"]);
});

test("after a crash the document is another object with the same content", () => {
  const session = new LiveSession();
  const before = session.document;
  session.perform("", (note) => {
    note.title = "Kept";
    note.tags.removeAt(0);
  });
  const step = session.crash();
  assert.notEqual(session.document, before);
  assert.equal(session.document.title, "Kept");
  assert.deepEqual([...session.document.tags], ["weekly"]);
  assert.deepEqual(step.view.journal.transactions, []);
});

test("a freed allocation keeps its name", () => {
  const session = new LiveSession();
  const step = session.perform("", (note) => note.tags.removeAt(1));
  assert.match(step.view.journal.transactions[0]?.at(-1) ?? "", /^Free tags\[1\] \(allocation \d+\)$/);
});

test("ranges join over short gaps, end with their page, and count what is beyond an end as zeros", () => {
  const before = new Uint8Array(4100);
  const after = new Uint8Array(8192);
  after.set([1, 0, 2], 4094);
  after.set([3], 4110);
  after.set([4], 4115);
  const places = changedRanges(before, after).map(({ page, offset, length }) => [page, offset, length]);
  assert.deepEqual(places, [
    [0, 4094, 1],
    [1, 0, 1],
    [1, 14, 6],
  ]);
  assert.deepEqual(changedRanges(after, after), []);
  assert.equal(changedRanges(before, after)[2]?.before, "");
  assert.equal(changedRanges(before, after)[1]?.after, "02");
});

test("what a reader types stands as text in the HTML", () => {
  const session = new LiveSession();
  const tag = `<img src="x" onerror='alert(1)'>&`;
  const step = session.perform(`doc.tags.push(${JSON.stringify(tag)})`, (note) => note.tags.push(tag));
  const html = [
    tagsHtml(session.document.tags),
    stepHtml(step),
    journalHtml(step.view),
    mapHtml(step.view),
  ].join("");
  assert.doesNotMatch(html, /<img/);
  assert.match(html, /aria-label="Remove the tag &lt;img src=&quot;x&quot; onerror='alert\(1\)'&gt;&amp;"/);
});
