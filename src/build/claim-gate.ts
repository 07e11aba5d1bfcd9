/**
 * Stops the build when a claim does not hold, after listing every one: page, sentence and both values.
 *
 * All claims of every study that a page uses are judged, shown or not: a claim nobody quotes is still ours. A claim on
 * times that has no band is open, and stops nothing.
 */
import type { AstroIntegration } from "astro";
import { loadSummary } from "../evaluation/load.ts";
import { registry } from "../evaluation/registry.ts";
import type { SummaryClaim } from "../evaluation/schema.ts";

const relationText = ({ left, relation, right, tolerance }: SummaryClaim): string =>
  tolerance === undefined ? `${left} ${relation} ${right}` : `${left} ${relation} ${tolerance} of ${right}`;

/** One line per claim that does not hold, ordered by study and id. */
export function brokenClaims(): string[] {
  const { claims, studies } = registry();
  const lines: string[] = [];
  for (const [study, firstPage] of [...studies].sort()) {
    for (const [id, claim] of Object.entries(loadSummary(study, firstPage).claims)) {
      if (claim.holds !== false) continue;
      const pages = new Set(
        claims.filter((shown) => shown.study === study && shown.id === id).map((c) => c.page),
      );
      const where = pages.size > 0 ? [...pages].join(", ") : "on no page";
      lines.push(`${where}: claim "${id}" of ${study}: "${claim.says}" needs ${relationText(claim)}`);
    }
  }
  return lines;
}

export function claimGate(): AstroIntegration {
  return {
    name: "daybook:claim-gate",
    hooks: {
      "astro:build:done": ({ logger }) => {
        const broken = brokenClaims();
        if (broken.length > 0) {
          throw new Error(
            `${broken.length} claim(s) do not hold:\n${broken.map((line) => `  ${line}`).join("\n")}`,
          );
        }
        logger.info(
          `${registry().claims.length} claims shown, all of ${registry().studies.size} studies hold`,
        );
      },
    },
  };
}
