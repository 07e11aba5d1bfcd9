/** All studies, in the order they are measured. */

import { consolidation } from "./consolidation.ts";
import type { Study } from "./study.ts";

export const studies: readonly Study[] = [consolidation];
