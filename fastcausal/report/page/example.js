// One example as elements. All that data hold reaches the page as text nodes and values of attributes.

const MOST_LINES = 3; // of systems in a folded row

const SHAPES = {
  right: "M4 9.5 L8 13 L14 5.5",
  partly: "M4 9 H14",
  wrong: "M5 5 L13 13 M13 5 L5 13",
  unread: "M9 4.5 V10 M9 12.8 V13.4",
  out: "",
};

/** Draw a mark: a form and a colour of its own; its words are for those who cannot see it. */
function icon(mark, said) {
  const svg = drawn("svg", "", { viewBox: "0 0 18 18", "aria-hidden": true });
  svg.append(drawn("path", "", { d: SHAPES[mark] }));
  const sign = element("span", `icon ${mark}`, svg);
  const made = element("span", "mark", sign, element("span", "unseen", said[mark]));
  made.title = said[mark];
  return made;
}

/** Make a text as it is, which scrolls if it is long. */
function verbatim(text) {
  const made = element("pre", "", text);
  made.dir = "auto";
  made.tabIndex = 0;
  return made;
}

/** What shows examples. */
class Shown {
  constructor(examples, columns) {
    this.examples = examples;
    this.columns = columns;
    this.opened = new Set();
    this.all = false; // unfolded
    this.byRole = examples.roles.map((role) => examples.sums(examples.errorsOf([], [role])));
  }

  isOpen(k) {
    return this.opened.has(k) !== this.all;
  }

  /** Make the element of an example, folded or not, with what is predicted by some systems. */
  make(k, systems) {
    const made = element("div", "item");
    made.role = "rowgroup";
    const row = element("div", "row", ...this.cells(k, systems));
    row.role = "row";
    made.append(row);
    if (this.isOpen(k)) {
      const cell = element("div", "unfolded", ...this.unfolded(k, systems));
      cell.role = "cell";
      cell.setAttribute("aria-colspan", row.children.length);
      const more = element("div", "", cell);
      more.role = "row";
      made.append(more);
    }
    return made;
  }

  cells(k, systems) {
    const made = this.made(k, systems);
    return this.columns().map(({ key }) => {
      const cell = element("div", `cell c-${key}`, ...made[key]());
      cell.role = "cell";
      return cell;
    });
  }

  /** Return what makes the content of each column. */
  made(k, systems) {
    const { examples } = this;
    const made = {
      id: () => [this.name(k)],
      text: () => this.lines(k, systems),
      errors: () => this.badges(k, systems),
    };
    examples.strata.forEach((each, n) => {
      made[`stratum${n}`] = () => [element("bdi", "", String(each.values[each.codes[k]]))];
    });
    examples.systems.forEach((each, n) => {
      made[`system${n}`] = () => (systems.includes(each) ? this.outcome(each, k) : []);
    });
    return made;
  }

  /** Make a line of gold, and one of each of the first systems below it: letters stand under each other. */
  lines(k, systems) {
    const { examples } = this;
    const text = examples.texts[k];
    const gold = examples.gold.of(k);
    const spans = (all) => all.flat().sort((a, b) => a[1] - b[1] || a[2] - b[2]);
    const sides = systems.filter((each) => !each.isLeftOut(k)).slice(0, MOST_LINES).map((system) => {
      const pred = system.pred.of(k);
      const met = this.partners(k, system).map(([n, partner]) => compared(gold[n] ?? [], pred[partner] ?? []));
      return [this.nameOf(k, system), lineOf(spans(met))];
    });
    const all = [[this.nameOf(k), linesOf(spans(gold))[0]], ...sides];
    const starts = all.flatMap(([, [first]]) => (first ? [first[1]] : []));
    if (!starts.length) return [oneLine(text, [])];
    return all.map(([name, line]) => element("div", "side", element("bdi", "who", name), " ",
      oneLine(text, line, Math.min(...starts))));
  }

