/** What a page of `content/` may use without importing anything. */
import Anchor from "./Anchor.astro";
import Changes from "./Changes.astro";
import Claim from "./Claim.astro";
import Claims from "./Claims.astro";
import Columns from "./Columns.astro";
import Comparison from "./Comparison.astro";
import Data from "./Data.astro";
import Figure from "./Figure.astro";
import Heading2 from "./Heading2.astro";
import Heading3 from "./Heading3.astro";
import InspectorExample from "./InspectorExample.astro";
import Legend from "./Legend.astro";
import LiveDocument from "./LiveDocument.astro";
import Machine from "./Machine.astro";
import PlainTable from "./PlainTable.astro";
import Reproduce from "./Reproduce.astro";
import Study from "./Study.astro";
import Table from "./Table.astro";
import Value from "./Value.astro";

export const components = {
  // The parts of an evaluation page.
  Changes,
  Claim,
  Claims,
  Columns,
  Comparison,
  Data,
  Figure,
  Legend,
  Machine,
  Reproduce,
  Study,
  Table,
  Value,
  // The parts of the guide.
  InspectorExample,
  LiveDocument,
  // What Markdown itself produces.
  a: Anchor,
  h2: Heading2,
  h3: Heading3,
  table: PlainTable,
};
