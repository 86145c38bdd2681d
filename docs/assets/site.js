// The button of a console block copies the commands, without prompts and output.
document.addEventListener("click", event => {
  const button = event.target.closest("[data-clipboard-target]");
  const block = button?.closest(".language-console");
  if (!block) return;
  const lines = block.querySelector("code").textContent.split("\n");
  const commands = lines.filter(line => line.startsWith("$ ")).map(line => line.slice(2));
  button.setAttribute("data-clipboard-text", commands.join("\n"));
}, true);

// What the theme leaves to the keyboard and to readers of the screen.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
const focusable = () => {
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap")) wide.tabIndex = 0;
};
new MutationObserver(focusable).observe(document.body, { childList: true, subtree: true });
focusable();
