const data = JSON.parse(at("data").textContent);
const KEY = `fastcausal ${data.digest}`;

// An answer is what its form makes of it, null for none; a screen may show several items.
const state = { rater: "", answers: [], at: 0, unsaved: false };
const screenOf = (k) => data.items[k].screen ?? k;
let shown = null; // the screen in the page

// --- What the browser keeps: it may refuse, and what it has may be damaged. ---

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(state));
    return true;
  } catch {
    return false;
  }
}

function recall() {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEY));
  } catch { /* refused or damaged: as if nothing were kept */ }
  const fits = kept !== null && typeof kept === "object" && typeof kept.rater === "string"
    && Array.isArray(kept.answers) && kept.answers.length === data.answers.length
    && kept.answers.every((answer, k) => isAnswer(answer, k));
  if (fits) take(kept.rater, kept.answers, kept.at);
  else take(data.rater, data.answers);
  state.unsaved = fits && kept.unsaved === true;
}

/** Tell whether a value is an answer: written and read again, it is the same. */
function isAnswer(answer, k) {
  try {
    const again = readSlot(withoutSpace(FORM.write(answer, data.items[k])), k);
    return JSON.stringify(again) === JSON.stringify(answer);
  } catch {
    return false;
  }
}

function take(rater, answers, place) {
  state.rater = rater;
  state.answers = [...answers];
  const isPlace = Number.isInteger(place) && place >= 0 && place < answers.length;
  state.at = isPlace ? place : Math.max(0, answers.findIndex((answer) => !isDone(answer)));
  at("rater").value = rater;
  shown = null;
}

// --- What is shown ---

function render() {
  const n = state.answers.length;
  at("status").textContent = `${state.answers.filter(isDone).length} of ${n} answered`;
  at("place").replaceChildren(`${state.at + 1} of ${n} · `, block("bdi", "", data.items[state.at].id));
  if (shown !== screenOf(state.at)) at("item").replaceChildren(...FORM.show(data.items[state.at]));
  shown = screenOf(state.at);
  FORM.update?.();
}

const isDone = (answer) => answer !== null && (FORM.isDone?.(answer) ?? true);
const press = (button, isPressed) => button.setAttribute("aria-pressed", String(isPressed));

const say = (message) => { at("message").textContent = message; };

function go(to) {
  if (to < 0 || to >= state.answers.length) return;
  const isSameScreen = screenOf(to) === screenOf(state.at);
  state.at = to;
  changed();
  if (isSameScreen) FORM.placeOf?.(to).scrollIntoView({ block: "nearest" });
  else if (at("place").getBoundingClientRect().top < 0) at("place").scrollIntoView();
}

function changed() {
  const isKept = keep();
  render();
  say(isKept ? "" : "This browser keeps nothing: save before you close the page.");
}

// --- What a rater does ---

/** Give the current item its answer; go on to the next one, or stay. */
function give(value, goesOn = true) {
  state.answers[state.at] = value;
  state.unsaved = true;
  if (goesOn) go(Math.min(state.at + 1, state.answers.length - 1));
  else changed();
}

function goToUnanswered() {
  const n = state.answers.length;
  const order = Array.from({ length: n }, (_, k) => (state.at + 1 + k) % n);
  const to = order.find((k) => !isDone(state.answers[k]));
  if (to === undefined) say("All are answered: save the file and hand it in.");
  else go(to);
}

function save() {
  state.rater = at("rater").value;
  if (!state.rater.trim()) {
    say("Enter your name before you save.");
    at("rater").focus();
    return;
  }
  download(nameOf(state.rater), fileOf(state));
  state.unsaved = false;
  changed();
}

async function resume() {
  const file = at("continue").files[0];
  if (!file) return;
  let content;
  try {
    content = await file.text();
  } catch {
    say(`${file.name} cannot be read: nothing was changed.`);
    return;
  } finally {
    at("continue").value = "";
  }
  const read = stateOf(content, state.rater);
  if (read === null) {
    say(`${file.name} was not saved by a page of this data: nothing was changed.`);
    return;
  }
  take(read.rater, read.answers);
  state.unsaved = false;
  changed();
}

const ACTIONS = {
  previous: () => go(state.at - 1),
  next: () => go(state.at + 1),
  unanswered: goToUnanswered,
  save,
  ...FORM.actions,
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", u: "unanswered", ...FORM.keys };
const MOVES = new Set(["previous", "next", "unanswered"]); // these alone repeat under a held key
for (const id of Object.keys(ACTIONS)) {
  const key = at(id)?.getAttribute("aria-keyshortcuts");
  if (key && !MOVES.has(id)) KEYS[key] = id;
}

function pressed(event) {
  if (event.defaultPrevented || at("item").closest("[hidden]")) return; // the guide is open
  const typing = event.target.matches?.("input:is([type=text], [type=number]), select")
    || event.isComposing;
  const slides = event.key.length > 1 && event.target.matches?.("input[type=range]");
  if (typing || slides || event.ctrlKey || event.altKey || event.metaKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(KEYS, key)) return;
  event.preventDefault();
  if (MOVES.has(KEYS[key]) || !event.repeat) ACTIONS[KEYS[key]]();
}

for (const [id, action] of Object.entries(ACTIONS)) at(id)?.addEventListener("click", action);
at("continue").addEventListener("change", resume);
at("rater").addEventListener("input", () => { state.rater = at("rater").value; keep(); });
document.addEventListener("keydown", pressed);
addEventListener("beforeunload", (event) => { if (state.unsaved && !keep()) event.preventDefault(); });
recall();
changed();
