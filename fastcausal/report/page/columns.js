// Columns of the examples.

/** Return where each of some counted things starts among all of them. */
function offsets(counts) {
  const made = new Int32Array(counts.length + 1);
  for (let k = 0; k < counts.length; k++) made[k + 1] = made[k] + counts[k];
  return made;
}

const range = (start, stop) => Array.from({ length: stop - start }, (_, k) => start + k);

/** Relations of one side, as docs/pages.md has them. */
class Relations {
  constructor({ relations, spans, values }) {
    this.ofExample = offsets(relations);
    this.ofRelation = offsets(spans);
    this.values = Int32Array.from(values);
  }

  /** Return the relations of an example, each a list of `[role, start, stop]`. */
  of(example) {
    const spans = (relation) =>
      range(this.ofRelation[relation], this.ofRelation[relation + 1])
        .map((k) => [...this.values.subarray(3 * k, 3 * k + 3)]);
    return range(this.ofExample[example], this.ofExample[example + 1]).map(spans);
  }
}

/** Examples of one system. */
class System {
  constructor({ name, pred, unparsed, pairs, examples }) {
    this.name = name;
    this.pred = new Relations(pred);
    this.unparsed = Int32Array.from(unparsed);
    this.counts = Int32Array.from(examples); // places in the rows of counts
    this.ofExample = offsets(pairs.n);
    this.pairs = [pairs.gold, pairs.pred, pairs.counts].map((each) => Int32Array.from(each));
  }

  isLeftOut(example) {
    return this.counts[example] < 0;
  }

  /** Return the pairs of an example: `[gold, pred, place of the counts]`. */
  pairsOf(example) {
    return range(this.ofExample[example], this.ofExample[example + 1])
      .map((k) => this.pairs.map((each) => each[k]));
  }
}

/** All examples of a page. */
class Examples {
  constructor(columns) {
    const { ids, texts, roles, types, errors, strata } = columns;
    Object.assign(this, { ids, texts, roles, types });
    this.n = ids.length;
    this.names = columns.columns;
    this.rows = columns.count_rows;
    this.errors = Object.entries(errors).flatMap(([type, places]) =>
      places.map((place) => ({ type, place, role: this.names[place].slice(0, -type.length - 1) })));
    this.strata = strata.map((each) => ({ ...each, codes: Int32Array.from(each.codes) }));
    this.gold = new Relations(columns.gold);
    this.systems = columns.systems.map((each) => new System(each));
  }

  /** Return how many errors each row of counts has, of a type and a role; "" for all. */
  errorsOfRows(type = "", role = "") {
    const places = this.errors
      .filter((each) => (!type || each.type === type) && (!role || each.role === role))
      .map((each) => each.place);
    return Int32Array.from(this.rows, (row) => places.reduce((sum, place) => sum + row[place], 0));
  }

  /** Return the examples that are wanted, in the wanted order; see the names in page.html. */
  chosen(wanted) {
    const tests = this.tests(wanted);
    const kept = range(0, this.n).filter((k) => tests.every((test) => test(k)));
    const key = this.key(wanted);
    if (!key) return Uint32Array.from(kept);
    // One number holds the key and the place in gold: numbers are sorted fast.
    const keys = Float64Array.from(kept, (k) => k - 2 ** 32 * key(k)).sort();
    return Uint32Array.from(keys, (each) => each - 2 ** 32 * Math.floor(each / 2 ** 32));
  }

  /** Return what an example has to pass. */
  tests(wanted) {
    const systems = this.systemsOf(wanted);
    const errors = this.counter(wanted);
    const show = wanted.show || (wanted.type || wanted.role ? "wrong" : "");
    const shows = {
      wrong: (k) => systems.some((each) => errors(each, k) > 0),
      right: (k) => systems.every((each) => !each.isLeftOut(k) && errors(each, k) === 0),
      unparsed: (k) => systems.some((each) => each.unparsed[k] > 0),
    };
    const tests = this.strata
      .map(({ codes }, n) => [codes, wanted[`stratum${n}`]])
      .filter(([, code]) => code)
      .map(([codes, code]) => (k) => codes[k] === Number(code));
    if (show) tests.push(shows[show]);
    const [better, than] = this.pair(wanted);
    if (better && than) {
      tests.push((k) => !better.isLeftOut(k) && !than.isLeftOut(k)
        && errors(better, k) < errors(than, k));
    }
    if (wanted.q) tests.push(this.search(wanted.q));
    return tests;
  }

  /** Return what orders examples, largest first; none for the order of gold. */
  key(wanted) {
    const errors = this.counter(wanted);
    const [better, than] = this.pair(wanted);
    const all = (k) => this.systemsOf(wanted).map((each) => errors(each, k));
    return {
      errors: (k) => all(k).reduce((a, b) => a + b),
      difference: better && than
        ? (k) => errors(than, k) - errors(better, k)
        : (k) => Math.max(...this.systems.map((each) => errors(each, k)))
          - Math.min(...this.systems.map((each) => errors(each, k))),
    }[wanted.order];
  }

  systemsOf({ system }) {
    return system ? [this.systems[system]] : this.systems;
  }

  pair({ better, than }) {
    return [better, than].map((k) => (k ? this.systems[k] : null));
  }

  /** Return what counts the errors of a system in an example, none where it is left out. */
  counter({ type, role }) {
    const rows = this.errorsOfRows(type, role);
    return (system, k) => (system.isLeftOut(k) ? 0 : rows[system.counts[k]]);
  }

  /** Return what finds words in a text or an id, in either case, of composed letters or not. */
  search(words) {
    const forms = new Set([words, words.normalize("NFC"), words.normalize("NFD")]);
    const escaped = [...forms].map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    const pattern = new RegExp(escaped.join("|"), "iu");
    return (k) => pattern.test(this.texts[k]) || pattern.test(this.ids[k]);
  }
}