  /** Return the names of the two annotators of an example, if it has such. */
  sidesOf(k) {
    return this.examples.sides?.[this.examples.strata[0].codes[k]];
  }

  /** Return the name of a system in an example, or that of gold: annotators differ between examples. */
  nameOf(k, system) {
    return this.sidesOf(k)?.[Number(Boolean(system))] ?? system?.name ?? "gold";
  }

  /** Return the pairs of an example, those without a partner in gold last: `[gold, pred, place of the counts]`. */
  partners(k, system) {
    const counted = system.pairsOf(k);
    const of = (side, n, none) => counted.find((pair) => pair[side] === n) ?? none;
    const met = this.examples.gold.of(k).map((_, n) => of(0, n, [n, -1, -1]));
    const paired = new Set(met.map(([, pred]) => pred));
    const alone = system.pred.of(k).flatMap((_, n) => (paired.has(n) ? [] : [of(1, n, [-1, n, -1])]));
    return [...met, ...alone];
  }

  name(k) {
    const made = element("button", "name", element("bdi", "", this.examples.ids[k] || "(no id)"));
    made.type = "button";
    made.setAttribute("aria-expanded", this.isOpen(k));
    return made;
  }

  outcome(system, k) {
    const mark = this.examples.mark(system, k);
    const n = system.isLeftOut(k) ? 0 : this.examples.ofRows[system.counts[k]];
    return [...mark ? [icon(mark, this.examples.said)] : [], ...n ? [element("span", "n", n)] : []];
  }

  /** Count the errors of each role. */
  badges(k, systems) {
    const kept = systems.filter((system) => !system.isLeftOut(k));
    return this.examples.roles.flatMap((role, r) => {
      const n = kept.reduce((sum, system) => sum + this.byRole[r][system.counts[k]], 0);
      return n ? [coloured(element("span", "badge", `${role} ${n}`), r), " "] : [];
    });
  }

  /** Make what a row unfolds to. */
  unfolded(k, systems) {
    const unread = systems.flatMap((system) => this.unread(k, system));
    const pairs = this.pairs(k, systems);
    return [...this.legend(pairs), ...unread, ...pairs,
      element("ul", "summary", ...systems.map((system) => this.summary(k, system))),
      this.note(k)];
  }

  /** Make the line with the values of columns, and the link to a row. */
  note(k) {
    const { ids, strata, said } = this.examples;
    const link = element("a", "", `link to this ${said.row}`);
    const pair = this.sidesOf(k) ? `stratum0=${strata[0].codes[k]}&` : ""; // another pair has this id too
    link.href = `#${pair}id=${encodeURIComponent(ids[k].toWellFormed?.() ?? ids[k])}`;
    return element("p", "note", ...strata.map(({ name, values, codes }) =>
      element("span", "", element("bdi", "", name), ": ",
        element("bdi", "", String(values[codes[k]])))), link);
  }

  /** Say how many errors a system makes, and what could not be read. */
  summary(k, system) {
    const { examples } = this;
    const said = [];
    const row = examples.rows[system.counts[k]];
    if (system.isLeftOut(k)) said.push("left out");
    else if (examples.types.length) {
      const n = examples.ofRows[system.counts[k]];
      const kinds = examples.types
        .map((type) => [type, examples.errorsOf([type]).reduce((sum, { place }) => sum + row[place], 0)])
        .filter(([, count]) => count)
        .map(([type, count]) => `${examples.worded(type)} ${count}`);
      said.push(n ? `${plural(n, examples.said.error)} (${kinds.join(", ")})` : `no ${examples.said.error}s`);
    }
    const unparsed = system.unparsed[k];
    if (unparsed) said.push(`${plural(unparsed, "prediction")} could not be read`);
    const name = this.sidesOf(k)?.join(" / ") ?? system.name;
    return element("li", "", element("bdi", "name", name), ` ${said.join("; ")}`);
  }

