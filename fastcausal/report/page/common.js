"use strict";
// Data, elements and words of every page.

/** Read base64 in parts: that of a million examples is too long to be held twice. */
function bytesOf(base64) {
  const size = 1 << 20; // a multiple of 4
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= base64.length) return controller.close();
      const letters = atob(base64.slice(at, at + size));
      const bytes = new Uint8Array(letters.length);
      for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k);
      at += size;
      controller.enqueue(bytes);
    },
  });
}

const unpacked = (base64) =>
  new Response(bytesOf(base64).pipeThrough(new DecompressionStream("gzip"))).json();

const at = (id) => document.getElementById(id);
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

/** Make an element with children: nodes, or text. */
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** Make an element of a drawing. */
function drawn(tag, className, values) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  made.setAttribute("class", className);
  for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
  return made;
}
