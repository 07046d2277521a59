//! The summary of a batch: verdicts, what is wrong, what is unconfirmed, and where the time went; compared
//! with an older result, too. A row as a line for people, and the exit code of a batch.

use crate::batch::{BatchRow, Finding, Judgement};
use crate::document::{Line, Style, Text};
use std::collections::HashMap;

/// The most files that a section of the summary lists.
const MOST_LISTED: usize = 20;

/// How many of the slowest files are listed.
const SLOWEST: usize = 5;

/// What a summary is about.
pub struct Summary<'a> {
    /// The rows.
    pub rows: &'a [BatchRow],
    /// How many there should be.
    pub tasks: usize,
    /// The rows of an older result to compare with.
    pub against: Option<&'a [BatchRow]>,
}

/// A row as a line.
pub fn row_text(row: &BatchRow) -> Line {
    let style = match (row.finding, row.judgement()) {
        (_, Judgement::Wrong) | (Finding::Crash, _) => Style::Red,
        (Finding::Error, Judgement::Open | Judgement::Undecided) => Style::Yellow,
        _ => Style::Plain,
    };
    let mut line = Line::default().with(style, format!("{:<8}", row.finding.word()));
    let mut rest = format!("{:>9.2} s  {}: {}", row.wall_seconds, row.name(), row.detail);
    if row.is_unconfirmed() {
        rest.push_str(", unchecked");
    }
    line = line.with(Style::Plain, rest);
    match (row.judgement(), row.task.expected) {
        (Judgement::Wrong, Some(expected)) => {
            line.with(Style::Red, format!("  WRONG: {} is expected", expected.word()))
        }
        _ => line,
    }
}

/// The exit code of a batch: the worst of its rows in the order of the contract. Where something was expected
/// of a file, it counts what came of that: nothing if it is so, a wrong verdict as 1.
pub fn code(rows: &[BatchRow]) -> u8 {
    let codes: Vec<u8> = rows.iter().map(of_row).collect();
    let order = [6, 2, 1, 10, 5, 0];
    order.into_iter().find(|code| codes.contains(code)).unwrap_or(if codes.is_empty() { 0 } else { 6 })
}

fn of_row(row: &BatchRow) -> u8 {
    match row.judgement() {
        _ if row.finding == Finding::Crash => 6,
        Judgement::Right => 0,
        Judgement::Wrong => 1,
        Judgement::Open | Judgement::Undecided => row.code,
    }
}

impl Summary<'_> {
    /// The summary as text.
    pub fn text(&self) -> Text {
        let mut text = Text::line(self.counts());
        text.append(self.expectations());
        let (wrong, crashed) = (
            |it: &BatchRow| it.judgement() == Judgement::Wrong,
            |it: &BatchRow| it.finding == Finding::Crash,
        );
        text.append(self.section("WRONG", wrong));
        text.append(self.section("crashed", crashed));
        text.append(self.section("unconfirmed", BatchRow::is_unconfirmed));
        text.append(self.reasons());
        text.append(self.times());
        text.append(self.compared());
        text
    }

    /// How many of each kind.
    pub fn counts(&self) -> String {
        let count = |finding: Finding| self.rows.iter().filter(|it| it.finding == finding).count();
        let parts = Finding::ALL.into_iter().filter(|it| count(*it) > 0);
        let parts: Vec<String> = parts.map(|it| format!("{} {}", count(it), it.word())).collect();
        let of = if self.rows.len() == self.tasks { String::new() } else { format!(" of {}", self.tasks) };
        let files = if self.tasks == 1 { "file" } else { "files" };
        let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        format!("{}{of} {files}{parts}", self.rows.len())
    }

    fn expectations(&self) -> Text {
        let count = |judgement| self.rows.iter().filter(|it| it.judgement() == judgement).count();
        let (right, wrong) = (count(Judgement::Right), count(Judgement::Wrong));
        let (undecided, open) = (count(Judgement::Undecided), count(Judgement::Open));
        if right + wrong + undecided == 0 {
            return Text::default();
        }
        let line = format!(
            "{right} as expected, {wrong} wrong, {undecided} undecided, {open} without an expectation"
        );
        Text::line(line)
    }

    fn section(&self, title: &str, is_in: impl Fn(&BatchRow) -> bool) -> Text {
        let found: Vec<&BatchRow> = self.rows.iter().filter(|it| is_in(it)).collect();
        list(&format!("{title}: {}", found.len()), &found, |row| {
            let expected = row.task.expected.filter(|_| row.judgement() == Judgement::Wrong);
            let expected = expected.map_or(String::new(), |it| format!(", {} is expected", it.word()));
            format!("{}: {}{expected}, {}", row.name(), row.finding.word(), row.detail)
        })
    }

    /// The kinds of reasons of what is unknown.
    fn reasons(&self) -> Text {
        let unknown = self.rows.iter().filter(|it| it.finding == Finding::Unknown);
        let mut kinds: Vec<(String, usize)> = vec![];
        for kind in unknown.map(|it| it.reason.clone().unwrap_or_default()) {
            match kinds.iter_mut().find(|it| it.0 == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind, 1)),
            }
        }
        kinds.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        let parts: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        if parts.is_empty() { Text::default() } else { Text::line(format!("unknown: {}", parts.join(", "))) }
    }

    fn times(&self) -> Text {
        let mut rows: Vec<&BatchRow> = self.rows.iter().collect();
        if rows.is_empty() {
            return Text::default();
        }
        rows.sort_by(|a, b| b.wall_seconds.total_cmp(&a.wall_seconds).then(a.task.index.cmp(&b.task.index)));
        let sum: f64 = rows.iter().map(|it| it.wall_seconds).sum();
        let processor: Option<f64> = rows.iter().map(|it| it.cpu_seconds).sum();
        let processor = processor.map_or(String::new(), |it| format!(", {it:.2} s of processor time"));
        let median = rows[rows.len() / 2].wall_seconds;
        let mut text = Text::line(format!("time: {sum:.2} s for all files{processor}, median {median:.2} s"));
        if rows.len() > 1 {
            for row in rows.into_iter().take(SLOWEST) {
                text.push(format!("  {:>9.2} s  {}: {}", row.wall_seconds, row.name(), row.finding.word()));
            }
        }
        text
    }

    /// What changed since the older result.
    fn compared(&self) -> Text {
        let Some(older) = self.against else { return Text::default() };
        let pairs = pairs(self.rows, older);
        let among = |is_in: fn(&BatchRow, &BatchRow) -> bool| -> Vec<&BatchRow> {
            pairs.iter().filter(|(now, then)| is_in(now, then)).map(|it| it.0).collect()
        };
        let contradictory = among(|now, then| {
            now.finding.is_decided() && then.finding.is_decided() && now.finding != then.finding
        });
        let solved = among(|now, then| now.finding.is_decided() && !then.finding.is_decided());
        let lost = among(|now, then| !now.finding.is_decided() && then.finding.is_decided());
        let mut text = Text::line(format!("compared with the older result: {} files in both", pairs.len()));
        let shown = |row: &BatchRow| format!("{}: {}", row.name(), row.finding.word());
        text.append(list(&format!("OTHER VERDICTS: {}", contradictory.len()), &contradictory, shown));
        text.append(list(&format!("newly decided: {}", solved.len()), &solved, shown));
        text.append(list(&format!("no longer decided: {}", lost.len()), &lost, shown));
        text
    }
}