  /** Show the answers that could not be read, and why. */
  unread(k, system) {
    return (system.unread.get(k) ?? []).map(([, relation, reason, text]) => {
      const made = element("div", "raw",
        element("p", "", icon("unread", this.examples.said), " ", element("bdi", "name", system.name),
          relation === null ? "" : ` ${relation}`, " could not be read: ", element("bdi", "", reason)));
      if (text !== null) made.append(verbatim(text));
      return made;
    });
  }

  /** Make a part for each relation of gold with its partners, then for predictions without. */
  pairs(k, systems) {
    const { examples } = this;
    const gold = examples.gold.of(k);
    const parts = gold.map((spans, n) => this.line(k, element("bdi", "", this.nameOf(k)), n, examples.gold.typeOf(k, n), spans));
    const alone = [];
    for (const system of systems.filter((each) => !each.isLeftOut(k))) {
      const pred = system.pred.of(k);
      for (const [n, partner, place] of this.partners(k, system)) {
        const name = element("bdi", "name", this.nameOf(k, system));
        const type = system.pred.typeOf(k, partner);
        const only = this.sidesOf(k) && (n < 0 ? this.nameOf(k, system) : partner < 0 && this.nameOf(k));
        const line = this.line(k, name, partner, type, pred[partner], place, gold[n] ?? [], only);
        if (n < 0) alone.push(line);
        else parts[n].push(...line);
      }
    }
    const made = [...parts.map((part) => element("dl", "pair", ...part)),
      ...alone.map((part) => element("dl", "pair alone", ...part))];
    return made.length ? made : [marked("p", "text", examples.texts[k], [], [], {})];
  }

  /** Explain how the spans of these parts are drawn, as far as they are. */
  legend(parts) {
    const { said } = this.examples;
    const words = { right: said.right, bounds: "other bounds", role: "another role", spurious: said.spurious,
      missed: said.missed.replace(/:$/, "") };
    const shown = Object.keys(words).filter((kind) => parts.some((part) => part.querySelector(`mark.${kind}`)));
    const marks = shown.flatMap((kind) => [" ", element("mark", kind, words[kind])]);
    if (parts.some((part) => part.matches(".alone"))) marks.push(" ", element("span", "alone", "no partner"));
    return marks.length ? [element("p", "legend", "drawn so:", ...marks)] : [];
  }

  /** Make the lines of a relation, and say what it counts with its partner in gold, or who alone has it. */
  line(k, name, n, type, spans, place, gold, only) {
    const { roles, texts, said, typesOfRelations } = this.examples;
    const made = [element("dt", "", name, n >= 0 ? ` ${n + 1}` : "",
      ...type >= 0 ? [" (", element("bdi", "", typesOfRelations[type]), ")"] : [])];
    const drawn = gold ? compared(gold, spans ?? []) : spans ?? [];
    if (drawn.length)
      made.push(...linesOf(drawn).map((line) => marked("dd", "text", texts[k], line, roles, said)));
    const told = [only ? `only ${only}` : spans ? "" : "no partner", spans?.length === 0 ? "no spans" : "",
      place >= 0 ? this.counted(place) : ""];
    if (place === -1 && spans) told.push("not counted");
    const text = told.filter(Boolean).join("; ");
    if (text) made.push(element("dd", "note", text));
    return made;
  }

  /** Say in words what a row counts, role by role. */
  counted(place) {
    const { names, rows } = this.examples;
    const roles = [...this.examples.roles].sort((a, b) => b.length - a.length); // a_b before a
    const said = new Map();
    names.forEach((name, column) => {
      const count = rows[place][column];
      if (!count) return;
      const role = roles.find((each) => name.startsWith(`${each}_`)) ?? "";
      const field = name.slice(role ? role.length + 1 : 0);
      const times = count === 1 ? "" : ` ×${count}`;
      said.set(role, [...said.get(role) ?? [], `${this.examples.worded(field)}${times}`]);
    });
    return [...said].map(([role, words]) => [role, words.join(", ")].filter(Boolean).join(": "))
      .join("; ");
  }
}
