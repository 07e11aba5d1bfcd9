import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { microsByPart, Profiler, profileParts, type SampledProfile, type Window } from "./profile.ts";

const frame = (id: number, url: string, children: number[] = [], functionName = "f") => ({
  id,
  callFrame: { functionName, url: url === "" ? "" : `file:///somewhere/engine/${url}` },
  children,
});

/** Samples of these nodes, ten microseconds apart from 1000 on. */
const sampled = (...samples: number[]): SampledProfile => ({
  nodes: [
    frame(1, "", [2, 10, 11], "(root)"),
    frame(2, "kladde/session.ts", [3]),
    frame(3, "kladde/flush/flush.ts", [4, 5, 6, 9]),
    frame(4, "kladde/state/taking.ts"),
    frame(5, "kladde/flush/pack.ts", [7]),
    frame(6, "kladde/flush/cut.ts", [12]),
    frame(7, "kladde/reclaim/free-filling.ts", [8]),
    frame(8, "kladde/flush/open-page.ts", [13]),
    frame(9, "kladde/flush/commit.ts", [14]),
    frame(10, "", [], "(garbage collector)"),
    frame(11, "bench/model.ts"),
    frame(12, "codec/leb128.ts"),
    frame(13, "storage/node.ts"),
    frame(14, "storage/node.ts", [15]),
    frame(15, "", [], "writeBuffer"),
  ],
  startTime: 1000,
  samples,
  timeDeltas: samples.map((_, i) => (i === 0 ? 0 : 10)),
});

const shares = (profile: SampledProfile, ...windows: Window[]) =>
  Object.fromEntries([...microsByPart(profile, windows)].filter(([, micros]) => micros > 0));

describe("a profile", () => {
  const all = { from: 0, to: 1e6 };

  it("counts a sample for the part it is in, or was called by", () => {
    const cases: [number, string][] = [
      [2, "other"],
      [3, "fold"],
      [4, "fold"],
      [5, "pack"],
      [6, "cut"],
      [7, "reclaim"],
      [8, "reclaim"],
      [9, "commit"],
      [10, "garbage"],
      [11, "other"],
      [12, "cut"],
      [13, "file"],
      [14, "file"],
      [15, "file"],
    ];
    for (const [node, part] of cases) assert.deepEqual(shares(sampled(node, 1), all), { [part]: 10 });
  });

  it("counts only what lies within the windows, up to their ends", () => {
    const profile = sampled(3, 5, 6, 9, 3, 5); // 1000 … 1050
    assert.deepEqual(shares(profile, { from: 1010, to: 1020 }), { pack: 10 });
    assert.deepEqual(shares(profile, { from: 1010, to: 1035 }), { pack: 10, cut: 10, commit: 5 });
    assert.deepEqual(shares(profile, { from: 1005, to: 1012 }, { from: 1020, to: 1021 }), {
      pack: 2,
      cut: 1,
    });
    assert.deepEqual(shares(profile), {});
    assert.deepEqual([...microsByPart(sampled(), [all]).keys()], [...profileParts]);
  });

  it("is taken on the clock that the windows are on", () => {
    // A busy machine may let the sampler wait. On another clock no attempt would have its samples within the window.
    const shares: number[] = [];
    while (shares.length < 20 && !shares.some((share) => share > 0.8)) {
      const profiler = new Profiler();
      profiler.start();
      const from = profiler.now();
      const until = performance.now() + 60;
      while (performance.now() < until);
      const to = profiler.now();
      const sum = [...microsByPart(profiler.stop(), [{ from, to }]).values()].reduce((a, b) => a + b, 0);
      assert.ok(to - from >= 60_000);
      assert.ok(sum <= to - from + 1, `${sum} of ${to - from}`);
      shares.push(sum / (to - from));
    }
    assert.ok(shares.at(-1)! > 0.8, shares.join(", "));
  });
});
