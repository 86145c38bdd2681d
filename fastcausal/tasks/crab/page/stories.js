// The graph of a story: its events in order, an arc for each pair that is an edge, cause to effect.

const MOST_ARCS = 3000; // drawn at once, the strongest of more
const NAMES = { A: "A high", B: "B medium", C: "C low", D: "D no" };

/** Events and pairs of a story; a and b are places of events. */
class Story {
  constructor({ name, orders, texts, a, b, scores, classes }) {
    Object.assign(this, { name, orders, texts, scores });
    this.pairs = a.map((cause, k) => ({ a: cause, b: b[k], score: scores[k], class: classes[k] }));
  }

  textOf(place) {
    return this.texts?.[place] ?? `event ${this.orders[place]}`;
  }

  /** Return the pairs that are edges; those without a score are at any threshold. */
  edges(threshold, border, classes) {
    const equal = border === "up" || (border === "text" && threshold !== 80);
    const reaches = (score) => score === null || score > threshold || (equal && score === threshold);
    return this.pairs.filter((pair) => reaches(pair.score) && classes.includes(pair.class));
  }

  /** Count sources, sinks and paths of some edges, which ascend by cause. */
  numbers(edges) {
    const n = this.orders.length;
    const ending = new Array(n).fill(0n); // paths of one edge or more that end at an event
    const longest = new Uint32Array(n);
    const isCause = new Uint8Array(n);
    for (const { a, b } of edges) {
      isCause[a] = 1;
      ending[b] += ending[a] + 1n;
      longest[b] = Math.max(longest[b], longest[a] + 1);
    }
    const count = (test) => this.orders.filter((_, place) => test(place)).length;
    return {
      sources: count((place) => isCause[place] && !longest[place]),
      sinks: count((place) => !isCause[place] && longest[place]),
      paths: ending.reduce((sum, each) => sum + each, 0n),
      longest: longest.reduce((most, each) => Math.max(most, each), 0),
    };
  }
}

