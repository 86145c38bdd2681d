// Texts that a click, a digit, or Space takes, or takes back.

const DIGITS = [..."123456789"];

/** Make an element act on a click, Space and Enter. */
function asToggle(shown, act) {
  shown.role = "button";
  shown.tabIndex = 0;
  shown.addEventListener("click", act);
  shown.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) act();
  });
  return shown;
}

/** Make the number that is also the key of a toggle; nothing behind the ninth. */
function digitOf(k) {
  if (k >= DIGITS.length) return [];
  const digit = element("kbd", "", DIGITS[k]);
  digit.ariaHidden = "true";
  return [digit];
}

/** Return the actions of the digits, and of moves among toggles. */
const toggleActions = (act, toggles) => ({
  ...Object.fromEntries(DIGITS.map((digit) => [`toggle-${digit}`, () => act(digit - 1)])),
  "next-toggle": () => focusNext(toggles(), 1),
  "previous-toggle": () => focusNext(toggles(), -1),
});

const TOGGLE_KEYS = {
  ...Object.fromEntries(DIGITS.map((digit) => [digit, `toggle-${digit}`])),
  j: "next-toggle", k: "previous-toggle",
};

function focusNext(toggles, step) {
  const at = toggles.indexOf(document.activeElement);
  const to = at < 0 && step < 0 ? toggles.length - 1 : at + step;
  toggles[Math.min(Math.max(to, 0), toggles.length - 1)]?.focus();
}
