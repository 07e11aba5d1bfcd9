/**
 * Which part of the project may import which.
 *
 *     pipeline ──▶ engine/bench
 *     src ──▶ engine/kladde, engine/storage/memory (live examples; everything else it reads from content/ as files)
 *     engine/bench, engine/cli, engine/node (what is installed) ──▶ engine/kladde, engine/solarium
 *     everything under engine ──▶ engine/storage, engine/codec, engine/errors
 *
 *  (1) The engines do not know each other; their `format` knows only codec and errors.
 *  (2) A part is entered through its `index.ts`. The base parts are open.
 *  (3) Node's modules and packages stay outside the engines: only storage/node*, cli, bench, workers, pipeline, src
 *      and tests have them. What is for tests is used by tests only.
 *  (4) The site's tests may look into the engine: they compare what pages say with what is so.
 */

import { importsOf, type SourceFile } from "./source.ts";

type Part =
  | "errors"
  | "codec"
  | "storage"
  | "kladde"
  | "solarium"
  | "cli"
  | "bench"
  | "node"
  | "pipeline"
  | "src"
  | "content"
  | "outside";

const BASE: readonly Part[] = ["errors", "codec", "storage"];
const ENGINES: readonly Part[] = ["kladde", "solarium"];

const MAY_IMPORT: Readonly<Record<Part, readonly Part[]>> = {
  errors: [],
  codec: ["errors"],
  storage: ["errors", "codec"],
  kladde: BASE,
  solarium: BASE,
  cli: [...BASE, ...ENGINES],
  bench: [...BASE, ...ENGINES],
  node: [...BASE, ...ENGINES],
  pipeline: ["bench"],
  src: ["kladde", "storage"],
  content: ["src", "kladde", "storage"],
  outside: [],
};

/** The one file of `storage` that a page may use: it holds the bytes in memory. */
const STORAGE_FOR_PAGES = "engine/storage/memory.ts";

export function partOf(path: string): Part {
  if (path === "engine/errors.ts") return "errors";
  const [first, second] = path.split("/");
  if (first === "pipeline" || first === "src" || first === "content") return first;
  if (first !== "engine") return "outside";
  const inside = ["codec", "storage", "kladde", "solarium", "cli", "bench", "node"] as const;
  return inside.find((part) => part === second) ?? "outside";
}

export const isTest = (path: string): boolean => path.endsWith(".test.ts");

/** Tests, and what only tests use: `testing.ts` beside them or a folder of that name. */
export const isForTests = (path: string): boolean => isTest(path) || /(?:^|\/)testing(?:\.ts$|\/)/.test(path);

const hasTheWorld = (path: string): boolean =>
  /^(?:pipeline|src|engine\/cli|engine\/bench|engine\/node)\//.test(path) ||
  /^engine\/storage\/node[^/]*\.ts$/.test(path) ||
  /(?:^|[/.])worker\.ts$/.test(path) ||
  isForTests(path);

/** What a file imports that it may not, one line each. */
export function arrowFaults(file: SourceFile): string[] {
  return importsOf(file).flatMap(({ specifier, file: target, line }) => {
    const fault = faultOf(file.path, specifier, target);
    return fault === undefined ? [] : [`${file.path}:${line}: ${fault}`];
  });
}

function faultOf(
  from: string,
  specifier: string | undefined,
  target: string | undefined,
): string | undefined {
  if (specifier === undefined) return worldFault(from, "a module whose name is computed");
  if (target === undefined) return isVirtual(from, specifier) ? undefined : worldFault(from, specifier);
  if (isForTests(target) && !isForTests(from)) return `imports ${target}, which is for tests`;
  const part = partOf(from);
  const other = partOf(target);
  if (part === "src" && isTest(from) && target.startsWith("engine/")) return undefined;
  if (other === "outside") return `imports ${target}, which is no part of the project's code`;
  if (part === other) return formatFault(from, target);
  if (!MAY_IMPORT[part].includes(other)) return `${part} must not import ${other} (${target})`;
  if (part === "src" && other === "storage" && target !== STORAGE_FOR_PAGES) {
    return `a page may use ${STORAGE_FOR_PAGES}, not ${target}`;
  }
  if (!BASE.includes(other) && target !== `engine/${other}/index.ts`) {
    return `${other} is entered through engine/${other}/index.ts, not ${target}`;
  }
  return formatFault(from, target);
}

/** Modules that Astro makes for components. */
const isVirtual = (from: string, specifier: string): boolean =>
  from.startsWith("src/") && specifier.startsWith("astro:");

const worldFault = (from: string, what: string): string | undefined =>
  hasTheWorld(from) ? undefined : `imports ${what}; the engines get the world passed in`;

function formatFault(from: string, target: string): string | undefined {
  const engine = /^engine\/(kladde|solarium)\/format\//.exec(from);
  if (engine === null || target.startsWith(engine[0]) || isForTests(from)) return undefined;
  const allowed = ["codec", "errors"].includes(partOf(target));
  return allowed ? undefined : `the format imports ${target}; it may know codec and errors only`;
}
