/** Documents in files that are given, on any platform. */

import { type KladdeOpener, kladdeOn } from "./kladde.ts";

export const Kladde: KladdeOpener = kladdeOn();
