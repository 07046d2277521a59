//! A batch as one page that needs nothing else: a table to sort and to filter, and plots. The page is whole
//! without its script, which only sorts and filters what is there.

use crate::batch::{BatchRow, Judgement, Summary, plots};
use crate::document::Paint;
use crate::escape::escape;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The columns: the heading, and whether it is sorted by number.
const COLUMNS: [(&str, bool); 8] = [
    ("verdict", false),
    ("file", false),
    ("expected", false),
    ("evidence", false),
    ("engine", false),
    ("time (s)", true),
    ("memory (MiB)", true),
    ("detail", false),
];

/// The page; `title` is its heading.
pub fn page(summary: &Summary<'_>, title: &str) -> String {
    let title = escape(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\
         <meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\
         <meta name='viewport' content='width=device-width'><title>{title}</title>\n<style>\n{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n<pre>{}</pre>\n",
        escape(&summary.text().render(Paint::Plain))
    );
    out.push_str("<div class='plots'><figure>");
    out.push_str(&plots::cactus(summary.rows, summary.against));
    out.push_str("<figcaption>Files that are decided, by the time of each");
    if summary.against.is_some() {
        out.push_str("; dashed: the older result");
    }
    out.push_str("</figcaption></figure>\n");
    if let Some(older) = summary.against {
        out.push_str("<figure>");
        out.push_str(&plots::scatter(summary.rows, older));
        out.push_str("<figcaption>Below the diagonal this result is faster; large marks: other verdicts</figcaption></figure>\n");
    }
    out.push_str("</div>\n");
    table(&mut out, summary.rows);
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body></html>\n");
    out
}

fn table(out: &mut String, rows: &[BatchRow]) {
    out.push_str(
        "<p><label>Filter <input type='search' id='filter' placeholder='words that a row must hold'></label> \
         <output id='count'></output></p>\n<table><thead><tr>",
    );
    for (name, is_number) in COLUMNS {
        let class = if is_number { " class='n'" } else { "" };
        let _ = write!(out, "<th scope='col'{class}><button type='button'>{name}</button></th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        write_row(out, row);
    }
    out.push_str("</tbody></table>\n");
}

fn write_row(out: &mut String, row: &BatchRow) {
    let class = if row.judgement() == Judgement::Wrong { "bad" } else { row.finding.word() };
    let expected = match (row.task.expected, row.judgement()) {
        (Some(expected), Judgement::Wrong) => format!("{} (wrong)", expected.word()),
        (Some(expected), _) => expected.word().to_string(),
        (None, _) => String::new(),
    };
    let memory = row.peak_memory_bytes.map_or(String::new(), |it| format!("{:.1}", it as f64 / 1048576.0));
    let cells = [
        row.finding.word(),
        &row.name(),
        &expected,
        row.evidence.as_deref().unwrap_or_default(),
        row.engine.as_deref().unwrap_or_default(),
        &format!("{:.3}", row.wall_seconds),
        &memory,
        &row.detail,
    ];
    let _ = write!(out, "<tr class='{class}'>");
    for (cell, (_, is_number)) in cells.into_iter().zip(COLUMNS) {
        let class = if is_number { " class='n'" } else { "" };
        let _ = write!(out, "<td{class}>{}</td>", escape(cell));
    }
    out.push_str("</tr>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Finding::{Safe, Unsafe};
    use crate::batch::row::tests::row;

    #[test]
    fn the_page_is_whole_and_asks_for_nothing() {
        let mut rows = [row(0, Safe, None), row(1, Unsafe, Some(Safe))];
        rows[0].task.file = "</script><img src=x onerror=alert(1)>'\"".to_string();
        let older = [row(1, Safe, None)];
        let page = page(&Summary { rows: &rows, tasks: 2, against: Some(&older) }, "a <b>");
        assert!(page.contains("<title>a &lt;b&gt;</title>"));
        assert!(!page.contains("<img") && !page.contains("http:") && !page.contains("https:"));
        assert_eq!(page.matches("</script>").count(), 1, "names end no script");
        assert_eq!(
            (page.matches("<tr class='safe'>").count(), page.matches("<tr class='bad'>").count()),
            (1, 1)
        );
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(page.ends_with("</body></html>\n"));
    }
}
