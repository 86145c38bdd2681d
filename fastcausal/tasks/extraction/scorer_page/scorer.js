// Files are dropped or chosen; scores, intervals and examples follow.

const SIDES = ["gold", "pred"];
const RESAMPLES = 10_000;
const AT_ONCE = 250; // resamples between two pictures of the page
const MOST_SEED = 2n ** 63n - 1n;

class Scorer {
  constructor(core, data) {
    this.core = core;
    this.data = data;
    this.panel = at("examples");
    this.template = [...this.panel.cloneNode(true).childNodes];
    this.number = 0; // of what is scored now
    this.reading = [null, null]; // files that are read now
    const protocol = at("protocol");
    protocol.append(...data.protocols.map((each, k) => new Option(each.words, k)));
    for (const id of ["protocol", "unparsed", "seed"])
      at(id).addEventListener("change", () => this.score());
    at("scoring").addEventListener("submit", (event) => event.preventDefault());
    at("save").addEventListener("click", () => this.save());
    SIDES.forEach((name, side) => this.listen(name, side));
    // A file beside the boxes would replace the page.
    for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
    document.documentElement.dataset.ready = "true";
    this.state("waiting");
  }

  listen(name, side) {
    const [box, input] = [at(`drop-${name}`), at(name)];
    // A browser sends no change for a file of the same path, which may hold other bytes.
    input.addEventListener("click", () => (input.value = ""));
    input.addEventListener("change", () => input.files[0] && this.take(side, input.files[0]));
    box.addEventListener("dragover", () => box.classList.add("over"));
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
      box.classList.remove("over");
      event.preventDefault();
      const { files } = event.dataTransfer;
      if (!files.length) return;
      input.files = files; // which it names
      this.take(side, files[0]);
    });
  }

  /** Tell what the page is at: waiting, busy, refused, scored, done. */
  state(name) {
    document.documentElement.dataset.state = this.reading.some(Boolean) ? "busy" : name;
  }

  async take(side, file) {
    const name = SIDES[side];
    this.reading[side] = file;
    this.core.take(side, null);
    this.number++;
    this.clear();
    this.say("Reading …");
    this.state("busy");
    at(`chosen-${name}`).textContent = `${file.name}: ${file.size.toLocaleString("en")} bytes`;
    at(`drop-${name}`).classList.add("filled");
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (this.reading[side] !== file) return; // another file was chosen since
      this.core.take(side, { name: file.name, bytes });
      this.reading[side] = null;
      this.score();
    } catch (fault) {
      if (this.reading[side] !== file) return;
      this.reading[side] = null;
      this.refuse(`${file.name}: ${fault.message}`);
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

  /** Score both files, then draw intervals; a later call ends an earlier one. */
  async score() {
    const number = ++this.number;
    const { core } = this;
    this.clear();
    if (!core.files.every(Boolean)) {
      this.say(`${core.files[0] ? "Predictions are" : "Gold is"} still missing`);
      this.state("waiting");
      return;
    }
    const protocol = this.data.protocols[at("protocol").value];
    const policy = at("unparsed").value;
    this.say("Scoring …");
    this.state("busy");
    await drawnOnce();
    if (number !== this.number) return;
    const from = performance.now();
    try {
      const report = core.score({ ...protocol.settings, unparsed: policy });
      if (report.error !== undefined) {
        this.refuse([report.error, report.remedy].filter(Boolean).join("\n"));
        return;
      }
      const took = performance.now() - from;
      const key = `${Number(report.n_as_given > 0)}${Number(report.located)}`;
      const signature = protocol.signatures[policy][key];
      this.results = new Results(core, report, protocol.settings.protocol, signature);
      this.results.show(at("results"));
      at("save").hidden = false;
      this.summary = `${plural(report.n_examples, "example")}, ${report.n_gold_relations} gold relations, `
        + `${report.n_pred_relations} predicted`;
      this.say(this.summary);
      document.documentElement.dataset.took = Math.round(took);
      this.state("scored");
      await drawnOnce();
      if (number !== this.number) return;
      this.showExamples({ ...protocol.about, ...core.examples() });
      if (report.adds) await this.draw(number);
      if (number === this.number) this.state("done");
    } catch (fault) {
      core.native = null; // its memory is full or wrong
      const full = fault instanceof WebAssembly.RuntimeError || fault instanceof RangeError;
      this.refuse(`${full ? "the files are too large for this page" : fault.message}; `
        + "fastcausal score takes them");
    }
  }

  async draw(number) {
    const seed = this.seed();
    if (seed === null) {
      this.say(`${this.summary}; the seed is no number from 0 to 2^63 - 1: no intervals`);
      return;
    }
    for (let first = 0; first < RESAMPLES; first += AT_ONCE) {
      this.core.draw(seed, first, first + AT_ONCE);
      this.say(`${this.summary}; ${first + AT_ONCE} of ${RESAMPLES} resamples`);
      await drawnOnce();
      if (number !== this.number) return;
    }
    this.results.take(this.core.intervals(CONFIDENCE));
    this.results.show(at("results"));
    const shared = this.results.report.share_documents
      ? "; examples share a doc_id and are taken as independent: intervals are too narrow" : "";
    this.say(`${this.summary}; 95% intervals, percentile bootstrap, ${RESAMPLES} resamples${shared}`);
  }

  seed() {
    const text = at("seed").value.trim();
    return /^[0-9]+$/.test(text) && BigInt(text) <= MOST_SEED ? text : null;
  }

  /** Put the table of examples into its tab; null: it is as at first. */
  showExamples(columns) {
    this.ended?.abort();
    this.ended = new AbortController();
    this.panel.replaceChildren(...this.template.map((node) => node.cloneNode(true)));
    if (columns) new Page(new Examples(columns), this.ended.signal);
  }

  /** Save what `fastcausal score --format json` prints. */
  save() {
    const { report, signature, protocol, intervals } = this.results;
    const { score_names: names, adds, located, n_as_given: given, share_documents: shared, ...kept } = report;
    const made = { signature, protocol, ...kept };
    if (intervals.size) {
      made.intervals = { method: "percentile", confidence: CONFIDENCE, n_resamples: RESAMPLES,
        seed: Number(this.seed()), unit: "example", n_units: report.n_examples,
        scores: this.nested(""), subsets: { multi_relation: this.nested("multi_relation") } };
    }
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([`${JSON.stringify(made, null, 1)}\n`]));
    link.download = "scores.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  }

  nested(part) {
    const made = {};
    for (const name of this.results.report.score_names) {
      const cut = name.indexOf("_");
      (made[name.slice(0, cut)] ??= {})[name.slice(cut + 1)] = this.results.intervals.get(`${part} ${name}`);
    }
    return made;
  }
}

/** Wait until the page has been drawn as it is. */
const drawnOnce = () => new Promise((done) => setTimeout(done));

async function begin() {
  at("status").textContent = "Choose two files in the tab Score.";
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    at("said").textContent = "This page needs a browser of May 2023 or later.";
    return;
  }
  const [core, data] = await Promise.all([Core.compiled(), unpacked(at("packed").textContent)]);
  new Scorer(core, data);
}
begin();
