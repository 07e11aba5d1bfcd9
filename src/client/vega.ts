/**
 * Draws a Vega-Lite specification as SVG, so that colours stay the theme's variables.
 *
 * Fonts do not: text is measured on a canvas, which knows no variables, so the theme's font is put in their place.
 */
import embed from "vega-embed";

/** Columns of the data that a reader knows, by the name they have there; a point also carries Vega's own. */
export type ColumnTitles = Readonly<Record<string, string>>;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function tooltip(value: Readonly<Record<string, unknown>>, titles: ColumnTitles): string {
  const rows = Object.entries(titles)
    .filter(([key]) => value[key] !== undefined)
    .map(([key, title]) => `<dt>${escaped(title)}</dt><dd>${escaped(String(value[key]))}</dd>`);
  return `<dl>${rows.join("")}</dl>`;
}

export async function show(box: HTMLElement, specAddress: string, titles: ColumnTitles): Promise<void> {
  const response = await fetch(specAddress);
  if (!response.ok) throw new Error(`${response.status} for ${specAddress}`);
  const font = getComputedStyle(box).fontFamily.replaceAll('"', "'");
  const spec = JSON.parse((await response.text()).replaceAll(/var\(--figure-font[^)]*\)/g, font));
  box.replaceChildren();
  await embed(box, spec, {
    renderer: "svg",
    mode: "vega-lite",
    actions: false,
    tooltip: { theme: "custom", formatTooltip: (value) => tooltip(value, titles) },
    // Data that a specification names by a relative address lies beside it.
    loader: { baseURL: new URL(".", new URL(specAddress, location.href)).href },
  });
}
