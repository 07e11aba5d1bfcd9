import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { crc32c } from "../codec/crc32c.ts";
import { StoreError } from "../errors.ts";
import { nodeClock, openNodeFile } from "./node.ts";
import { nativeCrc32c, nodeCrc32c } from "./node-crc.ts";

const folder = fs.mkdtempSync(path.join(tmpdir(), "daybook-node-"));
after(() => fs.rmSync(folder, { recursive: true }));

let files = 0;
const newName = () => path.join(folder, `file-${files++}`);
const nodeUrl = new URL("./node.ts", import.meta.url).href;

function failsWith(code: string, message: RegExp, file: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.equal(error.file, file);
    return true;
  };
}

/** Runs a program that imports `openNodeFile` and gets `name`; it says "ready" when it has done its work. */
function child(program: string, name: string): ChildProcess {
  const source = `import { openNodeFile } from ${JSON.stringify(nodeUrl)};
    const name = ${JSON.stringify(name)};
    ${program}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

test("modes", () => {
  const name = newName();
  for (const mode of ["write", "read"] as const) {
    assert.throws(() => openNodeFile(name, mode), failsWith("io-failed", /does not exist/, name));
  }
  assert.equal(fs.existsSync(name), false);
  const made = openNodeFile(name, "create");
  made.truncate(3);
  made.write(Uint8Array.of(1, 2, 3), 0);
  made.close();
  const again = openNodeFile(name, "create");
  assert.equal(again.size(), 3);
  again.close();
  const reader = openNodeFile(name, "read");
  const into = new Uint8Array(2);
  reader.read(into, 1);
  assert.deepEqual(into, Uint8Array.of(2, 3));
  assert.throws(() => reader.write(into, 0), failsWith("io-failed", /cannot write/, name));
  assert.throws(() => reader.truncate(0), failsWith("io-failed", /cannot set the length/, name));
  assert.throws(() => reader.read(new Uint8Array(4), 0), failsWith("io-failed", /the file ends at 3/, name));
  reader.close();
});

test("what is no file is refused", () => {
  const missing = path.join(folder, "no", "where");
  assert.throws(() => openNodeFile(missing, "create"), failsWith("io-failed", /does not exist/, missing));
  for (const mode of ["create", "write", "read"] as const) {
    assert.throws(() => openNodeFile(folder, mode), failsWith("io-failed", /directory/, folder));
  }
  if (process.platform !== "win32") {
    const pipe = newName();
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
    for (const mode of ["write", "read"] as const) {
      assert.throws(() => openNodeFile(pipe, mode), failsWith("io-failed", /pipe/, pipe));
    }
  }
});

test("a closed handle reaches no other file", () => {
  const name = newName();
  const file = openNodeFile(name, "create");
  file.close();
  const other = openNodeFile(newName(), "create");
  other.truncate(10);
  for (const call of [
    () => file.size(),
    () => file.read(new Uint8Array(1), 0),
    () => file.write(new Uint8Array(1), 0),
    () => file.truncate(0),
    () => file.sync(),
  ]) {
    assert.throws(call, failsWith("closed", /closed file/, name));
  }
  assert.equal(other.size(), 10);
  other.close();
});

test("a file beyond the size limit is a full disk", { skip: process.platform === "win32" }, async () => {
  const name = newName();
  const program = `import { openNodeFile } from ${JSON.stringify(nodeUrl)};
    const file = openNodeFile(${JSON.stringify(name)}, "create");
    const codes = [];
    try { file.write(new Uint8Array(65536), 0); } catch (error) { codes.push(error.code, error.cause.code); }
    try { file.truncate(65536); } catch (error) { codes.push(error.code); }
    console.log(codes.join(" "));`;
  const script = `ulimit -f 8; exec "$0" --input-type=module -e "$1"`;
  const ran = spawnSync("sh", ["-c", script, process.execPath, program], { encoding: "utf8" });
  assert.equal(ran.stdout.trim(), "disk-full EFBIG disk-full", ran.stderr);
});

test("the lock holds against a worker and another process", async () => {
  const name = newName();
  const file = openNodeFile(name, "create");
  file.lock();
  const attempt = `try { openNodeFile(name, "write").lock(); report("got it"); } catch (error) { report(error.code); }`;
  const process2 = child(`const report = (text) => console.log(text); ${attempt}`, name);
  assert.equal(String(await process2.stdout!.toArray()).trim(), "locked");
  const source = `import { parentPort } from "node:worker_threads";
    import { openNodeFile } from ${JSON.stringify(nodeUrl)};
    const name = ${JSON.stringify(name)}, report = (text) => parentPort.postMessage(text); ${attempt}`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  assert.deepEqual(await once(worker, "message"), ["locked"]);
  await worker.terminate();
  // Neither attempt may have dropped it.
  assert.throws(() => openNodeFile(name, "write").lock(), failsWith("locked", /elsewhere/, name));
  file.close();
  const next = openNodeFile(name, "write");
  next.lock();
  next.close();
});

test("the lock is that of the real path, and a reader needs none", () => {
  const name = newName();
  const alias = newName();
  const file = openNodeFile(name, "create");
  fs.symlinkSync(name, alias);
  file.lock();
  const other = openNodeFile(alias, "write");
  assert.throws(() => other.lock(), failsWith("locked", /elsewhere/, alias));
  other.close();
  openNodeFile(alias, "read").close();
  assert.equal(fs.existsSync(`${alias}.lock`), false);
  assert.equal(fs.statSync(`${name}.lock`).size, 0);
  assert.throws(() => openNodeFile(name, "write").lock(), failsWith("locked", /elsewhere/, name));
  file.close();
});

test("the lock of a killed process is gone, and held until then", async () => {
  const name = newName();
  const owner = child(
    `const file = openNodeFile(name, "create"); file.lock(); console.log("ready"); setInterval(() => file, 1000);`,
    name,
  );
  await once(owner.stdout!, "data");
  const file = openNodeFile(name, "write");
  assert.throws(() => file.lock(), failsWith("locked", /elsewhere/, name));
  owner.kill("SIGKILL");
  const [, signal] = await once(owner, "exit");
  assert.equal(signal, "SIGKILL");
  file.lock();
  file.close();
  assert.deepEqual(
    fs.readdirSync(folder).filter((entry) => entry.startsWith(path.basename(name))),
    [path.basename(name), `${path.basename(name)}.lock`],
  );
});

test("a lock file that cannot be one is reported as such", () => {
  const name = newName();
  fs.mkdirSync(`${name}.lock`);
  const file = openNodeFile(name, "create");
  assert.throws(() => file.lock(), failsWith("io-failed", /cannot lock the file through .*\.lock/, name));
  file.close();
  const garbage = newName();
  fs.writeFileSync(`${garbage}.lock`, "x".repeat(5000));
  const second = openNodeFile(garbage, "create");
  assert.throws(
    () => second.lock(),
    failsWith("io-failed", /cannot lock the file through .*\.lock/, garbage),
  );
  second.close();
});

test("opening and reading load no SQLite", async () => {
  const name = newName();
  fs.writeFileSync(name, "abc");
  const reader = child(
    `const file = openNodeFile(name, "read"); file.read(new Uint8Array(3), 0); file.close();
     console.log(process.moduleLoadList.some((name) => name.includes("sqlite")));`,
    name,
  );
  assert.equal(String(await reader.stdout!.toArray()).trim(), "false");
});

test("the fastest CRC-32C is the native one for long inputs where it loads, and both agree", () => {
  const native = nativeCrc32c();
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 89) ^ (i >> 5));
  for (const length of [0, 1, 159, 160, 161, 4081, 5000]) {
    const part = bytes.subarray(0, length);
    assert.equal(nodeCrc32c()(part, 77), crc32c(part, 77));
    if (native) assert.equal(native(part, 77), crc32c(part, 77));
  }
  if (native === undefined) assert.equal(nodeCrc32c(), crc32c);
  const file = openNodeFile(newName(), "create", crc32c);
  assert.equal(file.crc32c, crc32c);
  file.close();
});

test("the clock goes forward in microseconds", async () => {
  const start = nodeClock.nowMicros();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const passed = nodeClock.nowMicros() - start;
  assert.ok(passed > 15_000 && passed < 10_000_000, `${passed}`);
});
