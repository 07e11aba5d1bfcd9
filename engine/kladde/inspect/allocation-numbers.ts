/** The numbers of an allocation in the order of every table of allocations. */

import type { AllocationRow } from "./document.ts";

export const allocationNumbers = (row: AllocationRow): (number | null)[] => [
  row.id,
  row.size,
  row.dataBytes,
  row.inlineBytes,
  row.dataPages,
  row.fragments,
  row.fragmentation === null ? null : Math.round(row.fragmentation * 100) / 100,
  row.statements,
  row.liveStatements,
  row.descriptionBytes,
  row.newestEpoch,
];
