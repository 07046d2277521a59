// A proof: what was proved, how it can be checked again, and for C what it says about each line.

function factsList(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make("dl", { class: "facts" }, shown.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

const commandBlock = (text) => make("pre", { class: "command" }, make("code", {}, text));

function makeProof(proof) {
  const engines = proof.engines.map(({ name, about }, index) => [
    index > 0 && ", with the help of ",
    make("strong", {}, name),
    about && make("span", { class: "about" }, ` ${about}`),
  ]);
  const facts = factsList([
    ["Holds for", make("strong", {}, proof.scope)],
    ["Found by", engines],
    ["Extent", proof.extent],
    ["The proof is", proof.kind],
    ["Pairs", proof.pairs],
    ["Confirmed by", proof.checker],
    ["Not confirmed", proof.unchecked],
    ["Certificate", proof.bytes === null ? null : sizeText(proof.bytes)],
    ["Passes before", proof.passes.length > 0 ? proof.passes.join(", ") : null],
  ]);
  const check = proof.commands.length > 0 && [
    make("h3", {}, "Check it yourself"),
    make("p", {}, "No engine is asked; the checker reads the program and the certificate."),
    proof.commands.map(commandBlock),
  ];
  const beside = make("div", {}, check, waitOrder(proof.order));
  const card = panel("proof", "What was proved", facts, beside);
  const parts = [card];
  if (proof.invariants.length > 0 || proof.predicates.length > 0) parts.push(...invariantPanels(proof));
  return parts;
}

function waitOrder(order) {
  if (order.length === 0) return null;
  return [
    make("h3", {}, "Order of what threads wait for"),
    make("p", {}, "No thread waits for something while it holds something that comes later in this order, so no circle of waiting threads can close."),
    make("ol", { class: "order" }, order.map((it) => make("li", {}, make("code", {}, it)))),
  ];
}

// An invariant as C: what always holds, and one of the cases.
function invariantCode({ always, cases }) {
  const wrap = (text) => (/ (&&|\|\||\?) /.test(text) ? `(${text})` : text);
  const all = always.map(wrap);
  const one = cases.map((it) => it.map(wrap).join(" && "));
  const either = one.length > 0 && (all.length > 0 && one.length > 1 ? `(${one.join("\n    || ")})` : one.join("\n|| "));
  return all.concat(either || []).join("\n&& ");
}

function invariantPanels(proof) {
  const source = makeSource("Invariants at each line");
  const byLine = new Map();
  for (const it of proof.invariants) {
    const key = `${it.place.file}:${it.place.line}`;
    if (!byLine.has(key)) byLine.set(key, []);
    byLine.get(key).push(it);
  }
  const told = make("div", { class: "told", "aria-live": "polite" });
  const explain = panel("explain", "At this line", told);
  let chosen = null;

  function signs() {
    for (const [key, list] of byLine) {
      const [file, line] = key.split(":").map(Number);
      const label = `${plural(list.length, "invariant")}, line ${line}`;
      const act = { click: (event) => (event.stopPropagation(), show({ file, line })) };
      source.sign({ file, line }, make("button", { type: "button", class: "known", "aria-label": label, on: act }, "∴"));
    }
  }

  function show(place) {
    const list = byLine.get(`${place.file}:${place.line}`) || [];
    chosen = place;
    source.clear();
    signs();
    source.mark({ ...place, column: 0, length: 0 }, "current", "var(--accent)");
    const seen = new Set();
    const items = list.filter((it) => {
      const text = `${it.thread}\n${invariantCode(it)}`;
      return seen.has(text) ? false : seen.add(text);
    });
    told.replaceChildren(
      make("p", { class: "where" }, placeText(place)),
      items.length === 0 ? make("p", {}, "The proof says nothing here: any values will do.") : "",
      ...items.map((it, index) => [
        make("h3", {}, index === 0 ? "Before the line" : "In the middle of the line", it.thread ? [", in a thread of ", make("code", {}, it.thread)] : ""),
        make("pre", { class: "formula" }, make("code", {}, invariantCode(it))),
      ]).flat(),
    );
  }

  const predicates = proof.predicates.map((predicate) => predicateItem(predicate, (places) => highlight(places)));

  function highlight(places) {
    source.clear();
    signs();
    for (const place of places) source.mark({ ...place, column: 0, length: 0 }, "matters");
    if (places.length > 0) source.reveal(places[0]);
  }

  source.onLine(show);
  source.body.addEventListener("keydown", (event) => {
    const lines = [...byLine.keys()].map((key) => key.split(":").map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move || lines.length === 0) return;
    event.preventDefault();
    const at = chosen ? lines.findIndex(([file, line]) => file === chosen.file && line === chosen.line) : -1;
    const [file, line] = lines[Math.min(lines.length - 1, Math.max(0, at + move))];
    show({ file, line });
    source.reveal({ file, line });
  });
  if (proof.invariants.length > 0) {
    const asked = data.properties.map((it) => it.place).find((it) => it && byLine.has(`${it.file}:${it.line}`));
    const first = asked || (proof.invariants.find((it) => it.cases.length > 0) || proof.invariants[0]).place;
    later.push(() => {
      show(first);
      source.reveal(first);
    });
  } else {
    told.append(make("p", {}, "The places of the invariants are not known."));
  }
  const list = panel(
    "predicates",
    plural(proof.predicates.length, "predicate"),
    make("p", { class: "hint" }, "The proof is an invariant over these conditions. Choose one to see the lines where it matters."),
    make("ul", {}, predicates),
    aboutLocks(proof),
  );
  return [make("div", { class: "bench proved" }, list, source.element, explain)];
}

// The state of locks has names that no program declares.
function aboutLocks({ predicates }) {
  if (!predicates.some(({ text }) => /\.(taken|mine)\b/.test(text))) return null;
  return make("p", { class: "hint" }, sentence("Of a lock `l`, `l.taken` says that a thread holds it, and `l.mine` that this thread does."));
}

function predicateItem({ text, class: about, places }, choose) {
  const lines = [...new Set(places.map((it) => it.line))].sort((a, b) => a - b);
  const words = { shared: "of shared variables", local: "of one thread", mixed: "of shared and local variables", pair: "of two threads" };
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", disabled: places.length === 0 || null, on: { click: () => choose(places) } },
      make("code", {}, text),
      make("span", { class: "where" }, words[about] || about, lines.length > 0 && `, lines ${lines.join(", ")}`),
    ),
  );
}
