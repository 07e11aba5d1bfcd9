/**
 * A session's states and steps as HTML: written once, for the build and for the browser.
 *
 *  (1) Texts of the reader's are escaped.
 *  (2) Colour is never the only sign: pages have letters, and words for those who do not see them.
 */
import type { ByteRange } from "./ranges.ts";
import { bytesText, type FileView, type Step } from "./session.ts";

const transactionsShown = 6;
const rangesShown = 6;

export function mapHtml(view: FileView, changed: ReadonlySet<number> = new Set()): string {
  const cells = view.pages.map(({ page, use, symbol, says }) => {
    const isChanged = changed.has(page);
    const words = `page ${page}: ${says}${isChanged ? "; changed by this step" : ""}`;
    return (
      `<li data-use="${use}"${isChanged ? " data-changed" : ""} title="${escaped(words)}">` +
      `<span aria-hidden="true">${symbol}</span><span class="sr-only">${escaped(words)}</span></li>`
    );
  });
  return `<ol class="live__map">${cells.join("")}</ol>`;
}

export function journalHtml({ journal }: FileView): string {
  const { transactions, streamBytes } = journal;
  if (transactions.length === 0) return "<p>Empty: everything is in the pages of the last flush.</p>";
  const hidden = Math.max(0, transactions.length - transactionsShown);
  const rows = transactions
    .slice(hidden)
    .map((records) => `<li>${records.map((text) => `<span>${escaped(text)}</span>`).join("")}</li>`);
  const many = transactions.length === 1 ? "1 transaction" : `${transactions.length} transactions`;
  const which = hidden === 0 ? "" : `; the last ${transactionsShown} of them`;
  return (
    `<p>${many}, ${bytesText(streamBytes)}${which}:</p>` +
    `<ol class="live__journal" start="${hidden + 1}">${rows.join("")}</ol>`
  );
}

/** One sentence for the line that is read aloud. */
export function stepText({ failure, journalBytes, ranges, bytesBefore, bytesAfter }: Step): string {
  const changed = ranges.reduce((sum, { length }) => sum + length, 0);
  const size = bytesAfter === bytesBefore ? "" : `, which is now ${bytesText(bytesAfter)} long`;
  const file = changed === 0 ? "nothing changed in the file" : `${bytesText(changed)} changed in the file`;
  const journal =
    journalBytes > 0
      ? `the journal grew by ${bytesText(journalBytes)}`
      : journalBytes < 0
        ? `the journal’s ${bytesText(-journalBytes)} were folded into pages`
        : "";
  const sentence = [failure === null ? "" : `It threw “${failure}”`, journal, `${file}${size}`]
    .filter((part) => part !== "")
    .join("; ");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

export function stepHtml(step: Step): string {
  const { code, ranges } = step;
  const rows = ranges.slice(0, rangesShown).map(rangeRow);
  const more = ranges.length > rangesShown ? `<p>and ${ranges.length - rangesShown} more places</p>` : "";
  const table =
    rows.length === 0
      ? ""
      : `<div class="scroll" tabindex="0" role="group" aria-label="Bytes that changed"><table>` +
        `<thead><tr><th>Page</th><th>At</th><th class="num">Bytes</th><th>Before</th><th>After</th></tr></thead>` +
        `<tbody>${rows.join("")}</tbody></table></div>`;
  return `<pre tabindex="0"><code>${escaped(code)}</code></pre>${table}${more}`;
}

const rangeRow = ({ page, offset, length, before, after }: ByteRange): string =>
  `<tr><td>${page}</td><td>${offset}</td><td class="num">${length}</td>` +
  `<td><code>${before || "end of file"}</code></td><td><code>${after || "end of file"}</code></td></tr>`;

export function tagsHtml(tags: Iterable<string>): string {
  const rows = Array.from(
    tags,
    (tag, at) =>
      `<li><span>${escaped(tag)}</span> <button type="button" data-remove="${at}" ` +
      `aria-label="Remove the tag ${escaped(tag)}">×</button></li>`,
  );
  return rows.join("");
}

export const changedPages = (step: Step): ReadonlySet<number> => new Set(step.ranges.map(({ page }) => page));

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter);
