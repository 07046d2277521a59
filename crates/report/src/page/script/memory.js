// Objects in memory as boxes with their fields, and pointers as arrows. Objects that nothing leads to and that
// were not allocated are left out: the tables show them.

function makeMemory(run, states) {
  const all = run.states.changes.flatMap((it) => it.objects.map(([, object]) => object));
  if (!all.some((it) => it && it.allocated)) return { element: null, show: () => {} };
  const body = make("div", { class: "scroll" });
  const element = panel("memory", "Memory", body);

  const ROW = 21;
  const HEAD = 24;
  const LETTER = 7.3;
  const GAP = { x: 48, y: 18 };

  // What is drawn: allocations, what pointers lead to, and the variables that lead there.
  function graph(state) {
    const boxes = new Map();
    const fields = (id) =>
      states.order.filter((slot) => state.values.has(slot) && states.slots[slot].object === id);
    const isPointer = (slot) => typeof state.values.get(slot) === "object";
    const targets = new Set();
    for (const slot of state.values.keys()) if (isPointer(slot)) targets.add(state.values.get(slot).to);
    for (const [id, object] of state.objects) {
      if (object.freed ? targets.has(id) : object.allocated || targets.has(id)) {
        boxes.set(id, { id, title: object.name, freed: object.freed, fields: fields(id), column: 1 });
      }
    }
    const roots = states.order.filter((slot) => {
      if (!state.values.has(slot) || !isPointer(slot) || !boxes.has(state.values.get(slot).to)) return false;
      return !boxes.has(states.slots[slot].object);
    });
    return { boxes, roots };
  }

  // Objects stand right of all that lead to them; what closes a circle does not count.
  function columns(state, { boxes, roots }) {
    const next = (id) =>
      boxes.get(id).fields.map((slot) => state.values.get(slot)).filter((it) => typeof it === "object" && boxes.has(it.to)).map((it) => it.to);
    const marks = new Map();
    const order = [];
    const starts = [...roots.map((slot) => state.values.get(slot).to), ...boxes.keys()];
    for (const start of starts) {
      const path = marks.has(start) ? [] : [{ id: start, rest: next(start) }];
      if (path.length > 0) marks.set(start, "open");
      while (path.length > 0) {
        const { id, rest } = path[path.length - 1];
        const to = rest.shift();
        if (to === undefined) {
          marks.set(id, "done");
          order.unshift(id);
          path.pop();
        } else if (!marks.has(to)) {
          marks.set(to, "open");
          path.push({ id: to, rest: next(to) });
        }
      }
    }
    const place = new Map(order.map((id, index) => [id, index]));
    for (const id of order) {
      for (const to of next(id)) {
        if (place.get(to) > place.get(id)) boxes.get(to).column = Math.max(boxes.get(to).column, boxes.get(id).column + 1);
      }
    }
  }

  const clip = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

  function show(number) {
    const state = states.at(number);
    const before = states.changed(number);
    const found = graph(state);
    columns(state, found);
    body.replaceChildren(picture(state, before, found), table(state, found));
  }

  function rowsOf(state, box) {
    return box.fields.map((slot) => {
      const { name } = states.slots[slot];
      const label = clip(name.replace(/^\./, "") || "value", 18);
      const value = state.values.get(slot);
      const isArrow = typeof value === "object" && state.objects.has(value.to);
      return { slot, label, value: isArrow ? "" : clip(valueText(value), 16), to: isArrow ? value.to : null };
    });
  }

  function rootLabel(slot) {
    const { owner, of, name } = states.slots[slot];
    return { name: clip(name, 16), thread: owner === "thread" ? of : null };
  }

  function picture(state, before, { boxes, roots }) {
    const layers = [];
    for (const box of boxes.values()) (layers[box.column] ||= []).push(box);
    const rootRows = roots.map((slot) => ({ slot, ...rootLabel(slot), to: state.values.get(slot).to }));
    const rootWidth = Math.max(0, ...rootRows.map((it) => it.name.length * LETTER + (it.thread === null ? 16 : 38)));
    let x = rootRows.length > 0 ? rootWidth + GAP.x : 4;
    let height = rootRows.length * (ROW + 6);
    for (const layer of layers) {
      if (!layer) continue;
      let [y, width] = [4, 0];
      for (const box of layer) {
        box.rows = rowsOf(state, box);
        const longest = Math.max(...box.rows.map((it) => it.label.length + it.value.length + 3), box.title.length + 2, 8);
        Object.assign(box, { x, y, width: longest * LETTER + 12, height: HEAD + Math.max(1, box.rows.length) * ROW });
        y += box.height + GAP.y;
        width = Math.max(width, box.width);
      }
      x += width + GAP.x;
      height = Math.max(height, y);
    }
    const drawn = [...boxes.values()].map((box) => drawBox(box, before));
    const arrows = [];
    rootRows.forEach((root, index) => {
      const y = index * (ROW + 6) + 4;
      drawn.push(drawRoot(root, y, rootWidth, before));
      arrows.push(arrow(rootWidth, y + ROW / 2, 0, boxes.get(root.to), before.has(root.slot)));
    });
    for (const box of boxes.values()) {
      box.rows.forEach((row, index) => {
        const y = box.y + HEAD + (index + 0.5) * ROW;
        if (row.to !== null && boxes.has(row.to)) {
          arrows.push(arrow(box.x + box.width - 9, y, box.column, boxes.get(row.to), before.has(row.slot)));
        }
      });
    }
    const size = { width: Math.max(120, x - GAP.x + 24), height: Math.max(30, height) };
    const top = boxes.size > 1 ? 18 : 0;
    const view = `0 ${-top} ${size.width} ${size.height + top}`;
    const options = { viewBox: view, width: size.width, height: size.height + top, "aria-hidden": true, class: "boxes", vars: { "--least": `${size.width * 0.75}px` } };
    return draw("svg", options, draw("defs", {}, tip("tip"), tip("tip-new", "new")), drawn, arrows);
  }

  const tip = (id, className = "") =>
    draw(
      "marker",
      { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: "userSpaceOnUse", orient: "auto" },
      draw("path", { d: "M0 0L8 4L0 8z", class: `tip ${className}` }),
    );

  const text = (x, y, className, content) => draw("text", { x, y, class: className }, content);

  function drawBox(box, before) {
    const lines = box.rows.map((row, index) => {
      const y = box.y + HEAD + index * ROW;
      const isNew = before.has(row.slot);
      return [
        isNew && draw("rect", { class: "new", x: box.x + 1, y, width: box.width - 2, height: ROW }),
        text(box.x + 8, y + 15, "field", row.label),
        row.to === null
          ? text(box.x + box.width - 8, y + 15, "value", row.value)
          : draw("circle", { cx: box.x + box.width - 9, cy: y + ROW / 2, r: 3, class: "tip" }),
      ];
    });
    return draw(
      "g",
      { class: box.freed ? "box freed" : "box" },
      draw("rect", { class: "frame", x: box.x, y: box.y, width: box.width, height: box.height, rx: 5 }),
      text(box.x + 8, box.y + 16, "title", box.freed ? `${box.title} (freed)` : box.title),
      lines,
    );
  }

  function drawRoot(root, y, width, before) {
    const right = width - 6;
    return draw(
      "g",
      { class: `root${before.has(root.slot) ? " new" : ""}` },
      root.thread !== null && [
        draw("circle", { cx: 10, cy: y + ROW / 2, r: 8, class: "owner", vars: { "--own": colourOf(root.thread) } }),
        text(10, y + ROW / 2 + 4, "owner-number", String(root.thread)),
      ],
      text(right, y + 15, "name", root.name),
    );
  }

  // To the left side of a box; over all that stands between, if something does.
  function arrow(x, y, from, box, isNew) {
    const options = { class: isNew ? "arrow new" : "arrow", "marker-end": isNew ? "url(#tip-new)" : "url(#tip)" };
    const [toX, toY] = [box.x, box.y + 12];
    if (box.column > from + 1) {
      const above = box.y - 22;
      return draw("path", { ...options, d: `M${x} ${y}C${x + 50} ${above} ${toX - 30} ${above} ${toX + 16} ${box.y}` });
    }
    const bend = box.column > from ? (toX - x) / 2 : 40;
    return draw("path", { ...options, d: `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}` });
  }

  // The same in words.
  function table(state, { boxes, roots }) {
    const name = (id) => state.objects.get(id).name;
    const says = (slot) => `${states.slots[slot].name || "value"} is ${valueText(state.values.get(slot))}`;
    const items = [...boxes.values()].map((box) =>
      make("li", {}, `${name(box.id)}${box.freed ? ", freed" : ""}: ${box.fields.map(says).join(", ")}`),
    );
    const leading = roots.map((slot) => {
      const { owner, of } = states.slots[slot];
      return make("li", {}, `${says(slot)}${owner === "thread" ? ` in thread ${of}` : ""}`);
    });
    return make("ul", { class: "spoken" }, leading, items);
  }

  return { element, show };
}
