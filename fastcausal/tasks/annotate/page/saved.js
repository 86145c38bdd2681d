// A file is pieces of text and, between them, slots: a number is that of an answer, RATER the name.
// A reason stands behind the answer, as the next member of its object.

const RATER = -1;

/** The text of the file, with rater and answers in their slots. */
function fileOf(state) {
  const filled = (slot) => slot === RATER ? JSON.stringify(state.rater)
    : wordOf(state.answers[slot]) + memberOf(state.reasons[slot]);
  return data.file.map((part) => typeof part === "string" ? part : filled(part)).join("");
}

const wordOf = (answer) => answer === null ? "null" : data.words[answer];

/** The member of a reason, with the comma before it; empty text for none. */
function memberOf(reason) {
  const parts = reason.filter((part) => part !== null);
  return parts.length ? `, "reason": ${JSON.stringify(parts.join(": "))}` : "";
}

/** Read a file that was saved, however it is laid out; null where it is of other data. */
function stateOf(content, rater) {
  const state = { rater, answers: data.answers.map(() => null), reasons: [] };
  const compact = withoutSpace(content);
  let at = 0;
  for (const part of data.file) {
    const length = typeof part === "string"
      ? pieceAt(compact, at, withoutSpace(part)) : slotAt(compact, at, part, state);
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
function slotAt(content, at, slot, state) {
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
  const answers = [null, ...data.words.keys()];
  const answer = answers.find((value) => content.startsWith(wordOf(value), at));
  if (answer === undefined) return -1;
  const stop = at + wordOf(answer).length;
  const members = answer === INVALID ? ALL_REASONS : [NO_REASON];
  const reason = members.findLast((one) => content.startsWith(withoutSpace(memberOf(one)), stop));
  state.answers[slot] = answer;
  state.reasons[slot] = reason;
  return stop + withoutSpace(memberOf(reason)).length - at;
}

/** The name to save under: the file's, and the rater's where there is one. */
function nameOf(rater) {
  const safe = rater.trim().replace(/[^\p{L}\p{N}_ -]+/gu, "_");
  const end = safe ? `.${safe}` : "";
  return `${data.stem.endsWith(end) ? data.stem : data.stem + end}.json`;
}

function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
