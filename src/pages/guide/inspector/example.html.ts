/** The guide's example as the page that `kladde inspect --html` prints, unchanged. */
import { examples } from "../../../site/inspector-example.ts";

export const GET = (): Response =>
  new Response(examples.html(), { headers: { "Content-Type": "text/html; charset=utf-8" } });
