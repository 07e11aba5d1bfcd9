/**
 * What is committed: the results that a new run is compared with.
 *
 *  (1) With git it is HEAD, whatever the working tree holds. The repository must be the project's own: a project that
 *      was unpacked inside another repository has none.
 *  (2) Without git it is the files as they were before the first write, so it is read at the start.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

export interface Committed {
  /** For people: a short commit, or what stands in for it. */
  readonly against: string;
  /** `path` is relative to the results' root; undefined when there is no such file. */
  read(path: string): Uint8Array | undefined;
}

export const UNKNOWN_COMMIT = "unknown";

export interface CodeState {
  /** Forty hex digits, or `UNKNOWN_COMMIT`. */
  readonly commit: string;
  /** Tracked files under `engine/` or `pipeline/` differ from the commit; false where there is no commit to compare. */
  readonly dirty: boolean;
}

const BIGGEST_FILE = 1 << 28;

function git(project: string, ...words: string[]): Uint8Array | undefined {
  try {
    return execFileSync("git", ["-C", project, ...words], {
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: BIGGEST_FILE,
    });
  } catch {
    return undefined;
  }
}

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8").trim();

/** HEAD of the project's own repository, or undefined. */
export function headOf(project: string): string | undefined {
  const top = text(git(project, "rev-parse", "--show-toplevel"));
  if (top === undefined || realpathSync(top) !== realpathSync(project)) return undefined;
  return text(git(project, "rev-parse", "--verify", "HEAD"));
}

export function codeState(project: string): CodeState {
  const commit = headOf(project);
  if (commit === undefined) return { commit: UNKNOWN_COMMIT, dirty: false };
  const same = git(project, "diff", "--quiet", "HEAD", "--", "engine", "pipeline") !== undefined;
  return { commit, dirty: !same };
}

export function committedResults(project: string, root: string): Committed {
  const commit = headOf(project);
  return commit === undefined ? filesNow(root) : filesAt(commit, project, root);
}

function filesAt(commit: string, project: string, root: string): Committed {
  const folder = relative(project, root).split(sep).join("/");
  return {
    against: commit.slice(0, 9),
    read: (path) => git(project, "show", `${commit}:${folder}/${path.split(sep).join("/")}`),
  };
}

function filesNow(root: string): Committed {
  const files = new Map<string, Uint8Array>();
  for (const part of ["data", "summary", "figures"]) {
    for (const path of filesBelow(join(root, part))) files.set(relative(root, path), readFileSync(path));
  }
  return { against: "the files as they were", read: (path) => files.get(path) };
}

function filesBelow(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
