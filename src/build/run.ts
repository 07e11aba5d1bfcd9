/**
 * `dev`, `build` and `preview` of the site, without Astro's telemetry: building a page asks nothing of another host.
 *
 * The variable must be set before Astro is loaded, and a script of package.json cannot set it on every system.
 */
process.env.ASTRO_TELEMETRY_DISABLED = "1";
const astro = await import("astro");

const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  dev: () => astro.dev({}),
  build: () => astro.build({}),
  preview: () => astro.preview({}),
};

const command = commands[process.argv[2] ?? ""];
if (command === undefined) {
  console.error(`usage: node src/build/run.ts ${Object.keys(commands).join("|")}`);
  process.exitCode = 2;
} else {
  await command().catch((failure: unknown) => {
    console.error(failure instanceof Error ? failure.message : failure);
    process.exitCode = 1;
  });
}

export {};
