// Tabs, and tables that sort and search themselves.

const MOST_UNSEARCHED = 12; // rows of a table that has no field to search it

/** Tabs of the page: the address names the open one, by its id or by what stands in it. */
class Tabs {
  constructor(box) {
    this.links = [...box.children];
    this.panels = this.links.map((link) => at(link.hash.slice(1)));
    box.role = "tablist";
    this.links.forEach((link, k) => {
      link.role = "tab";
      link.setAttribute("aria-controls", this.panels[k].id);
      this.panels[k].role = "tabpanel";
      this.panels[k].setAttribute("aria-labelledby", link.id);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        history.pushState(null, "", k && `#${this.panels[k].id}` || this.first());
        this.open(k);
      });
    });
    this.kept = ""; // address of the first tab
    box.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.follow());
    addEventListener("popstate", () => this.follow());
    this.follow();
  }

  /** Return the address of the first tab as it was left. */
  first() {
    return this.kept || `#${this.panels[0].id}`;
  }

  follow() {
    const name = location.hash.slice(1);
    const k = this.panels.findIndex((panel) => panel.id === name);
    if (k <= 0 && name !== this.panels[0].id) this.kept = location.hash;
    this.open(Math.max(k, 0));
  }

  open(k) {
    this.links.forEach((link, n) => {
      link.setAttribute("aria-selected", n === k);
      link.tabIndex = n === k ? 0 : -1;
      this.panels[n].hidden = n !== k;
    });
    dispatchEvent(new Event("scroll")); // what was hidden may have to draw itself
  }

  key(event) {
    const k = this.links.indexOf(event.target);
    const last = this.links.length - 1;
    const next = { ArrowRight: k < last ? k + 1 : 0, ArrowLeft: k > 0 ? k - 1 : last, Home: 0, End: last }[event.key];
    if (event.key === " ") event.target.click();
    else if (next === undefined) return;
    else {
      this.links[next].focus();
      this.links[next].click();
    }
    event.preventDefault();
  }
}

/** Let the headers of a table sort its rows, part by part; a long one gets a field to search. */
function sorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) if (!head.textContent) head.append("name");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const original = new Map(rows.map((row, k) => [row, k]));
  if (rows.filter((row) => row.cells.length > 1).length < 2) return;
  const textOf = (row, k) => row.cells[k].textContent;
  const valueOf = (row, k) => Number.parseFloat(textOf(row, k).replaceAll(",", ""));
  const compare = (k, down) => (a, b) => {
    const [x, y] = [valueOf(a, k), valueOf(b, k)];
    if (k && !(Number.isNaN(x) && Number.isNaN(y))) {
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return (down ? y - x : x - y) || original.get(a) - original.get(b);
    }
    return (down ? -1 : 1) * textOf(a, k).localeCompare(textOf(b, k), "en", { numeric: true });
  };
  heads.forEach((head, k) => {
    const button = element("button", "sort", ...head.childNodes);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const first = k ? "descending" : "ascending";
      const then = k ? "ascending" : "descending";
      const now = was === first ? then : was === then ? "" : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      if (now) head.setAttribute("aria-sort", now);
      const parts = [[]];
      for (const row of [...original.keys()]) {
        if (row.cells.length === 1) parts.push([row], []);
        else parts.at(-1).push(row);
      }
      body.append(...parts.flatMap((part) =>
        (now && part.length > 1 ? part.sort(compare(k, now === "descending")) : part)));
    });
  });
  if (rows.length > MOST_UNSEARCHED) searching(table, rows);
}

/** Put a field above a table that hides the rows without its words. */
function searching(table, rows) {
  const field = element("input", "");
  Object.assign(field, { type: "search", autocomplete: "off", spellcheck: false });
  const label = element("label", "search", element("span", "", "Search this table "), field);
  table.parentNode.before(label);
  field.addEventListener("input", () => {
    const words = field.value.toLocaleLowerCase();
    for (const row of rows)
      row.hidden = row.cells.length > 1 && !row.textContent.toLocaleLowerCase().includes(words);
  });
}

if (at("tabs")) new Tabs(at("tabs"));
document.querySelectorAll("table").forEach((table) => table.tHead && sorting(table));
