// The states of the run: the first one, and after each step what it changed. A state is made by going through
// the changes; some are kept so that long runs are not gone through again and again.

function makeStates(run) {
  const { slots, order, changes } = run.states;
  const kept = new Map();
  const KEEP = 64;

  const empty = () => ({ values: new Map(), objects: new Map(), threads: new Map() });
  const copy = (state) => ({
    values: new Map(state.values),
    objects: new Map(state.objects),
    threads: new Map(state.threads),
  });

  function change(map, list) {
    for (const [key, value] of list) {
      if (value === null) map.delete(key);
      else map.set(key, value);
    }
  }

  function at(step) {
    let from = step - (step % KEEP);
    while (from > 0 && !kept.has(from)) from -= KEEP;
    const state = from > 0 ? copy(kept.get(from)) : empty();
    for (let number = from > 0 ? from + 1 : 0; number <= step; number++) {
      const { set, objects, threads } = changes[number];
      change(state.values, set);
      change(state.objects, objects);
      change(state.threads, threads);
      if (number > 0 && number % KEEP === 0 && !kept.has(number)) kept.set(number, copy(state));
    }
    return state;
  }

  // What the step before changed, and what was there before it.
  function changed(step) {
    const before = new Map();
    if (step === 0) return before;
    const old = at(step - 1).values;
    for (const [slot] of changes[step].set) before.set(slot, old.get(slot));
    return before;
  }

  // By thread: the steps between which it is alive.
  const lives = new Map();
  changes.forEach(({ threads }, step) => {
    for (const [id, now] of threads) {
      if (now === null) lives.get(id).to = step;
      else if (!lives.has(id)) lives.set(id, { from: step, to: changes.length });
      else lives.get(id).to = changes.length;
    }
  });

  return { slots, order, at, changed, lives, count: changes.length };
}

const valueText = (value) => (typeof value === "object" && value !== null ? value.text : value);
