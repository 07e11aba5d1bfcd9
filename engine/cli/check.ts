/**
 * `kladde check`: everything that is wrong with a file, one line each, and a last line that sums it up.
 *
 * Cost: the address table in memory; every page in use is read once, and every value.
 */

import { type Inspection, inspectFile, readTyped, type TypedDocument } from "../kladde/index.ts";
import type { StorageFile } from "../storage/storage.ts";
import type { Output } from "./output.ts";

/** Returns whether the file is sound. */
export async function check(file: StorageFile, out: Output): Promise<boolean> {
  try {
    const inspection = inspectFile(file);
    // What types and values say counts only where the pages can be believed.
    const typed = inspection.faults === 0 ? readTyped(file, { limit: 1, length: 0 }) : undefined;
    for (const { severity, message } of [...inspection.findings, ...(typed?.findings ?? [])])
      await out.line(`${severity}: ${message}`);
    if (typed !== undefined && typed.unknown !== null)
      await out.line(`note: ${file.name}: nothing is known of types and values: ${typed.unknown}`);
    const faults = inspection.faults + (typed?.faults ?? 0);
    await out.line(
      `${file.name}: ${summary({ ...inspection, faults })}${typed === undefined ? "" : typesOf(typed)}`,
    );
    return faults === 0;
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

/** Nothing for a file without types. */
function typesOf({ types, values }: TypedDocument): string {
  if (types === null) return "";
  const reached = values === null ? "" : `, in ${count(values.allocations, "allocation")}`;
  return `; values of type ${types.root}${reached}`;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
