// Controls, keys and addresses of the page. Its state is what the controls say, and stands in the address.

const MOST_PRINTED = 100;

class Page {
  constructor(examples) {
    this.examples = examples;
    this.form = at("filters");
    this.shown = new Shown(examples);
    this.chosen = new Uint32Array();
    this.systems = examples.systems;
    this.current = -1;
    this.controls();
    this.list = new LongList(at("list"), (row) => this.shown.make(this.chosen[row], this.systems));
    this.listen();
    this.form.hidden = false;
    this.follow();
  }

  /** Fill the selects with what the examples have; hide those without a choice. */
  controls() {
    const { systems, types, roles, strata } = this.examples;
    const numbered = (names) => names.map((name, k) => [k, name]);
    const names = numbered(systems.map((each) => each.name));
    const named = (values) => values.map((name) => [name, name]);
    for (const [k, { name, values }] of strata.entries()) {
      const select = element("select", "");
      select.name = `stratum${k}`;
      this.form.elements.show.parentNode.before(element("label", "", element("bdi", "", name), select));
      this.options(select.name, numbered(values.map(String)), "all");
    }
    this.options("system", names, "all", 2);
    this.options("type", types.map((type) => [type, `${type}: ${worded(type)}`]), "all");
    this.options("role", types.length ? named(roles) : [], "all");
    this.options("better", names, "any", 2);
    this.options("than", names, "any", 2);
    const orders = this.form.elements.order;
    if (systems.length < 2) orders.lastElementChild.remove();
    if (!types.length) {
      orders.parentNode.hidden = true;
      this.form.elements.show.querySelectorAll("[value=wrong], [value=right]")
        .forEach((each) => each.remove());
    }
  }

  options(name, values, none, fewest = 1) {
    const select = this.form.elements[name];
    select.replaceChildren(new Option(none, ""), ...values.map(([k, text]) => new Option(text, k)));
    select.parentNode.hidden = values.length < fewest;
  }

  listen() {
    let waiting;
    this.form.addEventListener("input", (event) => {
      if (event.target === at("keys")) return; // it chooses no examples: the address stays
      clearTimeout(waiting);
      waiting = setTimeout(() => this.filter(), 60);
    });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.querySelector("[type=reset]")
      .addEventListener("click", () => setTimeout(() => this.filter()));
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("beforeprint", () => {
      const n = this.list.print(MOST_PRINTED);
      at("printed").textContent = `${n} of them on paper`;
    });
    addEventListener("afterprint", () => {
      at("printed").textContent = "";
      const row = this.list.first;
      this.list.show(this.chosen.length);
      this.list.go(row);
    });
  }

  /** Show the examples that the controls choose. */
  filter() {
    const wanted = Object.fromEntries(new FormData(this.form));
    const named = Object.entries(wanted).filter(([, value]) => value);
    history.replaceState(null, "", `#${new URLSearchParams(named)}`);
    this.choose(wanted);
  }

  choose(wanted) {
    const { examples } = this;
    this.systems = examples.systemsOf(wanted);
    this.chosen = examples.chosen(wanted);
    this.current = -1;
    at("status").textContent = `${this.chosen.length} of ${plural(examples.n, "example")}`;
    this.list.show(this.chosen.length);
  }

  /** Do what the address says: choose, or open at an example. */
  follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const k = wanted.has("id") ? this.examples.ids.indexOf(wanted.get("id")) : -1;
    if (k < 0 || !this.chosen.includes(k)) {
      this.form.reset();
      for (const [name, value] of wanted) {
        const control = this.form.elements.namedItem(name);
        if (control instanceof HTMLElement && name !== "id") control.value = value;
      }
      this.choose(Object.fromEntries(new FormData(this.form)));
    }
    if (k >= 0) this.open(this.chosen.indexOf(k));
    else if (wanted.has("id")) at("status").textContent += "; the example of the address is not here";
  }

  open(row) {
    if (row < 0 || row >= this.chosen.length) return;
    this.current = row;
    this.list.go(row)?.focus({ preventScroll: true });
  }

  key(event) {
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

async function start() {
  if (typeof DecompressionStream === "undefined") return; // the page says what it needs
  at("status").textContent = "Reading examples …";
  new Page(new Examples(await unpacked(at("packed").textContent)));
  document.documentElement.dataset.ready = Math.round(performance.now());
}
start();
