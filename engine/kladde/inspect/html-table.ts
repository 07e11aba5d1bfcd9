/** Parts of a report for a browser: sections, tables, text that is escaped wherever it stands. */

export const htmlRowsMax = 500;

export type Lines = Generator<string, void, undefined>;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character]!);
export const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

export function* section(title: string, body: Iterable<string>): Lines {
  yield `<section><h2>${title}</h2>`;
  yield* body;
  yield "</section>";
}

export type Cell = number | string | null;

export function* table(caption: string, titles: readonly string[], rows: Iterable<readonly Cell[]>): Lines {
  yield `<div class="scroll" tabindex="0" role="region" aria-label="Table: ${caption}"><table><caption>${caption}</caption>`;
  yield `<thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join("")}</tr></thead><tbody>`;
  for (const row of rows) yield `<tr>${row.map(cellHtml).join("")}</tr>`;
  yield "</tbody></table></div>";
}

const cellHtml = (cell: Cell): string => {
  if (typeof cell === "string") return `<td>${escaped(cell)}</td>`;
  return `<td class="n">${cell === null ? "-" : cell}</td>`;
};

export function* first<T>(rows: Iterable<T>, most: number): Generator<T, void, undefined> {
  let taken = 0;
  for (const row of rows) {
    if (taken++ === most) return;
    yield row;
  }
}
