/**
 * `kladde check`: everything that is wrong with a file, one line each, and a last line that sums it up.
 *
 * Cost: the address table in memory; every page in use is read once.
 */

import { type Inspection, inspectFile } from "../kladde/index.ts";
import type { StorageFile } from "../storage/storage.ts";
import type { Output } from "./output.ts";

/** Returns whether the file is sound. */
export async function check(file: StorageFile, out: Output): Promise<boolean> {
  try {
    const inspection = inspectFile(file);
    for (const { severity, message } of inspection.findings) await out.line(`${severity}: ${message}`);
    await out.line(`${file.name}: ${summary(inspection)}`);
    return inspection.faults === 0;
  } finally {
    file.close();
  }
}

function summary(inspection: Inspection): string {
  const { faults, epoch, filePages, tablePages, dataPages, journalPages, transactions, allocations } =
    inspection;
  const pages = `${count(filePages, "page")}: 2 headers, ${tablePages} of the table, ${dataPages ?? "unknown"} with data, ${journalPages} of the journal`;
  const journal = `${count(transactions, "transaction")} in the journal`;
  if (faults > 0) return `${count(faults, "fault")}; epoch ${epoch}; ${pages}; ${journal}`;
  return `sound; epoch ${epoch}; ${count(allocations ?? 0, "allocation")}; ${pages}; ${journal}`;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