/// A title and the files under it; nothing if there are none.
fn list(title: &str, rows: &[&BatchRow], shown: impl Fn(&BatchRow) -> String) -> Text {
    if rows.is_empty() {
        return Text::default();
    }
    let mut text = Text::line(title);
    for row in rows.iter().take(MOST_LISTED) {
        text.push(format!("  {}", shown(row)));
    }
    if rows.len() > MOST_LISTED {
        text.push(format!("  and {} others", rows.len() - MOST_LISTED));
    }
    text
}

/// The rows that are in both results: about the same file with the same options.
pub fn pairs<'a>(rows: &'a [BatchRow], older: &'a [BatchRow]) -> Vec<(&'a BatchRow, &'a BatchRow)> {
    let key = |row: &'a BatchRow| (row.task.file.as_str(), row.task.args.as_slice());
    let older: HashMap<_, _> = older.iter().map(|row| (key(row), row)).collect();
    rows.iter().filter_map(|row| Some((row, *older.get(&key(row))?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::row::tests::row;
    use crate::document::Paint;
    use Finding::{Crash, Safe, Unknown, Unsafe};

    fn shown(rows: &[BatchRow], against: Option<&[BatchRow]>) -> String {
        Summary { rows, tasks: 4, against }.text().render(Paint::Plain)
    }

    #[test]
    fn the_summary_counts_and_lists() {
        let rows = [
            row(0, Safe, Some(Safe)),
            row(1, Unsafe, Some(Safe)),
            row(2, Unknown, None),
            row(3, Crash, None),
        ];
        let text = shown(&rows, None);
        assert!(text.starts_with("4 files: 1 safe, 1 unsafe, 1 unknown, 1 crash\n"), "{text}");
        assert!(text.contains("\n1 as expected, 1 wrong, 0 undecided, 2 without an expectation\n"), "{text}");
        assert!(text.contains("\nWRONG: 1\n  d/1.c: unsafe, safe is expected, "), "{text}");
        assert!(text.contains("\ncrashed: 1\n") && text.contains("\nunknown: time 1\n"), "{text}");
        assert!(
            text.contains("\ntime: 2.50 s for all files, 0.80 s of processor time, median 0.50 s\n"),
            "{text}"
        );
        assert!(shown(&rows[..2], None).starts_with("2 of 4 files: "));
    }

    #[test]
    fn an_older_result_is_compared_by_file() {
        let now = [row(0, Safe, None), row(1, Unsafe, None), row(2, Unknown, None)];
        let then = [row(2, Safe, None), row(1, Safe, None), row(0, Unknown, None), row(7, Safe, None)];
        let text = shown(&now, Some(&then));
        assert!(
            text.contains("older result: 3 files in both\nOTHER VERDICTS: 1\n  d/1.c: unsafe\n"),
            "{text}"
        );
        assert!(
            text.contains("newly decided: 1\n  d/0.c: safe\nno longer decided: 1\n  d/2.c: unknown\n"),
            "{text}"
        );
    }

    #[test]
    fn the_worst_code_is_that_of_the_contract() {
        let of = |rows: &[BatchRow]| code(rows);
        let with = |code, row: BatchRow| BatchRow { code, ..row };
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[with(0, row(0, Safe, None)), with(10, row(1, Unsafe, None))]), 10);
        assert_eq!(of(&[with(10, row(0, Unsafe, Some(Unsafe)))]), 0);
        assert_eq!(of(&[with(10, row(0, Unsafe, Some(Safe))), with(10, row(1, Unsafe, None))]), 1);
        assert_eq!(of(&[with(0, row(0, Safe, None)), with(6, row(1, Crash, Some(Crash)))]), 6);
        assert_eq!(of(&[with(5, row(0, Unknown, Some(Safe)))]), 5);
    }
}
