// The source: lines with numbers, marks of the threads that stand there, and the line that one is at.

function makeSource(title) {
  const tabs = make("div", { class: "files", role: "group", "aria-label": "Files" });
  const body = make("div", { class: "code", tabindex: 0, role: "region", "aria-label": "Source text" });
  const element = panel("source", title, tabs, body);
  const shownFiles = new Map();
  let current = -1;
  let marked = [];

  data.files.forEach((file, number) => {
    const button = make("button", { type: "button", on: { click: () => open(number) } }, file.name);
    tabs.append(button);
  });
  tabs.hidden = data.files.length < 2;

  function build(number) {
    const file = data.files[number];
    const digits = String(file.lines.length).length;
    const lines = colouredLines(file).map((code, index) => {
      const gutter = make("span", { class: "gutter" });
      const text = make("code", {}, code);
      const mark = make("span", { class: "number", "aria-hidden": true }, String(index + 1));
      const row = make("div", { class: "line", "data-line": index + 1 }, mark, gutter, text);
      return { row, gutter, text };
    });
    const block = make("div", { class: "lines", vars: { "--digits": digits } }, lines.map((it) => it.row));
    return { block, lines };
  }

  function open(number) {
    if (number === current) return;
    current = number;
    if (!shownFiles.has(number)) shownFiles.set(number, build(number));
    body.replaceChildren(shownFiles.get(number).block);
    [...tabs.children].forEach((it, index) => it.setAttribute("aria-pressed", String(index === number)));
  }

  const lineAt = (place) => {
    if (!place) return undefined;
    if (!shownFiles.has(place.file)) shownFiles.set(place.file, build(place.file));
    return shownFiles.get(place.file).lines[place.line - 1];
  };

  function clear() {
    for (const undo of marked) undo();
    marked = [];
  }

  // Marks a line, and in it the stretch that the place says.
  function mark(place, className, colour) {
    const line = lineAt(place);
    if (!line) return;
    line.row.classList.add(className);
    if (colour) line.row.style.setProperty("--own", colour);
    const touched = [...line.text.children].filter((piece) => {
      const begins = Number(piece.dataset.at);
      return begins < place.column + place.length && begins + piece.textContent.length > place.column;
    });
    for (const piece of touched) piece.classList.add("stretch");
    marked.push(() => {
      line.row.classList.remove(className);
      for (const piece of touched) piece.classList.remove("stretch");
    });
  }

  // A sign in the gutter of a line.
  function sign(place, child) {
    const line = lineAt(place);
    if (!line) return;
    line.gutter.append(child);
    marked.push(() => child.remove());
  }

  function reveal(place) {
    if (!place) return;
    open(place.file);
    const line = lineAt(place);
    if (!line) return;
    const [top, height] = [line.row.offsetTop, body.clientHeight];
    if (top < body.scrollTop + 40 || top > body.scrollTop + height - 70) {
      body.scrollTop = Math.max(0, top - height / 3);
    }
  }

  // Lets a click on a line say something: `act` gets its number.
  function onLine(act) {
    body.addEventListener("click", (event) => {
      const row = event.target.closest(".line");
      if (row) act({ file: current, line: Number(row.dataset.line) });
    });
  }

  if (data.files.length > 0) open(0);
  return { element, body, open, clear, mark, sign, reveal, lineAt, onLine };
}
