//! What is known about the terminal, and the one line that shows progress on it, or JSON lines in its place.

pub mod bar;

use crate::output;
use base::{Event, Events, sanitise};
use clap::ValueEnum;
use report::Paint;
use report::progress::{ProgressLine, Tracker};
use report::trace::PAGE;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The width to write for; that of a page in a file when there is no terminal.
pub fn width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout())
        .or_else(|| terminal_size::terminal_size_of(std::io::stderr()));
    size.map_or(PAGE, |(terminal_size::Width(width), _)| usize::from(width)).clamp(20, 400)
}

/// Colours if standard error is a terminal and nobody minds (<https://no-color.org>).
pub fn paint_of_stderr() -> Paint {
    let minds = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if std::io::stderr().is_terminal() && !minds && !dumb { Paint::Ansi } else { Paint::Plain }
}

/// How progress is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgressForm {
    /// One line that is redrawn, if standard error is a terminal
    Line,
    /// JSON objects on standard error, one a line
    Json,
}

/// Shows progress. A thread of its own draws it, so that it shows that time passes while nothing is told.
pub struct Screen {
    line: Option<Arc<Mutex<Line>>>,
}

/// The line that shows progress.
struct Line {
    form: ProgressForm,
    since: Instant,
    tracker: Tracker,
    /// Nothing, while nothing is to be shown.
    doing: Option<ProgressLine>,
    /// What was written last as JSON, and when.
    written: Option<(ProgressLine, Instant)>,
    drawn: bool,
}

/// How often the line is redrawn.
const TICK: Duration = Duration::from_millis(200);

/// The longest time between two JSON lines.
const LONGEST_SILENCE: Duration = Duration::from_secs(1);

impl Screen {
    /// A screen that draws if standard error is a terminal.
    pub fn new(quiet: bool) -> Screen {
        Screen::of(ProgressForm::Line, quiet)
    }

    /// A screen that shows progress in this form; JSON was asked for, and is written in any case.
    pub fn of(form: ProgressForm, quiet: bool) -> Screen {
        if form == ProgressForm::Line && (quiet || !std::io::stderr().is_terminal()) {
            return Screen { line: None };
        }
        let line = Arc::new(Mutex::new(Line {
            form,
            since: Instant::now(),
            tracker: Tracker::default(),
            doing: None,
            written: None,
            drawn: false,
        }));
        let theirs = Arc::downgrade(&line);
        // Progress is a courtesy: without the thread there is none. It ends with the screen.
        let _ = std::thread::Builder::new().spawn(move || {
            while let Some(line) = theirs.upgrade() {
                open(&line).draw();
                drop(line);
                std::thread::sleep(TICK);
            }
        });
        Screen { line: Some(line) }
    }

    /// Takes the progress line away; what is told next is about something else.
    pub fn clear(&mut self) {
        let Some(line) = &self.line else { return };
        let mut line = open(line);
        (line.doing, line.tracker) = (None, Tracker::default());
        if std::mem::take(&mut line.drawn) {
            // A terminal that went away is no reason to fail.
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

fn open(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    // A panic elsewhere leaves whole values behind.
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Line {
    fn draw(&mut self) {
        match self.form {
            ProgressForm::Line => self.redraw(),
            ProgressForm::Json => self.write_json(),
        }
    }

    /// Short runs leave nothing behind: the line is drawn after a while.
    fn redraw(&mut self) {
        let elapsed = self.since.elapsed();
        let Some(doing) = self.doing.as_ref().filter(|_| elapsed >= Duration::from_millis(300)) else {
            return;
        };
        let words = doing.words(base::memory::usage().held);
        let line = sanitise(&format!("{:.1} s  {words}", elapsed.as_secs_f64()));
        let line: String = line.chars().take(width() - 1).collect();
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
        self.drawn = true;
    }

    /// Writes what is new, and now and then that nothing is.
    fn write_json(&mut self) {
        let Some(doing) = self.doing.clone() else { return };
        if self.written.as_ref().is_some_and(|(it, when)| *it == doing && when.elapsed() < LONGEST_SILENCE) {
            return;
        }
        output::tell(doing.json(self.since.elapsed().as_secs_f64(), base::memory::usage().held));
        self.written = Some((doing, Instant::now()));
    }

    /// Whether the work has come to something else than what was written last.
    fn is_other_activity(&self) -> bool {
        let now = self.doing.as_ref().map(|it| it.activity);
        now != self.written.as_ref().map(|(it, _)| it.activity)
    }
}

impl Events for Screen {
    fn emit(&mut self, event: Event) {
        let Some(line) = &self.line else { return };
        let mut line = open(line);
        if line.doing.is_none() {
            line.since = Instant::now();
        }
        let seconds = line.since.elapsed().as_secs_f64();
        let Some(now) = line.tracker.take(&event, seconds) else { return };
        line.doing = Some(now);
        // Rounds are few, and each is of interest.
        if line.form == ProgressForm::Json && (line.is_other_activity() || matches!(event, Event::Round(_))) {
            line.write_json();
        }
    }
}