class Graph {
  constructor({ stories, threshold, border }) {
    this.stories = stories.map((story) => new Story(story));
    this.border = border;
    this.form = at("choices");
    this.chosen = -1; // the place of an event
    this.controls(threshold);
    this.form.addEventListener("input", () => this.change());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    at("graph").addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.follow());
    this.form.hidden = at("graph").hidden = false;
    this.follow();
    new ResizeObserver(() => this.draw()).observe(at("events"));
  }

  controls(threshold) {
    const { story, threshold: slider } = this.form.elements;
    story.replaceChildren(...this.stories.map((each, k) => new Option(each.name, k)));
    slider.min = Math.min(0, Math.floor(threshold));
    slider.max = Math.max(100, Math.ceil(threshold));
    slider.step = Number.isInteger(threshold) ? 1 : "any";
    slider.value = slider.defaultValue = threshold;
    slider.disabled = this.stories.every((each) => each.scores.every((score) => score === null));
    for (const [letter, name] of Object.entries(NAMES)) {
      const box = element("input", "");
      Object.assign(box, { type: "checkbox", name: "class", value: letter, defaultChecked: true });
      const line = drawn("svg", "", { viewBox: "0 0 40 16", "aria-hidden": true });
      line.append(drawn("path", letter, { d: "M0 8H40" }));
      this.form.querySelector("fieldset").append(element("label", "", box, line, name));
    }
  }

  get story() {
    return this.stories[this.form.elements.story.value];
  }

  get threshold() {
    return Number(this.form.elements.threshold.value);
  }

  get classes() {
    return new FormData(this.form).getAll("class").join("");
  }

  /** Do what the address says, if it is about the graph. */
  follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const { story, threshold } = this.form.elements;
    const k = this.stories.findIndex((each) => each.name === wanted.get("story"));
    if (k >= 0) story.value = k;
    if (wanted.has("threshold")) threshold.value = wanted.get("threshold");
    if (wanted.has("classes"))
      for (const box of this.form.elements.class) box.checked = wanted.get("classes").includes(box.value);
    this.list();
    if (wanted.has("event")) this.chosen = this.story.orders.indexOf(Number(wanted.get("event")));
    this.show();
  }

  change() {
    if (this.listed !== this.story) this.list();
    this.show();
    this.remember();
  }

  remember() {
    const wanted = { story: this.story.name, threshold: this.threshold, classes: this.classes };
    if (this.chosen >= 0) wanted.event = this.story.orders[this.chosen];
    history.replaceState(null, "", `#${new URLSearchParams(wanted)}`);
  }

  /** Fill the list of events. */
  list() {
    this.listed = this.story;
    this.chosen = -1;
    this.items = this.story.orders.map((order, place) => {
      const text = element("bdi", "", this.story.textOf(place));
      const button = element("button", "", element("span", "order", `${order}`), " ", text);
      button.type = "button";
      button.addEventListener("click", () => this.choose(place));
      return element("li", "", button);
    });
    at("events").replaceChildren(...this.items);
  }

  choose(place) {
    this.chosen = place === this.chosen ? -1 : place;
    this.show();
    this.remember();
  }

  /** Show edges, their numbers, and the causes and effects of the chosen event. */
  show() {
    const { story, chosen } = this;
    this.form.elements.shown.value = this.threshold;
    this.edges = story.edges(this.threshold, this.border, this.classes);
    const { sources, sinks, paths, longest } = story.numbers(this.edges);
    const most = this.edges.length > MOST_ARCS ? `; the strongest ${MOST_ARCS} are drawn` : "";
    at("status").textContent =
      `${this.edges.length} of ${plural(story.pairs.length, "pair")} are edges: ` +
      `${plural(sources, "source")}, ${plural(sinks, "sink")}, ${plural(paths === 1n ? 1 : paths, "path")}, ` +
      `the longest of ${plural(longest, "edge")}${most}`;
    const tags = new Map();
    for (const { a, b, score, class: letter } of this.edges) {
      const strength = score === null ? NAMES[letter] : `${NAMES[letter]}, ${score}`;
      const tag = (word) => element("span", `strength ${letter}`, `${word}, ${strength}`);
      if (b === chosen) tags.set(a, tag("cause"));
      if (a === chosen) tags.set(b, tag("effect"));
    }
    for (const [place, item] of this.items.entries()) {
      const button = item.firstChild;
      button.setAttribute("aria-pressed", place === chosen);
      button.querySelector(".strength")?.remove();
      if (tags.has(place)) button.append(tags.get(place));
    }
    this.draw();
  }

  draw() {
    const arcs = at("arcs");
    const width = at("events").offsetLeft - 4;
    const places = this.items.map((item) => item.firstChild.offsetTop + item.firstChild.offsetHeight / 2);
    arcs.setAttribute("width", width + 4);
    arcs.setAttribute("height", at("events").offsetHeight);
    const strongest = [...this.edges].sort((x, y) => (y.score ?? 0) - (x.score ?? 0)).slice(0, MOST_ARCS);
    const furthest = Math.max(1, ...strongest.map(({ a, b }) => b - a));
    const shapes = [];
    const ends = new Map(); // the strongest arc at each effect has the head
    for (const pair of strongest) {
      const off = this.chosen < 0 || pair.a === this.chosen || pair.b === this.chosen ? "" : " off";
      const depth = ((width - 12) * (0.2 + 0.8 * Math.sqrt((pair.b - pair.a) / furthest))) / 0.75;
      const [x, from, to] = [width - 7, places[pair.a], places[pair.b]];
      const d = `M${width} ${from}C${x - depth} ${from} ${x - depth} ${to} ${x} ${to}`;
      shapes.push(drawn("path", `arc ${pair.class}${off}`, { d }));
      if (!ends.has(pair.b) || (ends.get(pair.b).off && !off)) ends.set(pair.b, { pair, off });
    }
    const heads = [...ends.values()].map(({ pair, off }) => {
      const y = places[pair.b];
      const d = `M${width - 9} ${y - 5}L${width} ${y}L${width - 9} ${y + 5}Z`;
      return drawn("path", `head ${pair.class}${off}`, { d });
    });
    const dots = places.map((y) => drawn("circle", "dot", { cx: width, cy: y, r: 3 }));
    arcs.replaceChildren(...shapes.reverse(), ...dots, ...heads);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = this.items.findIndex((item) => item.contains(document.activeElement));
    const [below, above, last] = [place + 1, place - 1, this.items.length - 1];
    const next = { ArrowDown: below, j: below, ArrowUp: above, k: above, Home: 0, End: last }[event.key];
    if (event.key === "Escape" && this.chosen >= 0) this.choose(this.chosen);
    else if (next === undefined || place < 0) return;
    else this.items[Math.max(0, Math.min(next, last))].firstChild.focus();
    event.preventDefault();
  }
}

async function start() {
  if (typeof DecompressionStream === "undefined") return; // the page says what it needs
  new Graph(await unpacked(at("packed").textContent));
  document.documentElement.dataset.ready = Math.round(performance.now());
}
start();
