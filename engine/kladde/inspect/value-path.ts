/** Paths to values, as people write them: `notes[3].title`, `authors["Ada"]`. */

const identifier = /\.?([\p{L}_$][\p{L}\p{N}_$]*)/uy;
const bracket = /\[("(?:[^"\\]|\\.)*"|[^\]]*)\]/y;

/** The steps of `path`, none for the root. Throws `RangeError` if it cannot be one. */
export function stepsOf(path: string): string[] {
  const steps: string[] = [];
  let at = 0;
  while (at < path.length) {
    const found = matchAt(identifier, path, at) ?? matchAt(bracket, path, at);
    if (found === undefined || (found[0].startsWith(".") && at === 0))
      throw new RangeError(`"${path}" is no path of a value: it stops making sense at character ${at + 1}`);
    steps.push(found[0].startsWith("[") ? found[0] : `.${found[1]}`);
    at += found[0].length;
  }
  return steps;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Whether `asked`, a step of a path, names `step`; quotes may be left out. */
export function isStep(asked: string, step: string): boolean {
  return asked === step || (asked.startsWith("[") && step === `[${JSON.stringify(asked.slice(1, -1))}]`);
}
