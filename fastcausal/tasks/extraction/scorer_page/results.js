// The card, the tables and the lines of each system.

const CONFIDENCE = 0.95;
const SHARES = /^(em|osb|to|alpha|precision|recall|f1|.*_precision|.*_recall|.*_f1)$/;

class Results {
  constructor(core, name, report, protocol, signature) {
    Object.assign(this, { core, name, report, protocol, signature });
    this.intervals = new Map(); // by part and flat name
    // Bounds of all scores come first, then those of examples of several relations.
    const names = report.score_names;
    report.intervals.bounds.forEach((pair, k) => {
      const part = k < names.length ? "" : "multi_relation";
      this.intervals.set(`${part} ${names[k % names.length]}`, pair);
    });
  }

  boundsOf(part, group, name) {
    const bounds = this.intervals.get(`${part} ${group}_${name}`);
    return bounds && bounds[0] !== null ? bounds : null;
  }

  /** Make the elements of a system, below the cards of all. */
  parts() {
    const { report } = this;
    const parts = [["all examples", "", report.scores]];
    for (const [name, groups] of Object.entries(report.subsets)) parts.push([name, name, groups]);
    const units = report.adds ? [element("p", "note", this.units())] : [];
    return [this.warnings(), ...parts.map((part) => this.table(...part)), ...units,
      element("h2", "", "Signature"), element("p", "note", this.signature)];
  }

  /** Say how many units the intervals have, and how many equal ones these are worth. */
  units() {
    const { score_names, intervals: { unit, n_units, worth: each } } = this.report;
    const worth = each[score_names.indexOf(`overall_${this.main()}`)];
    const text = unit === "example" ? `${n_units} examples`
      : `${n_units} clusters (${unit}), worth ${this.core.text(worth, 1)}`;
    return `${100 * CONFIDENCE}% confidence intervals, jackknife: ${text}`;
  }

  main() {
    const names = Object.keys(this.report.scores.overall);
    return ["f1", "strict_f1", "em"].find((name) => names.includes(name)) ?? names[0];
  }

  card() {
    const { overall, ...groups } = this.report.scores;
    const main = this.main();
    const bounds = this.boundsOf("", "overall", main);
    const said = element("span", "", main);
    if (bounds) said.append(element("br"), "95% confidence interval", element("br"),
      bounds.map((each) => this.core.text(each, 3)).join(" to "));
    const scores = Object.entries(overall).filter(([name]) => SHARES.test(name) && name !== main);
    const card = element("article", "card",
      element("p", "card-name", element("bdi", "", this.name), ` ${this.protocol}`),
      element("p", "large", element("b", "", this.core.text(overall[main], 3)), " ", said),
      this.bar(overall[main], bounds, "bar tall"),
      this.small(scores.slice(0, 6)),
      this.small(Object.entries(groups).map(([name, each]) => [name, each[main]])));
    card.setAttribute("aria-label", this.name);
    return card;
  }

  small(rows) {
    return element("dl", "small", ...rows.map(([name, value]) => element("div", "",
      element("dt", "", name), element("dd", "", this.bar(value, null, "bar")),
      element("dd", "", this.core.text(value, 3)))));
  }

  bar(value, bounds, kind) {
    const svg = drawn("svg", kind, { "aria-hidden": true });
    const place = (each) => `${100 * Math.min(Math.max(each, 0), 1)}%`;
    if (value !== null) svg.append(drawn("rect", "", { width: place(value), height: "100%" }));
    if (bounds) svg.append(drawn("line", "",
      { x1: place(bounds[0]), x2: place(bounds[1]), y1: "50%", y2: "50%" }));
    return svg;
  }

  warnings() {
    const box = element("div", "");
    for (const line of this.report.warnings) box.append(element("p", "warning", `warning: ${line}`));
    return box;
  }

  table(title, part, groups) {
    const names = Object.keys(groups.overall ?? {});
    const head = element("tr", "", ...["", ...names].map((name) => {
      const cell = element("th", "", name || "group");
      cell.scope = "col";
      return cell;
    }));
    const rows = Object.entries(groups).map(([group, values]) => {
      const first = element("th", "", group);
      first.scope = "row";
      return element("tr", "", first, ...names.map((name) => this.cell(part, group, name, values[name])));
    });
    const table = element("table", "", element("caption", "", title), element("thead", "", head),
      element("tbody", "", ...rows));
    const box = element("div", "wide", table);
    box.role = "region";
    box.tabIndex = 0;
    box.setAttribute("aria-label", title);
    return box;
  }

  cell(part, group, name, value) {
    if (value === undefined) return element("td", "", "");
    if (!SHARES.test(name)) return element("td", "", String(value));
    const bounds = this.boundsOf(part, group, name);
    const cell = element("td", "", this.core.text(value));
    cell.dataset.value = value;
    if (bounds) {
      const said = bounds.map((each) => this.core.text(each)).join(", ");
      cell.append(element("small", "", `[${said}]`));
    }
    cell.append(this.bar(value, bounds, "bar"));
    return cell;
  }

  /** Return what `fastcausal score --intervals --json` prints. */
  json() {
    const { report, signature, protocol } = this;
    const { score_names: _, adds, located, n_as_given, intervals: { unit, n_units, worth }, ...kept } = report;
    const made = { signature, protocol, ...kept };
    if (adds) {
      made.intervals = { method: "jackknife", confidence: CONFIDENCE, n_resamples: null, seed: null,
        unit, n_units, scores: this.nested((name) => this.intervals.get(` ${name}`)),
        subsets: { multi_relation: this.nested((name) => this.intervals.get(`multi_relation ${name}`)) },
        worth: this.nested((name, k) => worth[k]) };
    }
    return made;
  }

  /** Return values of scores, of their flat names and places, by group and name. */
  nested(valueOf) {
    const made = {};
    this.report.score_names.forEach((name, k) => {
      const cut = name.indexOf("_");
      (made[name.slice(0, cut)] ??= {})[name.slice(cut + 1)] = valueOf(name, k);
    });
    return made;
  }
}

/** Show the cards of all systems, then the tables of each. */
function showResults(box, results) {
  const titled = (each) => (results.length > 1 ? [element("h2", "", each.name)] : []);
  box.replaceChildren(element("div", "cards", ...results.map((each) => each.card())),
    ...results.flatMap((each) => [...titled(each), ...each.parts()]));
  box.hidden = false;
}
