// The whole run at a glance: a row for each thread, a stretch for each turn, and where one is.

function makeMinimap(run, states, go) {
  const ids = run.threads.length > 0 ? run.threads.map((it) => it.id) : [0];
  const total = run.steps.length;
  const height = Math.min(64, Math.max(16, ids.length * 9));
  const each = height / ids.length;
  const turns = [];
  run.steps.forEach((step, index) => {
    const last = turns[turns.length - 1];
    if (last && last.thread === step.thread && last.inside === step.inside && last.error === step.error) last.to++;
    else turns.push({ thread: step.thread, from: index, to: index + 1, inside: step.inside, error: step.error });
  });
  const lines = ids.map((id, lane) => {
    const life = states.lives.get(id) || { from: 0, to: total };
    const y = (lane + 0.5) * each;
    const [from, to] = [life.from, Math.min(life.to, total)];
    return draw("line", { class: "life", x1: from, x2: to, y1: y, y2: y, vars: { "--own": colourOf(id) } });
  });
  const blocks = turns.map((turn) => {
    const lane = ids.indexOf(turn.thread);
    const classes = ["turn", turn.inside && "atomic", turn.error && "error"].filter(Boolean).join(" ");
    const inset = turn.inside ? 0 : each * 0.16;
    return draw("rect", {
      class: classes,
      x: turn.from,
      width: turn.to - turn.from,
      y: lane * each + inset,
      height: each - 2 * inset,
      vars: { "--own": colourOf(turn.thread) },
    });
  });
  const cursor = draw("rect", { class: "cursor", x: 0, width: 1, y: 0, height });
  const picture = draw(
    "svg",
    {
      class: "minimap",
      viewBox: `0 0 ${Math.max(1, total)} ${height}`,
      preserveAspectRatio: "none",
      "aria-hidden": true,
      height,
      on: { click: (event) => seek(event), pointermove: (event) => event.buttons === 1 && seek(event) },
    },
    lines,
    blocks,
    cursor,
  );

  function seek(event) {
    const box = picture.getBoundingClientRect();
    const step = Math.floor(((event.clientX - box.left) / box.width) * total) + 1;
    go(Math.min(total, Math.max(0, step)), false);
  }

  function show(number) {
    cursor.setAttribute("x", Math.max(0, number - 1));
    cursor.classList.toggle("start", number === 0);
  }

  return { element: picture, show };
}
