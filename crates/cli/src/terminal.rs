//! What is known about the terminal, and the one line that shows progress on it.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use verify::Watcher;

/// How wide a page is when there is no terminal.
pub const PAGE: usize = 100;

/// The width to write for.
pub fn width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout())
        .or_else(|| terminal_size::terminal_size_of(std::io::stderr()));
    size.map_or(PAGE, |(terminal_size::Width(width), _)| usize::from(width)).clamp(20, 400)
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// No colours.
    #[cfg(test)]
    pub const PLAIN: Paint = Paint { on: false };

    /// Colours if standard error is a terminal and nobody minds (<https://no-color.org>).
    pub fn for_stderr() -> Paint {
        let minds = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Paint { on: std::io::stderr().is_terminal() && !minds && !dumb }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// For errors.
    pub fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// For warnings.
    pub fn yellow(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    /// For what frames a snippet.
    pub fn blue(self, text: &str) -> String {
        self.wrap("1;34", text)
    }

    /// For what is said.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
}

/// Text that cannot harm a terminal: tabs become spaces, other control characters a replacement.
pub fn harmless(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c {
            '\t' => vec![' '; 4],
            c if c.is_control() || is_direction(c) => vec!['\u{fffd}'],
            c => vec![c],
        })
        .collect()
}

/// Characters that change the direction of writing can make a line show something else than it says.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// Shows progress and listens for the user's interrupt.
pub struct Screen {
    interrupt: Arc<AtomicBool>,
    shows: bool,
    drawn: Option<Instant>,
}

impl Screen {
    /// A screen that draws if standard error is a terminal.
    pub fn new(interrupt: Arc<AtomicBool>, quiet: bool) -> Screen {
        Screen { interrupt, shows: !quiet && std::io::stderr().is_terminal(), drawn: None }
    }

    /// Takes the progress line away.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            // Progress is a courtesy: a terminal that went away is no reason to fail.
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

impl Watcher for Screen {
    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn look(&mut self, elapsed: Duration, doing: &str) {
        // Short runs leave no trace; later the line is drawn anew five times a second.
        let due = elapsed >= Duration::from_millis(300)
            && self.drawn.is_none_or(|at| at.elapsed() >= Duration::from_millis(200));
        if self.shows && due {
            let line = harmless(&format!("{:.1} s  {doing}", elapsed.as_secs_f64()));
            let line: String = line.chars().take(width() - 1).collect();
            let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
            let _ = std::io::stderr().flush();
            self.drawn = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_files_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\tb\x1b[31m\u{202e}"), "a    b\u{fffd}[31m\u{fffd}");
    }
}
