/**
 * The address table as rows, parents before their children.
 *
 *  (1) A page that is named twice appears once with its contents; a further place says so.
 *  (2) The walk keeps its own stack: a damaged file may nest as deep as it has pages.
 */

import type { TreeRow } from "./document.ts";
import type { Usage } from "./usage.ts";
import type { World } from "./world.ts";

interface Visit {
  readonly page: number;
  readonly parent: number | null;
  readonly depth: number;
}

export function* treeRows(world: World, usage: Usage): Generator<TreeRow, void, undefined> {
  const { state } = world;
  const { pages } = state;
  const seen = new Set<number>();
  const stack: Visit[] = [{ page: state.headerPage, parent: null, depth: 0 }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { page, depth } = visit;
    const isAgain = seen.has(page);
    seen.add(page);
    const children = page === state.headerPage ? state.rootChildren : (pages.children.get(page) ?? []);
    const own = isAgain ? undefined : rowOf(world, usage, visit, children.length);
    yield own ?? unread(visit, world.faults.get(page) ?? "named again");
    if (own === undefined) continue;
    for (let i = children.length - 1; i >= 0; i--)
      stack.push({ page: children[i]!, parent: page, depth: depth + 1 });
  }
}

function rowOf(world: World, usage: Usage, visit: Visit, children: number): TreeRow | undefined {
  const { page } = visit;
  const { pages, epoch: now } = world.state;
  if (!pages.resident.has(page)) return undefined;
  const statements = world.statements.get(page);
  return {
    ...visit,
    epoch: pages.epoch[page]!,
    age: now - pages.epoch[page]!,
    children,
    statements: statements?.count ?? 0,
    firstId: statements?.firstId || null,
    lastId: statements?.lastId || null,
    contentBytes: pages.written[page]!,
    liveBytes: usage.live[page]!,
    fault: world.faults.get(page) ?? null,
  };
}

const unread = (visit: Visit, fault: string): TreeRow => ({
  ...visit,
  epoch: null,
  age: null,
  children: 0,
  statements: 0,
  firstId: null,
  lastId: null,
  contentBytes: null,
  liveBytes: 0,
  fault,
});
