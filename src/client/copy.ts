/** Copy buttons: one on every code block, one for the link of each figure. */
const announcement = document.createElement("p");
announcement.className = "sr-only";
announcement.setAttribute("role", "status");
document.body.append(announcement);

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Cannot copy";
  }
  announcement.textContent = button.textContent;
  setTimeout(() => {
    button.textContent = label;
    announcement.textContent = "";
  }, 1600);
}

for (const block of document.querySelectorAll<HTMLPreElement>("main pre")) {
  const box = document.createElement("div");
  box.className = "codebox";
  block.replaceWith(box);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "codebox__copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => void copy(block.textContent?.trimEnd() ?? "", button));
  box.append(block, button);
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy-link]")) {
  button.addEventListener("click", () => {
    const link = new URL(location.href);
    link.hash = button.dataset.copyLink ?? "";
    void copy(link.href, button);
  });
}
