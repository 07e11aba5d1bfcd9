/** Helps while reading: marks the section in view in the table of contents, closes the menu. */
const toc = document.querySelector<HTMLElement>("[data-toc]");
if (toc) {
  const links = new Map(
    [...toc.querySelectorAll("a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
  );
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  const update = (): void => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4);
    const current = (passed.at(-1) ?? headings[0])?.id;
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  let queued = false;
  addEventListener(
    "scroll",
    () => {
      if (queued) return;
      queued = true;
      requestAnimationFrame(() => {
        queued = false;
        update();
      });
    },
    { passive: true },
  );
  update();
}

const menu = document.querySelector<HTMLDetailsElement>("[data-menu]");
document.addEventListener("click", (event) => {
  if (menu?.open && !menu.contains(event.target as Node)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu?.open) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});
