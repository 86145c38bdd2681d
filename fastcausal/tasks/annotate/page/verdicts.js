// Forms whose answer is one of the buttons at the foot of the page, and perhaps more.

const BUTTONS = ["yes", "no", "unsure"];

const pressVerdict = (verdict) =>
  data.words.forEach((_, k) => press(at(BUTTONS[k]), verdict === k));

const verdictActions = (act) =>
  Object.fromEntries(data.words.map((_, k) => [BUTTONS[k], () => act(k)]));
