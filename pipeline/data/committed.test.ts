import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { codeState, committedResults, UNKNOWN_COMMIT } from "./committed.ts";

function projectFolder(context: TestContext): {
  project: string;
  write: (path: string, text: string) => void;
} {
  const project = mkdtempSync(join(tmpdir(), "daybook-committed-"));
  context.after(() => rmSync(project, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(join(project, path, ".."), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  return { project, write };
}

function git(folder: string, ...words: string[]): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"];
  execFileSync("git", ["-C", folder, ...identity, ...words], { stdio: "pipe" });
}

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");

test("with git, committed is HEAD, whatever lies in the folder", (context) => {
  const { project, write } = projectFolder(context);
  write("content/evaluation/data/s/main/a.csv.gz", "old");
  write("engine/a.ts", "1");
  git(project, "init", "-q");
  git(project, "add", "-A");
  git(project, "commit", "-qm", "first");
  write("content/evaluation/data/s/main/a.csv.gz", "new");
  const { against, read } = committedResults(project, join(project, "content/evaluation"));
  assert.match(against, /^[0-9a-f]{9}$/);
  assert.equal(text(read("data/s/main/a.csv.gz")), "old");
  assert.equal(read("data/s/main/b.csv.gz"), undefined);
});

test("only tracked changes to the code make it dirty", (context) => {
  const { project, write } = projectFolder(context);
  write("engine/a.ts", "1");
  write("content/x.md", "1");
  git(project, "init", "-q");
  git(project, "add", "-A");
  git(project, "commit", "-qm", "first");
  write("content/x.md", "2");
  write("engine/new.ts", "2");
  const { commit, dirty } = codeState(project);
  assert.match(commit, /^[0-9a-f]{40}$/);
  assert.equal(dirty, false);
  write("engine/a.ts", "2");
  assert.equal(codeState(project).dirty, true);
  git(project, "add", "engine/a.ts");
  assert.equal(codeState(project).dirty, true, "staged changes differ from HEAD as well");
});

test("without git, committed is how the files were when they were asked for", (context) => {
  const { project, write } = projectFolder(context);
  write("content/evaluation/summary/s.json", "old");
  const { against, read } = committedResults(project, join(project, "content/evaluation"));
  write("content/evaluation/summary/s.json", "new");
  assert.equal(against, "the files as they were");
  assert.equal(text(read("summary/s.json")), "old");
  assert.equal(read("summary/t.json"), undefined);
  assert.deepEqual(codeState(project), { commit: UNKNOWN_COMMIT, dirty: false });
});

test("a project unpacked inside another repository is without git", (context) => {
  const { project, write } = projectFolder(context);
  write("inner/content/evaluation/summary/s.json", "inner");
  git(project, "init", "-q");
  git(project, "add", "-A");
  git(project, "commit", "-qm", "first");
  assert.equal(codeState(join(project, "inner")).commit, UNKNOWN_COMMIT);
  const { against } = committedResults(join(project, "inner"), join(project, "inner/content/evaluation"));
  assert.equal(against, "the files as they were");
});
