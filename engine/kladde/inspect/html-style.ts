/** The look of an inspection as a page: one declaration a colour serves both themes; wide tables scroll by themselves. */

export const htmlStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfcf9, #16181b);
  --raised: light-dark(#f6f3ec, #1e2125);
  --ink: light-dark(#22252a, #e6e3dc);
  --muted: light-dark(#5b6069, #a4a7ad);
  --line: light-dark(#d8d2c5, #3a3f46);
  --accent: light-dark(#1d4f7c, #93c1ec);
  --bad: light-dark(#a3341f, #f09b86);
  --good: light-dark(#1f6b45, #7fc9a1);
  --header: light-dark(#22252a, #e6e3dc);
  --interior: light-dark(#93449a, #d99be0);
  --leaf: light-dark(#c04a0c, #f0a066);
  --data: light-dark(#0a66a8, #6fb3e8);
  --journal: light-dark(#007a5c, #4fc79f);
  --quarantined: light-dark(#7d6200, #d9bf50);
  --free: light-dark(#b9b2a4, #565b63);
  --unknown: light-dark(#5a616c, #b4bbc6);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 72rem; padding: 1rem 1rem 4rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Segoe UI", "Noto Sans", sans-serif;
}
h1 { font-size: 1.5rem; overflow-wrap: anywhere; margin: 0.5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
p { max-width: 45rem; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.muted { color: var(--muted); }
ul.findings { padding-left: 1.2rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 0.25rem; }
th, td { padding: 0.15rem 0.75rem 0.15rem 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; }
.n { text-align: right; }
fieldset { border: 1px solid var(--line); margin: 0 0 0.75rem; padding: 0.5rem 0.75rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
legend { padding: 0 0.4rem; color: var(--muted); }
label { display: inline-flex; align-items: center; gap: 0.4rem; min-height: 1.75rem; }
.swatch { display: inline-block; width: 0.9rem; height: 0.9rem; background: currentColor; border-radius: 2px; }
#map { position: relative; max-height: 24rem; overflow-y: auto; background: var(--raised); border: 1px solid var(--line); }
#map canvas { position: sticky; top: 0; display: block; width: 100%; }
#detail { min-height: 3.2rem; margin: 0.5rem 0; padding: 0.4rem 0.6rem; background: var(--raised); max-width: none; }
button, select { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--muted); border-radius: 3px; padding: 0.2rem 0.6rem; }
details { margin-top: 0.75rem; }
summary { cursor: pointer; }
@media print { :root { color-scheme: light; } #map, fieldset, #detail { display: none; } }
`;
