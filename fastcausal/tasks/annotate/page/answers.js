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
