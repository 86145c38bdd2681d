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

/** Order the rows of each part of a table as its headers say, or as they were written. */
function arrange(table) {
  const heads = [...table.tHead.rows[0].cells];
  const k = Math.max(heads.findIndex((head) => head.ariaSort), 0);
  const way = heads[k].ariaSort;
  const down = way === "descending";
  const textOf = (row) => row.cells[k].textContent;
  const valueOf = (row) => Number.parseFloat(textOf(row).replaceAll(",", ""));
  const compare = (a, b) => {
    if (!way) return a.place - b.place;
    const [x, y] = [valueOf(a), valueOf(b)];
    if (k && !(Number.isNaN(x) && Number.isNaN(y))) {
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return (down ? y - x : x - y) || a.place - b.place;
    }
    return (down ? -1 : 1) * textOf(a).localeCompare(textOf(b), "en", { numeric: true });
  };
  const parts = [[]];
  for (const row of table.tBodies[0].rows) {
    if (row.cells.length === 1) parts.push([row], []);
    else parts.at(-1).push(row);
  }
  table.tBodies[0].append(...parts.flatMap((part) => (part.length > 1 ? part.sort(compare) : part)));
}

/** Let the headers of a table sort its rows, part by part; a long one gets a field to search. */
function sorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) if (!head.textContent) head.append("name");
  const rows = [...table.tBodies[0].rows];
  rows.forEach((row, k) => { row.place = k; });
  if (rows.filter((row) => row.cells.length > 1).length < 2) return;
  heads.forEach((head, k) => {
    const button = element("button", "sort", ...head.childNodes);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const was = head.ariaSort;
      const first = k ? "descending" : "ascending";
      const then = k ? "ascending" : "descending";
      heads.forEach((each) => { each.ariaSort = null; });
      head.ariaSort = was === first ? then : was === then ? null : first;
      arrange(table);
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
