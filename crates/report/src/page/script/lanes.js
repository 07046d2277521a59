// The steps of the run, each with a lane for every thread: who steps, where the context switches are, who is
// inside an atomic section, and what the step changes.

function makeLanes(run, states, go) {
  const ids = run.threads.map((it) => it.id);
  const lanes = Math.max(1, ids.length);
  const width = lanes > 16 ? 240 / lanes : lanes > 8 ? 17 : 24;
  const laneOf = new Map(ids.map((id, lane) => [id, lane]));

  const legend = make(
    "ul",
    { class: "legend", "aria-label": "Threads" },
    run.threads.map(({ id, name }) => make("li", {}, badge(id), " ", make("code", {}, name))),
  );

  const rows = [row(0)].concat(run.steps.map((_, index) => row(index + 1)));
  // Rows out of sight of a long run are not laid out.
  const list = make("ol", { class: run.steps.length > 300 ? "steps long" : "steps", start: 0 }, rows.map((it) => it.element));
  const body = make("div", { class: "scroll" }, list);
  const element = panel("lanes", ids.length > 0 ? "Threads" : "Rules", legend, body);
  element.style.setProperty("--lane", `${width}px`);
  let current = -1;

  function cells(number) {
    const step = run.steps[number - 1];
    const own = step && ids.length > 0 ? laneOf.get(step.thread) : step ? 0 : -1;
    const before = number > 1 && step.switch ? laneOf.get(run.steps[number - 2].thread) : undefined;
    const found = [];
    for (let lane = 0; lane < lanes; lane++) {
      const id = ids.length > 0 ? ids[lane] : 0;
      const life = states.lives.get(id);
      const alive = life && number >= life.from && number <= life.to;
      const classes = ["lane"];
      if (alive && number > life.from) classes.push("above");
      if (alive && number < life.to && number < states.count - 1) classes.push("below");
      if (before !== undefined && lane > Math.min(before, own) && lane < Math.max(before, own)) classes.push("hop");
      if (before !== undefined && lane === own) classes.push(before < own ? "from-left" : "from-right");
      if (before !== undefined && lane === before) classes.push(before < own ? "to-right" : "to-left");
      if (lane === own && step.inside) classes.push("atomic");
      const dot = lane === own && make("span", { class: "dot" }, step.error ? "×" : width > 12 && ids.length > 0 ? String(id) : "");
      found.push(make("span", { class: classes.join(" "), vars: { "--own": colourOf(id) } }, dot));
    }
    return make("span", { class: "graph", "aria-hidden": true }, found);
  }

  function row(number) {
    const step = run.steps[number - 1];
    const classes = ["step"];
    const told = [];
    if (step) {
      if (step.switch) classes.push("switch");
      if (step.error) classes.push("error");
      if (ids.length > 0) told.push(spoken(`thread ${step.thread}, `));
      if (step.place) told.push(make("span", { class: "where" }, spoken("line "), String(step.place.line)));
      told.push(make("code", { class: "statement" }, step.text));
      if (step.effects.length > 0) told.push(make("span", { class: "effects" }, step.effects.join(", ")));
      if (step.inside) told.push(spoken(", inside an atomic section"));
      if (step.switch) told.push(spoken(", context switch"));
    } else {
      told.push(make("span", { class: "statement plain" }, "Start"));
      told.push(make("span", { class: "effects" }, run.start.replace(/^start: /, "")));
    }
    const button = make(
      "button",
      { type: "button", tabindex: -1, on: { click: () => go(number, true) } },
      make("span", { class: "count", "aria-hidden": true }, String(number)),
      cells(number),
      make("span", { class: "telling" }, told),
    );
    const colour = step && ids.length > 0 ? colourOf(step.thread) : colourOf(0);
    return { element: make("li", { class: classes.join(" "), vars: { "--own": colour } }, button), button };
  }

  function show(number, focus) {
    if (rows[current]) {
      rows[current].button.tabIndex = -1;
      rows[current].button.removeAttribute("aria-current");
    }
    current = number;
    const { element: at, button } = rows[number];
    button.tabIndex = 0;
    button.setAttribute("aria-current", "step");
    if (focus || list.contains(document.activeElement)) button.focus({ preventScroll: true });
    const [top, bottom] = [at.offsetTop, at.offsetTop + at.offsetHeight];
    if (top < body.scrollTop + 30) body.scrollTop = Math.max(0, top - 60);
    else if (bottom > body.scrollTop + body.clientHeight - 30) body.scrollTop = bottom - body.clientHeight + 80;
  }

  return { element, show };
}
