//! `selvedge explore`: a C program executed by hand, line by line. Commands come from standard input, so that
//! a file of them works as well as a keyboard.

use crate::args::Explore;
use crate::exit::{self, SAFE};
use crate::terminal::Screen;
use crate::{output, work};
use base::budget::StopHandle;
use base::{Budget, Event, Span};
use ir::Scope;
use report::{FORMATS, Format, Invocation, Text, verdict};
use std::io::BufRead;
use std::path::Path;
use verify::explore::{Explorer, Fate, NextStep, Turn};
use verify::{Origin, Report, RunContext};

/// The commands.
pub const HELP: &str = "Commands, one a line: a number takes that step and what follows it on the same line of the program; \
a number after a dot (.2) takes one step of the machine. `b` goes back, `s FILE` saves a run that has come to an error (`.json` for \
`selvedge confirm`, `.html` for a page), `q` ends.";

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Explore, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let origin = Origin::from_argument(&arguments.file);
    if origin == Origin::Stdin {
        return Err("standard input holds the commands: name a file".to_string());
    }
    let (name, options) = (origin.name(), arguments.reading.options());
    let job = move |context: RunContext<Event>| {
        verify::read_within(&origin, &options, &Budget::new(u64::MAX, context.stop.clone()))
    };
    let input = match work::made(&arguments.limits.limits(stop), screen, work::refused, job) {
        Ok(input) => input,
        Err(code) => return code,
    };
    output::tell_findings(&input.sources, &input.warnings);
    let scope = Scope { threads: arguments.threads };
    let Some(explorer) = Explorer::new(input, name, scope) else {
        return Err("only C programs are executed by hand".to_string());
    };
    Session { explorer, ended: None }.run()
}

/// A run and, once it has come to an error, what that is.
struct Session {
    explorer: Explorer,
    ended: Option<Box<Report>>,
}

impl Session {
    fn run(&mut self) -> Result<u8, String> {
        self.show()?;
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(|error| format!("standard input: {}", verify::plain(&error)))?;
            let line = line.trim();
            if line == "q" {
                break;
            }
            match self.obey(line) {
                Ok(answer) => work::print(&answer.into())?,
                Err(why) => output::tell_line(format!("error: {why}")),
            }
        }
        Ok(self.ended.as_ref().map_or(SAFE, |it| exit::code(it)))
    }

    /// Does what a line says; what is told.
    fn obey(&mut self, line: &str) -> Result<Text, String> {
        if line.is_empty() {
            return Ok(self.text());
        }
        if let Some(file) = line.strip_prefix("s ") {
            return self.save(Path::new(file.trim()));
        }
        if line == "b" {
            self.ended = None;
            let text = if self.explorer.back() { self.text() } else { Text::line("this is the start") };
            return Ok(text);
        }
        let (whole, number) = line.strip_prefix('.').map_or((true, line), |number| (false, number));
        let number: usize =
            number.parse().map_err(|_| format!("`{line}` is no command: a number, b, s FILE or q"))?;
        if self.ended.is_some() {
            return Err("the run has come to an error: go back with b, or save it with s FILE".to_string());
        }
        let steps = choices(self.explorer.next_steps());
        let chosen = number.checked_sub(1).and_then(|it| steps.get(it));
        let chosen = chosen.ok_or_else(|| format!("there is no step {number}"))?;
        let mut text = Text::default();
        match self.explorer.take(chosen, whole) {
            Turn::Went(effects) => effects.iter().for_each(|it| text.push(format!("    {it}"))),
            Turn::Ended(report) => self.ended = Some(report),
        }
        text.append(self.text());
        Ok(text)
    }

    fn save(&self, path: &Path) -> Result<Text, String> {
        let Some(report) = &self.ended else {
            return Err("only a run that has come to an error can be saved".to_string());
        };
        let format: &Format = FORMATS.of_trace(path)?;
        let trace = format.trace(report, &Invocation::default());
        let trace = trace.ok_or("the run is no error that `selvedge check` would report")?;
        output::write_file(path, &trace)?;
        Ok(Text::line(format!("saved to {}", path.display())))
    }

    fn show(&self) -> Result<(), String> {
        work::print(&self.text().into())
    }

    /// Where the run is: what went wrong, or what can be done next.
    fn text(&self) -> Text {
        if let Some(report) = &self.ended {
            return Text::line(verdict::line(report).unwrap_or_default());
        }
        let mut text = Text::line(verdict::counted(self.explorer.len(), "step"));
        let all = self.explorer.next_steps();
        if all.iter().all(|it| it.fate == Fate::Waits) {
            text.push("  no thread can go on");
        }
        let mut number = 0;
        for it in &all {
            number += usize::from(it.fate != Fate::Waits);
            let mark = if it.fate == Fate::Waits { "-".to_string() } else { number.to_string() };
            let chooses = it.chooses.as_ref().map_or_else(String::new, |it| format!(" ({it})"));
            let fate = match it.fate {
                Fate::Taken => "",
                Fate::Waits => " (waits)",
                Fate::Fails => " (fails)",
            };
            let place = it.span.map_or_else(String::new, |span| self.place(span));
            text.push(format!("  {mark:>2}  thread {}  {place}{chooses}{fate}", it.thread));
        }
        text
    }

    /// A line of the program.
    fn place(&self, span: Span) -> String {
        let file = self.explorer.sources().file(span.file);
        let line = file.position(span.start).line;
        format!("{}:{line}: {}", file.name(), file.line(line).trim())
    }
}

/// What can be chosen.
fn choices(steps: Vec<NextStep>) -> Vec<NextStep> {
    steps.into_iter().filter(|it| it.fate != Fate::Waits).collect()
}
