// The run: the source in the middle, the lanes of the threads on one side, the values on the other, and the
// controls that go through the steps.

function makeRun(run) {
  const states = makeStates(run);
  const total = run.steps.length;
  const source = makeSource("Source");
  const lanes = makeLanes(run, states, go);
  const values = makeValues(run, states);
  const memory = makeMemory(run, states);
  const minimap = makeMinimap(run, states, go);
  const failure = makeFailure(run.failure);
  let current = -1;

  const counter = make("p", { id: "counter", class: "counter", role: "status", "aria-live": "polite" });
  const slider = make("input", {
    type: "range",
    min: 0,
    max: total,
    step: 1,
    "aria-label": "Step",
    on: { input: (event) => go(Number(event.target.value), false) },
  });
  const control = (label, sign, to) =>
    make("button", { type: "button", "aria-label": label, title: label, on: { click: () => go(to(), false) } }, sign);
  const controls = make(
    "div",
    { class: "buttons", role: "group", "aria-label": "Go through the run" },
    control("First step (Home)", "⇤", () => 0),
    control("Context switch before (Shift and left arrow)", "↞", () => switchBefore(current)),
    control("Step back (left arrow)", "←", () => current - 1),
    control("Step forward (right arrow)", "→", () => current + 1),
    control("Context switch after (Shift and right arrow)", "↠", () => switchAfter(current)),
    control("Last step (End)", "⇥", () => total),
  );
  const bar = make(
    "section",
    { class: "bar", "aria-label": "Steps" },
    make("div", { class: "bar-top" }, controls, counter),
    make("div", { class: "track" }, minimap.element, slider),
  );
  const side = make("div", { class: "side" }, values.element, memory.element);
  const bench = make("div", { class: "bench" }, lanes.element, source.element, side);

  function switchBefore(from) {
    for (let number = from - 1; number > 1; number--) if (run.steps[number - 1].switch) return number;
    return from > 1 ? 1 : 0;
  }

  function switchAfter(from) {
    for (let number = from + 1; number < total; number++) if (run.steps[number - 1].switch) return number;
    return total;
  }

  function tell(number) {
    const step = run.steps[number - 1];
    const count = make("strong", {}, `Step ${number} of ${total}`);
    if (!step) return [count, make("span", { class: "now" }, run.start.replace(/^start: /, ""))];
    const named = run.threads.length > 0;
    const effects = step.effects.join(", ");
    return [
      count,
      named && [" ", badge(step.thread)],
      step.place && make("span", { class: "where" }, `line ${step.place.line}`),
      make("code", { class: "now" }, step.text),
      effects && make("span", { class: step.error ? "effects error" : "effects" }, effects),
    ];
  }

  function markSource(number, state) {
    source.clear();
    const step = run.steps[number - 1];
    for (const [id, { place }] of state.threads) {
      const isActive = step && step.thread === id;
      if (place) source.sign(place, make("span", { class: isActive ? "here active" : "here", title: `thread ${id} continues here`, vars: { "--own": colourOf(id) } }, String(id)));
    }
    if (!step) return source.reveal(firstPlace());
    const together = run.failure.kind !== "step" && step.error;
    if (together) for (const it of run.steps.filter((it) => it.error)) source.mark(it.place, "error", colourOf(it.thread));
    source.mark(step.place, "current", run.threads.length > 0 ? colourOf(step.thread) : colourOf(0));
    if (step.error) source.mark(step.place, "error");
    source.reveal(step.place);
  }

  const firstPlace = () => (run.steps.find((it) => it.place) || {}).place;

  function go(wanted, focus) {
    const number = Math.min(total, Math.max(0, wanted));
    if (number === current) return;
    current = number;
    const state = states.at(number);
    counter.replaceChildren(...tell(number).flat().filter(Boolean));
    slider.value = String(number);
    const step = run.steps[number - 1];
    const at = step && step.place ? `, line ${step.place.line}` : "";
    slider.setAttribute("aria-valuetext", `Step ${number} of ${total}${at}`);
    markSource(number, state);
    lanes.show(number, focus);
    values.show(number);
    memory.show(number);
    minimap.show(number);
    bar.classList.toggle("at-error", Boolean(step && step.error));
    keep(number);
  }

  // The step is a part of the address, so that it can be passed on. Browsers take no change for each step of a
  // run that somebody rushes through.
  let waiting = 0;
  function keep(number) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      try {
        history.replaceState(null, "", `#step=${number}`);
      } catch {
        // A page without an address of its own has nothing to pass on.
      }
    }, 300);
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inside = bar.contains(event.target) || lanes.element.contains(event.target);
    const steps = {
      ArrowRight: () => (event.shiftKey ? switchAfter(current) : current + 1),
      ArrowLeft: () => (event.shiftKey ? switchBefore(current) : current - 1),
      ArrowDown: inside && (() => current + 1),
      ArrowUp: inside && (() => current - 1),
      Home: () => 0,
      End: () => total,
    };
    const to = steps[event.key];
    if (!to) return;
    event.preventDefault();
    go(to(), false);
  }

  // A click on a line goes to the next step of it, and from the last one round to the first.
  source.onLine(({ file, line }) => {
    const here = (it) => it.place && it.place.file === file && it.place.line === line;
    const numbers = run.steps.map((it, index) => (here(it) ? index + 1 : 0)).filter(Boolean);
    if (numbers.length > 0) go(numbers.find((it) => it > current) ?? numbers[0], false);
  });
  document.addEventListener("keydown", key);

  later.push(() => {
    const wanted = /^#step=(\d+)$/.exec(location.hash);
    go(wanted ? Number(wanted[1]) : total, false);
  });
  return [failure, bar, bench];
}
