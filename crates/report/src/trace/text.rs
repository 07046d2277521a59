//! A trace as text: one column for each thread while they fit, one line for each step otherwise.

use super::story::{Row, Story};
use crate::document::Text;
use std::collections::BTreeMap;

/// The narrowest column that can still be read.
const NARROW: usize = 24;
const GAP: usize = 2;

/// The story as text; at most `most` rows, the first and the last ones, if that is given.
pub fn write(story: &Story, width: usize, most: Option<usize>) -> Text {
    let story = &story.sanitised();
    let mut out: Text = wrap(&super::start_line(story), width, 7).into_iter().collect();
    let columns = story.threads.len().max(1);
    let column = (width.saturating_sub(GAP * (columns - 1)) / columns).min(60);
    let layout = if story.threads.is_empty() {
        Layout { column: width, places: BTreeMap::new(), named: false }
    } else if story.threads.len() > 1 && column < NARROW {
        Layout { column: width, places: BTreeMap::new(), named: true }
    } else {
        Layout { column, places: story.threads.keys().copied().zip(0..).collect(), named: false }
    };
    layout.head(&mut out, story);
    let (first, last) = shown(story.rows.len(), most);
    for (index, row) in story.rows.iter().enumerate() {
        if index == first && first < last {
            out.push(format!("  ... {} steps left out; --trace FILE writes all", last - first));
        }
        if index < first || index >= last {
            layout.row(&mut out, row);
        }
    }
    out
}

/// The rows that are left out: from the first number to the one before the second.
fn shown(rows: usize, most: Option<usize>) -> (usize, usize) {
    match most {
        Some(most) if rows > most => (most / 2, rows - (most - most / 2)),
        _ => (rows, rows),
    }
}

struct Layout {
    column: usize,
    places: BTreeMap<u32, usize>,
    /// Whether each row names its thread, since no column does.
    named: bool,
}

impl Layout {
    fn head(&self, out: &mut Text, story: &Story) {
        if story.threads.is_empty() {
            return;
        }
        out.push("(> context switch, | inside an atomic section)");
        out.push("");
        if !self.named {
            let names = story.threads.iter().map(|(id, name)| format!("  thread {id}: {name}"));
            let heads: Vec<String> = names.map(|name| fit(&name, self.column)).collect();
            out.push(heads.join(&" ".repeat(GAP)).trim_end());
        }
    }

    fn row(&self, out: &mut Text, row: &Row) {
        let indent = self.places.get(&row.thread).map_or(0, |place| place * (self.column + GAP));
        let margin = match (row.switch, row.inside) {
            (true, _) => "> ",
            (false, true) => "| ",
            (false, false) => "  ",
        };
        let below = if row.inside { "| " } else { "  " };
        let thread = if self.named { format!("T{:<3} ", row.thread) } else { String::new() };
        let line = row.line.map_or_else(String::new, |line| line.to_string());
        let head = format!("{thread}{line:>4}  ");
        let columns = self.column.saturating_sub(margin.len()).max(12);
        let text = cut(&format!("{head}{}", row.text), columns);
        out.push(format!("{:indent$}{margin}{text}", ""));
        let sign = if row.error { "** " } else { "" };
        let effects = format!("{sign}{}", row.effects.join(", "));
        if !row.effects.is_empty() {
            let inner = head.chars().count() + 2;
            for line in wrap(&effects, columns.saturating_sub(inner).max(10), 0) {
                out.push(format!("{:indent$}{below}{:inner$}{line}", "", ""));
            }
        }
    }
}

/// The text cut to a width.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let mut short: String = text.chars().take(width.saturating_sub(3)).collect();
    short.push_str("...");
    short
}

/// The text cut or filled to a width.
fn fit(text: &str, width: usize) -> String {
    format!("{:width$}", cut(text, width))
}

/// Breaks text at spaces; lines after the first are indented.
fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut words = text.split(' ');
    let mut line = words.next().unwrap_or_default().to_string();
    let mut lines = vec![];
    for word in words {
        if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
        } else {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Paint;

    fn story(threads: u32) -> Story {
        let row = |thread, line, text: &str, effect: &str| Row {
            thread,
            line: Some(line),
            text: text.to_string(),
            effects: vec![effect.to_string()],
            switch: thread > 0,
            ..Row::default()
        };
        let mut rows: Vec<Row> = (0..threads).map(|id| row(id, id + 3, "x := 1;", "x = 1")).collect();
        rows.push(Row { error: true, ..row(0, 9, "assert(!x);", "the assertion fails") });
        let threads = (0..threads).map(|id| (id, "main".to_string())).collect();
        Story { threads, rows, ..Story::default() }
    }

    #[test]
    fn threads_have_columns_while_they_fit() {
        let write = |story, width| super::write(&story, width, None).render(Paint::Plain);
        let wide = write(story(2), 100);
        assert!(wide.contains("  thread 0: main") && wide.contains("thread 1: main"), "{wide}");
        assert!(wide.contains("** the assertion fails"));
        let narrow = write(story(9), 100);
        assert!(narrow.contains("T8 ") && !narrow.contains("thread 8: main"), "{narrow}");
        for text in [wide, narrow] {
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        }
    }

    #[test]
    fn long_traces_are_shortened_in_the_middle() {
        let mut story = story(1);
        let row = story.rows[0].clone();
        story.rows.splice(0..0, vec![row; 500]);
        let text = write(&story, 100, Some(20)).render(Paint::Plain);
        assert!(text.contains("482 steps left out") && text.contains("** the assertion fails"), "{text}");
    }

    #[test]
    fn words_wrap() {
        assert_eq!(wrap("a bb ccc", 5, 2), ["a bb", "  ccc"]);
        assert_eq!(wrap("", 5, 0), [""]);
        assert_eq!(wrap("abcdefgh", 3, 0), ["abcdefgh"]);
    }
}
