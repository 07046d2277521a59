//! What is known about the terminal, and the one line that shows progress on it.

pub mod bar;

use base::{Event, Events, sanitise};
use report::Paint;
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

/// Shows progress on one line. A thread of its own draws it, so that it shows that time passes while nothing
/// is told.
pub struct Screen {
    line: Option<Arc<Mutex<Line>>>,
}

/// The line that shows progress.
struct Line {
    since: Instant,
    /// Nothing, while nothing is to be shown.
    doing: Option<String>,
    drawn: bool,
}

impl Screen {
    /// A screen that draws if standard error is a terminal.
    pub fn new(quiet: bool) -> Screen {
        if quiet || !std::io::stderr().is_terminal() {
            return Screen { line: None };
        }
        let line = Arc::new(Mutex::new(Line { since: Instant::now(), doing: None, drawn: false }));
        let theirs = Arc::downgrade(&line);
        // Progress is a courtesy: without the thread there is none. It ends with the screen.
        let _ = std::thread::Builder::new().spawn(move || {
            while let Some(line) = theirs.upgrade() {
                open(&line).draw();
                drop(line);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Screen { line: Some(line) }
    }

    /// Takes the progress line away; what is told next is about something else.
    pub fn clear(&mut self) {
        let Some(line) = &self.line else { return };
        let mut line = open(line);
        line.doing = None;
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
    /// Short runs leave nothing behind: the line is drawn after a while.
    fn draw(&mut self) {
        let elapsed = self.since.elapsed();
        let Some(doing) = self.doing.as_ref().filter(|_| elapsed >= Duration::from_millis(300)) else {
            return;
        };
        let line = sanitise(&format!("{:.1} s  {doing}", elapsed.as_secs_f64()));
        let line: String = line.chars().take(width() - 1).collect();
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
        self.drawn = true;
    }
}

impl Events for Screen {
    fn emit(&mut self, event: Event) {
        if let (Some(line), Some(text)) = (&self.line, report::progress::line(&event)) {
            let mut line = open(line);
            if line.doing.is_none() {
                line.since = Instant::now();
            }
            line.doing = Some(text);
        }
    }
}
