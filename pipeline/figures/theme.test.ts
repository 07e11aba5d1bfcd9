import assert from "node:assert/strict";
import { test } from "node:test";
import { dashes, ink, series, softInk, surface, theme } from "./theme.ts";

const fallbackOf = (colour: string): string => {
  const match = /^var\(--[\w-]+, (#[0-9a-f]{6})\)$/.exec(colour);
  assert.ok(match, `${colour} is no variable with a fallback`);
  return match[1]!;
};

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(fallbackOf(colour).slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

test("opened alone, series stand out from the surface and text can be read", () => {
  for (const colour of series)
    assert.ok(contrast(colour, surface) >= 3, `${colour}: ${contrast(colour, surface)}`);
  for (const colour of [ink, softInk]) assert.ok(contrast(colour, surface) >= 4.5, colour);
});

test("every colour in the theme is a variable with a fallback", () => {
  const colours: string[] = [];
  JSON.stringify(theme, (key, value) => {
    if (/color$|^background$|^category$/i.test(key)) colours.push(...[value].flat());
    return value;
  });
  assert.ok(colours.length > 10);
  for (const colour of colours) fallbackOf(colour);
});

test("there are as many dashes as colours", () => {
  assert.equal(dashes.length, series.length);
  assert.equal(new Set(dashes.map(String)).size, dashes.length);
});
