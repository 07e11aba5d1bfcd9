/**
 * How long it takes to open a file of some size, and to check all of it, in the page cache; with what is aimed at.
 *
 *  (1) The file is one that was worked on: random operations with reclamation made it what it is.
 *  (2) Medians over several times; what is not met is said, and fails the command.
 */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openNodeFile } from "../../../storage/node.ts";
import { inspectFile } from "../../inspect/inspect.ts";
import { Store } from "../../store.ts";
import { SoakingStore } from "../soak.ts";
import type { LongRun } from "./summary.ts";

export interface OpeningPlan {
  readonly seed: number;
  readonly live: number;
  readonly words: string;
}

const times = 5;
const openMicrosMost = 1e6;
const checkMicrosMost = 3e6;
/** Flushes after the file has its size: pages that are half dead, and pages written over. */
const flushesAfter = 200;

export function measureOpening({ seed, live, words }: OpeningPlan): LongRun {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kladde-opening-"));
  const name = path.join(folder, "file.kladde");
  try {
    makeFile(name, seed, live * 2 ** 20);
    const fileBytes = fs.statSync(name).size;
    const { statements, allocations } = countsOf(name);
    const open = medianMicros(() => {
      const store = Store.open(openNodeFile(name, "write"));
      return () => store.close();
    });
    let faults = 0;
    const check = medianMicros(() => {
      const file = openNodeFile(name, "read");
      faults += inspectFile(file).faults;
      return () => file.close();
    });
    const counts = {
      file: { says: "bytes of the file", value: fileBytes, unit: "bytes" },
      allocations: { says: "allocations in it", value: allocations },
      statements: { says: "statements of its address table that count", value: statements },
      open: { says: "opening it for writing, every page verified", value: open, unit: "micros" },
      check: { says: "looking through all of it for what is wrong", value: check, unit: "micros" },
      faults: { says: "faults found", value: faults },
    } as const;
    const bounds = {
      open: { says: "a file of this size opens within a second", left: open, right: openMicrosMost },
      check: { says: "it is checked within three", left: check, right: checkMicrosMost },
    };
    return { command: "opening", words, seed, counts, faults, bounds };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** At least `bytes` long. */
function makeFile(name: string, seed: number, bytes: number): void {
  // Some of what is alive are zeros, which take no room.
  const store = new SoakingStore(() => openNodeFile(name, "create"), seed, 1.4 * bytes);
  while (store.fileBytes < bytes) store.work();
  const filled = store.flushes;
  while (store.flushes < filled + flushesAfter) store.work();
  store.close();
}

function countsOf(name: string): { readonly statements: number; readonly allocations: number } {
  const store = Store.open(openNodeFile(name, "write"));
  const { statements, allocations } = store.stats();
  store.close();
  return { statements, allocations };
}

/** Of `step`, without what it returns to be done afterwards. */
function medianMicros(step: () => () => void): number {
  const micros = Array.from({ length: times }, () => {
    const began = performance.now();
    const end = step();
    const took = (performance.now() - began) * 1000;
    end();
    return took;
  });
  return Math.round(micros.sort((a, b) => a - b)[Math.floor(times / 2)]!);
}
