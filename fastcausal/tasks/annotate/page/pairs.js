// An answer is {score, without}: 0 to 100, and whether B would have happened without A; or null.

const SECOND = ["yes", "no"];
const UNSET = 50; // where the slider stands before it is moved
const MEANINGS = [[80, "A brought B about"], [50, "A led to B, through other events"],
  [20, "A may have had a small part in B"], [-1, "A had no part in B"]];

const FORM = {
  show: showPairs,
  update() {
    for (const [k, card] of cards) updateCard(card, state.answers[k] ?? BLANK, k === state.at);
  },
  placeOf: (k) => cards.get(k).section,
  isDone: ({ score, without }) => score !== null && without !== null,
  write(answer) {
    const { score, without } = answer ?? BLANK;
    return `"score": ${JSON.stringify(score)}, "without": ${JSON.stringify(without)}`;
  },
  read(text) {
    const { score, without } = JSON.parse(`{${text}}`);
    const isScore = score === null || (Number.isInteger(score) && score >= 0 && score <= 100);
    if (!isScore || ![null, ...SECOND].includes(without)) throw new Error(text);
    return score === null && without === null ? null : { score, without };
  },
  actions: {
    ...Object.fromEntries([..."0123456789"].map((digit) =>
      [`score-${digit}`, () => set({ score: 10 * digit })])),
    hundred: () => set({ score: 100 }),
    exact: () => cards.get(state.at).number.focus(),
    "without-yes": () => set({ without: "yes" }),
    "without-no": () => set({ without: "no" }),
  },
  keys: {
    ...Object.fromEntries([..."0123456789"].map((digit) => [digit, `score-${digit}`])),
    h: "hundred", s: "exact", y: "without-yes", n: "without-no",
  },
};
const BLANK = { score: null, without: null };
let cards = new Map(); // of the pairs on the screen, by their place among all

/** Change a part of the answer; with both parts given, go on after the second one. */
function set(part) {
  const before = state.answers[state.at] ?? BLANK;
  const after = { ...before, ...part };
  const isLast = state.at === state.answers.length - 1;
  give(after, !isLast && "without" in part && after.score !== null);
}

/** Show the news pieces, and below them the pairs of events that they tell. */
function showPairs(item) {
  const ks = data.items.keys().filter((k) => screenOf(k) === item.screen);
  const pieces = item.articles.flatMap((place, k) => [
    element("h3", "", item.articles.length > 1 ? `News piece ${k + 1}` : "News piece"),
    text(data.articles[place], "sheet"),
  ]);
  cards = new Map([...ks].map((k, n) => [k, cardOf(k, n)]));
  return [...pieces, ...[...cards.values()].map((card) => card.section)];
}

function cardOf(k, n) {
  const { event_a, event_b } = data.items[k];
  const title = element("h3", "", `Pair ${n + 1}`);
  title.id = `pair-${k}`;
  const slider = input("range", k, "Score of A as a cause of B");
  const number = input("number", k, "Score from 0 to 100");
  const meaning = element("span", "meaning");
  const second = SECOND.map((word) => {
    const button = element("button", "", word === "yes" ? "Yes" : "No");
    const key = element("kbd", "", word[0]);
    key.ariaHidden = "true";
    button.append(key);
    button.type = "button";
    button.addEventListener("click", () => set({ without: word }));
    return button;
  });
  const asked = element("div", "second", element("p", "", "Would Event B have happened without Event A?"), ...second);
  asked.role = "group";
  asked.ariaLabel = "Would Event B have happened without Event A?";
  const ticks = element("div", "ticks", ...["0", "50", "100"].map((tick) => element("span", "", tick)));
  ticks.ariaHidden = "true";
  const section = element("section", "asked", title,
    element("h4", "", "Event A"), text(event_a), element("h4", "", "Event B"), text(event_b),
    element("p", "", "How strongly did Event A cause Event B?"),
    element("div", "score", element("div", "slide", slider, ticks), number, meaning), asked);
  section.setAttribute("aria-labelledby", title.id);
  section.addEventListener("focusin", () => comeTo(k));
  section.addEventListener("pointerdown", () => comeTo(k));
  return { section, slider, number, meaning, second };
}

/** Make this pair the one that keys answer. */
function comeTo(k) {
  if (k === state.at) return;
  state.at = k;
  changed();
}

function input(type, k, label) {
  const made = element("input", "");
  Object.assign(made, { type, min: 0, max: 100, step: 1, ariaLabel: label });
  const take = () => {
    const score = made.value === "" ? null : Math.round(Math.min(100, Math.max(0, made.valueAsNumber)));
    comeTo(k);
    set({ score });
  };
  made.addEventListener("input", take);
  if (type === "range") made.addEventListener("pointerup", take); // also where it stays in the middle
  else made.addEventListener("change", () => FORM.update());
  return made;
}

function updateCard({ section, slider, number, meaning, second }, { score, without }, isCurrent) {
  section.ariaCurrent = isCurrent ? "true" : null;
  slider.value = score ?? UNSET;
  slider.classList.toggle("unset", score === null);
  slider.ariaValueText = score === null ? "no score yet" : `${score}: ${meaningOf(score)}`;
  if (document.activeElement !== number || Number(number.value) !== score) number.value = score ?? "";
  meaning.textContent = score === null ? "No score yet." : meaningOf(score);
  second.forEach((button, k) => press(button, without === SECOND[k]));
}

const meaningOf = (score) => MEANINGS.find(([above]) => score > above)[1];
