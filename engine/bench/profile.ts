/**
 * A sampling profile of flushes: which part of the store their time went to.
 *
 *  (1) A sample belongs to the innermost of its frames that is in a part of the store; what all parts use (state, codec,
 *      format) counts for the part that called it, and so does all that reclamation calls. Calls of the file and garbage
 *      collection are parts of their own, whoever calls.
 *  (2) Only samples within the given windows of time count, each with the time to the next one.
 *  (3) While it runs everything takes a few percent longer, so what is profiled is not timed as well.
 *
 * Parts are known by their modules, so that no clock runs inside the store.
 */

import { Session } from "node:inspector";

/** In the order in which a flush gets to them. `fold` takes what changes, the header's statements included. */
export const profileParts = ["fold", "reclaim", "pack", "cut", "commit", "file", "garbage", "other"] as const;
export type ProfilePart = (typeof profileParts)[number];

const partOfModule: readonly (readonly [pattern: RegExp, part: ProfilePart])[] = [
  [/\/kladde\/reclaim\//, "reclaim"],
  [/\/kladde\/flush\/(flush|fold|content|pieces|apply)\.ts$/, "fold"],
  [/\/kladde\/flush\/(pack|open-page)\.ts$/, "pack"],
  [/\/kladde\/flush\/(cut|derive|layout|leaves|runs)\.ts$/, "cut"],
  [/\/kladde\/flush\/(commit|staging)\.ts$/, "commit"],
  [/\/storage\/node\.ts$/, "file"],
];

const sampleMicros = 500;

/** In microseconds, on the profile's clock. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface SampledProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export class Profiler {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.setSamplingInterval", { interval: sampleMicros });
    this.#session.post("Profiler.start");
  }

  now(): number {
    return Number(process.hrtime.bigint()) / 1000;
  }

  /** A session within its own thread answers before `post` returns. */
  stop(): SampledProfile {
    let profile: SampledProfile | undefined;
    this.#session.post("Profiler.stop", (error, result) => {
      if (error !== null) throw error;
      profile = result.profile as SampledProfile;
    });
    this.#session.disconnect();
    if (profile === undefined) throw new Error("the profiler gave no profile");
    return profile;
  }
}

/** Microseconds that each part took within the windows, which are in order and do not overlap. */
export function microsByPart(profile: SampledProfile, windows: readonly Window[]): Map<ProfilePart, number> {
  const { samples, timeDeltas, startTime } = profile;
  const partOf = partsOfNodes(profile.nodes);
  const micros = new Map<ProfilePart, number>(profileParts.map((part) => [part, 0]));
  let at = startTime;
  let next = 0;
  for (let i = 0; i < samples.length; i++) {
    at += timeDeltas[i]!;
    while (next < windows.length && windows[next]!.to <= at) next++;
    if (next === windows.length) break;
    if (at < windows[next]!.from) continue;
    const until = Math.min(at + (timeDeltas[i + 1] ?? 0), windows[next]!.to);
    const part = partOf.get(samples[i]!) ?? "other";
    micros.set(part, micros.get(part)! + until - at);
  }
  return micros;
}

function partsOfNodes(nodes: readonly ProfileNode[]): Map<number, ProfilePart> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, ProfilePart>();
  const visit = (node: ProfileNode, inherited: ProfilePart): void => {
    const own = ownPart(node);
    const part = own === undefined || (inherited === "reclaim" && !isAnybodys.has(own)) ? inherited : own;
    parts.set(node.id, part);
    for (const child of node.children ?? []) visit(byId.get(child)!, part);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, "other");
  return parts;
}

const isAnybodys: ReadonlySet<ProfilePart> = new Set(["file", "garbage"]);

function ownPart({ callFrame }: ProfileNode): ProfilePart | undefined {
  if (callFrame.functionName === "(garbage collector)") return "garbage";
  return partOfModule.find(([pattern]) => pattern.test(callFrame.url))?.[1];
}
