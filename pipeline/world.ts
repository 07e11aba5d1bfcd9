/**
 * The real world of the main job: this project's folder, its benchmark, its site.
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { $ } from "zx";
import * as bench from "../engine/bench/index.ts";
import type { World } from "./reproduce.ts";
import { studies } from "./studies/index.ts";

export const project = resolve(fileURLToPath(new URL("..", import.meta.url)));

export function makeWorld(): World {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort(new Error("stopped")));
  }
  return {
    project,
    root: join(project, "content", "evaluation"),
    studies,
    bench,
    log: (line) => console.log(line),
    now: () => new Date(),
    progress: process.stdout.isTTY && !process.env.CI ? "default" : "simple",
    signal: stop.signal,
    buildSite: existsSync(join(project, "astro.config.mjs")) ? buildSite : undefined,
  };
}

async function buildSite(): Promise<string> {
  console.log("Building the site.");
  const built = await $({
    cwd: project,
    quiet: true,
    nothrow: true,
  })`${process.execPath} src/build/run.ts build`;
  if (built.exitCode !== 0) throw new Error(`\n${built.stdout}${built.stderr}`);
  return "The site is in dist/. Look at it with: npx -y pnpm@12.21.0 preview";
}
