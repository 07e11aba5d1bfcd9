/**
 * Putting a fault into the engine to see whether the tests notice: a second copy of its modules is loaded into this
 * process, with one passage of one file replaced.
 *
 *  (1) The copy is complete: every module of `engine/kladde` that the entry leads to is loaded anew. What it shares
 *      with the original are the storage, the codec and the errors.
 *  (2) The passage must occur exactly once; a fault that nobody can put in any more is an error, not a success.
 */

import { registerHooks } from "node:module";
import { assert } from "../../errors.ts";

export interface Mutation {
  /** The fault in a few words. */
  readonly name: string;
  /** Below `engine/kladde`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const engine = new URL("../", import.meta.url).href;
const mark = "mutation";

const mutations: Mutation[] = [];
/** Numbers of the mutations whose file has been loaded. */
const applied = new Set<number>();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const number = numberOf(context.parentURL);
    if (number === undefined || !resolved.url.startsWith(engine)) return resolved;
    return { ...resolved, url: `${resolved.url}?${mark}=${number}` };
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const number = numberOf(url);
    if (number === undefined || url.split("?")[0] !== engine + mutations[number]!.file) return loaded;
    applied.add(number);
    return { ...loaded, source: mutated(String(loaded.source), mutations[number]!) };
  },
});

function numberOf(url: string | undefined): number | undefined {
  const value = url?.split("?")[1]?.split(`${mark}=`)[1];
  return value === undefined ? undefined : Number(value);
}

function mutated(source: string, { name, file, from, to }: Mutation): string {
  const parts = source.split(from);
  assert(parts.length === 2, `${name}: its passage occurs ${parts.length - 1} times in ${file}`);
  return parts.join(to);
}

/** Module `entry`, below `engine/kladde`, from an engine with the fault. `T` is the module's type. */
export async function loadMutated<T>(mutation: Mutation, entry: string): Promise<T> {
  const number = mutations.push(mutation) - 1;
  const module = (await import(`${engine}${entry}?${mark}=${number}`)) as T;
  assert(applied.has(number), `${mutation.name}: ${entry} does not lead to ${mutation.file}`);
  return module;
}
