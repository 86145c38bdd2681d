// An answer is the places of the proposals that are taken, ascending; or null.

const ALL = 0;
const NONE = 1;

const FORM = {
  show: showProposals,
  update() {
    const taken = state.answers[state.at];
    const n = proposals.length;
    pressVerdict(taken === null ? null : taken.length === 0 ? NONE : taken.length === n ? ALL : null);
    proposals.forEach((shown, k) => press(shown, taken?.includes(k) ?? false));
  },
  write(taken, item) {
    if (taken === null) return '"relations": null';
    const told = taken.map((k) => item.proposals[k]);
    const parts = [["relations", told.map(({ relation }) => relation)]];
    if (data.typed) parts.push(["types", told.map(({ type }) => JSON.stringify(type))]);
    parts.push(["proposed_by", told.map(({ by }) => JSON.stringify(by))]);
    return parts.map(([name, values]) => `"${name}": [${values.join(", ")}]`).join(", ");
  },
  read(text, item) {
    const { relations, types } = JSON.parse(`{${text}}`);
    return relations && relations.map((relation, k) => item.proposals.findIndex((proposal) =>
      proposal.relation === spaced(relation) && (!data.typed || proposal.type === types[k])));
  },
  get actions() {
    return {
      ...verdictActions((verdict) => give(verdict === NONE ? [] : [...proposals.keys()])),
      ...toggleActions(toggle, () => proposals),
    };
  },
  keys: TOGGLE_KEYS,
};
let proposals = []; // the elements of those on the screen

/** Write a relation as the export does. */
const spaced = (relation) => `[${relation.map(({ role, start, stop }) =>
  `{"role": ${JSON.stringify(role)}, "start": ${start}, "stop": ${stop}}`).join(", ")}]`;

/** Take a proposal, or take it back. */
function toggle(k) {
  if (k >= proposals.length) return;
  const taken = new Set(state.answers[state.at] ?? []);
  if (!taken.delete(k)) taken.add(k);
  give([...taken].sort((a, b) => a - b), false);
}

/** Show a sentence, and below it each proposed relation with its annotators. */
function showProposals(item) {
  proposals = item.proposals.map((proposal, k) => asToggle(proposed(proposal, k), () => toggle(k)));
  const shown = [element("h3", "", "Text"), text(item.text, "sheet"), element("h3", "", "Proposed relations")];
  shown.push(...(proposals.length ? proposals : [nothing("Nobody proposes a relation.")]));
  if (item.without && proposals.length) {
    shown.push(element("p", "nothing", "No relation: ", block("bdi", "", item.without)));
  }
  return shown;
}

function proposed({ by, n, type, lines }, k) {
  const named = element("p", "", ...digitOf(k), block("bdi", "", by), ` · ${n}`);
  if (type !== null) named.append(" · ", block("bdi", "", type));
  return element("div", "proposal", named, ...roleLines(lines));
}
