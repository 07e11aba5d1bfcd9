/** The search box: a dialog over the index that was built with the site, loaded when it is first opened. */
interface Result {
  readonly url: string;
  readonly excerpt: string;
  readonly meta: { readonly title?: string };
  readonly sub_results: readonly { readonly title: string; readonly url: string; readonly excerpt: string }[];
}
interface Pagefind {
  init(): Promise<void>;
  options(options: { baseUrl: string; excerptLength: number }): Promise<void>;
  debouncedSearch(query: string): Promise<null | { results: readonly { data(): Promise<Result> }[] }>;
}

const dialog = document.querySelector<HTMLDialogElement>("[data-search]");
const input = document.querySelector<HTMLInputElement>("[data-search-input]");
const list = document.querySelector<HTMLOListElement>("[data-search-results]");
const statusLine = document.querySelector<HTMLElement>("[data-search-status]");
const base = document.body.dataset.base ?? "/";
const shownMax = 8;

let loading: Promise<Pagefind> | undefined;
function index(): Promise<Pagefind> {
  loading ??= load();
  return loading;
}
async function load(): Promise<Pagefind> {
  const pagefind = (await import(/* @vite-ignore */ `${base}pagefind/pagefind.js`)) as Pagefind;
  await pagefind.options({ baseUrl: base, excerptLength: 22 });
  await pagefind.init();
  return pagefind;
}

function open(): void {
  if (!dialog || dialog.open) return;
  dialog.showModal();
  input?.select();
  index().catch(() => say("The index could not be loaded."));
}

const say = (text: string): void => {
  if (statusLine) statusLine.textContent = text;
};

/** One result: the page, the best place in it, and the words around the match (marked up by the index). */
function item(result: Result): HTMLLIElement {
  const best = result.sub_results[0];
  const title = result.meta.title ?? result.url;
  const row = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.href = best?.url ?? result.url;
  anchor.append(title);
  if (best && best.title !== title) anchor.append(` › ${best.title}`);
  const excerpt = document.createElement("p");
  excerpt.innerHTML = best?.excerpt ?? result.excerpt;
  row.append(anchor, excerpt);
  return row;
}

async function search(query: string): Promise<void> {
  if (query.trim() === "") {
    list?.replaceChildren();
    say("");
    return;
  }
  const found = await (await index()).debouncedSearch(query);
  if (found === null) return; // a newer query is under way
  const results = await Promise.all(found.results.slice(0, shownMax).map((result) => result.data()));
  if (input?.value !== query) return;
  list?.replaceChildren(...results.map(item));
  const count = found.results.length;
  say(count === 0 ? "Nothing found." : `${count} page${count === 1 ? "" : "s"}`);
}

document.querySelector("[data-search-open]")?.addEventListener("click", open);
input?.addEventListener("input", () => void search(input.value).catch(() => say("The search failed.")));
dialog?.querySelector("form")?.addEventListener("submit", (event) => {
  if (event.submitter?.matches("[value=close]") && document.activeElement !== input) return;
  event.preventDefault();
  list?.querySelector("a")?.click();
});
dialog?.addEventListener("click", (event) => {
  if (event.target === dialog || (event.target as Element).closest("a")) dialog.close();
});
document.addEventListener("keydown", (event) => {
  const typing = (event.target as Element).closest("input, textarea, select, [contenteditable]");
  const wanted = (event.key === "/" && !typing) || (event.key === "k" && (event.metaKey || event.ctrlKey));
  if (!wanted || event.altKey) return;
  event.preventDefault();
  open();
});
