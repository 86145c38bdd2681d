// An answer is [place in data.words, the sentences that support the claim], or null.

const SUPPORTED = 0;
const DIGITS = [..."123456789"];

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
      ...Object.fromEntries(DIGITS.map((digit) => [`mark-${digit}`, () => mark(digit - 1)])),
      "next-sentence": () => comeTo(1),
      "previous-sentence": () => comeTo(-1),
    };
  },
  keys: {
    ...Object.fromEntries(DIGITS.map((digit) => [digit, `mark-${digit}`])),
    j: "next-sentence", k: "previous-sentence",
  },
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

/** Move the focus to the next or the previous sentence. */
function comeTo(step) {
  const at = sentences.findIndex(([, shown]) => shown === document.activeElement);
  const to = at < 0 && step < 0 ? sentences.length - 1 : at + step;
  sentences[Math.min(Math.max(to, 0), sentences.length - 1)]?.[1].focus();
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

/** Make a sentence that a click, its number, or Space marks as support. */
function toMark(sentence) {
  const k = sentences.length;
  const number = element("kbd", "", String(k + 1));
  number.ariaHidden = "true";
  const shown = element("span", "sentence", ...(k < DIGITS.length ? [number] : []), sentence);
  shown.role = "button";
  shown.tabIndex = 0;
  shown.addEventListener("click", () => mark(k));
  shown.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) mark(k);
  });
  sentences.push([sentence, shown]);
  return shown;
}
