//! The bar that shows how far a batch is, and when it will probably end.

use crate::terminal::width;
use base::sanitise;
use report::batch::{BatchRow, Judgement};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often it is drawn.
const TICK: Duration = Duration::from_millis(200);

/// How wide the bar itself is.
const CELLS: usize = 24;

/// The end is estimated when this number of files is done.
const ENOUGH: usize = 3;

/// A bar, on standard error if that is a terminal.
pub struct Bar {
    is_shown: bool,
    begun: Instant,
    last: Option<Instant>,
    is_drawn: bool,
    count: Count,
}

/// How far a batch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    /// Files that were done when it began.
    before: usize,
    done: usize,
    total: usize,
    wrong: usize,
}

impl Bar {
    /// A bar for this number of files, some of which are done.
    pub fn new(quiet: bool, before: usize, total: usize) -> Bar {
        Bar {
            is_shown: !quiet && std::io::stderr().is_terminal(),
            begun: Instant::now(),
            last: None,
            is_drawn: false,
            count: Count { before, done: before, total, wrong: 0 },
        }
    }

    /// A file is done.
    pub fn add(&mut self, row: &BatchRow) {
        self.count.done += 1;
        self.count.wrong += usize::from(row.judgement() == Judgement::Wrong);
    }

    /// Takes the bar away; what is written next is something else.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            // A terminal that went away is no reason to fail.
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
            self.last = None;
        }
    }

    /// Draws it, unless that was done a moment ago.
    pub fn draw(&mut self) {
        if !self.is_shown || self.last.is_some_and(|last| last.elapsed() < TICK) {
            return;
        }
        self.last = Some(Instant::now());
        self.is_drawn = true;
        let line = sanitise(&self.count.line(self.begun.elapsed()));
        let line: String = line.chars().take(width() - 1).collect();
        let mut err = std::io::stderr();
        let _ = write!(err, "\r\x1b[2K{line}");
        let _ = err.flush();
    }
}

impl Count {
    fn line(self, elapsed: Duration) -> String {
        let Count { before, done, total, wrong } = self;
        let full = (CELLS * done).checked_div(total).unwrap_or(CELLS);
        let mut line = format!("[{}{}] {done}/{total}", "#".repeat(full), "-".repeat(CELLS - full));
        if wrong > 0 {
            line.push_str(&format!(", {wrong} wrong"));
        }
        line.push_str(&format!("  {}", span(elapsed)));
        let now = done - before;
        if now >= ENOUGH && done < total {
            let left = elapsed.mul_f64((total - done) as f64 / now as f64);
            line.push_str(&format!(", about {} left", span(left)));
        }
        line
    }
}

/// A span of time for people.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_estimated_from_what_was_done_now() {
        let count = |before, done, total| Count { before, done, total, wrong: 0 };
        let minute = Duration::from_secs(60);
        assert_eq!(count(0, 2, 4).line(minute), "[############------------] 2/4  1 min 00 s");
        assert_eq!(
            count(4, 10, 20).line(minute),
            "[############------------] 10/20  1 min 00 s, about 1 min 40 s left"
        );
        assert_eq!(count(0, 4, 4).line(minute * 61), "[########################] 4/4  1 h 01 min");
        assert!(Count { wrong: 2, ..count(0, 9, 100) }.line(minute).contains("9/100, 2 wrong  1 min"));
        assert_eq!(count(0, 0, 0).line(Duration::ZERO), "[########################] 0/0  0 s");
    }
}
