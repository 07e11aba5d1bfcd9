/** Published: what a map of strings in the typed layer costs, end to end. */

import * as of from "../../derive.ts";
import type { Results } from "../../results.ts";
import { pick, type Series } from "../../series.ts";
import { atEnd, atMost, inMean, near, type Publish, publisher } from "./publish.ts";

/** Allocations that are no string: the root, its type and the map's slots. */
const OTHER_ALLOCATIONS = 3;

export function publishedTyped(results: Results, all: readonly Series[]): void {
  const publish = publisher(results, "Typed values");
  const typed = pick(all, "typed-16", "on");
  atTheEnd(publish, typed);
  journal(publish, results, typed);
}

function atTheEnd(publish: Publish, typed: Series): void {
  publish({
    number: "Y1",
    id: "typed-space",
    what: "File size at the end, in live bytes: map of strings",
    published: 1.53,
    ours: atEnd(typed, of.space),
    unit: "ratio",
    allowed: near(0.06),
    value: "typed-16.on.space",
  });
  publish({
    number: "Y2",
    id: "typed-writes",
    what: "Bytes written per byte of the application, over the whole run: map of strings",
    published: 2.97,
    ours: atEnd(typed, of.amplification),
    unit: "ratio",
    allowed: near(0.06),
    value: "typed-16.on.writes",
  });
  publish({
    number: "Y4",
    id: "typed-density",
    what: "Statements per KiB, second half: map of strings",
    published: 9.1,
    ours: inMean(typed, of.density),
    unit: "statementsPerKiB",
    allowed: near(0.1),
    value: "typed-16.on.densityMean",
  });
  publish({
    number: "Y5",
    id: "typed-strings",
    what: "Strings in the map at the end",
    published: 137_000,
    ours: atEnd(typed, (row) => row.allocations - OTHER_ALLOCATIONS),
    unit: "count",
    allowed: near(0.005),
  });
}

function journal(publish: Publish, results: Results, typed: Series): void {
  publish({
    number: "Y3",
    id: "typed-journal",
    what: "Journal bytes per byte of the application: map of strings",
    published: 1.12,
    ours: atEnd(typed, of.journalPerByte),
    unit: "ratio",
    allowed: atMost(1.12),
    value: "typed-16.on.journal",
  });
  results.claim("typed-journal-every-row", {
    says: "After no thousand operations has the journal taken more than 1.12 bytes for a byte so far.",
    left: Math.max(...typed.rows.map(of.journalPerByte)),
    relation: "<=",
    right: 1.12,
  });
}
