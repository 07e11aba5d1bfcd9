/**
 * Published numbers that ours lies outside of, each with its reason. The page lists them; a number that is named here and
 * lies inside is a claim that fails, so that no reason outlives its cause.
 */

export const differences: Readonly<Record<string, string>> = {
  "shrink-tables-first":
    "The statements are as many as published, but the fill leaves them on a few more leaves. The flushes that follow rewrite those: two later there are fewer leaves than were published here.",
};
