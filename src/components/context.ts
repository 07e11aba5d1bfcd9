/** How a component learns which page it stands on and which study it speaks of. */
import { loadSummary } from "../evaluation/load.ts";
import { registry } from "../evaluation/registry.ts";
import type { Summary } from "../evaluation/schema.ts";
import type { CurrentPage } from "../site/pages.ts";

export function currentPage(locals: App.Locals): CurrentPage {
  if (!locals.page) throw new Error("a component was rendered outside a page");
  return locals.page;
}

export interface Evaluation {
  readonly page: CurrentPage;
  readonly study: string;
  readonly summary: Summary;
}

/** The summary a component reads: of the study it names, else of the study its page names. */
export function evaluation(locals: App.Locals, component: string, named?: string): Evaluation {
  const page = currentPage(locals);
  const study = named ?? page.study;
  if (study === undefined)
    throw new Error(`${page.file}: <${component}> needs a study, here or in the frontmatter`);
  const studies = registry().studies;
  if (!studies.has(study)) studies.set(study, page.file);
  return { page, study, summary: loadSummary(study, page.file) };
}

/** Rejects properties a component does not know; nothing else checks those of MDX. */
export function checkProps(
  locals: App.Locals,
  component: string,
  props: object,
  required: readonly string[],
  optional: readonly string[] = [],
): void {
  const { file } = currentPage(locals);
  const given = Object.keys(props).filter((name) => !name.startsWith("data-astro") && name !== "class");
  const missing = required.filter((name) => !given.includes(name));
  const unknown = given.filter((name) => !required.includes(name) && !optional.includes(name));
  if (missing.length > 0) throw new Error(`${file}: <${component}> lacks ${missing.join(", ")}`);
  if (unknown.length > 0) throw new Error(`${file}: <${component}> does not know ${unknown.join(", ")}`);
}
