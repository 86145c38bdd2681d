// An answer is [place in data.words, side of its reason, kind of its reason].

const INVALID = 1;

const FORM = {
  show: showAnswer,
  update() {
    const [verdict, ...reason] = state.answers[state.at] ?? [null, null, null];
    pressVerdict(verdict);
    eachReason((id, part, value) => press(at(id), reason[part] === value));
  },
  write(answer) {
    if (answer === null) return "null";
    const parts = answer.slice(1).filter((part) => part !== null);
    const isGiven = answer[0] === INVALID && parts.length > 0;
    return data.words[answer[0]] + (isGiven ? `, "reason": ${JSON.stringify(parts.join(": "))}` : "");
  },
  read(text) {
    const { answer, reason } = JSON.parse(`{"answer":${text}}`);
    if (answer === null) return null;
    const parts = reason?.split(": ") ?? [];
    const known = data.parts.map((values) => parts.find((part) => values.includes(part)) ?? null);
    return [data.words.indexOf(JSON.stringify(answer)), ...known];
  },
  get actions() {
    const actions = verdictActions((verdict) => give([verdict, ...reasonUnder(verdict).slice(1)]));
    eachReason((id, part, value) => { actions[id] = () => blame(part, value); });
    return actions;
  },
};

/** The answer whose reason a new verdict keeps: Invalid alone has one. */
const reasonUnder = (verdict) =>
  (verdict === INVALID && state.answers[state.at]) || [null, null, null];

/** Give a reason, or take it back; the item stays, so that the other part can follow. */
function blame(part, value) {
  const reason = reasonUnder(INVALID).slice(1);
  reason[part] = reason[part] === value ? null : value;
  give([INVALID, ...reason], false);
}

/** Call a function with the id of the button, the part and the value of every reason. */
function eachReason(call) {
  data.parts.forEach((values, part) => {
    for (const value of values) call(`reason-${value.replaceAll(" ", "-")}`, part, value);
  });
}

const ROLES = [["cause", "Cause"], ["effect", "Effect"], ["relation", "Relation"]];

/** Show an answer: the source, and below it reference and model side by side. */
function showAnswer(item) {
  const table = element("table", "", columns());
  for (const [role, title] of ROLES) {
    if (role !== "relation" || item.reference[role] || item.model[role]) table.append(clauses(item, role, title));
  }
  return [
    element("h3", "", "Text"),
    item.source.length ? block("p", "text sheet", ...marked(item.source)) : nothing("No text."),
    legend(),
    table,
  ];
}

function columns() {
  const heads = ["Reference", "Model"].map((name) => element("th", "", name));
  for (const head of heads) head.scope = "col";
  return element("thead", "", element("tr", "", ...heads));
}

/** A role: a line with its name, and one with what each side says. */
function clauses(item, role, title) {
  const head = element("th", "", title);
  head.scope = "rowgroup";
  head.colSpan = 2;
  const cells = ["reference", "model"].map((side) => clause(item[side], role));
  return element("tbody", "", element("tr", "", head), element("tr", "", ...cells));
}

function clause(side, role) {
  if (side.unread && role !== "cause") return element("td", "", nothing("Cannot be read."));
  if (side.unread) {
    const raw = block("p", "text", ...marked(side.unread));
    return element("td", "", nothing("Cannot be read as cause and effect:"), raw);
  }
  const spans = side[role] || [];
  if (!spans.length) return element("td", "", nothing("Nothing."));
  if (spans.length === 1) return element("td", "", block("p", "text", ...marked(spans[0])));
  const list = spans.map((span) => block("li", "text", ...marked(span)));
  return element("td", "", element("ul", "", ...list));
}

function legend() {
  const kinds = [["reference", "reference"], ["model", "model"], ["reference model", "both"],
    ["absent", "not in the text"]];
  return element("p", "legend", "Marked: ", ...kinds.map(([names, said]) =>
    element("span", "", element("mark", names, said))));
}
