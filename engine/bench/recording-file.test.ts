import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { PlainFile } from "./plain-file.ts";
import { RecordingFile } from "./recording-file.ts";

const page = 4096;

describe("the speed floor's files", () => {
  it("record changes in order and pass everything on", () => {
    const memory = new MemoryFile("m");
    const file = new RecordingFile(memory);
    file.truncate(3 * page);
    file.write(new Uint8Array(page).fill(7), page);
    const { changes } = file.take();
    assert.deepEqual(changes, [
      { at: 3 * page, length: -1 },
      { at: page, length: page },
    ]);
    assert.deepEqual(file.take().changes, []);
    const read = new Uint8Array(2);
    file.read(read, 2 * page - 1);
    assert.deepEqual([...read], [7, 0]);
    assert.equal(file.size(), 3 * page);
  });

  it("keep the cost of syncs apart until it is taken", () => {
    const memory = new MemoryFile("m");
    const file = new RecordingFile(memory);
    memory.sync = () => {
      const until = performance.now() + 5;
      while (performance.now() < until);
    };
    file.sync();
    file.sync();
    const { calls, elapsedMicros, processorMicros } = file.take().sync;
    assert.equal(calls, 2);
    assert.ok(elapsedMicros >= 10_000);
    assert.ok(processorMicros > 0);
    assert.deepEqual(file.take().sync, { calls: 0, elapsedMicros: 0, processorMicros: 0 });
  });

  it("count and time writes and reads, each in its own book", () => {
    const memory = new MemoryFile("m", new Uint8Array(page));
    const slowly = (millis: number, call: () => void) => () => {
      const until = performance.now() + millis;
      while (performance.now() < until);
      call();
    };
    memory.write = slowly(2, () => {});
    memory.read = slowly(5, () => {});
    const file = new RecordingFile(memory);
    file.write(new Uint8Array(10), 0);
    file.write(new Uint8Array(10), 0);
    file.truncate(page);
    file.read(new Uint8Array(10), 0);
    const { write, read, sync } = file.take();
    assert.deepEqual([write.calls, read.calls, sync.calls], [3, 1, 0]);
    assert.ok(write.elapsedMicros >= 4000 && read.elapsedMicros >= 5000);
    assert.equal(file.take().read.calls, 0);
  });

  it("give a plain file the same pages, each once where they are only left dirty", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "daybook-plain-"));
    const name = path.join(folder, "plain");
    const plain = new PlainFile(name);
    plain.write([
      { at: 4 * page, length: -1 },
      { at: page + 100, length: 200 },
    ]);
    plain.flush([{ at: 2 * page, length: 2 * page }]);
    const bytes = readFileSync(name);
    assert.equal(bytes.length, 4 * page);
    const pages = [0, 1, 2, 3].map((at) => bytes.subarray(at * page, (at + 1) * page));
    assert.deepEqual(
      pages.map((one) => one.every((byte) => byte === 0x5a)),
      [false, true, true, true],
    );
    plain.remove();
    assert.ok(!existsSync(name));
    rmSync(folder, { recursive: true });
  });
});
