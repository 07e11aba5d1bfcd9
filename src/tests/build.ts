/**
 * Builds the site for a test, into a folder of its own, and says how it went.
 *
 *  (1) One build at a time: wherever the output goes, Astro keeps the list of pages that it builds from in the project's
 *      `.astro`, and tests of other files may run beside.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

export interface Build {
  readonly folder: string;
  readonly ok: boolean;
  readonly output: string;
}

export interface BuildOptions {
  /** Folder of pages and results; the project's by default. */
  readonly content?: string;
  readonly base?: string;
}

/** Waits until nobody else builds; whoever comes later waits until it is closed, or its process has ended. */
function turn(): DatabaseSync {
  const folder = join(projectFolder, "node_modules/.cache/daybook");
  mkdirSync(folder, { recursive: true });
  const lock = new DatabaseSync(join(folder, "test-build.lock"));
  lock.exec("PRAGMA busy_timeout = 1000000; BEGIN EXCLUSIVE");
  return lock;
}

export async function buildSite({ content, base }: BuildOptions = {}): Promise<Build> {
  const work = mkdtempSync(join(tmpdir(), "daybook-site-"));
  const folder = join(work, "dist");
  const environment = {
    ...process.env,
    SITE_OUT: folder,
    SITE_CACHE: join(work, "cache"),
    ...(content === undefined ? {} : { DAYBOOK_CONTENT: content }),
    ...(base === undefined ? {} : { SITE_BASE: base }),
  };
  const lock = turn();
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["src/build/run.ts", "build"],
      { cwd: projectFolder, env: environment, maxBuffer: 16 * 1024 * 1024 },
      (failure, stdout, stderr) => {
        lock.close();
        resolve({ folder, ok: failure === null, output: stdout + stderr });
      },
    );
  });
}

/** The built folder, or a failed test with the build's output. */
export async function builtFolder(options: BuildOptions = {}): Promise<string> {
  const build = await buildSite(options);
  if (!build.ok) throw new Error(`the site did not build:\n${build.output}`);
  return build.folder;
}
