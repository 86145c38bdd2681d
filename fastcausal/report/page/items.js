// Items of runs: the value of each run, what changed, and the texts of input and answers.

const CHANGES = ["down", "up", "same", "unknown"];
const OUTCOMES = {
  wrong: ({ n, right, value }) => n > 0 && !right && value <= 0,
  partly: ({ n, right, value }) => n > 0 && !right && value > 0,
  flaky: ({ n, right }) => right > 0 && right < n,
  right: ({ n, right }) => n > 0 && right === n,
  crashed: ({ crashed }) => crashed > 0,
  missing: ({ n, crashed }) => !n && !crashed,
};
const ICONS = { wrong: "wrong", partly: "partly", flaky: "flaky", right: "right", crashed: "unread", missing: "out" };
SHAPES.flaky = "M3.5 10.5 Q6.25 4.5 9 9 T14.5 7.5";
const WORDS = { partly: "partly right" };
const SIGNS = { up: "▲", down: "▼", same: "=", unknown: "?" };
const short = (value) => String(Number(value.toFixed(4)));

/** The items of a page; a system is a run. */
class Items extends Rows {
  constructor(columns) {
    super({ ...columns, said: { row: "item" } });
    const { runs, targets, changes, lower } = columns;
    Object.assign(this, { systems: runs, targets, changes, lower, roles: [], types: [], cells: [] });
    const values = runs.flatMap(({ value }) => value).filter((each) => each !== null);
    this.isShare = values.every((each) => each >= 0 && each <= 1);
  }

  bestFirst() {
    return this.systems;
  }

  of({ value, n, right, crashed, low, high }, k) {
    return { value: value[k], n: n[k], right: right[k], crashed: crashed[k], low: low[k], high: high[k] };
  }

  /** Return what an item is in a run: names of OUTCOMES. */
  outcomes(run, k) {
    const own = this.of(run, k);
    return Object.keys(OUTCOMES).filter((name) => OUTCOMES[name](own));
  }

  /** Tell if any item is so in any run. */
  has(outcome) {
    return this.systems.some((run) => range(0, this.n).some((k) => this.outcomes(run, k).includes(outcome)));
  }

  delta(k) {
    const [a, b] = this.systems.map(({ value }) => value[k]);
    return a === null || b === null ? NaN : b - a;
  }

  tallies(runs) {
    const made = Object.fromEntries([...CHANGES.map((name) => [`type ${name}`, 0]),
      ...Object.keys(OUTCOMES).map((name) => [`show ${name}`, 0])]);
    for (let k = 0; k < this.n; k++) {
      for (const name of new Set(runs.flatMap((run) => this.outcomes(run, k)))) made[`show ${name}`]++;
      if (this.changes) made[`type ${this.changes[k]}`]++;
    }
    return made;
  }

  tests(wanted) {
    const runs = this.systemsOf(wanted);
    const tests = super.tests(wanted);
    const [shows, changes] = [wanted.getAll("show"), wanted.getAll("type")];
    if (shows.length)
      tests.push((k) => runs.some((run) => this.outcomes(run, k).some((each) => shows.includes(each))));
    if (changes.length) tests.push((k) => changes.includes(this.changes?.[k]));
    return tests;
  }

  /** Return the orders of items by name: their words, and what is largest first. */
  orders(runs) {
    const least = (k) => -Math.min(...runs.map(({ value }) => value[k] ?? Infinity));
    const spread = (k) => {
      const values = this.systems.map(({ value }) => value[k]).filter((each) => each !== null);
      return values.length ? Math.max(...values) - Math.min(...values) : NaN;
    };
    const changed = this.changes
      ? { fall: ["largest fall first", (k) => -this.delta(k)], rise: ["largest rise first", (k) => this.delta(k)] }
      : {};
    const spreads = this.systems.length > 2 ? { difference: ["largest difference first", spread] } : {};
    return { ...changed, low: ["lowest value first", least], ...spreads, gold: ["as in the table", null] };
  }

  key(wanted) {
    const orders = this.orders(this.systemsOf(wanted));
    const [, of] = orders[wanted.get("order")] ?? Object.values(orders)[0];
    if (!of) return undefined;
    const values = Float64Array.from({ length: this.n }, (_, k) => of(k));
    const ranks = new Map([...new Set(values)].filter((each) => !Number.isNaN(each))
      .sort((a, b) => a - b).map((value, rank) => [value, rank + 1]));
    return (k) => ranks.get(values[k]) ?? 0; // unknown values are last
  }

  searched(k) {
    return [...super.searched(k), ...this.systems.flatMap(({ answers }) => (answers[k] ?? []).map(([, text]) => text))];
  }
}

/** Controls of items. */
class ItemFilters extends Filters {
  selects() {
    super.selects();
    const { order } = this.form.elements;
    const orders = Object.entries(this.examples.orders(this.examples.systems));
    order.replaceChildren(...orders.map(([name, [words]], k) => new Option(words, k ? name : "")));
    order.parentNode.hidden = false;
    this.form.elements.system.parentNode.firstChild.textContent = "Run ";
  }

