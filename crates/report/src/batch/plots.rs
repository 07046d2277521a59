//! Plots of a batch as SVG, drawn by hand: a cactus plot (how many files are decided within which time) and a
//! scatter plot against an older result. Both axes of time are logarithmic, from a hundredth of a second on.

use crate::batch::summary::pairs;
use crate::batch::{BatchRow, Finding};
use crate::escape::escape;
use std::fmt::Write;

/// The sides of a plot, and the margins for its labels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 40.0;
const MARGIN: f64 = 14.0;

/// The shortest time that is told apart.
const SHORTEST: f64 = 0.01;

/// The scale of times: decades from the shortest on.
struct Scale {
    decades: f64,
}

impl Scale {
    fn of(times: impl Iterator<Item = f64>) -> Scale {
        let longest = times.fold(SHORTEST * 10.0, f64::max);
        Scale { decades: (longest / SHORTEST).log10().ceil().max(1.0) }
    }

    /// Where a time is, from 0 to 1.
    fn at(&self, seconds: f64) -> f64 {
        ((seconds.max(SHORTEST) / SHORTEST).log10() / self.decades).clamp(0.0, 1.0)
    }

    /// The marks of the axis.
    fn marks(&self) -> impl Iterator<Item = f64> {
        (0..=self.decades as i32).map(|decade| SHORTEST * 10f64.powi(decade))
    }
}

fn x(part: f64) -> f64 {
    LEFT + part * (WIDTH - LEFT - MARGIN)
}

fn y(part: f64) -> f64 {
    HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - MARGIN)
}

fn begin(out: &mut String, title: &str) {
    let _ = write!(
        out,
        "<svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{title}'><title>{title}</title>\
         <rect class='f' x='{}' y='{}' width='{}' height='{}'/>",
        x(0.0),
        y(1.0),
        x(1.0) - x(0.0),
        y(0.0) - y(1.0)
    );
}

/// A label of the axis below, and one of the axis at the left.
fn label_below(out: &mut String, part: f64, text: &str) {
    let _ = write!(
        out,
        "<line class='g' x1='{0:.1}' x2='{0:.1}' y1='{1:.1}' y2='{2:.1}'/>\
         <text x='{0:.1}' y='{3:.1}' text-anchor='middle'>{text}</text>",
        x(part),
        y(0.0),
        y(1.0),
        y(0.0) + 16.0
    );
}

fn label_left(out: &mut String, part: f64, text: &str) {
    let _ = write!(
        out,
        "<line class='g' x1='{0:.1}' x2='{1:.1}' y1='{2:.1}' y2='{2:.1}'/>\
         <text x='{3:.1}' y='{4:.1}' text-anchor='end'>{text}</text>",
        x(0.0),
        x(1.0),
        y(part),
        x(0.0) - 6.0,
        y(part) + 4.0
    );
}

fn names_of_axes(out: &mut String, below: &str, left: &str) {
    let _ = writeln!(
        out,
        "<text x='{:.1}' y='{:.1}' text-anchor='middle'>{below}</text>\
         <text transform='translate(12 {:.1}) rotate(-90)' text-anchor='middle'>{left}</text></svg>",
        x(0.5),
        HEIGHT - 6.0,
        y(0.5)
    );
}

/// The times of the decided files, the shortest first.
fn decided(rows: &[BatchRow]) -> Vec<f64> {
    let mut times: Vec<f64> =
        rows.iter().filter(|it| it.finding.is_decided()).map(|it| it.wall_seconds).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// How many files are decided within which time, now and in an older result.
pub fn cactus(rows: &[BatchRow], against: Option<&[BatchRow]>) -> String {
    let now = decided(rows);
    let then = against.map(decided);
    let scale = Scale::of(now.iter().chain(then.iter().flatten()).copied());
    let most = now.len().max(then.as_ref().map_or(0, Vec::len)).max(1);
    let mut out = String::new();
    begin(&mut out, "decided files by time");
    for mark in scale.marks() {
        label_left(&mut out, scale.at(mark), &format!("{mark} s"));
    }
    for quarter in 0..=4 {
        let count = most * quarter / 4;
        label_below(&mut out, count as f64 / most as f64, &count.to_string());
    }
    let mut line = |times: &[f64], class: &str| {
        let place = |(number, time): (usize, &f64)| {
            format!("{:.1},{:.1}", x((number + 1) as f64 / most as f64), y(scale.at(*time)))
        };
        let places: Vec<String> = times.iter().enumerate().map(place).collect();
        let _ = write!(out, "<polyline class='{class}' points='{}'/>", places.join(" "));
    };
    if let Some(then) = &then {
        line(then, "o");
    }
    line(&now, "l");
    names_of_axes(&mut out, "files decided", "time of each");
    out
}

/// Each file at its time then and now.
pub fn scatter(rows: &[BatchRow], older: &[BatchRow]) -> String {
    let pairs = pairs(rows, older);
    let scale = Scale::of(pairs.iter().flat_map(|(now, then)| [now.wall_seconds, then.wall_seconds]));
    let mut out = String::new();
    begin(&mut out, "time of each file, then and now");
    for mark in scale.marks() {
        label_left(&mut out, scale.at(mark), &format!("{mark} s"));
        label_below(&mut out, scale.at(mark), &format!("{mark} s"));
    }
    let _ = write!(out, "<line class='g' x1='{}' y1='{}' x2='{}' y2='{}'/>", x(0.0), y(0.0), x(1.0), y(1.0));
    for (now, then) in pairs {
        let class = match (now.finding, then.finding) {
            (a, b) if a.is_decided() && b.is_decided() && a != b => "bad",
            (Finding::Safe, _) => "safe",
            (Finding::Unsafe, _) => "unsafe",
            _ => "unknown",
        };
        let _ = write!(
            out,
            "<circle class='{class}' cx='{:.1}' cy='{:.1}' r='3'><title>{}: {} {:.2} s, before {} {:.2} s</title></circle>",
            x(scale.at(then.wall_seconds)),
            y(scale.at(now.wall_seconds)),
            escape(&now.name()),
            now.finding.word(),
            now.wall_seconds,
            then.finding.word(),
            then.wall_seconds
        );
    }
    names_of_axes(&mut out, "older result", "this result");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::row::tests::row;
    use Finding::{Safe, Unknown, Unsafe};

    #[test]
    fn all_that_is_decided_is_on_the_line() {
        let rows = [row(0, Safe, None), row(1, Unknown, None), row(2, Unsafe, None)];
        let plot = cactus(&rows, Some(&rows[..1]));
        let line = |class: &str| {
            let after = plot.split(&format!("<polyline class='{class}' points='")).nth(1).unwrap_or_default();
            after.split('\'').next().unwrap_or_default().split_whitespace().count()
        };
        assert_eq!((line("l"), line("o")), (2, 1));
        assert!(cactus(&[], None).ends_with("</svg>\n"));
    }

    #[test]
    fn contradictions_are_marked() {
        let (now, then) =
            ([row(0, Safe, None), row(1, Safe, None)], [row(0, Unsafe, None), row(1, Safe, None)]);
        let plot = scatter(&now, &then);
        assert_eq!((plot.matches("class='bad'").count(), plot.matches("<circle").count()), (1, 2));
        assert!(scatter(&[], &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn times_stay_within_the_frame() {
        let scale = Scale::of([0.0, 250.0].into_iter());
        assert_eq!(scale.decades, 5.0);
        assert_eq!((scale.at(0.0), scale.at(1000.0), scale.at(1e9)), (0.0, 1.0, 1.0));
    }
}
