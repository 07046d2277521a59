// What stands behind every verdict: the command, the cost, what is assumed, what was found while reading.

const REASONS = {
  time: "time limit",
  memory: "memory limit",
  ticks: "limit of work",
  interrupted: "interrupted",
  bound: "bound",
  suspect: "suspected error",
  refinement: "no refinement",
  unsupported: "not supported",
  "non-monotone": "not monotone",
  approximation: "approximation",
  rejected: "evidence rejected",
  fault: "internal fault",
};

function makeUnknown(unknown) {
  const reason = ({ engine, kind, message, place }) =>
    make(
      "li",
      {},
      engine && make("strong", {}, engine),
      make("span", { class: "chip" }, REASONS[kind] || kind),
      make("span", {}, sentence(message)),
      place && make("span", { class: "where" }, placeText(place)),
      excerpt(place),
    );
  const advice = ({ text, options }) => make("li", {}, text, options && make("code", { class: "option" }, options));
  const why = panel(
    "reasons",
    "Why there is no answer",
    make("ul", {}, unknown.reasons.map(reason)),
    make("h3", {}, "What is known all the same"),
    unknown.known.length > 0
      ? make("ul", {}, unknown.known.map((it) => make("li", {}, it)))
      : make("p", {}, "Nothing that could be told as a result."),
  );
  const next = panel("advice", "What to try next", make("ul", {}, unknown.next.map(advice)));
  const suspect =
    unknown.suspect.length > 0 &&
    panel(
      "suspect",
      "A suspected run",
      make("p", {}, "An over-approximation runs into an error so. It may not be a run of the program: it is no alarm."),
      make("pre", { class: "lines-of-text", tabindex: 0 }, unknown.suspect.join("\n")),
    );
  return [make("div", { class: "pair-of-panels" }, why, next), suspect];
}

function makeProperties() {
  const { properties } = data;
  if (properties.length < 2 && !properties.some((it) => it.verdict)) return null;
  const row = (it) =>
    make(
      "tr",
      {},
      make("td", {}, it.kind),
      make("td", {}, make("code", {}, it.text), it.unreached && make("span", { class: "chip" }, "never reached")),
      make("td", { class: "where" }, placeText(it.place)),
      make("td", {}, it.verdict || ""),
    );
  const head = ["Kind", "Property", "Place", "Verdict"].map((it) => make("th", { scope: "col" }, it));
  const table = make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, properties.map(row)));
  return panel("properties", "Properties", make("div", { class: "scroll wide", tabindex: 0 }, table));
}

// Counters as bars. Counts differ by many powers of ten, so the scale is one of powers, and says so.
function makeCounters() {
  if (data.counters.length === 0 && data.rounds.length === 0) return null;
  const byEngine = new Map();
  for (const counter of data.counters) {
    if (!byEngine.has(counter.who)) byEngine.set(counter.who, []);
    byEngine.get(counter.who).push(counter);
  }
  const most = Math.log10(1 + Math.max(1, ...data.counters.map((it) => it.value)));
  const bar = (share, name, value) =>
    make(
      "div",
      { class: "bar-row", vars: { "--share": `${(share * 100).toFixed(2)}%` } },
      make("dt", {}, name),
      make("dd", {}, make("span", { class: "fill", "aria-hidden": true }), make("span", {}, value)),
    );
  const group = ([who, counters]) => {
    const [counted, zero] = [counters.filter((it) => it.value > 0), counters.filter((it) => it.value === 0)];
    return make(
      "div",
      { class: "group" },
      make("h3", {}, who),
      make(
        "dl",
        { class: "bars" },
        counted.map(({ name, value }) => bar(Math.log10(1 + value) / most, name, value.toLocaleString("en"))),
      ),
      zero.length > 0 && make("p", { class: "hint" }, `0: ${zero.map((it) => it.name).join(", ")}`),
    );
  };
  const longest = Math.max(0.001, ...data.rounds.map((it) => it.seconds));
  const rounds =
    data.rounds.length > 0 &&
    make(
      "div",
      { class: "group" },
      make("h3", {}, "Rounds"),
      make(
        "dl",
        { class: "bars stacked" },
        data.rounds.map(({ text, seconds }) => bar(seconds / longest, text, milliseconds(seconds))),
      ),
    );
  const hint = data.counters.length > 0 && make("p", { class: "hint" }, "The bars of the counters are on a logarithmic scale.");
  const groups = make("div", { class: "groups" }, [...byEngine.entries()].map(group), rounds);
  return panel("counters", "What it took", groups, hint);
}

function makeFindings() {
  if (data.findings.length === 0) return null;
  const item = (it) =>
    make(
      "li",
      { class: it.severity },
      make("strong", {}, `${it.severity} ${it.code}`),
      make("span", { class: "where" }, placeText(it.place)),
      make("p", {}, sentence(it.message)),
      it.help && make("p", { class: "hint" }, sentence(it.help)),
      excerpt(it.place),
    );
  return panel("findings", "Found while reading", make("ul", {}, data.findings.map(item)));
}

function makeAbout() {
  const assumptions =
    data.assumptions.length > 0 &&
    panel("assumptions", "Assumptions", make("ul", {}, data.assumptions.map((it) => make("li", {}, it))));
  const cost = panel(
    "cost",
    "How this was made",
    data.command && [commandBlock(data.command)],
    factsList([
      ["Version", data.tool],
      ["Time", milliseconds(data.seconds)],
      ["Memory", data.memory === null ? null : `${sizeText(data.memory)} at most`],
      ["Input", data.input],
      ["Verdict line", data.line && make("code", {}, data.line)],
    ]),
  );
  const parts = [makeFindings(), makeProperties(), assumptions, cost];
  return [make("div", { class: "about-grid" }, parts.filter(Boolean)), makeCounters()];
}
