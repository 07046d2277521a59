// What goes wrong where it takes two: the accesses of a race side by side, the threads of a deadlock and whom
// they wait for, memory that leaks.

function excerpt(place) {
  const file = place && data.files[place.file];
  if (!file) return null;
  const [from, to] = [Math.max(1, place.line - 1), Math.min(file.lines.length, place.line + 1)];
  const coloured = colouredLines({ ...file, lines: file.lines.slice(0, to) });
  const lines = [];
  for (let line = from; line <= to; line++) {
    const options = { class: line === place.line ? "line at" : "line" };
    lines.push(make("span", options, make("span", { class: "number" }, String(line)), make("code", {}, coloured[line - 1])));
  }
  return make("pre", { class: "excerpt" }, lines);
}

function holding(locks) {
  if (locks.length === 0) return "holds no lock";
  return ["holds ", locks.map((it, index) => [index > 0 && ", ", make("code", {}, it)])];
}

function makeRace({ object, accesses }) {
  const one = ({ thread, place, mode, atomic, bytes, holds }) =>
    make(
      "div",
      { class: "access", vars: { "--own": colourOf(thread) } },
      make("h3", {}, badge(thread), " ", `${atomic ? "atomic " : ""}${mode}`, make("span", { class: "where" }, placeText(place))),
      excerpt(place),
      make("p", {}, `${plural(bytes, "byte")}, `, holding(holds)),
    );
  const [first, second] = accesses;
  const against = make("div", { class: "against", "aria-hidden": true }, "⇄");
  const title = ["Data race on ", make("code", {}, object)];
  return panel(
    "failure race",
    title,
    make("p", { class: "why" }, "Both accesses are next, nothing orders them, and at least one of them writes."),
    make("div", { class: "pair" }, one(first), against, one(second)),
  );
}

function makeDeadlock({ alive, waits }) {
  const item = ({ thread, place, on, held_by, holds }) =>
    make(
      "li",
      { vars: { "--own": colourOf(thread) } },
      make(
        "p",
        {},
        badge(thread),
        " waits for ",
        make("strong", {}, on),
        held_by !== null && [", which ", badge(held_by), " holds"],
        ". It ",
        holding(holds),
        ".",
        make("span", { class: "where" }, placeText(place)),
      ),
      excerpt(place),
    );
  const title = waits.length === alive ? "Deadlock of all threads" : `Deadlock of ${waits.length} of ${alive} threads`;
  return panel("failure deadlock", title, ring(waits), make("ul", { class: "waits" }, waits.map(item)));
}

// The threads in a circle, and between them what each waits for.
function ring(waits) {
  const cycle = inCycleOrder(waits);
  if (!cycle) return null;
  const count = cycle.length;
  const size = count > 4 ? 340 : 260;
  const [centre, radius] = [size / 2, size / 2 - 46];
  const spot = (turn) => {
    const angle = (turn / count) * 2 * Math.PI - Math.PI / 2;
    return [centre + radius * Math.cos(angle) * 1.25, centre + radius * Math.sin(angle)];
  };
  const wide = size * 1.45;
  const shift = (wide - size) / 2;
  const arrows = cycle.map((wait, index) => {
    const [x, y] = spot(index + 0.17);
    const [toX, toY] = spot(index + 0.83);
    const [midX, midY] = spot(index + 0.5);
    const label = wait.on.length > 22 ? `${wait.on.slice(0, 21)}…` : wait.on;
    const pull = count > 2 ? 1.12 : 1.0;
    const [bendX, bendY] = [centre + (midX - centre) * pull, centre + (midY - centre) * pull];
    return [
      draw("path", { class: "arrow", d: `M${x} ${y}Q${bendX} ${bendY} ${toX} ${toY}`, "marker-end": "url(#wait-tip)" }),
      draw("text", { class: "on", x: midX, y: midY + 4 }, label),
    ];
  });
  const nodes = cycle.map((wait, index) => {
    const [x, y] = spot(index);
    return draw(
      "g",
      { vars: { "--own": colourOf(wait.thread) } },
      draw("circle", { class: "owner", cx: x, cy: y, r: 17 }),
      draw("text", { class: "owner-number", x, y: y + 5 }, String(wait.thread)),
    );
  });
  const tip = draw(
    "marker",
    { id: "wait-tip", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" },
    draw("path", { d: "M0 0L8 4L0 8z", class: "tip" }),
  );
  const words = cycle.map((it) => `thread ${it.thread} waits for ${it.on}`).join(", ");
  return draw(
    "svg",
    { class: "ring", viewBox: `${-shift} 0 ${wide} ${size}`, role: "img", "aria-label": `A circle: ${words}` },
    draw("defs", {}, tip),
    arrows,
    nodes,
  );
}

// The threads so that each waits for the next; nothing, if they make no circle.
function inCycleOrder(waits) {
  const byThread = new Map(waits.map((it) => [it.thread, it]));
  for (const start of waits) {
    const found = [];
    let at = start;
    while (at && !found.includes(at)) {
      found.push(at);
      at = byThread.get(at.held_by ?? threadOf(at.on));
    }
    if (at === start && found.length > 1) return found;
  }
  return null;
}

function threadOf(on) {
  const match = /^thread (\d+)$/.exec(on);
  return match ? Number(match[1]) : undefined;
}

function makeLeak({ fate, object, place, thread }) {
  const by = thread === null ? "" : [" by ", badge(thread)];
  const ends = fate === "lost" ? "nothing leads to it any more" : "it lives when the program ends";
  return panel(
    "failure",
    `Memory is ${fate}`,
    make("p", {}, make("code", {}, `allocation ${object}`), " was made", by, ` here, and ${ends}:`),
    excerpt(place),
  );
}

function makeFailure(failure) {
  if (failure.kind === "race") return makeRace(failure);
  if (failure.kind === "deadlock") return makeDeadlock(failure);
  return failure.kind === "leak" ? makeLeak(failure) : null;
}
