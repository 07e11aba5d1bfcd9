/** Types and values as sections of a page for a browser. */

import { type Cell, count, escaped, first, htmlRowsMax, type Lines, section, table } from "./html-table.ts";
import type {
  FieldRow,
  TypedDocument,
  TypeRow,
  TypesDocument,
  ValueRow,
  ValuesDocument,
} from "./typed-document.ts";
import { contentOf } from "./typed-text.ts";

/** Nothing for a file without types. */
export function* typedHtml({ unknown, types, values, findings }: TypedDocument): Lines {
  if (unknown !== null)
    yield* section("Types and values", [`<p>Nothing is known of them: ${escaped(unknown)}.</p>`]);
  if (types !== null) yield* section("Types", typePart(types));
  if (values !== null) yield* section("Values", valuePart(values));
  if (findings.length === 0) return;
  yield '<section><h2>Findings in types and values</h2><ul class="findings">';
  for (const { severity, message } of first(findings, htmlRowsMax))
    yield `<li><strong${severity === "fault" ? ' class="bad"' : ""}>${severity}</strong>: ${escaped(message)}</li>`;
  yield "</ul>";
  if (findings.length > htmlRowsMax) yield `<p>and ${findings.length - htmlRowsMax} more</p>`;
  yield "</section>";
}

function* typePart({
  root,
  tableBytes,
  fingerprint,
  fingerprintStated,
  types,
  typesOmitted,
}: TypesDocument): Lines {
  const agrees =
    fingerprint === fingerprintStated ? "as the header says" : `the header says ${fingerprintStated}`;
  yield `<p>The root is ${escaped(root)}; ${count(types.length + typesOmitted, "type")} in ${tableBytes} bytes. Fingerprint ${fingerprint}, ${agrees}.</p>`;
  yield* table(
    "Types, the root first; offsets are those in a slot",
    ["type", "kind", "slot bytes", "part", "of type", "offset", "fingerprint"],
    first(types.flatMap(typeCells), htmlRowsMax),
  );
}

/** A row of the type, and one for each of its parts. */
function typeCells({ name, kind, slotBytes, fingerprint, fields, variants, holds }: TypeRow): Cell[][] {
  const own: Cell[] = [name, kind, slotBytes ?? "packed only", "", holds.join(", "), "", fingerprint ?? ""];
  const part =
    (variant: string) =>
    ({ name: field, type, offset }: FieldRow): Cell[] => [
      "",
      "",
      "",
      `${variant}${field}`,
      type,
      offset ?? "",
      "",
    ];
  return [
    own,
    ...fields.map(part("")),
    ...variants.flatMap((variant): Cell[][] => [
      ["", "", "", `${variant.discriminant} ${variant.name}`, "", "", ""],
      ...variant.fields.map(part(`${variant.name}.`)),
    ]),
  ];
}

function* valuePart({ complete, allocations, bytes, leaks, rows, rowsOmitted }: ValuesDocument): Lines {
  const far = complete ? "" : ", as far as they can be read";
  yield `<p>${bytes} bytes in ${count(allocations, "allocation")}${far}.</p>`;
  if (leaks.allocations > 0)
    yield `<p class="bad">${leaks.certain ? "Leaked" : "Possibly leaked"}: ${count(leaks.allocations, "allocation")} of ${leaks.bytes} bytes.</p>`;
  yield* table(
    `Values, each before what is in it${rowsOmitted > 0 ? `; ${rowsOmitted} more are left out` : ""}`,
    ["value", "type", "content", "allocation", "bytes", "with all below"],
    rows.map(valueCells),
  );
}

const valueCells = (row: ValueRow): Cell[] => [
  `${"\u00a0\u00a0".repeat(Math.min(row.depth, 12))}${row.depth === 0 ? "root" : row.step.replace(/^\./, "") || "content"}`,
  row.type,
  contentOf(row),
  row.id,
  row.bytes,
  row.treeBytes === 0 ? null : row.treeBytes,
];
