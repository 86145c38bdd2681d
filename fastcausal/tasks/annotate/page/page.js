"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const show = { answers: showAnswer, claims: showClaim }[data.kind];
const of = (id) => document.getElementById(id);
const KEY = `fastcausal ${data.digest}`;

const state = { rater: data.rater, answers: [...data.answers], at: 0, unsaved: false };

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
    && kept.answers.every((answer) => [null, true, false].includes(answer));
  if (fits) take(kept.rater, kept.answers, kept.at);
  else take(data.rater, data.answers);
  state.unsaved = fits && kept.unsaved === true;
}

function take(rater, answers, at) {
  state.rater = rater;
  state.answers = [...answers];
  const isPlace = Number.isInteger(at) && at >= 0 && at < answers.length;
  state.at = isPlace ? at : Math.max(0, answers.indexOf(null));
  of("rater").value = rater;
}

// --- What is shown ---

function render() {
  const n = state.answers.length;
  const answer = state.answers[state.at];
  of("status").textContent = `${n - state.answers.filter((a) => a === null).length} of ${n} answered`;
  of("place").replaceChildren(`${state.at + 1} of ${n} · `, block("bdi", "", data.items[state.at].id));
  of("item").replaceChildren(...show(data.items[state.at]));
  of("yes").setAttribute("aria-pressed", String(answer === true));
  of("no").setAttribute("aria-pressed", String(answer === false));
}

const say = (message) => { of("message").textContent = message; };

function go(to) {
  if (to < 0 || to >= state.answers.length) return;
  state.at = to;
  changed();
  const top = of("place").getBoundingClientRect().top;
  if (top < 0) of("place").scrollIntoView();
}

function changed() {
  const isKept = keep();
  render();
  say(isKept ? "" : "This browser keeps nothing: save before you close the page.");
}

// --- What a rater does ---

function answer(value) {
  state.answers[state.at] = value;
  state.unsaved = true;
  go(Math.min(state.at + 1, state.answers.length - 1));
}

function goToUnanswered() {
  const n = state.answers.length;
  const order = Array.from({ length: n }, (_, k) => (state.at + 1 + k) % n);
  const to = order.find((k) => state.answers[k] === null);
  if (to === undefined) say("All are answered: save the file and hand it in.");
  else go(to);
}

function save() {
  state.rater = of("rater").value;
  download(nameOf(state.rater), fileOf(state));
  state.unsaved = false;
  changed();
}

async function resume() {
  const file = of("continue").files[0];
  if (!file) return;
  let content;
  try {
    content = await file.text();
  } catch {
    say(`${file.name} cannot be read: nothing was changed.`);
    return;
  } finally {
    of("continue").value = "";
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
  yes: () => answer(true),
  no: () => answer(false),
  previous: () => go(state.at - 1),
  next: () => go(state.at + 1),
  unanswered: goToUnanswered,
  save,
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", u: "unanswered" };
for (const id of ["yes", "no"]) KEYS[of(id).getAttribute("aria-keyshortcuts")] = id;

function pressed(event) {
  const typing = event.target.matches?.("input[type=text]") || event.isComposing;
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(KEYS, key)) return;
  event.preventDefault();
  const isHeldDown = event.repeat && (KEYS[key] === "yes" || KEYS[key] === "no");
  if (!isHeldDown) ACTIONS[KEYS[key]]();
}

for (const [id, action] of Object.entries(ACTIONS)) of(id).addEventListener("click", action);
of("continue").addEventListener("change", resume);
of("rater").addEventListener("input", () => { state.rater = of("rater").value; keep(); });
document.addEventListener("keydown", pressed);
addEventListener("beforeunload", (event) => { if (state.unsaved && !keep()) event.preventDefault(); });
recall();
changed();
