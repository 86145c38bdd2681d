// A file is pieces of text and, between them, slots: a number is that of an answer, RATER the name.
// What a form writes into the slot of an answer may hold several members of its object.

const RATER = -1;

/** The text of the file, with rater and answers in their slots. */
function fileOf(state) {
  const filled = (slot) => slot === RATER
    ? JSON.stringify(state.rater) : FORM.write(state.answers[slot], data.items[slot]);
  return data.file.map((part) => typeof part === "string" ? part : filled(part)).join("");
}

/** Read a file that was saved, however it is laid out; null where it is of other data. */
function stateOf(content, rater) {
  const state = { rater, answers: data.answers.map(() => null) };
  const compact = withoutSpace(content);
  const pieces = data.file.map((part) => typeof part === "string" ? withoutSpace(part) : part);
  let at = 0;
  for (const [k, part] of pieces.entries()) {
    const length = typeof part === "string"
      ? pieceAt(compact, at, part) : slotAt(compact, at, part, pieces[k + 1], state);
    if (length < 0) return null;
    at += length;
  }
  return at === compact.length ? state : null;
}

/** Text of JSON without the blanks and line ends between its values. */
const withoutSpace = (json) =>
  json.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n\uFEFF]+/g, (_, string) => string ?? "");

const pieceAt = (content, at, piece) => content.startsWith(piece, at) ? piece.length : -1;

/** Take what stands in a slot into the state; return its length, -1 where it does not fit. */
function slotAt(content, at, slot, next, state) {
  if (slot === RATER) {
    const name = /"(?:[^"\\]|\\.)*"/y;
    name.lastIndex = at;
    const match = name.exec(content);
    try {
      state.rater = JSON.parse(match[0]);
    } catch { // no text there, or one of a bad escape
      return -1;
    }
    return match[0].length;
  }
  let stop = content.indexOf(next, at);
  while (stop >= 0 && isInText(content.slice(at, stop))) stop = content.indexOf(next, stop + 1);
  if (stop < 0) return -1;
  try {
    state.answers[slot] = readSlot(content.slice(at, stop), slot);
  } catch { // no JSON, or of another form
    return -1;
  }
  return stop - at;
}

/** Tell whether JSON from here on ends inside a text. */
const isInText = (json) => json.replace(/"(?:[^"\\]|\\.)*"/g, "").includes('"');

/** Read what a form wrote for an item; fail where it would write it otherwise. */
function readSlot(text, k) {
  const value = FORM.read(text, data.items[k]);
  if (withoutSpace(FORM.write(value, data.items[k])) !== text) throw new Error(text);
  return value;
}

/** The name to save under: the file's, and the rater's where there is one. */
function nameOf(rater) {
  const safe = rater.trim().replace(/[^\p{L}\p{N}_ -]+/gu, "_");
  const end = safe ? `.${safe}` : "";
  return `${data.stem.endsWith(end) ? data.stem : data.stem + end}${data.suffix}`;
}

function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
