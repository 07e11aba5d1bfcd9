/**
 * The address table as rows, parents before their children.
 *
 *  (1) A page that is named more than once appears once with its contents, and once more to say so; of children that
 *      are not in the file each page shows the first.
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
  const named = new Set<number>([state.headerPage]);
  const namedAgain = new Set<number>();
  const stack: Visit[] = [{ page: state.headerPage, parent: null, depth: 0 }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { page, depth } = visit;
    const isAgain = seen.has(page);
    seen.add(page);
    const children = page === state.headerPage ? state.rootChildren : (pages.children.get(page) ?? []);
    const own = isAgain ? undefined : rowOf(world, usage, visit, children.length);
    yield own ?? unread(visit, world.faults.get(page) ?? "named again");
    if (own === undefined) continue;
    const shown: Visit[] = [];
    for (const child of children) {
      if (namedAgain.has(child)) continue;
      (named.has(child) ? namedAgain : named).add(child);
      shown.push({ page: child, parent: page, depth: depth + 1 });
      if (child >= pages.filePages) break;
    }
    for (let visitLater = shown.pop(); visitLater !== undefined; visitLater = shown.pop())
      stack.push(visitLater);
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
