/** Builds the site for a test, into a folder of its own, and says how it went. */
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["src/build/run.ts", "build"],
      { cwd: projectFolder, env: environment, maxBuffer: 16 * 1024 * 1024 },
      (failure, stdout, stderr) => resolve({ folder, ok: failure === null, output: stdout + stderr }),
    );
  });
}

/** The built folder, or a failed test with the build's output. */
export async function builtFolder(options: BuildOptions = {}): Promise<string> {
  const build = await buildSite(options);
  if (!build.ok) throw new Error(`the site did not build:\n${build.output}`);
  return build.folder;
}
