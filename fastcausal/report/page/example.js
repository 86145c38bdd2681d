// One example as elements. All that data hold reaches the page as text nodes and values of attributes.

const COLOURS = 4; // of roles
const WORDS = {
  tp: "right", fp: "spurious", fn: "missed", le: "label error", be: "boundary error",
  lbe: "label and boundary error", bes: "too small", bel: "too large", beo: "partly beside",
  em: "exact match", osb: "one-sided boundary", to: "token overlap",
};
const worded = (field) => WORDS[field] ?? field.replaceAll("_", " ");

/** Share out spans that overlap among lines: each takes the first line that has room. */
function linesOf(spans) {
  const lines = [[]];
  for (const span of spans) {
    const line = lines.find((each) => !each.length || each.at(-1)[2] <= span[1]);
    if (line) line.push(span);
    else lines.push([span]);
  }
  return lines;
}

/** What shows examples. */
class Shown {
  constructor(examples) {
    this.examples = examples;
    this.errors = examples.errorsOfRows();
  }

  /** Make the element of an example, with what is predicted by some systems. */
  make(k, systems) {
    const { examples } = this;
    const name = element("a", "", element("bdi", "", examples.ids[k] || "(no id)"));
    name.href = `#id=${encodeURIComponent(examples.ids[k].toWellFormed?.() ?? examples.ids[k])}`;
    const heading = element("h3", "", name);
    heading.id = `example-${k}`;
    const strata = examples.strata.map(({ name: column, values, codes }) =>
      element("span", "", element("bdi", "", column), ": ",
        element("bdi", "", String(values[codes[k]]))));
    const article = element("article", "", heading, element("p", "note", ...strata),
      element("ul", "", ...systems.map((system) => this.summary(k, system))),
      ...this.pairs(k, systems));
    article.tabIndex = -1;
    article.setAttribute("aria-labelledby", heading.id);
    return article;
  }

  /** Say how many errors a system makes, and what could not be read. */
  summary(k, system) {
    const { examples } = this;
    const row = examples.rows[system.counts[k]];
    const said = [];
    if (system.isLeftOut(k)) said.push("left out");
    else if (examples.types.length) {
      const n = this.errors[system.counts[k]];
      const kinds = examples.types
        .map((type) => [type, examples.errors.filter((each) => each.type === type)
          .reduce((sum, each) => sum + row[each.place], 0)])
        .filter(([, count]) => count)
        .map(([type, count]) => `${worded(type)} ${count}`);
      said.push(n ? `${plural(n, "error")} (${kinds.join(", ")})` : "no errors");
    }
    const unparsed = system.unparsed[k];
    if (unparsed) said.push(`${plural(unparsed, "prediction")} could not be read`);
    return element("li", "", element("bdi", "name", system.name), ` ${said.join("; ")}`);
  }

  /** Make a part for each relation of gold with its partners, then for predictions without. */
  pairs(k, systems) {
    const gold = this.examples.gold.of(k);
    const parts = gold.map((spans, n) => this.line(k, ["gold"], n, spans));
    const alone = [];
    for (const system of systems.filter((each) => !each.isLeftOut(k))) {
      const pred = system.pred.of(k);
      const name = [element("bdi", "name", system.name)];
      const pairs = system.pairsOf(k);
      gold.forEach((_, n) => {
        const [, partner, place] = pairs.find((pair) => pair[0] === n) ?? [n, -1, -1];
        parts[n].push(...this.line(k, name.map((each) => each.cloneNode(true)), partner,
          pred[partner], place));
      });
      const paired = new Set(pairs.filter((pair) => pair[0] >= 0).map((pair) => pair[1]));
      pred.forEach((spans, n) => {
        if (paired.has(n)) return;
        const [, , place] = pairs.find((pair) => pair[1] === n) ?? [-1, n, -1];
        alone.push(this.line(k, name.map((each) => each.cloneNode(true)), n, spans, place));
      });
    }
    const made = [...parts.map((part) => element("dl", "pair", ...part)),
      ...alone.map((part) => element("dl", "pair alone", ...part))];
    return made.length ? made : [this.text(k, "p", [])];
  }

  /** Make the lines of a relation, and say what it counts with its partner. */
  line(k, name, n, spans, place) {
    const made = [element("dt", "", ...name, n >= 0 ? ` ${n + 1}` : "")];
    if (spans?.length) made.push(...linesOf(spans).map((line) => this.text(k, "dd", line)));
    const said = [spans ? "" : "no partner", spans?.length === 0 ? "no spans" : "",
      place >= 0 ? this.counted(place) : ""];
    if (place === -1 && spans) said.push("not counted");
    const text = said.filter(Boolean).join("; ");
    if (text) made.push(element("dd", "note", text));
    return made;
  }

  /** Say in words what a row counts, role by role. */
  counted(place) {
    const { roles, names, rows } = this.examples;
    const said = new Map();
    rows[place].forEach((count, column) => {
      if (!count) return;
      const role = roles.find((each) => names[column].startsWith(`${each}_`)) ?? "";
      const field = names[column].slice(role ? role.length + 1 : 0);
      const times = count === 1 ? "" : ` ×${count}`;
      said.set(role, [...said.get(role) ?? [], `${worded(field)}${times}`]);
    });
    return [...said].map(([role, words]) => [role, words.join(", ")].filter(Boolean).join(": "))
      .join("; ");
  }

  /** Make the running text with spans marked that do not overlap. */
  text(k, tag, spans) {
    const made = element(tag, "text");
    made.dir = "auto";
    const text = this.examples.texts[k];
    // Places are code points, those of JavaScript are halves of some of them.
    const points = /[\ud800-\udfff]/.test(text) ? [...text] : null;
    const cut = (from, to) => (points ? points.slice(from, to).join("") : text.slice(from, to));
    let at = 0;
    for (const [role, start, stop] of spans) {
      const mark = element("mark", `role${role % COLOURS}`, cut(start, stop));
      mark.dataset.role = this.examples.roles[role];
      made.append(cut(at, start), mark);
      at = stop;
    }
    made.append(cut(at));
    return made;
  }
}
