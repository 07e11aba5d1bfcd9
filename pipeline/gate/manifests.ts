/**
 * What is committed below `content/evaluation/data` hangs together: every table has its line in a manifest and the
 * rows that line promises, and came from code that was committed.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { committedResults, headOf } from "../data/committed.ts";
import { decodeTable, exactHash } from "../data/files.ts";
import type { Manifest } from "../data/summary.ts";
import type { CheckReport } from "./step.ts";

const RESULTS = "content/evaluation";
const TABLE = /^(?<folder>data\/.+)\/(?<name>[^/]+?)\.csv\.gz$/;

export function committedManifests(project: string): CheckReport {
  if (headOf(project) === undefined) return { says: "without git nothing is committed", faults: [] };
  const { read } = committedResults(project, join(project, RESULTS));
  const paths = committedPaths(project);
  const manifests = paths.filter((path) => path.endsWith("/manifest.json"));
  const faults = manifests.flatMap((path) => {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const manifest = JSON.parse(textOf(read(path))) as Manifest;
    return manifestFaults(manifest, folder, (name) => read(`${folder}/${name}.csv.gz`)).map(
      (fault) => `${path}: ${fault}`,
    );
  });
  const folders = new Set(manifests.map((path) => path.slice(0, path.lastIndexOf("/"))));
  const orphans = paths.filter(
    (path) => !folders.has(TABLE.exec(path)?.groups?.folder ?? path.slice(0, path.lastIndexOf("/"))),
  );
  return {
    says: `${manifests.length} manifests`,
    faults: [...faults, ...orphans.map((path) => `${path}: no manifest describes it`)],
  };
}

export function manifestFaults(
  manifest: Manifest,
  folder: string,
  read: (table: string) => Uint8Array | undefined,
): string[] {
  const faults: string[] = [];
  const [, study, run] = folder.split("/");
  if (manifest.study !== study || manifest.run !== run) {
    faults.push(`it is of ${manifest.study}/${manifest.run} and lies in ${study}/${run}`);
  }
  faults.push(...originFaults("it", manifest));
  for (const [name, { rows, sha256, kept }] of Object.entries(manifest.tables)) {
    if (kept !== undefined) faults.push(...originFaults(name, kept));
    const bytes = read(name);
    if (bytes === undefined) faults.push(`the table ${name} is missing`);
    else {
      const table = decodeTable(name, bytes);
      if (table.rowCount !== rows) faults.push(`${name} has ${table.rowCount} rows, not ${rows}`);
      else if (exactHash(table) !== sha256) faults.push(`${name} is not the table that was measured`);
    }
  }
  return faults;
}

function originFaults(what: string, { dirty, commit }: Pick<Manifest, "dirty" | "commit">): string[] {
  const faults: string[] = [];
  if (dirty) faults.push(`${what} was measured with changes that were not committed`);
  if (!/^[0-9a-f]{40}$/.test(commit)) faults.push(`${what} names no commit, but ${JSON.stringify(commit)}`);
  return faults;
}

function committedPaths(project: string): string[] {
  const words = ["-C", project, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", `${RESULTS}/data`];
  return execFileSync("git", words, { encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "")
    .map((path) => path.slice(RESULTS.length + 1));
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("utf8");
