/**
 * The theme toggle. Without a choice the page follows the system; a choice that equals the system's is forgotten, so
 * that the page follows again.
 */
const root = document.documentElement;
const toggle = document.querySelector<HTMLButtonElement>("[data-theme-toggle]");
const system = matchMedia("(prefers-color-scheme: dark)");

const systemTheme = (): string => (system.matches ? "dark" : "light");
const shownTheme = (): string => root.dataset.theme ?? systemTheme();
const show = (): void => toggle?.setAttribute("aria-pressed", String(shownTheme() === "dark"));

function remember(theme: string | undefined): void {
  try {
    if (theme === undefined) localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

toggle?.addEventListener("click", () => {
  const chosen = shownTheme() === "dark" ? "light" : "dark";
  if (chosen === systemTheme()) delete root.dataset.theme;
  else root.dataset.theme = chosen;
  remember(root.dataset.theme);
  show();
});
system.addEventListener("change", show);
show();
