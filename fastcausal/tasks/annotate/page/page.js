const data = JSON.parse(at("data").textContent);
const show = { answers: showAnswer, claims: showClaim }[data.kind];
const KEY = `fastcausal ${data.digest}`;

// Answers are places in data.words, null for none; a reason is its side and its kind, or nulls.
const VERDICTS = ["yes", "no", "unsure"].slice(0, data.words.length);
const INVALID = 1;
const NO_REASON = [null, null];
const ALL_REASONS = [null, ...data.parts[0] ?? []].flatMap((side) =>
  [null, ...data.parts[1] ?? []].map((kind) => [side, kind]));

const state = { rater: "", answers: [], reasons: [], at: 0, unsaved: false };

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
    && isList(kept.answers, (answer) => answer === null || VERDICTS[answer] !== undefined)
    && isList(kept.reasons, (reason) => ALL_REASONS.some((one) => String(one) === String(reason)));
  if (fits) take(kept.rater, kept.answers, kept.reasons, kept.at);
  else take(data.rater, data.answers, data.reasons);
  state.unsaved = fits && kept.unsaved === true;
}

const isList = (values, fits) =>
  Array.isArray(values) && values.length === data.answers.length && values.every(fits);

function take(rater, answers, reasons, place) {
  state.rater = rater;
  state.answers = [...answers];
  state.reasons = answers.map((_, k) => reasons[k] ?? NO_REASON);
  const isPlace = Number.isInteger(place) && place >= 0 && place < answers.length;
  state.at = isPlace ? place : Math.max(0, answers.indexOf(null));
  at("rater").value = rater;
}

// --- What is shown ---

function render() {
  const n = state.answers.length;
  const answer = state.answers[state.at];
  at("status").textContent = `${n - state.answers.filter((a) => a === null).length} of ${n} answered`;
  at("place").replaceChildren(`${state.at + 1} of ${n} · `, block("bdi", "", data.items[state.at].id));
  at("item").replaceChildren(...show(data.items[state.at]));
  VERDICTS.forEach((id, k) => press(id, answer === k));
  eachReason((id, part, value) => press(id, state.reasons[state.at][part] === value));
}

const press = (id, isPressed) => at(id).setAttribute("aria-pressed", String(isPressed));

/** Call a function with the id of the button, the part and the value of every reason. */
function eachReason(call) {
  data.parts.forEach((values, part) => {
    for (const value of values) call(`reason-${value.replaceAll(" ", "-")}`, part, value);
  });
}

const say = (message) => { at("message").textContent = message; };

function go(to) {
  if (to < 0 || to >= state.answers.length) return;
  state.at = to;
  changed();
  const top = at("place").getBoundingClientRect().top;
  if (top < 0) at("place").scrollIntoView();
}

function changed() {
  const isKept = keep();
  render();
  say(isKept ? "" : "This browser keeps nothing: save before you close the page.");
}

// --- What a rater does ---

function answer(value) {
  state.answers[state.at] = value;
  if (value !== INVALID) state.reasons[state.at] = NO_REASON;
  state.unsaved = true;
  go(Math.min(state.at + 1, state.answers.length - 1));
}

/** Give a reason, or take it back; the item stays, so that the other part can follow. */
function blame(part, value) {
  const reason = [...state.reasons[state.at]];
  reason[part] = reason[part] === value ? null : value;
  state.reasons[state.at] = reason;
  state.answers[state.at] = INVALID;
  state.unsaved = true;
  changed();
}

function goToUnanswered() {
  const n = state.answers.length;
  const order = Array.from({ length: n }, (_, k) => (state.at + 1 + k) % n);
  const to = order.find((k) => state.answers[k] === null);
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
  take(read.rater, read.answers, read.reasons);
  state.unsaved = false;
  changed();
}

const ACTIONS = {
  previous: () => go(state.at - 1),
  next: () => go(state.at + 1),
  unanswered: goToUnanswered,
  save,
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", u: "unanswered" };
VERDICTS.forEach((id, k) => { ACTIONS[id] = () => answer(k); });
eachReason((id, part, value) => { ACTIONS[id] = () => blame(part, value); });
const MOVES = new Set(Object.values(KEYS)); // these alone repeat while their key is held down
for (const id of Object.keys(ACTIONS)) {
  const key = at(id).getAttribute("aria-keyshortcuts");
  if (key && !MOVES.has(id)) KEYS[key] = id;
}

function pressed(event) {
  if (event.defaultPrevented || at("item").closest("[hidden]")) return; // the guide is open
  const typing = event.target.matches?.("input[type=text]") || event.isComposing;
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(KEYS, key)) return;
  event.preventDefault();
  if (MOVES.has(KEYS[key]) || !event.repeat) ACTIONS[KEYS[key]]();
}

for (const [id, action] of Object.entries(ACTIONS)) at(id).addEventListener("click", action);
at("continue").addEventListener("change", resume);
at("rater").addEventListener("input", () => { state.rater = at("rater").value; keep(); });
document.addEventListener("keydown", pressed);
addEventListener("beforeunload", (event) => { if (state.unsaved && !keep()) event.preventDefault(); });
recall();
changed();
