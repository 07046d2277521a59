// Elements. Text from files becomes text nodes and nothing else: no string is ever parsed as markup.

const data = JSON.parse(document.getElementById("data").textContent);

function put(element, options, children) {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (name === "vars") for (const [key, it] of Object.entries(value)) element.style.setProperty(key, it);
    else element.setAttribute(name, value === true ? "true" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

const make = (name, options = {}, ...children) => put(document.createElement(name), options, children);

const draw = (name, options = {}, ...children) =>
  put(document.createElementNS("http://www.w3.org/2000/svg", name), options, children);

// For screen readers alone.
const spoken = (text) => make("span", { class: "spoken" }, text);

// A sentence in which names stand between backticks.
const sentence = (text) =>
  text.split("`").map((piece, index, all) => {
    if (index % 2 === 0) return piece;
    return index === all.length - 1 ? `\`${piece}` : make("code", {}, piece);
  });

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// Threads have colours, which repeat, and numbers, which do not.
const COLOURS = 8;
const colourOf = (thread) => `var(--thread-${thread % COLOURS})`;

const badge = (thread) =>
  make("span", { class: "badge", vars: { "--own": colourOf(thread) } }, spoken("thread "), String(thread));

// What can be done only once the page is there: before that nothing has a size.
const later = [];

// A panel with a heading, which is a landmark of its own.
let panels = 0;
function panel(className, title, ...children) {
  const id = `panel-${++panels}`;
  const heading = make("h2", { id }, title);
  return make("section", { class: `panel ${className}`, "aria-labelledby": id }, heading, children);
}

const placeText = (place) => (place ? `${data.files[place.file].name}:${place.line}` : "");

function milliseconds(seconds) {
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : `${(seconds / 60).toFixed(1)} min`;
}

function sizeText(bytes) {
  if (bytes < 1024) return plural(bytes, "byte");
  if (bytes < 1048576) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1048576).toFixed(1)} MiB`;
}
