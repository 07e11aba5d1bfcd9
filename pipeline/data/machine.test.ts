import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { machineCard, mountedAt } from "./machine.ts";

const mounts = [
  "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
  "30 21 0:26 / /dev/shm rw - tmpfs tmpfs rw",
  "40 21 0:30 /x /home/a\\040b rw shared:1 - btrfs /dev/sda rw",
  "41 40 0:31 / /home/a\\040b rw shared:2 - xfs /dev/sdb rw",
  "",
].join("\n");

test("the file system is the one of the closest mount point, the latest of equals", () => {
  assert.equal(mountedAt("/srv/data", mounts), "ext4");
  assert.equal(mountedAt("/dev/shm/x", mounts), "tmpfs");
  assert.equal(mountedAt("/dev/shmooze", mounts), "ext4");
  assert.equal(mountedAt("/home/a b/c", mounts), "xfs");
  assert.equal(mountedAt("/srv", ""), "unknown");
});

test("every line of the card says something", () => {
  const card = machineCard(tmpdir());
  for (const [name, value] of Object.entries(card)) assert.ok(value !== "" && value !== 0, name);
  assert.equal(card.node, process.version);
});
