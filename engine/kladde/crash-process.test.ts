/**
 * Processes killed in the middle of their work on a real file. By hand:
 *
 *     KILLS=200 node --test engine/kladde/crash-process.test.ts
 */

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { KilledProcesses } from "./testing/crash-process.ts";

const kills = Number(process.env.KILLS ?? 10);
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 32);

test(`${kills} killed processes leave everything acknowledged, and no lock`, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kladde-crash-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  t.diagnostic(`SEED=${seed}`);
  const processes = new KilledProcesses(path.join(folder, "file.kladde"), seed);
  let acknowledged = 0;
  let ahead = 0;
  for (let i = 0; i < kills; i++) {
    const killing = await processes.round();
    acknowledged += killing.acknowledged;
    if (killing.ahead > 0) ahead++;
  }
  t.diagnostic(
    `${kills} kills after ${acknowledged} acknowledged steps; ${ahead} files were ahead of the report`,
  );
  assert.ok(acknowledged > kills, "the children did something");
});
