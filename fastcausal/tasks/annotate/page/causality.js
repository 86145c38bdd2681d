// An answer is {test: "yes" or "no"}, null where there is none; or null. Yes is a pass.

const SAID = ["yes", "no"];
const names = () => data.tests.map(([name]) => name);
const answerSoFar = () => state.answers[state.at] ?? blank();
const blank = () => Object.fromEntries(names().map((name) => [name, null]));
let question = 0; // the place of the one that keys answer
let questions = []; // [element, its buttons] on the screen
let verdict = null;

const FORM = {
  show: showTests,
  update() {
    const answer = answerSoFar();
    questions.forEach(([shown, buttons], k) => {
      shown.ariaCurrent = k === question ? "true" : null;
      buttons.forEach((button, n) => press(button, answer[names()[k]] === SAID[n]));
    });
    const failed = names().filter((name) => answer[name] === "no");
    const isDone = FORM.isDone(answer);
    verdict.textContent = failed.length ? `Not causal: ${failed.join(", ")}` : isDone ? "Causal" : "";
  },
  isDone: (answer) => names().every((name) => answer[name] !== null),
  write: (answer) => names().map((name) =>
    `"${name}": ${JSON.stringify((answer ?? blank())[name])}`).join(", "),
  read(text) {
    const answer = JSON.parse(`{${text}}`);
    if (!names().every((name) => [null, ...SAID].includes(answer[name]))) throw new Error(text);
    return names().every((name) => answer[name] === null) ? null : answer;
  },
  get actions() {
    const moves = names().map((name, k) => [`ask-${name}`, () => ask(k)]);
    return { "say-yes": () => answerWith("yes"), "say-no": () => answerWith("no"), ...Object.fromEntries(moves) };
  },
  get keys() {
    const digits = names().map((name, k) => [String(k + 1), `ask-${name}`]);
    return { y: "say-yes", n: "say-no", ...Object.fromEntries(digits) };
  },
};

/** Answer the question, and come to the next one of the pair, or to the next pair. */
function answerWith(word, at = question) {
  const answer = { ...answerSoFar(), [names()[at]]: word };
  const isLast = at === names().length - 1;
  question = isLast ? at : at + 1;
  give(answer, isLast && FORM.isDone(answer));
  if (!isLast) ask(question);
}

function ask(k) {
  question = k;
  FORM.update();
  questions[k][0].scrollIntoView({ block: "nearest" });
}

/** Show the pair in its sentence, and below it the five questions. */
function showTests(item) {
  const answer = answerSoFar();
  question = Math.max(0, names().findIndex((name) => answer[name] === null));
  questions = data.tests.map(([name, asked], k) => questionOf(name, asked, k));
  verdict = element("p", "verdict");
  const sheet = element("div", "sheet", ...roleLines(item.lines));
  return [element("h3", "", "Cause and effect"), sheet, ...questions.map(([shown]) => shown), verdict];
}

function questionOf(name, asked, k) {
  const buttons = SAID.map((word) => {
    const button = element("button", "", word === "yes" ? "Yes" : "No");
    button.type = "button";
    button.addEventListener("click", () => answerWith(word, k));
    return button;
  });
  const number = element("kbd", "", String(k + 1));
  number.ariaHidden = "true";
  const shown = element("div", "asked second", element("p", "", number, ` ${asked}`), ...buttons);
  shown.role = "group";
  shown.ariaLabel = asked;
  return [shown, buttons];
}
