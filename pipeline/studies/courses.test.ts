import assert from "node:assert/strict";
import { test } from "node:test";
import { rowOf } from "../testing/rows.ts";
import {
  courseOf,
  distanceUntilBelow,
  heldFrom,
  interpolate,
  meanDistance,
  peaks,
  pointAt,
  rateCourse,
  rises,
  settledFrom,
  thinned,
} from "./courses.ts";

const course = (...values: readonly number[]) => values.map((value, at) => ({ at, value }));

test("a course is a quantity against what was written, or against another", () => {
  const rows = [1, 2].map((flush) =>
    rowOf({ flush, size: 100, app_bytes: 50 * flush, statements: 7 * flush }),
  );
  assert.deepEqual(
    courseOf(rows, (row) => row.statements),
    [
      { at: 0.5, value: 7 },
      { at: 1, value: 14 },
    ],
  );
  assert.deepEqual(
    courseOf(
      rows,
      (row) => row.statements,
      (row) => row.flush,
    ),
    course(0, 7, 14).slice(1),
  );
});

test("something holds from behind the last point where it does not", () => {
  const points = course(8, 256, 100, 256, 256);
  assert.equal(
    heldFrom(points, (value) => value === 256),
    3,
  );
  assert.equal(
    heldFrom(points, (value) => value > 1),
    0,
  );
  assert.equal(
    heldFrom(points, (value) => value < 200),
    Number.POSITIVE_INFINITY,
  );
});

test("a curve has settled where it no longer leaves the neighbourhood of its end", () => {
  assert.equal(settledFrom(course(9, 5.1, 7, 5.2, 4.9, 5), 0.25), 3);
  assert.equal(settledFrom(course(5), 0), 0);
  assert.throws(() => settledFrom([], 1), RangeError);
});

test("the point at a place is the first that is not before it", () => {
  assert.deepEqual(pointAt(course(5, 6, 7), 0.5), { at: 1, value: 6 });
  assert.deepEqual(pointAt(course(5, 6, 7), 2), { at: 2, value: 7 });
  assert.throws(() => pointAt(course(5, 6, 7), 2.5), RangeError);
});

test("the way down begins behind the place it is measured from", () => {
  const points = course(1, 9, 4, 2, 1, 3);
  assert.equal(distanceUntilBelow(points, 1, 2), 3);
  assert.equal(distanceUntilBelow(points, 1, 5), 1);
  assert.equal(distanceUntilBelow(points, 4, 1), Number.POSITIVE_INFINITY);
});

test("a rise goes from below the level to it or above", () => {
  assert.deepEqual(rises(course(20, 3, 16, 17, 2, 15, 40), 16), [2, 6]);
  assert.equal(meanDistance([2, 6, 7]), 2.5);
  assert.equal(meanDistance([2]), Number.POSITIVE_INFINITY);
});

test("between two points lies their straight line, outside that of the nearest two", () => {
  const points = [
    { at: 4, value: 10 },
    { at: 2, value: 20 },
    { at: 3, value: 0 },
  ];
  assert.equal(interpolate(points, 2.5), 10);
  assert.equal(interpolate(points, 3.25), 2.5);
  assert.equal(interpolate(points, 2), 20);
  assert.equal(interpolate(points, 4), 10);
  assert.equal(interpolate(points, 1.5), 30);
  assert.equal(interpolate(points, 5), 20);
  assert.throws(() => interpolate([], 1), RangeError);
  assert.throws(() => interpolate(points.slice(1, 2), 2), RangeError);
  assert.equal(interpolate([points[0]!, points[0]!], 4), 10);
});

test("a peak is the top between the ways up and down, however it ripples", () => {
  const points = course(1, 2, 8, 4, 9, 3, 1, 6, 1, 5.5, 2);
  assert.deepEqual(peaks(points, 3), [
    { at: 4, value: 9 },
    { at: 7, value: 6 },
    { at: 9, value: 5.5 },
  ]);
  assert.deepEqual(peaks(points, 2), [
    { at: 4, value: 9 },
    { at: 7, value: 6 },
  ]);
});

test("operations per second are smoothed, and rows with few operations left out", () => {
  const rows = Array.from({ length: 40 }, (_, at) =>
    rowOf({
      size: 1000,
      app_bytes: 100 * at,
      ops: 1000 * at,
      flush_us: at === 20 ? 99_000 : 900,
      ops_us: 100,
    }),
  );
  rows.push(rowOf({ size: 1000, app_bytes: 4000, ops: 39_499, flush_us: 1, ops_us: 1 }));
  const course = rateCourse(rows);
  assert.equal(course.length, 39);
  assert.equal(course[0]!.at, 0.1);
  for (const { value } of course) assert.ok(Math.abs(value - 1e6) < 1e-6, "one slow flush does not show");
});

const long = Array.from({ length: 1000 }, (_, at) =>
  rowOf({ flush: at + 1, data_pages: at === 437 ? 9999 : at % 7, free_pages: at === 602 ? -5 : at }),
);

test("a curve that begins or ends high has no peak there", () => {
  assert.deepEqual(peaks(course(8, 7, 1, 9, 1, 4, 8), 3), [{ at: 3, value: 9 }]);
});

test("thinning keeps ends, extremes and order, and no more than it may", () => {
  const kept = thinned(long, [(row) => row.data_pages, (row) => row.free_pages], 100);
  const flushes = kept.map(({ flush }) => flush);
  assert.ok(flushes.length > 50 && flushes.length <= 100, `${flushes.length} rows`);
  assert.deepEqual(
    flushes,
    flushes.toSorted((a, b) => a - b),
  );
  for (const flush of [1, 438, 603, 1000]) assert.ok(flushes.includes(flush), `flush ${flush}`);
  for (let from = 1; from < 1000; from += 50) {
    assert.ok(
      flushes.some((flush) => flush >= from && flush < from + 50),
      `flushes ${from} to ${from + 50}`,
    );
  }
});

test("a run that is short enough stays whole", () => {
  const short = long.slice(0, 100);
  assert.equal(thinned(short, [(row) => row.data_pages], 100), short);
});
