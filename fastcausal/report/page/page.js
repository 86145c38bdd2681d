// The table of examples: what is chosen, keys, and the address.

const MOST_PRINTED = 100;

class Page {
  /** Examples, and perhaps a signal that ends the page: another one takes its place. */
  constructor(examples, signal, Controls = Filters, Drawer = Shown) {
    this.examples = examples;
    this.signal = signal;
    this.form = at("filters");
    this.filters = new Controls(this.form, examples);
    this.shown = new Drawer(examples, () => this.columns);
    this.chosen = new Uint32Array();
    this.systems = [];
    this.current = -1;
    for (const id of ["filters", "examples-table", "unfold"]) at(id).hidden = false;
    this.list = new LongList(at("list"), (row) => this.shown.make(this.chosen[row], this.systems),
      () => at("heads").getBoundingClientRect().bottom, signal);
    this.listen();
    this.follow();
  }

  listen() {
    const { signal } = this;
    let waiting;
    this.form.parentNode.addEventListener("input", (event) => {
      if (event.target === at("keys")) return; // it chooses no examples: the address stays
      clearTimeout(waiting);
      waiting = setTimeout(() => this.filter(), event.target.type === "search" ? 60 : 0);
    }, { signal });
    this.form.addEventListener("submit", (event) => event.preventDefault(), { signal });
    at("show-all").addEventListener("click", () => setTimeout(() => {
      this.filters.takeCell("");
      this.filter();
    }), { signal });
    at("list").addEventListener("click", (event) => this.click(event), { signal });
    addEventListener("hashchange", () => this.follow(), { signal });
    addEventListener("popstate", () => this.follow(), { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    document.addEventListener("click", (event) => {
      for (const menu of document.querySelectorAll(".menu[open]"))
        if (!menu.contains(event.target)) menu.open = false;
    }, { signal });
    addEventListener("beforeprint", () => {
      const n = this.list.print(MOST_PRINTED);
      at("printed").textContent = `${n} of them on paper`;
    }, { signal });
    addEventListener("afterprint", () => {
      at("printed").textContent = "";
      const row = this.list.first;
      this.list.show(this.chosen.length);
      this.list.go(row);
    }, { signal });
  }

  /** Show the examples that the controls choose. */
  filter() {
    const wanted = this.filters.wanted();
    history.replaceState(null, "", `#${wanted}`);
    this.choose(wanted);
  }

  choose(wanted) {
    const { examples } = this;
    const systems = examples.systemsOf(wanted);
    if (String(systems.map((each) => each.name)) !== String(this.systems.map((each) => each.name)))
      setTimeout(() => this.filters.tally(systems)); // the table comes first
    this.systems = systems;
    this.columns = this.filters.columns();
    this.shown.all = wanted.has("open");
    this.shown.opened.clear();
    this.chosen = examples.chosen(wanted);
    this.current = -1;
    this.filters.takeCell(wanted.get("cell") ?? "");
    at("show-all").hidden = ![...wanted].some(([name]) => !["open", "columns", "id"].includes(name));
    at("status").textContent = `${this.chosen.length} of ${plural(examples.n, examples.said.row)}`;
    this.head();
    this.list.show(this.chosen.length);
  }

  head() {
    at("heads").replaceChildren(...this.columns.map(({ key, name }) => {
      const cell = element("div", `cell c-${key}`, element("bdi", "", name));
      cell.role = "columnheader";
      cell.title = name;
      return cell;
    }));
    const table = at("examples-table");
    table.style.setProperty("--columns", this.columns.map(({ width }) => width).join(" "));
    table.setAttribute("aria-rowcount", this.chosen.length);
  }

  /** Do what the address says, if it is about examples: choose, or open at one. */
  follow() {
    const said = location.hash.slice(1);
    const isTab = said && document.querySelector(`.panel#${CSS.escape(said)}`);
    if (isTab && this.systems.length) return; // as it was left
    const wanted = new URLSearchParams(isTab ? "" : said);
    const find = () => this.chosen.findIndex((k) => this.examples.ids[k] === wanted.get("id"));
    let row = [...wanted].length === 1 ? find() : -1;
    if (row < 0) {
      this.filters.take(wanted);
      this.choose(wanted);
      row = find();
    }
    if (row >= 0) {
      if (!this.shown.isOpen(this.chosen[row])) this.toggle(row);
      this.open(row);
    } else if (wanted.has("id")) at("status").textContent += `; the ${this.examples.said.row} of the address is not here`;
  }

  click(event) {
    if (event.target.closest("a, pre") || String(getSelection())) return;
    const row = event.target.closest(".row");
    if (!row) return;
    this.current = this.list.first + [...this.list.rows.children].indexOf(row.parentNode);
    this.toggle(this.current);
    this.focus(this.current);
  }

  toggle(row) {
    const { opened } = this.shown;
    const k = this.chosen[row];
    if (!opened.delete(k)) opened.add(k);
    this.list.again(row);
  }

  open(row) {
    if (row < 0 || row >= this.chosen.length) return;
    this.current = row;
    this.list.go(row);
    this.focus(row);
  }

  focus(row) {
    this.list.rows.children[row - this.list.first]?.querySelector("button")
      .focus({ preventScroll: true });
  }

  key(event) {
    if (at("examples-table").closest("[hidden]")) return;
    const isTyping = event.target.matches("input:not([type=checkbox]), select");
    if (event.key === "Escape" && isTyping) return event.target.blur();
    if (isTyping || !at("keys").checked || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.list.rows.contains(document.activeElement) ? this.current : -1;
    const next = { j: row + 1, k: row - 1 }[event.key];
    if (event.key === "/") this.form.elements.q.focus();
    else if (next === undefined) return;
    else this.open(row < 0 ? this.list.visible() : next);
    event.preventDefault();
  }
}

/** Open the page of the data in it. */
async function openPage(make) {
  if (typeof DecompressionStream === "undefined") return; // the page says what it needs
  at("status").textContent = "Reading …";
  make(await unpacked(at("packed").textContent));
  document.documentElement.dataset.ready = Math.round(performance.now());
}
