//! A batch as JUnit XML, for systems that show test results: a case for each file. What is expected decides
//! whether it passes; without an expectation an error in the program is a failure, as it is for `check`.

use crate::batch::{BatchRow, Finding, Judgement};
use crate::escape::escape;
use base::sanitise;
use std::fmt::Write;

/// What a case is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    Passed,
    Failure,
    Error,
    Skipped,
}

fn case(row: &BatchRow) -> Case {
    match (row.judgement(), row.finding) {
        (_, Finding::Crash) => Case::Error,
        (Judgement::Right, _) => Case::Passed,
        (Judgement::Wrong, _) => Case::Failure,
        (_, Finding::Safe) => Case::Passed,
        (_, Finding::Unsafe) => Case::Failure,
        (_, Finding::Unknown) => Case::Skipped,
        (_, Finding::Error) => Case::Error,
    }
}

/// The rows as JUnit XML.
pub fn junit(rows: &[BatchRow]) -> String {
    let count = |kind| rows.iter().filter(|row| case(row) == kind).count();
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        rows.len(),
        count(Case::Failure),
        count(Case::Error),
        count(Case::Skipped),
        rows.iter().map(|row| row.wall_seconds).sum::<f64>()
    );
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"selvedge\" {totals}>\n\
         <testsuite name=\"selvedge\" {totals}>\n"
    );
    for row in rows {
        write_case(&mut out, row);
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

fn write_case(out: &mut String, row: &BatchRow) {
    let name = row.name();
    let folder = row.task.file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let _ = write!(
        out,
        "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        text(folder),
        text(&name),
        row.wall_seconds
    );
    let expected = row.task.expected.filter(|_| row.judgement() != Judgement::Right);
    let expected = expected.map_or(String::new(), |it| format!(" ({} is expected)", it.word()));
    let message = text(&format!("{}: {}{expected}", row.finding.word(), row.detail));
    let _ = match case(row) {
        Case::Passed => writeln!(out, "/>"),
        Case::Failure => {
            let kind = if row.judgement() == Judgement::Wrong { "wrong" } else { "unsafe" };
            writeln!(out, "><failure type=\"{kind}\" message=\"{message}\"/></testcase>")
        }
        Case::Error => {
            writeln!(out, "><error type=\"{}\" message=\"{message}\"/></testcase>", row.finding.word())
        }
        Case::Skipped => writeln!(out, "><skipped message=\"{message}\"/></testcase>"),
    };
}

/// Text that XML can hold: some control characters it cannot, not even escaped.
fn text(text: &str) -> String {
    let is_char = |c: char| !matches!(c, '\u{fffe}' | '\u{ffff}');
    let text: String = sanitise(text).chars().map(|c| if is_char(c) { c } else { '\u{fffd}' }).collect();
    escape(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::row::tests::row;
    use Finding::{Crash, Error, Safe, Unknown, Unsafe};

    #[test]
    fn each_file_is_a_case() {
        let rows = [
            row(0, Safe, None),
            row(1, Unsafe, None),
            row(2, Unsafe, Some(Unsafe)),
            row(3, Safe, Some(Unsafe)),
            row(4, Unknown, Some(Safe)),
            row(5, Error, None),
            row(6, Error, Some(Error)),
            row(7, Crash, None),
        ];
        let xml = junit(&rows);
        assert!(
            xml.contains("tests=\"8\" failures=\"2\" errors=\"2\" skipped=\"1\" time=\"9.000\""),
            "{xml}"
        );
        assert_eq!(xml.matches("<testcase classname=\"d\"").count(), 8);
        assert!(xml.contains("name=\"d/0.c\" time=\"0.250\"/>"), "{xml}");
        assert!(xml.contains("<failure type=\"wrong\" message=\"safe: x &lt; y &amp; &quot;z&quot;\u{fffd} (unsafe is expected)\""));
        assert!(!xml.contains('\u{1b}'));
    }
}
