/** Whether this Node will do, asked before anything is loaded that would fail with a riddle. */

const LEAST = { major: 22, minor: 18 } as const;

/** What is wrong with a version and what to do about it; undefined when it will do. */
export function nodeComplaint(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor)) return undefined;
  return [
    `This needs Node ${LEAST.major}.${LEAST.minor} or later; this is Node ${version}.`,
    "On Linux the project brings its own: run it as `npx -y pnpm@12.21.0 reproduce`.",
    "Elsewhere, install a newer Node first: https://nodejs.org",
  ].join("\n");
}
