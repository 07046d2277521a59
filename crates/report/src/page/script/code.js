// Lines of source with the colours of their language: keywords, numbers, strings and comments, and no more.

const KEYWORDS = {
  c: `auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Atomic _Bool _Noreturn _Static_assert _Thread_local bool true false NULL`,
  bp: `decl void bool begin end if then else elsif fi while do od goto skip return assert assume call
    start_thread end_thread atomic_begin atomic_end lock unlock dead enforce constrain abortif T F schoose`,
};

function languageOf(name) {
  if (/\.(c|h|i)$/.test(name)) return "c";
  return /\.n?bp$/.test(name) ? "bp" : "";
}

const WORDS = Object.fromEntries(
  Object.entries(KEYWORDS).map(([language, words]) => [language, new Set(words.split(/\s+/))]),
);

const PIECE =
  /^(\/\/.*|#\s*\w+(?:\s*<[^>]*>)?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\d[\w.]*|[A-Za-z_]\w*|\s+)/;

// The pieces of a line, each with its kind; `open` says whether a comment is open.
function pieces(line, language, open) {
  const found = [];
  let rest = line;
  while (rest) {
    let [kind, text] = ["", ""];
    const begins = !open && rest.startsWith("/*");
    if (open || begins) {
      const end = rest.indexOf("*/", begins ? 2 : 0);
      [kind, text] = ["comment", end < 0 ? rest : rest.slice(0, end + 2)];
      open = end < 0;
    } else {
      const match = PIECE.exec(rest);
      text = match ? match[0] : rest[0];
      if (text.startsWith("//")) kind = "comment";
      else if (/^["']/.test(text)) kind = "string";
      else if (text.startsWith("#")) kind = "directive";
      else if (/^\d/.test(text)) kind = "number";
      else if (WORDS[language].has(text)) kind = "keyword";
    }
    found.push({ kind, text });
    rest = rest.slice(text.length);
  }
  return { found, open };
}

// The elements of each line of a file. A stretch of a line can be marked afterwards: each piece knows where it
// begins.
function colouredLines(file) {
  const language = languageOf(file.name);
  let open = false;
  return file.lines.map((line) => {
    if (!language) return [make("span", { "data-at": 0 }, line)];
    const read = pieces(line, language, open);
    open = read.open;
    let at = 0;
    return read.found.map(({ kind, text }) => {
      const piece = make("span", { class: kind || null, "data-at": at }, text);
      at += text.length;
      return piece;
    });
  });
}
