// Starts the table of examples from the data of the page.

async function start() {
  if (typeof DecompressionStream === "undefined") return; // the page says what it needs
  at("status").textContent = "Reading examples …";
  new Page(new Examples(await unpacked(at("packed").textContent)));
  document.documentElement.dataset.ready = Math.round(performance.now());
}
start();