  groups() {
    const { examples } = this;
    const signed = CHANGES.map((name) => [name, name, element("span", "sign", SIGNS[name])]);
    this.chipsOf("types", "type", "change", examples.changes ? signed : []);
    const shown = Object.keys(OUTCOMES).filter((name) => name !== "partly" || examples.has(name));
    this.chipsOf("shows", "show", "items", shown.map((name) =>
      [name, WORDS[name] ?? name, icon(ICONS[name], examples.said).firstChild]));
    at("roles").hidden = true;
  }

  get every() {
    const { examples } = this;
    const hasTexts = examples.texts.some((text) => text);
    const named = super.every.filter(({ key }) => key !== "text" || hasTexts)
      .map((each) => (each.key === "text" ? { ...each, name: "input" } : each));
    const columns = named.filter(({ key }) => !key.startsWith("system"));
    const runs = named.filter(({ key }) => key.startsWith("system"))
      .map((each) => ({ ...each, width: "minmax(5.5rem, 9rem)", name: each.name === "mark" ? "value" : each.name }));
    const change = { key: "change", name: "change", width: "5.5rem", usual: true };
    if (!hasTexts) columns.find(({ key }) => key === "id").width = "minmax(5rem, 1fr)";
    return [...columns, ...runs, ...examples.changes ? [change] : []];
  }
}

/** What shows items. */
class ShownItems extends Shown {
  /** Make a line of the input, of the target, and of the first answer of each of the first runs. */
  lines(k, runs) {
    const { texts, targets } = this.examples;
    const answers = runs.slice(0, MOST_LINES).map(({ name, answers: all }) => [name, all[k]?.[0]?.[1]]);
    return [["input", texts[k]], ["target", targets[k]], ...answers]
      .flatMap(([name, text]) => (text ? [element("div", "side", element("bdi", "who", name), " ", oneLine(text, []))] : []));
  }

  made(k, runs) {
    return { ...super.made(k, runs), change: () => this.change(k) };
  }

  change(k) {
    const { examples } = this;
    const name = examples.changes[k];
    const delta = examples.delta(k);
    const better = examples.lower ? "down" : "up";
    const kind = name === "same" || name === "unknown" ? "" : name === better ? "better" : "worse";
    const said = name === "up" || name === "down" ? `${delta > 0 ? "+" : "−"}${short(Math.abs(delta))}` : "";
    return [element("span", `change ${kind}`, SIGNS[name], element("span", "unseen", ` ${name} `), said && ` ${said}`)];
  }

  outcome(run, k) {
    const { examples } = this;
    const own = examples.of(run, k);
    const kinds = examples.outcomes(run, k).filter((name) => examples.isShare || !["wrong", "partly", "right"].includes(name));
    const icons = kinds.map((name) => icon(ICONS[name], { [ICONS[name]]: WORDS[name] ?? name }));
    const value = own.value === null ? kinds.at(-1) ?? "" : short(own.value);
    const several = own.n + own.crashed > 1 ? [element("small", "", ` ${own.right}/${own.n}`)] : [];
    return [...icons, element("span", "n", value), ...several];
  }

  unfolded(k, runs) {
    const { texts, targets } = this.examples;
    const block = (name, text) =>
      (text ? [element("div", "raw", element("p", "name", name), verbatim(text))] : []);
    return [...block("input", texts[k]), ...block("target", targets[k]),
      element("div", "sides", ...runs.map((run) => this.side(run, k))), this.note(k)];
  }

  /** Make what a run has of an item: its value in words, and its answers. */
  side(run, k) {
    const all = run.answers[k] ?? [];
    const answers = all.length === 1 && all[0][1] === null ? [] : all; // its value stands above
    return element("section", "raw", element("p", "", element("bdi", "name", run.name)),
      element("p", "note", this.told(run, k)),
      ...answers.flatMap(([value, text], place) => [
        ...answers.length > 1 || value !== null
          ? [element("p", "note", `answer${answers.length > 1 ? ` ${place + 1}` : ""}${value === null ? "" : `: ${short(value)}`}`)] : [],
        ...text === null ? [element("p", "note", "no text")] : [verbatim(text)]]));
  }

  told(run, k) {
    const { value, n, right, crashed, low, high } = this.examples.of(run, k);
    const of = n > 1 ? `${right} of ${n} answers right` : "";
    const interval = of && low !== null ? ` [${short(low)}, ${short(high)}]` : "";
    return [value === null ? "" : `value ${short(value)}`, of + interval, crashed ? `${crashed} crashed` : "",
      n || crashed ? "" : "not in this run"].filter(Boolean).join("; ");
  }
}

openPage((columns) => new Page(new Items(columns), undefined, ItemFilters, ShownItems));
