// Controls of the examples. Their state stands in the address.

const MOST_SYSTEMS = 6; // that have a column before somebody chooses others: the best

class Filters {
  constructor(form, examples) {
    this.form = form;
    this.examples = examples;
    this.selects();
    this.chips();
    this.columnBoxes();
  }

  /** Fill the selects with what the examples have; hide those without a choice. */
  selects() {
    const { systems, types, strata } = this.examples;
    const numbered = (names) => names.map((name, k) => [k, name]);
    const names = numbered(systems.map((each) => each.name));
    for (const [k, { name, values }] of strata.entries()) {
      const select = element("select", "");
      select.name = `stratum${k}`;
      this.form.elements.order.parentNode.before(element("label", "", element("bdi", "", name), " ", select));
      this.options(select.name, numbered(values.map(String)), "all");
    }
    this.options("system", names, "all", 2);
    for (const name of ["better", "than"]) this.options(name, names, "any");
    at("pairs").hidden = systems.length < 2 || !types.length;
    const { order } = this.form.elements;
    if (systems.length < 2) order.lastElementChild.remove();
    order.parentNode.hidden = !types.length;
  }

  options(name, values, none, fewest = 1) {
    const select = this.form.elements[name];
    select.replaceChildren(new Option(none, ""), ...values.map(([k, text]) => new Option(text, k)));
    select.parentNode.hidden = values.length < fewest;
  }

  chips() {
    this.groups();
    this.cell = element("input", "");
    Object.assign(this.cell, { type: "checkbox", name: "cell" });
    this.cellLabel = element("label", "chip", this.cell, element("span", ""));
    at("types").after(this.cellLabel);
  }

  groups() {
    const { types, roles, systems, said } = this.examples;
    const isUnread = systems.some((each) => each.unparsed.some((n) => n));
    const shows = MARKS.filter((mark) => (mark === "unread" ? isUnread : types.length));
    this.chipsOf("shows", "show", "examples", shows.map((mark) => [mark, said[mark], icon(mark, said).firstChild]));
    this.chipsOf("types", "type", `${said.error}s`, types.map((type) => [type, this.examples.worded(type)]));
    this.chipsOf("roles", "role", "roles",
      types.length ? roles.map((role, r) => [role, role, coloured(element("span", "dot"), r)]) : []);
  }

  chipsOf(box, name, legend, values) {
    at(box).querySelector("legend").textContent = legend;
    at(box).hidden = values.length < 2;
    for (const [value, text, sign] of values) {
      const input = element("input", "");
      Object.assign(input, { type: "checkbox", name, value });
      at(box).append(element("label", "chip", input, ...sign ? [sign] : [],
        element("bdi", "", text), element("b", "")));
    }
  }

  /** Say on each chip how many examples it has. */
  tally(systems) {
    const tallies = this.examples.tallies(systems);
    for (const { control, lastChild } of this.form.querySelectorAll(".chips .chip"))
      lastChild.textContent = tallies[`${control.name} ${control.value}`].toLocaleString("en");
  }

  /** All columns that the table can have. */
  get every() {
    const { examples } = this;
    const best = new Set(examples.bestFirst().slice(0, MOST_SYSTEMS));
    const systems = examples.systems.map((system, k) => ({
      key: `system${k}`,
      name: examples.systems.length > 1 ? system.name : "mark",
      width: examples.systems.length > 1 ? "minmax(3rem, 5.5rem)" : "4.25rem",
      usual: best.has(system),
    }));
    // The first column of disagreements names the two annotators, as far as 28 letters go.
    const pair = examples.sides?.length > 1 ? 0 : -1;
    const strata = examples.strata.map(({ name, values }, k) => {
      const width = k === pair ? `${Math.min(28, Math.max(...values.map((v) => v.length)))}ch` : "9rem";
      return { key: `stratum${k}`, name, width: `minmax(4rem, ${width})`, usual: k === pair };
    });
    const named = [
      { key: "id", name: "id", width: "minmax(5rem, 11rem)", usual: true },
      { key: "text", name: "text", width: "minmax(10rem, 1fr)", usual: true },
      ...strata,
      ...examples.types.length
        ? [{ key: "errors", name: `${examples.said.error}s by role`, width: "minmax(6rem, 14rem)", usual: true }] : [],
    ];
    return systems.length > 1 ? [...named, ...systems] : [...systems, ...named];
  }

  columnBoxes() {
    this.all = this.every;
    for (const { key, name, usual } of this.all) {
      const box = element("input", "");
      Object.assign(box, { type: "checkbox", name: "column", value: key, defaultChecked: usual });
      at("columns").append(element("label", "check", box, " ", element("bdi", "", name)));
    }
  }

  /** Return the columns that are shown; names always are. */
  columns() {
    const shown = new Set(new FormData(this.form).getAll("column"));
    return this.all.filter(({ key }) => key === "id" || shown.has(key));
  }

  /** Return what the controls say. */
  wanted() {
    const said = [...new FormData(this.form)].filter(([name, value]) => value && name !== "column");
    const shown = this.columns();
    const usual = this.all.filter((each) => each.usual);
    if (String(shown.map(({ key }) => key)) !== String(usual.map(({ key }) => key)))
      said.push(["columns", shown.map(({ key }) => key).join(",")]);
    return new URLSearchParams(said);
  }

  /** Set the controls to what an address says. */
  take(wanted) {
    this.form.reset();
    for (const control of this.form.elements) {
      if (!control.name) continue;
      const values = wanted.getAll(control.name);
      if (control.name === "column") {
        if (wanted.has("columns"))
          control.checked = wanted.get("columns").split(",").includes(control.value);
      } else if (control.name === "cell") {
        this.takeCell(values[0] ?? "");
      } else if (control.type === "checkbox") control.checked = values.includes(control.value);
      else if (values.length) control.value = values[0];
    }
  }

  /** Show a chip for a cell of the confusion of roles. */
  takeCell(name) {
    const place = this.examples.cells.indexOf(name);
    this.cell.value = name;
    this.cell.checked = place >= 0;
    this.cellLabel.hidden = place < 0;
    const [gold, pred] = name.split(">");
    this.cellLabel.lastChild.textContent = `gold ${gold}, predicted ${pred}`;
  }
}
