/** The page store and its documents on Node: what the browser has, and names of files in place of files. */

import { type KladdeOpener, kladdeOn } from "../kladde/index.ts";
import { nodeDisk } from "../storage/node.ts";

export * from "../kladde/index.ts";
export { type NodeFileMode, openNodeFile } from "../storage/node.ts";

/** Opens documents by path, or in files that are given. */
export const Kladde: KladdeOpener = kladdeOn(nodeDisk);
