/** Draws a Vega-Lite specification as SVG, so that colours stay the theme's variables. */
import embed from "vega-embed";

export async function show(box: HTMLElement, specAddress: string): Promise<void> {
  const response = await fetch(specAddress);
  if (!response.ok) throw new Error(`${response.status} for ${specAddress}`);
  const spec = await response.json();
  box.replaceChildren();
  await embed(box, spec, {
    renderer: "svg",
    mode: "vega-lite",
    actions: false,
    tooltip: { theme: "custom" },
    // Data that a specification names by a relative address lies beside it.
    loader: { baseURL: new URL(".", new URL(specAddress, location.href)).href },
  });
}
