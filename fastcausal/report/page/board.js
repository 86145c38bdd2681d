// The table of a leaderboard: its rows in groups, and a picture of the score against another column.

const MOST_NAMED = 20; // points with the names of their systems beside them
const MANY_TIMES = 30; // the least number times this is the largest one: an axis of powers of ten
const COLOURS = 7;
const FORMS = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-4-4h8v8h-8z", "M0-6 6 0 0 6-6 0z", "M0-5 5.5 4.5h-11z"];
const ROOM = { left: 52, right: 20, top: 12, bottom: 40 };

const numberText = (number) => number.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 6 });

/** An axis from start to stop, with ticks at 1, 2 or 5 times a power of ten, or at powers of ten. */
class Axis {
  constructor(numbers, start, stop) {
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    this.isLog = low > 0 && high / low >= MANY_TIMES;
    const [a, b] = this.isLog ? [Math.log10(low), Math.log10(high)] : [low, high];
    const least = (b - a || Math.abs(a) || 1) / 5;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = this.isLog ? Math.ceil(least) : power * [1, 2, 5, 10].find((n) => n * power > least * 0.999);
    const first = Math.floor(a / step + 1e-9);
    const n = Math.max(Math.ceil(b / step - 1e-9) - first, 1);
    const ticks = Array.from({ length: n + 1 }, (_, k) => (first + k) * step);
    this.ticks = ticks.map((tick) => (this.isLog ? 10 ** tick : tick));
    this.place = (number) =>
      start + (stop - start) * ((this.isLog ? Math.log10(number) : number) / step - first) / n;
  }
}

/** Make an element of a drawing that has text. */
function worded(tag, className, values, text) {
  const made = drawn(tag, className, values);
  made.textContent = text;
  return made;
}

class Board {
  constructor(table, form) {
    this.table = table;
    this.fields = form.elements;
    this.rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    this.names = heads.map((head) => (head.querySelector("span") ?? head).textContent);
    const intervals = heads.flatMap((head, k) => (head.matches(".interval") ? [k] : []));
    this.score = intervals[0];
    const joined = heads.slice(1, this.score).map((_, k) => k + 1);
    const isNumeric = (k) => {
      const texts = this.rows.map((row) => row.cells[k].textContent).filter(Boolean);
      return texts.length && texts.every((text) => Number.isFinite(Number(text)));
    };
    this.offer("group", joined);
    this.offer("against", [...joined.filter(isNumeric), ...intervals.slice(1)]);
    form.hidden = false;
    this.fields.group.addEventListener("input", () => this.group());
    this.fields.against.addEventListener("input", () => this.draw());
    this.group();
    new ResizeObserver(() => this.width === at("board").clientWidth || this.draw()).observe(form);
  }

  /** Offer these columns in a field of the form, which is hidden without any. */
  offer(name, columns) {
    this.fields[name].append(...columns.map((k) => new Option(this.names[k], k)));
    this.fields[name].parentNode.hidden = !columns.length;
  }

  /** Put the rows into groups, each below its name. */
  group() {
    const k = Number(this.fields.group.value);
    const nameOf = (row) => k && (row.cells[k].textContent || "unknown");
    const names = [...new Set(this.rows.map(nameOf))];
    names.sort((a, b) => String(a).localeCompare(b, "en", { numeric: true }));
    this.groups = names.map((name) => [name, this.rows.filter((row) => nameOf(row) === name)]);
    this.table.tBodies[0].replaceChildren(...this.groups.flatMap(([name, rows]) => {
      if (!k) return rows;
      const head = element("th", "", `${this.names[k]} `, element("bdi", "", name), `: ${plural(rows.length, "system")}`);
      Object.assign(head, { colSpan: this.names.length, scope: "rowgroup" });
      return [element("tr", "", head), ...rows];
    }));
    arrange(this.table);
    this.draw();
  }

  /** Return the systems that have a number in this column and a score, with its bounds. */
  points(k) {
    const numbersOf = (cell) => cell.textContent.split(/[[,\]]/).filter(Boolean).map(Number).filter(Number.isFinite);
    return this.groups.flatMap(([, rows], group) => rows.flatMap(({ cells }) => {
      const [[x], [y, ...bounds]] = [numbersOf(cells[k]), numbersOf(cells[this.score])];
      const name = cells[0].firstChild.textContent.trim();
      return x === undefined || y === undefined ? [] : [{ name, group, x, y, bounds }];
    }));
  }

  draw() {
    const figure = at("scatter");
    const k = Number(this.fields.against.value);
    const points = k ? this.points(k) : [];
    const against = this.names[k];
    this.width = at("board").clientWidth;
    figure.hidden = !points.length || !this.width;
    if (figure.hidden) return;
    const svg = figure.firstElementChild;
    svg.replaceChildren();
    const { width, height } = svg.getBoundingClientRect();
    const [right, bottom] = [width - ROOM.right, height - ROOM.bottom];
    const x = new Axis(points.map((point) => point.x), ROOM.left, right);
    const y = new Axis(points.flatMap((point) => [point.y, ...point.bounds]), bottom, ROOM.top);
    for (const tick of x.ticks) {
      const left = x.place(tick);
      svg.append(drawn("line", "", { x1: left, x2: left, y1: ROOM.top, y2: bottom }),
        worded("text", "", { x: left, y: bottom + 16, "text-anchor": "middle" }, numberText(tick)));
    }
    for (const tick of y.ticks) {
      const top = y.place(tick);
      svg.append(drawn("line", "", { x1: ROOM.left, x2: right, y1: top, y2: top }),
        worded("text", "", { x: ROOM.left - 6, y: top + 4, "text-anchor": "end" }, numberText(tick)));
    }
    svg.append(worded("text", "", { x: (ROOM.left + right) / 2, y: height - 6, "text-anchor": "middle" }, against));
    for (const point of points) svg.append(this.point(point, x, y, points.length <= MOST_NAMED && width, against));
    const log = x.isLog ? " (logarithmic)" : "";
    const caption = `${this.names[this.score]} with its interval, against ${against}${log}: ${points.length} of ${plural(this.rows.length, "system")}`;
    svg.setAttribute("aria-label", caption);
    figure.lastElementChild.replaceChildren(`${caption} `, ...this.groups.length > 1 ? this.keys() : []);
  }

  /** Draw a system: the interval of its score, a mark of its group, and its name if there is room. */
  point({ name, group, x: number, y: score, bounds }, x, y, room, against) {
    const [left, top] = [x.place(number), y.place(score)];
    const made = drawn("g", `k${group % COLOURS}`, {});
    made.append(worded("title", "", {}, `${name}: ${score}, ${against} ${number}`));
    if (bounds.length) made.append(drawn("line", "", { x1: left, x2: left, y1: y.place(bounds[0]), y2: y.place(bounds[1]) }));
    made.append(drawn("path", "", { d: FORMS[group % FORMS.length], transform: `translate(${left} ${top})` }));
    const [x1, anchor] = left < room * 0.7 ? [left + 9, "start"] : [left - 9, "end"];
    if (room) made.append(worded("text", "name", { x: x1, y: top + 4, "text-anchor": anchor }, name));
    return made;
  }

  keys() {
    return this.groups.map(([name], group) => {
      const key = drawn("svg", `key k${group % COLOURS}`, { "aria-hidden": true, viewBox: "-6 -6 12 12" });
      key.append(drawn("path", "", { d: FORMS[group % FORMS.length] }));
      return element("span", "of", key, element("bdi", "", name));
    });
  }
}

new Board(document.querySelector("table"), at("board"));
