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
  constructor({ relations, spans, values, types }) {
    this.ofExample = offsets(relations);
    this.ofRelation = offsets(spans);
    this.values = Int32Array.from(values);
    this.types = types ?? [];
  }

  /** Return the number of the type of a relation of an example; -1 or undefined for none. */
  typeOf(example, n) {
    return n < 0 ? -1 : this.types[this.ofExample[example] + n];
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
  constructor({ name, pred, unparsed, pairs, examples, unread }) {
    this.name = name;
    this.pred = new Relations(pred);
    this.unparsed = Int32Array.from(unparsed);
    this.counts = Int32Array.from(examples); // places in the rows of counts
    this.ofExample = offsets(pairs.n);
    this.pairs = [pairs.gold, pairs.pred, pairs.counts].map((each) => Int32Array.from(each));
    this.unread = Map.groupBy?.(unread, ([example]) => example) ?? grouped(unread);
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

function grouped(rows) {
  const made = new Map();
  for (const row of rows) made.set(row[0], [...made.get(row[0]) ?? [], row]);
  return made;
}

const MARKS = ["wrong", "partly", "right", "unread"];
const SAID = {
  wrong: "wrong", partly: "partly right", right: "right", unread: "not read", out: "left out",
  missed: "missed", spurious: "not in gold", error: "error", row: "example",
};

/** Rows with an id, a text and values of columns; every system has its own of each. */
class Rows {
  constructor({ ids, texts, strata, said }) {
    Object.assign(this, { ids, texts });
    this.said = { ...SAID, ...said };
    this.n = ids.length;
    this.strata = strata.map((each) => ({ ...each, codes: Int32Array.from(each.codes) }));
  }

  /** Return the examples that are wanted, in the wanted order; see the names in examples.html. */
  chosen(wanted) {
    const tests = this.tests(wanted);
    const kept = range(0, this.n).filter((k) => tests.every((test) => test(k)));
    const key = this.key(wanted);
    if (!key) return Uint32Array.from(kept);
    // One number holds the key and the place in gold: numbers are sorted fast.
    const keys = Float64Array.from(kept, (k) => k - 2 ** 32 * key(k)).sort();
    return Uint32Array.from(keys, (each) => each - 2 ** 32 * Math.floor(each / 2 ** 32));
  }

  /** Return what a row has to pass by its columns and its words. */
  tests(wanted) {
    const tests = this.strata
      .map(({ codes }, n) => [codes, wanted.get(`stratum${n}`)])
      .filter(([, code]) => code)
      .map(([codes, code]) => (k) => codes[k] === Number(code));
    if (wanted.get("q")) tests.push(this.search(wanted.get("q")));
    return tests;
  }

  systemsOf(wanted) {
    const system = this.systems[wanted.get("system") || -1];
    return system ? [system] : this.systems;
  }

  /** Return what finds words in a text or an id, in either case, of composed letters or not. */
  search(words) {
    const forms = new Set([words, words.normalize("NFC"), words.normalize("NFD")]);
    const escaped = [...forms].map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    const pattern = new RegExp(escaped.join("|"), "iu");
    return (k) => this.searched(k).some((text) => pattern.test(text));
  }

  /** Return the texts of a row that a search looks through. */
  searched(k) {
    return [this.texts[k], this.ids[k]];
  }
}

/** All examples of a page. */
class Examples extends Rows {
  constructor(columns) {
    super(columns);
    const { roles, types, words, errors, cells, sides } = columns;
    Object.assign(this, { roles, types, words, cells, sides });
    this.typesOfRelations = columns.types_of_relations ?? [];
    this.names = columns.columns;
    this.rows = columns.count_rows;
    const placed = (counts) => Object.entries(counts).flatMap(([type, places]) =>
      places.map((place) => ({ type, place, role: this.names[place].slice(0, -type.length - 1) })));
    this.errors = placed(errors);
    this.gold = new Relations(columns.gold);
    this.systems = columns.systems.map((each) => new System(each));
    this.ofRows = this.sums(this.errors);
    this.hits = this.sums(placed(columns.hits));
  }

  /** Return a count in words. */
  worded(field) {
    return this.words[field] ?? field.replaceAll("_", " ");
  }

  /** Return the sum of some counts in each row of counts. */
  sums(counts) {
    return Int32Array.from(this.rows, (row) =>
      counts.reduce((sum, { place }) => sum + row[place], 0));
  }

  /** Return the counted errors of some types and roles; none for all. */
  errorsOf(types = [], roles = []) {
    return this.errors.filter(({ type, role }) =>
      (!types.length || types.includes(type)) && (!roles.length || roles.includes(role)));
  }

  /** Return the systems, those with fewest errors first. */
  bestFirst() {
    const total = ({ counts }) => counts.reduce((sum, place) => sum + (this.ofRows[place] ?? 0), 0);
    const totals = new Map(this.systems.map((each) => [each, total(each)]));
    return [...this.systems].sort((a, b) => totals.get(a) - totals.get(b));
  }

  /** Return the mark of a system in an example: one of MARKS, "out" or none. */
  mark(system, k) {
    if (system.isLeftOut(k)) return "out";
    if (system.unparsed[k]) return "unread";
    if (!this.types.length) return "";
    if (!this.ofRows[system.counts[k]]) return "right";
    return this.hits[system.counts[k]] ? "partly" : "wrong";
  }

  /** Count the examples with each mark of some systems, and with each type and role of error. */
  tallies(systems) {
    const made = {};
    for (const mark of MARKS) made[`show ${mark}`] = 0;
    for (let k = 0; k < this.n; k++)
      for (const mark of new Set(systems.map((each) => this.mark(each, k)))) made[`show ${mark}`]++;
    const kinds = [...this.types.map((type) => [`type ${type}`, [type], []]),
      ...this.roles.map((role) => [`role ${role}`, [], [role]])];
    for (const [name, types, roles] of kinds) {
      const rows = this.sums(this.errorsOf(types, roles));
      const has = new Uint8Array(this.n);
      for (const { counts } of systems)
        for (let k = 0; k < this.n; k++) if (counts[k] >= 0 && rows[counts[k]] > 0) has[k] = 1;
      made[name] = has.reduce((sum, each) => sum + each, 0);
    }
    return made;
  }

  /** Return what an example has to pass. */
  tests(wanted) {
    const systems = this.systemsOf(wanted);
    const errors = this.counter(wanted);
    const tests = super.tests(wanted);
    const marks = wanted.getAll("show");
    if (marks.length) tests.push((k) => systems.some((each) => marks.includes(this.mark(each, k))));
    if (wanted.has("type") || wanted.has("role"))
      tests.push((k) => systems.some((each) => errors(each, k) > 0));
    const [better, than] = this.pair(wanted);
    if (better && than) {
      tests.push((k) => !better.isLeftOut(k) && !than.isLeftOut(k)
        && errors(better, k) < errors(than, k));
    }
    const cell = this.cells.findIndex((each) => each === wanted.get("cell"));
    if (cell >= 0) {
      const place = this.names.length + cell;
      tests.push((k) => systems.some((each) =>
        !each.isLeftOut(k) && this.rows[each.counts[k]][place] > 0));
    }
    return tests;
  }

  /** Return what orders examples, largest first; none for the order of gold. */
  key(wanted) {
    const order = wanted.get("order") || "errors";
    const systems = this.systemsOf(wanted);
    const errors = this.counter(wanted);
    const [better, than] = this.pair(wanted);
    const spread = (k) => {
      const all = this.systems.map((each) => errors(each, k));
      return Math.max(...all) - Math.min(...all);
    };
    return {
      errors: systems.length === 1 ? (k) => errors(systems[0], k)
        : (k) => systems.reduce((sum, each) => sum + errors(each, k), 0),
      difference: better && than ? (k) => errors(than, k) - errors(better, k) : spread,
    }[order];
  }

  pair(wanted) {
    return ["better", "than"].map((name) => this.systems[wanted.get(name) || -1]);
  }

  /** Return what counts the wanted errors of a system in an example, none where it is left out. */
  counter(wanted) {
    const rows = this.sums(this.errorsOf(wanted.getAll("type"), wanted.getAll("role")));
    return (system, k) => (system.isLeftOut(k) ? 0 : rows[system.counts[k]]);
  }
}
