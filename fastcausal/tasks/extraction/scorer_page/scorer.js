// Predictions are dropped or chosen; scores, intervals and examples follow.

class Scorer {
  constructor(core, data) {
    this.core = core;
    this.data = data;
    this.panel = at("examples");
    this.template = [...this.panel.cloneNode(true).childNodes];
    this.number = 0; // of what is scored now
    this.reading = null; // files that are read now
    const protocol = at("protocol");
    protocol.append(...data.protocols.map((each, k) => new Option(each.words, k)));
    for (const id of ["protocol", "unparsed"]) at(id).addEventListener("change", () => this.score());
    if (data.check) {
      for (const id of ["protocol", "unparsed"]) at(id).value = data.check[id];
      for (const id of ["settings", "tab-examples"]) at(id).hidden = true;
    }
    at("scoring").addEventListener("submit", (event) => event.preventDefault());
    at("save").addEventListener("click", () => this.save());
    this.listen();
    // A file beside the box would replace the page.
    for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
    document.documentElement.dataset.ready = "true";
    this.state("waiting");
  }

  listen() {
    const [box, input] = [at("drop-pred"), at("pred")];
    // A browser sends no change for a file of the same path, which may hold other bytes.
    input.addEventListener("click", () => (input.value = ""));
    input.addEventListener("change", () => input.files.length && this.take([...input.files]));
    box.addEventListener("dragover", () => box.classList.add("over"));
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
      box.classList.remove("over");
      event.preventDefault();
      const { files } = event.dataTransfer;
      if (!files.length) return;
      input.files = files; // which it names
      this.take([...files]);
    });
  }

  /** Tell what the page is at: waiting, busy, refused, scored, done. */
  state(name) {
    document.documentElement.dataset.state = this.reading ? "busy" : name;
  }

  async take(files) {
    this.reading = files;
    this.core.take([]);
    this.number++;
    this.clear();
    this.say("Reading …");
    this.state("busy");
    at("chosen-pred").textContent = files.map((file) =>
      `${file.name}: ${file.size.toLocaleString("en")} bytes`).join(", ");
    at("drop-pred").classList.add("filled");
    const held = [];
    let file = null;
    try {
      if (this.data.check) held.push(await submissionOf(files, this.data.check.size));
      else for (file of files) held.push(...await filesOf(file));
      if (this.reading !== files) return; // others were chosen since
      this.core.take(held);
      this.reading = null;
      this.score();
    } catch (fault) {
      if (this.reading !== files) return;
      this.reading = null;
      this.refuse(file ? `${file.name}: ${fault.message}` : fault.message);
    }
  }

  say(text) {
    at("said").textContent = text;
  }

  /** Take away all that is shown of a score. */
  clear() {
    for (const id of ["refused", "results", "save"]) at(id).hidden = true;
    this.showExamples(null);
  }

  refuse(text) {
    this.clear();
    at("refused").textContent = text;
    at("refused").hidden = false;
    this.say("Refused");
    this.state("refused");
  }

  /** Score all files; a later call ends an earlier one. */
  async score() {
    const number = ++this.number;
    const { core } = this;
    this.clear();
    if (!core.files.length) {
      this.say("Predictions are still missing");
      this.state("waiting");
      return;
    }
    const protocol = this.data.protocols[at("protocol").value];
    const policy = at("unparsed").value;
    const gold = this.data.golds[protocol.settings.tags];
    if (gold.error !== undefined) {
      this.refuse(gold.error);
      return;
    }
    this.say("Scoring …");
    this.state("busy");
    await drawnOnce();
    if (number !== this.number) return;
    const from = performance.now();
    try {
      const answer = core.score(gold, { ...protocol.settings, unparsed: policy });
      if (answer.error !== undefined) {
        const of = core.files.length > 1 && !answer.error.includes(answer.system) ? `${answer.system}: ` : "";
        this.refuse([of + answer.error, !this.data.check && answer.remedy].filter(Boolean).join("\n"));
        return;
      }
      if (this.data.check) {
        this.accept(answer.systems[0]);
        return;
      }
      const took = performance.now() - from;
      const names = namesOf(core.files);
      this.results = answer.systems.map((report, k) => new Results(core, names[k], report, protocol.settings.protocol,
        protocol.signatures[policy][`${Number(report.n_as_given > 0)}${Number(report.located)}`]));
      showResults(at("results"), this.results);
      at("save").hidden = false;
      this.say(summaryOf(answer.systems));
      document.documentElement.dataset.took = Math.round(took);
      this.state("scored");
      await drawnOnce();
      if (number !== this.number) return;
      const examples = core.examples();
      examples.systems.forEach((each, k) => (each.name = names[k]));
      this.showExamples({ ...protocol.about, ...examples });
      this.state("done");
    } catch (fault) {
      core.native = null; // its memory is full or wrong
      const full = fault instanceof WebAssembly.RuntimeError || fault instanceof RangeError;
      this.refuse(`${full ? "the files are too large for this page" : fault.message}; `
        + "fastcausal score takes them");
    }
  }

  /** Show what `fastcausal task check` prints. */
  accept(report) {
    const { silenced, rules } = this.data.check;
    const counts = Object.entries(report).filter(([name, n]) => /^n_(?!as|gold)/.test(name) && Number.isInteger(n));
    const lines = ["accepted",
      counts.map(([name, n]) => `${n} ${name.slice(2).replaceAll("_", " ")}`).join(", "),
      ...report.warnings.filter((text) => !silenced.includes(text)).map((text) => `warning: ${text}`), ...rules];
    at("results").replaceChildren(...lines.map((line) => element("p", "", line)));
    at("results").hidden = false;
    this.say("");
    this.state("done");
  }

  /** Put the table of examples into its tab; null: it is as at first. */
  showExamples(columns) {
    this.ended?.abort();
    this.ended = new AbortController();
    this.panel.replaceChildren(...this.template.map((node) => node.cloneNode(true)));
    if (columns) new Page(new Examples(columns), this.ended.signal);
  }

  /** Save what `fastcausal score --intervals --json` prints. */
  save() {
    const [first, ...others] = this.results;
    const made = others.length
      ? { systems: Object.fromEntries(this.results.map((each) => [each.name, each.json()])) }
      : first.json();
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([`${JSON.stringify(made, null, 1)}\n`]));
    link.download = "scores.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  }
}

/** Name systems by their files without folders and suffixes, where these names differ. */
function namesOf(files) {
  const stems = files.map(({ name }) => name.replace(/\.gz$/, "").replace(/^.*\//, "").replace(/(.)\.[^.]*$/, "$1"));
  return new Set(stems).size === stems.length ? stems : files.map(({ name }) => name);
}

function summaryOf([first, ...others]) {
  const pred = others.length ? plural(others.length + 1, "system") : `${first.n_pred_relations} predicted`;
  return `${plural(first.n_examples, "example")}, ${first.n_gold_relations} gold relations, ${pred}`;
}

/** Wait until the page has been drawn as it is. */
const drawnOnce = () => new Promise((done) => setTimeout(done));

async function begin() {
  at("status").textContent = "Choose predictions in the tab Score.";
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    at("said").textContent = "This page needs a browser of May 2023 or later.";
    return;
  }
  const [core, data] = await Promise.all([Core.compiled(), unpacked(at("packed").textContent)]);
  new Scorer(core, data);
}
begin();
