import assert from "node:assert/strict";
import { test } from "node:test";
import type { TopLevelSpec } from "vega-lite";
import { render, roundCoordinates, scopeIds, slim } from "./render.ts";
import { theme } from "./theme.ts";

const labels = { id: "f", title: "A & B", description: "from 1 < 2" };

const specOf = (change: Record<string, unknown> = {}): TopLevelSpec =>
  ({
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    data: {
      values: "x,y,name\n0,1,a\n1,3,a\n2,2,b\n",
      format: { type: "csv", parse: { x: "number", y: "number" } },
    },
    width: 200,
    height: 100,
    mark: { type: "line", clip: true },
    encoding: {
      x: { field: "x", type: "quantitative" },
      y: { field: "y", type: "quantitative" },
      color: { field: "name", type: "nominal" },
    },
    config: theme,
    ...change,
  }) as unknown as TopLevelSpec;

test("the same specification gives the same bytes, whatever was drawn before", async () => {
  const first = await render(specOf(), labels);
  await render(specOf({ mark: { type: "bar", clip: true } }), { ...labels, id: "other" });
  const second = await render(specOf(), labels);
  assert.equal(second.svg, first.svg);
  assert.match(first.svg, /clip-path="url\(#f-part-0\)"/);
});

test("the drawing is one labelled image, follows the theme, and has its size", async () => {
  const { svg, width, height } = await render(specOf(), labels);
  assert.match(svg, /^<svg role="img" aria-labelledby="f-title f-desc" /);
  assert.ok(svg.includes('<title id="f-title">A &amp; B</title><desc id="f-desc">from 1 &lt; 2</desc>'));
  assert.equal(svg.match(/ role="/g)?.length, 1, "marks have no roles of their own");
  assert.equal(svg.match(/ aria-/g)?.length, 1);
  assert.match(svg, /stroke="var\(--series-1, #0072b2\)"/);
  assert.match(svg, /fill="var\(--figure-ink, #1b1b1f\)"/);
  assert.match(svg, /fill="var\(--figure-surface, #ffffff\)"/);
  assert.equal(
    /(?:fill|stroke)="(?!none|transparent|var\()[^"]*"/.exec(svg)?.[0],
    undefined,
    "no fixed colour",
  );
  assert.ok(svg.includes(`width="${width}" height="${height}"`));
  assert.ok(width > 200 && height > 100);
});

test("coordinates have one decimal at most, and text keeps its own", () => {
  assert.equal(
    roundCoordinates('<path d="M1.23456,-0.0001L7e-7,2.999" /><text x="0.05">1.23456</text>'),
    '<path d="M1.2,0L0,3" /><text x="0.1">1.23456</text>',
  );
});

test("what does not show is left out, and the commonest font is said once", () => {
  const text = (font: string) => `<text x="1" font-family="f" font-size="${font}" opacity="1">a</text>`;
  assert.equal(
    slim(
      '<svg class="marks"><g transform="translate(0,0)" pointer-events="none"><path class="background" d="M0,0h0v0h0Z"/>' +
        `<path d="M0,0h9v9h-9Z"/><path class="foreground" d="" display="none"/>${text("12px")}${text("13px")}${text("12px")}` +
        '<line x2="1" stroke-width="1"/><line stroke-width="1.5" opacity="0.5"/></g></svg>',
    ),
    '<svg font-family="f" font-size="12px"><g><path d="M0,0h9v9h-9Z"/><text x="1">a</text>' +
      '<text x="1" font-family="f" font-size="13px">a</text><text x="1">a</text>' +
      '<line x2="1"/><line stroke-width="1.5" opacity="0.5"/></g></svg>',
  );
  assert.equal(slim("<svg><g></g></svg>"), "<svg><g></g></svg>");
});

test("ids are the figure's own, in the order of appearance", () => {
  assert.equal(
    scopeIds('<clipPath id="clip7"/><g clip-path="url(#clip7)"/><use href="#gradient_2"/>', "a"),
    '<clipPath id="a-part-0"/><g clip-path="url(#a-part-0)"/><use href="#a-part-1"/>',
  );
});

test("a warning is an error", async () => {
  const log = {
    x: { field: "x", type: "quantitative", scale: { type: "log" } },
    y: { field: "y", type: "quantitative" },
  };
  await assert.rejects(render(specOf({ encoding: log }), labels), /^Error: figure f: /);
  await assert.rejects(render(specOf({ mark: "lin" }), labels), Error);
  const unsorted = {
    ...log,
    x: { field: "x", type: "quantitative" },
    strokeWidth: { field: "name", type: "nominal" },
  };
  await assert.rejects(render(specOf({ encoding: unsorted }), labels), /strokeWidth should not be used/);
});

test("a drawing with a number that is none is an error", async () => {
  const text = {
    text: { field: "nothing", type: "quantitative", format: ".2f" },
    x: { field: "x", type: "quantitative" },
  };
  await assert.rejects(render(specOf({ mark: "text", encoding: text }), labels), /holds (NaN|undefined)/);
});

test("nothing is loaded", async () => {
  await assert.rejects(
    render(specOf({ data: { url: "https://example.invalid/x.csv" } }), labels),
    /must not load https/,
  );
});
