//! What a format makes. Text for people is a list of lines, and it is sanitised in one place, here, when it
//! is written: a line stays one line and drives no terminal, whatever the names in it are. Data escapes what
//! it holds by the rules of its own format.

use base::sanitise;

/// Something to be written to a stream or a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Document {
    /// For people.
    Text(Text),
    /// For programs; it is written as it is.
    Data(String),
}

impl Document {
    /// What is written.
    pub fn render(&self, paint: Paint) -> String {
        match self {
            Document::Text(text) => text.render(paint),
            Document::Data(data) => data.clone(),
        }
    }
}

impl From<Text> for Document {
    fn from(text: Text) -> Document {
        Document::Text(text)
    }
}

/// Lines for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    lines: Vec<Line>,
}

impl Text {
    /// One line.
    pub fn line(line: impl Into<Line>) -> Text {
        Text { lines: vec![line.into()] }
    }

    /// Adds a line.
    pub fn push(&mut self, line: impl Into<Line>) {
        self.lines.push(line.into());
    }

    /// Adds all lines of another text.
    pub fn append(&mut self, other: Text) {
        self.lines.extend(other.lines);
    }

    /// What is written: each line with a line end, sanitised.
    pub fn render(&self, paint: Paint) -> String {
        let mut out = String::new();
        for Line(pieces) in &self.lines {
            for (style, text) in pieces {
                out.push_str(&paint.wrap(*style, &sanitise(text)));
            }
            out.push('\n');
        }
        out
    }
}

impl<L: Into<Line>> FromIterator<L> for Text {
    fn from_iter<I: IntoIterator<Item = L>>(lines: I) -> Text {
        Text { lines: lines.into_iter().map(Into::into).collect() }
    }
}

/// A line, in pieces that each have a style.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line(Vec<(Style, String)>);

impl Line {
    /// Adds a piece.
    pub fn with(mut self, style: Style, text: impl Into<String>) -> Line {
        self.0.push((style, text.into()));
        self
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::default().with(Style::Plain, text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::from(text.to_string())
    }
}

/// How a piece of a line looks, where there are colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// As everything else.
    Plain,
    /// For errors.
    Red,
    /// For warnings.
    Yellow,
    /// For what frames a snippet.
    Blue,
    /// For messages.
    Bold,
}

/// Colours, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// No colours.
    Plain,
    /// Those of a terminal.
    Ansi,
}

impl Paint {
    fn wrap(self, style: Style, text: &str) -> String {
        let code = match (self, style) {
            (Paint::Plain, _) | (_, Style::Plain) => return text.to_string(),
            (Paint::Ansi, Style::Red) => "1;31",
            (Paint::Ansi, Style::Yellow) => "1;33",
            (Paint::Ansi, Style::Blue) => "1;34",
            (Paint::Ansi, Style::Bold) => "1",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_adds_a_line_or_drives_a_terminal() {
        let mut text = Text::line("error: a\nsafe: any number of threads\x1b[2J");
        text.push(Line::default().with(Style::Red, "x\x1b[0m").with(Style::Plain, "\u{202e}y"));
        let plain = "error: a\u{fffd}safe: any number of threads\u{fffd}[2J\nx\u{fffd}[0m\u{fffd}y\n";
        assert_eq!(text.render(Paint::Plain), plain);
        assert!(text.render(Paint::Ansi).ends_with("\x1b[1;31mx\u{fffd}[0m\x1b[0m\u{fffd}y\n"));
    }

    #[test]
    fn data_is_written_as_it_is() {
        let data = Document::Data("{\"file\":\"\u{202e}\"}\n".to_string());
        assert_eq!(data.render(Paint::Ansi), "{\"file\":\"\u{202e}\"}\n");
    }
}
