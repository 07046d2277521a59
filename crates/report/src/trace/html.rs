//! A trace as one page that needs nothing else: no script, no style sheet, no font from elsewhere.

use super::story::{Row, Story};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em;color:#222;background:#fff}\
table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.2em .8em;border-bottom:1px solid #ddd}\
th{position:sticky;top:0;background:#f4f4f4}code{font:13px/1.4 ui-monospace,monospace}\
.n{color:#888;text-align:right}.w{color:#06c}.a{border-left:3px solid #c80}.s td{border-top:2px solid #888}\
.e td{background:#fdd}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th{background:#282828}\
td,th{border-color:#444}.w{color:#6bf}.e td{background:#522}}";

/// The story as a page; `verdict` is its heading.
pub fn write(story: &Story, verdict: &str) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n",
        title = escape(verdict)
    );
    let _ = writeln!(out, "<p>{}</p>", escape(&super::start_line(story)));
    out.push_str(
        "<p>A thick line is a context switch; a coloured edge, an atomic section.</p>\n<table><thead><tr>",
    );
    out.push_str("<th class=\"n\" scope=\"col\">step</th>");
    if story.threads.is_empty() {
        out.push_str("<th scope=\"col\">rule</th>");
    }
    for (id, name) in &story.threads {
        let _ = write!(out, "<th scope=\"col\">thread {id}: {}</th>", escape(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (number, row) in story.rows.iter().enumerate() {
        write_row(&mut out, story, number + 1, row);
    }
    out.push_str("</tbody></table></body></html>\n");
    out
}

fn write_row(out: &mut String, story: &Story, number: usize, row: &Row) {
    let class = match (row.switch, row.error) {
        (true, true) => " class=\"s e\"",
        (true, false) => " class=\"s\"",
        (false, true) => " class=\"e\"",
        (false, false) => "",
    };
    let _ = write!(out, "<tr{class}><td class=\"n\">{number}</td>");
    let before = story.threads.keys().take_while(|&&id| id != row.thread).count();
    let columns = story.threads.len().max(1);
    out.push_str(&"<td></td>".repeat(if story.threads.is_empty() { 0 } else { before }));
    let edge = if row.inside { " class=\"a\"" } else { "" };
    let line = row.line.map_or_else(String::new, |line| format!("<span class=\"n\">{line}</span> "));
    let effects = escape(&row.effects.join(", "));
    let _ = write!(
        out,
        "<td{edge}>{line}<code>{}</code><br><span class=\"w\">{effects}</span></td>",
        escape(&row.text)
    );
    out.push_str(&"<td></td>".repeat(columns.saturating_sub(before + 1)));
    out.push_str("</tr>\n");
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_cannot_write_into_the_page() {
        let text = "<script>alert('x')</script>".to_string();
        let row = Row { text: text.clone(), effects: vec![text.clone()], ..Row::default() };
        let story = Story {
            opening: None,
            threads: [(0, text.clone())].into(),
            start: vec![text.clone()],
            rows: vec![row],
        };
        let page = write(&story, &text);
        assert!(!page.contains("<script"), "{page}");
        assert_eq!(page.matches("&lt;script&gt;").count(), 6);
    }

    #[test]
    fn every_row_has_a_cell_for_each_thread() {
        let threads = (0..3).map(|id| (id, "f".to_string())).collect();
        let rows = (0..3).map(|thread| Row { thread, ..Row::default() }).collect();
        let page = write(&Story { threads, rows, ..Story::default() }, "unsafe");
        let body = page.split("<tbody>").nth(1).expect("a body");
        assert!(
            body.lines().filter(|line| line.starts_with("<tr")).all(|line| line.matches("<td").count() == 4)
        );
    }
}
