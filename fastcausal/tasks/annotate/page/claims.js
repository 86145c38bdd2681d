// An answer is a place in data.words.

const FORM = {
  show: showClaim,
  update: () => pressVerdict(state.answers[state.at]),
  write: (answer) => answer === null ? "null" : data.words[answer],
  read: (text) => text === "null" ? null : data.words.indexOf(text),
  get actions() {
    return verdictActions((verdict) => give(verdict));
  },
};

/** Show a claim, the sentence that it was taken from, and the article to judge it by. */
function showClaim(item) {
  const shown = [element("h3", "", "Claim"), text(item.claim, "claim")];
  if (item.sentence !== null) shown.push(element("h3", "", "Its sentence"), text(item.sentence));
  shown.push(
    element("h3", "", `Article to judge by: ${data.by}`),
    text(data.articles[item.article], "sheet"),
  );
  return shown;
}
