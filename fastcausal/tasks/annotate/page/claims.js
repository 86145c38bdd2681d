// An answer is [place in data.words, the sentences that support the claim], or null.

const SUPPORTED = 0;

const FORM = {
  show: showClaim,
  update() {
    const [verdict, support] = state.answers[state.at] ?? [null, []];
    pressVerdict(verdict);
    for (const [sentence, shown] of sentences) press(shown, support.includes(sentence));
  },
  write(answer) {
    if (answer === null) return "null";
    const [verdict, support] = answer;
    const told = support.map((sentence) => JSON.stringify(sentence)).join(", ");
    return data.words[verdict] + (support.length ? `, "support": [${told}]` : "");
  },
  read(text, item) {
    const { judgment, support = [] } = JSON.parse(`{"judgment":${text}}`);
    if (judgment === null) return null;
    return [data.words.indexOf(JSON.stringify(judgment)), judgment ? inOrder(support, item) : []];
  },
  get actions() {
    return {
      ...verdictActions((verdict) => give([verdict, verdict === SUPPORTED ? supportSoFar() : []])),
      ...toggleActions(mark, () => sentences.map(([, shown]) => shown)),
    };
  },
  keys: TOGGLE_KEYS,
};
let sentences = []; // [text, element] of the article on the screen

/** Return sentences in the order of the item's article, those of other texts left out. */
function inOrder(support, item) {
  const told = new Set(data.articles[item.article].map(([, sentence]) => sentence));
  return [...told].filter((sentence) => sentence && support.includes(sentence));
}

const supportSoFar = () => state.answers[state.at]?.[1] ?? [];

/** Mark a sentence as support, which makes the claim supported, or take the mark back. */
function mark(k) {
  if (k >= sentences.length) return;
  const [sentence] = sentences[k];
  const before = supportSoFar();
  const after = before.includes(sentence)
    ? before.filter((each) => each !== sentence) : [...before, sentence];
  give([SUPPORTED, inOrder(after, data.items[state.at])], false);
}

/** Show a claim, the sentence that it was taken from, and the article to judge it by. */
function showClaim(item) {
  const shown = [element("h3", "", "Claim"), text(item.claim, "claim")];
  if (item.sentence !== null) shown.push(element("h3", "", "Its sentence"), text(item.sentence));
  shown.push(element("h3", "", `Article to judge by: ${data.by}`), article(data.articles[item.article]));
  return shown;
}

function article(pieces) {
  sentences = [];
  const nodes = pieces.flatMap(([before, sentence]) => [before, ...(sentence ? [toMark(sentence)] : [])]);
  return sentences.length ? block("p", "text sheet", ...nodes) : nothing("Empty.");
}

/** Make a sentence that can be marked as support. */
function toMark(sentence) {
  const k = sentences.length;
  const shown = asToggle(element("span", "sentence", ...digitOf(k), sentence), () => mark(k));
  sentences.push([sentence, shown]);
  return shown;
}
