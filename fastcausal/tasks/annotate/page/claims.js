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

const text = (content, className = "") =>
  content.trim() ? block("p", `text ${className}`, content) : nothing("Empty.");
