// The values of variables at a step: those that all threads share, and a card for each thread with its locals,
// its locks and where it stands. Only what the step changed is marked.

function makeValues(run, states) {
  const shared = make("div", { class: "shared" });
  const cards = make("div", { class: "cards" });
  const names = new Map(run.threads.map((it) => [it.id, it.name]));
  const element = panel("values", "Values", shared, cards);
  const folded = new Map();

  function table(caption, slots, state, before) {
    const row = (slot) => {
      const { name } = states.slots[slot];
      const now = state.values.get(slot);
      const isNew = before.has(slot);
      const old = before.get(slot);
      const was = isNew && old !== undefined && [make("del", {}, spoken("was "), valueText(old)), " "];
      return make(
        "tr",
        { class: isNew ? "changed" : null },
        make("th", { scope: "row" }, make("code", {}, name)),
        make("td", {}, was, make("code", {}, valueText(now)), isNew && spoken(" changed")),
      );
    };
    if (slots.length === 0) return null;
    return make("table", {}, make("caption", { class: "spoken" }, caption), make("tbody", {}, slots.map(row)));
  }

  // What the run never changes is folded away where there is much.
  function tables(key, caption, slots, state, before) {
    const changing = slots.filter((it) => states.slots[it].changes);
    const constant = slots.filter((it) => !states.slots[it].changes);
    if (constant.length < 4 || slots.length < 8) return table(caption, slots, state, before);
    const more = make(
      "details",
      {
        open: folded.get(key) || null,
        on: { toggle: (event) => folded.set(key, event.target.open) },
      },
      make("summary", {}, `${plural(constant.length, "value")} that this run never changes`),
      table(`${caption}, constant in this run`, constant, state, before),
    );
    return [table(caption, changing, state, before), more];
  }

  function show(number) {
    const state = states.at(number);
    const before = states.changed(number);
    const alive = states.order.filter((slot) => state.values.has(slot));
    const own = alive.filter((slot) => states.slots[slot].owner === "shared");
    const title = run.threads.length > 0 ? "Shared" : "Marking";
    shared.replaceChildren();
    if (own.length > 0) {
      put(shared, {}, [make("h3", {}, title), tables("shared", title, own, state, before)]);
    }
    const active = number > 0 ? run.steps[number - 1].thread : -1;
    cards.replaceChildren(
      ...[...state.threads.keys()].map((id) => card(id, state, before, alive, id === active)),
    );
  }

  function card(id, state, before, alive, active) {
    const now = state.threads.get(id);
    const slots = alive.filter((it) => states.slots[it].owner === "thread" && states.slots[it].of === id);
    const frames = new Map();
    for (const slot of slots) {
      const { frame, procedure } = states.slots[slot];
      const key = `${frame}:${procedure}`;
      if (!frames.has(key)) frames.set(key, { procedure, slots: [] });
      frames.get(key).slots.push(slot);
    }
    const many = frames.size > 1;
    const locals = [...frames.entries()].map(([key, { procedure, slots: of }]) => [
      many && make("h4", {}, make("code", {}, procedure || "of the thread")),
      tables(`${id} ${key}`, `Locals of thread ${id}`, of, state, before),
    ]);
    const locks = now.holds.map((lock) => make("span", { class: "lock" }, "holds ", make("code", {}, lock)));
    const marks = [
      ...locks,
      now.inside && make("span", { class: "lock atomic" }, "atomic section"),
      now.sleeps && make("span", { class: "lock" }, `sleeps on ${now.sleeps}`),
    ].filter(Boolean);
    const head = make(
      "h3",
      {},
      badge(id),
      " ",
      make("code", {}, names.get(id) || ""),
      now.place && make("span", { class: "where" }, `next: line ${now.place.line}`),
    );
    return make(
      "div",
      { class: `card${active ? " active" : ""}`, vars: { "--own": colourOf(id) } },
      head,
      marks.length > 0 && make("p", { class: "locks" }, marks),
      locals,
    );
  }

  return { element, show };
}
