// The page: the verdict, what belongs to it, and what stands behind it.

const SIGNS = { safe: "✓", unsafe: "✕", unknown: "?", "no verdict": "–" };

function makeHeader() {
  const word = data.verdict[0].toUpperCase() + data.verdict.slice(1);
  const facts = data.facts.map(({ name, value }) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  return make(
    "header",
    { class: "head" },
    make("p", { class: "file" }, make("code", {}, data.file), make("span", { class: "tool" }, data.tool)),
    make("h1", {}, make("span", { class: "sign", "aria-hidden": true }, SIGNS[data.verdict]), word),
    make("p", { class: "headline" }, sentence(data.headline)),
    data.evidence && make("p", { class: "evidence" }, data.evidence),
    make("dl", { class: "glance" }, facts),
  );
}

function build() {
  document.body.dataset.verdict = data.verdict.replace(" ", "-");
  const parts = [
    data.run && makeRun(data.run),
    data.proof && makeProof(data.proof),
    data.unknown && makeUnknown(data.unknown),
  ];
  const skip = make("a", { class: "skip", href: "#main" }, "To the content");
  const main = make("main", { id: "main", tabindex: -1 }, parts.flat().filter(Boolean));
  const about = make("footer", { "aria-label": "About this report" }, makeAbout());
  document.getElementById("page").replaceChildren(skip, makeHeader(), main, about);
  for (const act of later) act();
  document.body.dataset.ready = "yes";
}

build();
