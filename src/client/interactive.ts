/** The interactive view of a figure. The drawing library is a chunk of its own, loaded on the first click only. */
for (const button of document.querySelectorAll<HTMLButtonElement>("[data-interactive]")) {
  const box = document.getElementById(button.getAttribute("aria-controls") ?? "");
  const spec = button.dataset.interactive;
  if (!box || !spec) continue;
  button.addEventListener("click", async () => {
    button.disabled = true;
    box.hidden = false;
    box.textContent = "Loading …";
    try {
      const { show } = await import("./vega.ts");
      await show(box, spec, JSON.parse(button.dataset.columns ?? "{}"));
      button.remove();
    } catch (failure) {
      box.textContent = `The interactive view could not be loaded: ${(failure as Error).message}`;
      button.disabled = false;
    }
  });
}
