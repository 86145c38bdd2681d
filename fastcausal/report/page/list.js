// A long list, in the scrolling of the window: only rows near the window are elements.

const MARGIN = 600; // px above and below the window that have rows
const SAMPLE = 256; // rows that tell the mean height: a bar that always moves could not be dragged
const HIGHEST = 8e6; // px; browsers draw nothing beyond some 17 to 33 million

class LongList {
  /** The box of the rows; what makes the element of a row; where the window begins to show it; a signal that ends it. */
  constructor(box, make, edge, signal) {
    this.box = box;
    this.make = make;
    this.edge = edge;
    this.rows = document.createElement("div");
    this.rows.role = "presentation";
    box.replaceChildren(this.rows);
    this.mean = 48; // px of a row, until the first were seen
    this.seen = 0;
    this.show(0);
    addEventListener("scroll", () => this.fill(), { passive: true, signal });
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== width) this.go(this.visible());
      else this.fill();
      width = innerWidth;
    }, { signal });
  }

  /** Show so many rows, the first one at the top of the window if others were. */
  show(n) {
    this.n = n;
    this.isOnPaper = false;
    this.start(0, 0);
    this.place();
    this.scroll(Math.min(this.box.getBoundingClientRect().top - this.edge(), 0));
    this.fill();
  }

  /** Put rows on paper from the first in the window on, and return how many. */
  print(most) {
    const first = this.visible();
    this.isOnPaper = true;
    this.start(first, 0);
    while (this.last < Math.min(this.n, first + most)) this.add(this.last++, null);
    return this.last - first;
  }

  /** Drop all rows; the next one is to stand at a place. */
  start(first, top) {
    this.rows.replaceChildren();
    this.first = this.last = first;
    this.top = this.bottom = top;
  }

  /** Where a row stands, about. */
  estimate(row) {
    return Math.min(this.n * this.mean, HIGHEST) * (row / (this.n || 1));
  }

  /** Scroll until a row is at the top of the window, and return its element. */
  go(row) {
    if (row < this.first || row >= this.last) {
      this.start(row, this.estimate(row));
      this.bottom += this.add(this.last++, null);
      this.place();
      this.scroll(this.top - this.above());
      this.fill();
    }
    const element = this.rows.children[row - this.first];
    if (element) this.scroll(element.getBoundingClientRect().top - this.edge());
    this.fill();
    return element;
  }

  /** Make the element of a row again: its height may be another. */
  again(row) {
    const old = this.rows.children[row - this.first];
    if (!old) return;
    const { height } = old.getBoundingClientRect();
    this.bottom += this.add(row, old) - height;
    old.remove();
    this.fill();
  }

  /** Return the first row of which the window shows a good part. */
  visible() {
    const k = [...this.rows.children].findIndex((each) => each.getBoundingClientRect().bottom > this.edge() + 1);
    return this.first + Math.max(k, 0);
  }

  /** Pixels of the box that are above the window. */
  above() {
    return -this.box.getBoundingClientRect().top;
  }

  scroll(by) {
    if (by) scrollBy({ top: by, behavior: "instant" });
  }

  /** Make the rows that the window wants, drop others. */
  fill() {
    if (this.isOnPaper || !this.box.offsetParent) return; // on paper, or in a closed tab
    const from = Math.max(this.above(), 0) - MARGIN; // the first rows are there from the start
    const to = from + innerHeight + 2 * MARGIN;
    if (this.bottom < from || this.top > to) this.jump();
    while (this.last < this.n && this.bottom < to) this.bottom += this.add(this.last++, null);
    while (this.first > 0 && this.top > from) {
      this.top -= this.add(--this.first, this.rows.firstChild);
    }
    this.drop(from - MARGIN, to + MARGIN);
    const shift = this.shift();
    this.top += shift;
    this.bottom += shift;
    this.place();
    this.scroll(shift);
  }

  /** Begin anew at the part of the list where the scroll bar stands. */
  jump() {
    const height = this.box.offsetHeight;
    const above = Math.max(this.above(), 0);
    if (above && above + innerHeight >= height - 1) return this.start(this.n, height);
    const row = Math.floor(above / (height || 1) * this.n);
    this.start(Math.min(row, Math.max(this.n - 1, 0)), row ? above : 0);
  }

  /** Add the element of a row before another, and return its height. */
  add(row, before) {
    const made = this.make(row);
    made.firstChild.setAttribute("aria-rowindex", row + 1);
    this.rows.insertBefore(made, before);
    const { height } = made.getBoundingClientRect();
    if (this.seen < SAMPLE) this.mean += (height - this.mean) / ++this.seen;
    return height;
  }

  drop(from, to) {
    while (this.last - this.first > 1) {
      const { height } = this.rows.firstChild.getBoundingClientRect();
      if (this.top + height >= from) break;
      this.rows.firstChild.remove();
      this.first++;
      this.top += height;
    }
    while (this.last - this.first > 1) {
      const { height } = this.rows.lastChild.getBoundingClientRect();
      if (this.bottom - height <= to) break;
      this.rows.lastChild.remove();
      this.last--;
      this.bottom -= height;
    }
  }

  /** Return by how much rows must move: the first has to be at 0, others below. */
  shift() {
    if (this.first === 0) return -this.top;
    return this.top < MARGIN ? Math.max(this.estimate(this.first), 2 * MARGIN) - this.top : 0;
  }

  /** Put the rows in their place, with room below for those that follow. */
  place() {
    const left = Math.min(this.n * this.mean, HIGHEST) - this.estimate(this.last);
    this.rows.style.top = `${this.top}px`;
    this.box.style.height = `${this.bottom + (this.last < this.n ? Math.max(left, MARGIN) : 0)}px`;
  }
}
