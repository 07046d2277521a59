//! Draws diagnostics: the message, the place, the line, and a mark under what is meant.

use crate::document::{Line, Style, Text};
use base::{Diagnostic, FileId, Severity, SourceMap, Span, sanitise};

/// One diagnostic as text of this width.
pub fn draw(sources: &SourceMap, found: &Diagnostic, width: usize) -> Text {
    let (word, main) = match found.severity {
        Severity::Error => ("error", Style::Red),
        Severity::Warning => ("warning", Style::Yellow),
    };
    let head = Line::default().with(main, format!("{word}[{}]", found.code));
    let mut out = Text::line(head.with(Style::Bold, format!(": {}", found.message)));
    let marks = marks(found);
    let digits = marks.iter().map(|mark| line_of(sources, mark.span).to_string().len()).max().unwrap_or(1);
    let drawing = Drawing { sources, main, digits, width };
    drawing.marks(&mut out, &marks);
    if let Some(help) = &found.help {
        out.push(drawing.gutter("", "=").with(Style::Plain, format!(" help: {help}")));
    }
    out
}

/// Something to point at.
struct Mark<'d> {
    span: Span,
    text: &'d str,
    primary: bool,
}

fn marks(found: &Diagnostic) -> Vec<Mark<'_>> {
    let primary = found.span.map(|span| Mark { span, text: "", primary: true });
    let labels = found.labels.iter().map(|(span, text)| Mark { span: *span, text, primary: false });
    primary.into_iter().chain(labels).collect()
}

fn line_of(sources: &SourceMap, span: Span) -> u32 {
    sources.file(span.file).position(span.start).line
}

struct Drawing<'d> {
    sources: &'d SourceMap,
    /// The style of the main mark.
    main: Style,
    digits: usize,
    width: usize,
}

impl Drawing<'_> {
    fn gutter(&self, number: &str, sign: &str) -> Line {
        Line::default().with(Style::Blue, format!("{number:>width$} {sign}", width = self.digits + 1))
    }

    fn marks(&self, out: &mut Text, marks: &[Mark<'_>]) {
        let mut last: Option<(FileId, u32)> = None;
        for mark in marks {
            let here = (mark.span.file, line_of(self.sources, mark.span));
            if last.map(|(file, _)| file) != Some(here.0) {
                let arrow = format!("{:>width$}", "-->", width = self.digits + 4);
                let place = format!(" {}", self.sources.describe(mark.span));
                out.push(Line::default().with(Style::Blue, arrow).with(Style::Plain, place));
                out.push(self.gutter("", "|"));
            }
            self.mark(out, mark, last != Some(here));
            last = Some(here);
        }
    }

    /// A line of the source, unless it stands there already, and the mark under it.
    fn mark(&self, out: &mut Text, mark: &Mark<'_>, with_line: bool) {
        let file = self.sources.file(mark.span.file);
        let at = file.position(mark.span.start);
        let line = file.line(at.line);
        let column = at.column as usize - 1;
        let marked = self.sources.snippet(mark.span).lines().next().unwrap_or_default();
        let before: String = line.chars().take(column).collect();
        // The mark stands under what is shown: a tab is several columns.
        let columns = |text: &str| sanitise(text).chars().count();
        let window = Window::new(
            &sanitise(line),
            columns(&before),
            columns(marked),
            self.width.saturating_sub(self.digits + 4),
        );
        if with_line {
            let number = self.gutter(&at.line.to_string(), "|");
            out.push(number.with(Style::Plain, format!(" {}", window.text)));
        }
        let sign = if mark.primary { "^" } else { "-" }.repeat(window.length);
        let style = if mark.primary { self.main } else { Style::Blue };
        let line = self.gutter("", "|").with(Style::Plain, " ".repeat(window.start + 1)).with(style, sign);
        let text = if mark.text.is_empty() { String::new() } else { format!(" {}", mark.text) };
        out.push(line.with(Style::Plain, text));
    }
}

/// The part of a line that is shown: a line may be longer than any screen.
struct Window {
    text: String,
    start: usize,
    length: usize,
}

impl Window {
    fn new(line: &str, start: usize, length: usize, width: usize) -> Window {
        let chars: Vec<char> = line.chars().collect();
        let width = width.max(20);
        if chars.len() <= width {
            let length = length.clamp(1, (chars.len() + 1).saturating_sub(start).max(1));
            return Window { text: line.trim_end().to_string(), start, length };
        }
        // Keep a third of the room in front of the mark.
        let first = start.saturating_sub(width / 3).min(chars.len() - width.min(chars.len()));
        let last = (first + width).min(chars.len());
        let mut text: Vec<char> = chars[first..last].to_vec();
        if first > 0 {
            text[0] = '…';
        }
        if last < chars.len() {
            let end = text.len() - 1;
            text[end] = '…';
        }
        let length = length.clamp(1, (last - first).saturating_sub(start - first).max(1));
        Window { text: text.into_iter().collect(), start: start - first, length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Paint;

    fn drawn(text: &str, range: (u32, u32), label: Option<(u32, u32)>) -> String {
        let mut sources = SourceMap::new();
        let file = sources.add("a.bp", text);
        let span = |(start, end)| Span { file, start, end };
        let mut found = Diagnostic::error("E0001", span(range), "no such variable").help("declare it");
        if let Some(label) = label {
            found = found.label(span(label), "in this procedure");
        }
        draw(&sources, &found, 60).render(Paint::Plain)
    }

    #[test]
    fn the_mark_stands_under_what_is_meant() {
        let expected = [
            "error[E0001]: no such variable",
            "  --> a.bp:2:7",
            "   |",
            " 2 |     y := z;",
            "   |          ^",
            "   = help: declare it",
        ];
        assert_eq!(drawn("decl y;\n\ty := z;\n", (14, 15), None).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn labels_on_the_same_line_share_it() {
        let out = drawn("decl y;\n", (0, 4), Some((5, 6)));
        let lines: Vec<&str> = out.lines().skip(3).take(3).collect();
        assert_eq!(lines, [" 1 | decl y;", "   | ^^^^", "   |      - in this procedure"]);
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let text = format!("{}!{}", "a".repeat(5000), "b".repeat(5000));
        let out = drawn(&text, (5000, 5001), None);
        assert!(out.lines().all(|line| line.chars().count() <= 70), "{out}");
        let lines: Vec<&str> = out.lines().collect();
        let column = |line: &str, sign| line.chars().position(|c| c == sign);
        assert_eq!(column(lines[3], '!'), column(lines[4], '^'));
    }

    #[test]
    fn a_place_past_the_end_is_no_trouble() {
        let out = drawn("decl y;", (7, 7), None);
        assert!(out.contains("a.bp:1:8"), "{out}");
        assert!(drawn("", (0, 0), None).contains("a.bp:1:1"));
        assert!(drawn("é\n", (1, 9), None).contains("a.bp"), "a span inside a character");
    }
}
