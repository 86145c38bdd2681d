// Spans of a text: how those of a prediction meet gold, and the text with its marks.

const COLOURS = 4; // of roles; further roles have a hue each, in two shades
const HUES = 13;
const CUT = 240; // letters of a text on one line
const shared = (a, b) => Math.min(a[2], b[2]) - Math.max(a[1], b[1]);
const isSame = (a, b) => a[1] === b[1] && a[2] === b[2];

/** The ways in which a predicted span can meet one of gold, best first. */
const MEETINGS = [
  ["right", (a, b) => a[0] === b[0] && isSame(a, b)],
  ["bounds", (a, b) => a[0] === b[0] && shared(a, b) > 0],
  ["role", (a, b) => isSame(a, b)],
  ["role", (a, b) => shared(a, b) > 0],
];

/** Return the spans of a prediction and those that it misses: `[role, start, stop, kind, gold role]`. */
function compared(gold, pred) {
  const open = new Set(gold);
  const made = new Map();
  for (const [kind, meets] of MEETINGS) {
    for (const span of pred) {
      if (made.has(span)) continue;
      const met = [...open].filter((each) => meets(each, span))
        .sort((a, b) => shared(b, span) - shared(a, span))[0];
      if (!met) continue;
      open.delete(met);
      made.set(span, [...span, kind, met[0]]);
    }
  }
  for (const span of pred) if (!made.has(span)) made.set(span, [...span, "spurious"]);
  return [...made.values(), ...[...open].map((span) => [...span, "missed"])]
    .sort((a, b) => a[1] - b[1] || a[2] - b[2]);
}

/** Share out spans that overlap among lines: each takes the first line that has room. */
function linesOf(spans) {
  const lines = [[]];
  for (const span of spans) {
    const line = lines.find((each) => !each.length || each.at(-1)[2] <= span[1]);
    if (line) line.push(span);
    else lines.push([span]);
  }
  return lines;
}

/** Return what cuts a text: places are code points, those of JavaScript halves of some of them. */
function cutter(text) {
  const points = /[\ud800-\udfff]/.test(text) ? [...text] : null;
  return (from, to) => (points ? points.slice(from, to).join("") : text.slice(from, to));
}

/** Give an element the colour of a role. */
function coloured(made, role) {
  made.classList.add(role < COLOURS ? `role${role}` : "further");
  if (role < COLOURS) return made;
  const further = role - COLOURS;
  made.style.setProperty("--hue", `${further % HUES * 360 / HUES}deg`);
  made.style.setProperty("--shade", Math.floor(further / HUES) % 2);
  return made;
}

/** Make the running text with spans marked that do not overlap. */
function marked(tag, className, text, spans, roles, said) {
  const made = element(tag, className);
  made.dir = "auto";
  const cut = cutter(text);
  let from = 0;
  for (const [role, start, stop, kind, instead] of spans) {
    const mark = coloured(element("mark", kind ?? "", cut(start, stop)), role);
    mark.dataset.role = {
      role: `${roles[role]}, not ${roles[instead]}`,
      bounds: `${roles[role]}, bounds`,
      spurious: `${roles[role]}, ${said.spurious}`,
      missed: `${said.missed} ${roles[role]}`,
    }[kind] ?? roles[role];
    made.append(cut(from, start), mark);
    from = stop;
  }
  made.append(cut(from));
  return made;
}

/** Return the spans of a prediction that one line can show: those that it misses where room is left. */
function lineOf(spans) {
  const [line] = linesOf(spans.filter(([, , , kind]) => kind !== "missed"));
  const missed = spans.filter((span) => span[3] === "missed" && line.every((each) => shared(each, span) <= 0));
  return [...line, ...linesOf(missed)[0]].sort((a, b) => a[1] - b[1]);
}

/** Make one line of a text that begins near a first mark, its own or that of a line above. */
function oneLine(text, spans, first = spans[0]?.[1] ?? 0) {
  const made = element("span", "line");
  made.dir = "auto";
  const cut = cutter(text);
  let from = first > CUT / 4 ? first - CUT / 8 : 0;
  if (from) made.append("… ");
  const end = from + CUT;
  for (const [role, start, stop, kind] of spans) {
    if (start >= end) break;
    made.append(cut(from, start),
      coloured(element("mark", kind ?? "", cut(start, Math.min(stop, end))), role));
    from = Math.min(stop, end);
  }
  made.append(cut(from, end));
  return made;
}
