"use strict";
const body = document.querySelector("tbody");
const rows = Array.from(body.rows);
const filter = document.getElementById("filter");
const count = document.getElementById("count");
const texts = rows.map(row => row.textContent.toLowerCase());
function show() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);
  let shown = 0;
  rows.forEach((row, at) => {
    const is_in = words.every(word => texts[at].includes(word));
    row.hidden = !is_in;
    shown += is_in ? 1 : 0;
  });
  count.textContent = shown + " of " + rows.length;
}
filter.addEventListener("input", show);
const heads = Array.from(document.querySelectorAll("th"));
heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
  const down = head.getAttribute("aria-sort") === "ascending";
  heads.forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const sign = down ? -1 : 1;
  const number = head.classList.contains("n");
  const key = row => row.cells[column].textContent;
  const compare = (a, b) => number ? (parseFloat(key(a)) || 0) - (parseFloat(key(b)) || 0) : key(a).localeCompare(key(b));
  const order = Array.from(body.rows).sort((a, b) => sign * compare(a, b));
  body.append(...order);
}));
show();
