/**
 * The process that `crash-process.ts` kills: `node crash-child.ts FILE SEED`. One byte on its output for every step
 * that returned.
 */

import fs from "node:fs";
import { openNodeFile } from "../../storage/node.ts";
import { Session } from "./crash-process.ts";

const [path, seed] = process.argv.slice(2);
const session = new Session(openNodeFile(path!, "write"), Number(seed));
while (session.step(() => openNodeFile(path!, "write"))) fs.writeSync(1, ".");
