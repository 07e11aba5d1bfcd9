/** All studies, in the order they are measured. */

import { consolidation } from "./consolidation/index.ts";
import type { Study } from "./study.ts";

export const studies: readonly Study[] = [consolidation];
