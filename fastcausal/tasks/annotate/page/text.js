// All that files hold reaches the page as text nodes, made here and nowhere else.

/** Make a block of text that finds its own direction, and keeps it to itself. */
function block(tag, className, ...children) {
  const made = element(tag, className, ...children);
  made.dir = "auto";
  return made;
}

const MARKS = [[1, "reference"], [2, "model"], [4, "absent"]];

/** Make the nodes of pieces `[text, marks]`, marks being a sum of those of MARKS. */
function marked(pieces) {
  return pieces.map(([text, marks]) => {
    const names = MARKS.filter(([bit]) => marks & bit).map(([, name]) => name);
    return names.length ? element("mark", names.join(" "), text) : document.createTextNode(text);
  });
}

const nothing = (said) => element("p", "nothing", said);

const text = (content, className = "") =>
  content.trim() ? block("p", `text ${className}`, content) : nothing("Empty.");

/** Make the lines of a relation: pieces `[text, role]`, a role being its number and its name. */
const roleLines = (lines) => lines.map((line) => block("p", "text roles", ...line.map(([piece, role]) => {
  if (role === null) return piece;
  const mark = element("mark", `role${role[0] % 4}`, piece);
  mark.dataset.role = role[1];
  return mark;
})));
