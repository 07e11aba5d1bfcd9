/**
 * The machine card: what a time was measured on. What the system does not tell is "unknown".
 */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import os from "node:os";
import type { MachineCard } from "./summary.ts";

/** `folder`: where the measured files lie. */
export function machineCard(folder: string): MachineCard {
  const model = os.cpus()[0]?.model.trim();
  return {
    cpu: model === undefined || model === "" ? "unknown" : model.replaceAll(/\s+/g, " "),
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    kernel: `${os.type()} ${os.release()}`,
    fileSystem: fileSystemOf(folder),
    node: process.version,
  };
}

const MOUNTS = "/proc/self/mountinfo";

function fileSystemOf(folder: string): string {
  return existsSync(MOUNTS) ? mountedAt(realpathSync(folder), readFileSync(MOUNTS, "utf8")) : "unknown";
}

/** The type of the file system whose mount point is the longest prefix of `path`; the last of equals hides the others. */
export function mountedAt(path: string, mountinfo: string): string {
  let best = { length: -1, type: "unknown" };
  for (const line of mountinfo.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4]?.replaceAll("\\040", " ");
    const type = after?.split(" ")[0];
    if (point === undefined || type === undefined) continue;
    const inside = path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`);
    if (inside && point.length >= best.length) best = { length: point.length, type };
  }
  return best.type;
}
