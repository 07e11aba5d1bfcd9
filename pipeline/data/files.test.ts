import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { madeUpRun, madeUpTable } from "../testing/rows.ts";
import {
  decodeTable,
  decodeTimes,
  encodeTable,
  encodeTimes,
  exactHash,
  readTable,
  tablePath,
  timesPath,
  writeTable,
} from "./files.ts";
import { decompress } from "./gzip.ts";

const made = (slow = 1) => madeUpTable("uniform", madeUpRun("uniform", "off", 2 ** 20, 5, slow));

test("a table comes back from its file, and its file has the same bytes again", () => {
  const bytes = encodeTable(made());
  const again = decodeTable("uniform", bytes);
  assert.deepEqual(again, made());
  assert.deepEqual(encodeTable(again), bytes);
});

test("the hash is of the exact columns", () => {
  assert.equal(exactHash(made(1)), exactHash(made(7)));
  const other = madeUpTable("uniform", madeUpRun("uniform", "off", 2 ** 20, 4));
  assert.notEqual(exactHash(made()), exactHash(other));
});

test("further repetitions keep which row they are of and their times, nothing else", () => {
  const bytes = encodeTimes([made(2), made(3)]);
  const lines = decompress(bytes).trimEnd().split("\n");
  assert.equal(lines[0], "scenario,variant,size,flush,flush_us,ops_us");
  assert.equal(lines.length, 1 + 2 * 5);
  const [second, third, ...none] = decodeTimes(made(), bytes);
  assert.deepEqual([...second!.columns.flush_us], [...made(2).columns.flush_us]);
  assert.deepEqual([...third!.columns.ops_us], [...made(3).columns.ops_us]);
  assert.equal(none.length, 0);
});

test("times of other rows are refused", () => {
  const other = madeUpTable("uniform", madeUpRun("uniform", "on", 2 ** 20, 5));
  assert.throws(() => decodeTimes(made(), encodeTimes([other])), /uniform on 1048576 is no run/);
  const shorter = madeUpTable("uniform", madeUpRun("uniform", "off", 2 ** 20, 4));
  assert.throws(() => decodeTimes(made(), encodeTimes([shorter])), /4 rows, not 5/);
  const moved = madeUpTable(
    "uniform",
    madeUpRun("uniform", "off", 2 ** 20, 6).filter(({ flush }) => flush !== 3),
  );
  assert.throws(() => decodeTimes(made(), encodeTimes([moved])), /row 3: flush is not the table's/);
});

test("repetitions may hold a part of the runs", () => {
  const small = (slow: number) => madeUpRun("uniform", "on", 2 ** 20, 5, slow);
  const whole = madeUpTable("uniform", small(1), madeUpRun("uniform", "on", 2 ** 26, 7));
  const bytes = encodeTimes([2, 3].map((slow) => madeUpTable("uniform", small(slow))));
  const times = decodeTimes(whole, bytes);
  assert.deepEqual(
    times.map(({ rowCount }) => rowCount),
    [5, 5],
  );
  assert.equal(times[1]!.columns.ops_us[4], 7500);
});

test("a table measured once removes the times of an earlier, repeated one", () => {
  const root = mkdtempSync(join(tmpdir(), "daybook-files-"));
  try {
    writeTable(root, "s", "main", { table: made(), times: [made(2)] });
    assert.equal(readTable(root, "s", "main", "uniform").times.length, 1);
    writeTable(root, "s", "main", { table: made(), times: [] });
    assert.equal(existsSync(join(root, timesPath("s", "main", "uniform"))), false);
    assert.equal(readTable(root, "s", "main", "uniform").times.length, 0);
    assert.deepEqual(readdirSync(join(root, "data/s/main")), ["uniform.csv.gz"], "no drafts are left");
    assert.deepEqual(
      readFileSync(join(root, tablePath("s", "main", "uniform"))),
      Buffer.from(encodeTable(made())),
    );
    assert.throws(
      () => readTable(root, "s", "main", "skewed"),
      /skewed\.csv\.gz is missing; pnpm reproduce --only s/,
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
