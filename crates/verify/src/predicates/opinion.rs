//! A second opinion by a solver that is a program of its own (`z3`, `cvc5`, or any that reads SMT-LIB 2):
//! whether a path is one of the program is also put to it. It is never needed. What it does not answer is
//! warned of, once; an answer that is not ours is a fault, and its question stays on the disk.

use base::process::{self, Folder, ProcessLimits, ProcessProblem};
use base::settings::Allowed;
use base::{Budget, Event, Events, Setting, Stop, Warning};
use predicates::paths::{Compared, Decided, SecondOpinion};
use std::path::PathBuf;
use std::time::Duration;

/// Who is asked.
pub const OPINION: Setting = Setting {
    name: "abstraction.opinion",
    default: "off",
    allowed: Allowed::Command(&["off", "z3", "cvc5"]),
    help: "put each question whether a path is one of the program to this solver, too, which reads a file of SMT-LIB 2; an answer that is not ours is a fault",
    paper: "",
};

/// What one question may cost.
const TIME: Duration = Duration::from_secs(10);
const MEMORY: u64 = 4 << 30;
const OUTPUT: usize = 1 << 20;

/// The most of a solver's message that is shown.
const SHOWN: usize = 200;

/// A solver that is a program of its own, and what it has said so far.
#[derive(Debug)]
pub struct Solver {
    command: Vec<String>,
    limits: ProcessLimits,
    /// The questions to which it gave our answer.
    pub agreed: u64,
    /// The questions to which it gave none.
    pub unanswered: u64,
    /// The questions to which it gave another.
    pub differed: u64,
    /// Why it gave no answer, the first time.
    why: Option<String>,
}

impl Solver {
    /// The solver that a setting names, with at most so much memory; none, if that is off.
    pub fn named(word: &str, memory: Option<u64>) -> Option<Solver> {
        let command: Vec<String> = word.split_whitespace().map(str::to_string).collect();
        if word == "off" || command.is_empty() {
            return None;
        }
        let limits =
            ProcessLimits { time: TIME, memory: memory.map_or(MEMORY, |it| it.min(MEMORY)), output: OUTPUT };
        Some(Solver { command, limits, agreed: 0, unanswered: 0, differed: 0, why: None })
    }

    /// Whether it is there.
    pub fn is_found(&self) -> bool {
        process::is_executable(&self.command[0])
    }

    /// Tells what came of its opinions.
    pub(super) fn report(&self, events: &mut dyn Events) {
        let counts = [("agrees", self.agreed), ("no answer", self.unanswered), ("disagrees", self.differed)];
        for (name, value) in counts {
            events.emit(Event::Counter { who: "second opinion", name, value });
        }
        if let Some(why) = &self.why {
            let paths = self.agreed + self.unanswered + self.differed;
            let (unanswered, why) = (self.unanswered, why.clone());
            events.emit(Event::Warning(Warning::NoSecondOpinion { unanswered, paths, why }));
        }
    }

    /// What it says about a script: whether it is satisfiable, or why it says neither.
    fn answer(&self, script: &str, budget: &Budget) -> Result<Result<bool, String>, Stop> {
        let name = &self.command[0];
        if !self.is_found() {
            return Ok(Err(format!("the solver `{name}` is not found")));
        }
        let written =
            Folder::new().and_then(|folder| Ok((folder.write("question.smt2", script.as_bytes())?, folder)));
        let (file, folder) = match written {
            Ok(written) => written,
            Err(error) => return Ok(Err(format!("the question cannot be written: {error}"))),
        };
        let mut command = self.command.clone();
        command.push(file.display().to_string());
        Ok(match folder.run(&command, &self.limits, budget) {
            Ok(output) => parsed(name, &output),
            Err(ProcessProblem::Stopped(stop)) => return Err(stop),
            Err(ProcessProblem::TooLong) => {
                Err(format!("`{name}` did not end within {} s", self.limits.time.as_secs()))
            }
            Err(ProcessProblem::TooMuch) => Err(format!("`{name}` wrote too much")),
            Err(ProcessProblem::Start(error)) => Err(format!("`{name}` cannot be started: {error}")),
        })
    }
}

impl SecondOpinion for Solver {
    fn compare(&mut self, question: &Decided, budget: &Budget) -> Result<Compared, Stop> {
        budget.spend(1)?;
        Ok(match self.answer(&question.script, budget)? {
            Ok(satisfiable) if satisfiable == question.satisfiable => {
                self.agreed += 1;
                Compared::Agrees
            }
            Ok(satisfiable) => {
                self.differed += 1;
                Compared::Differs(dispute(&self.command[0], question, satisfiable))
            }
            Err(why) => {
                self.unanswered += 1;
                self.why.get_or_insert_with(|| why.clone());
                Compared::Unanswered(why)
            }
        })
    }
}

/// The answer in what a solver wrote.
fn parsed(name: &str, output: &process::Output) -> Result<bool, String> {
    let text = String::from_utf8_lossy(&output.text);
    match text.split_whitespace().next() {
        Some("sat") => Ok(true),
        Some("unsat") => Ok(false),
        Some("unknown") => Err(format!("`{name}` does not know")),
        _ => {
            let errors = String::from_utf8_lossy(&output.errors);
            let line = text.lines().chain(errors.lines()).find(|it| !it.trim().is_empty());
            let line: String = line.unwrap_or("it wrote nothing").chars().take(SHOWN).collect();
            Err(format!("`{name}` gives no answer ({}): {line}", output.status))
        }
    }
}

/// What is told of another answer, with the file that the question was kept in.
fn dispute(name: &str, question: &Decided, satisfiable: bool) -> String {
    let word = |it: bool| if it { "satisfiable" } else { "unsatisfiable" };
    let kept = match keep(&question.script) {
        Ok(path) => format!("is in {}", path.display()),
        Err(error) => format!("cannot be kept ({error}):\n{}", question.script),
    };
    format!(
        "a path is {} by our solver and {} by `{name}`; the question {kept}",
        word(question.satisfiable),
        word(satisfiable)
    )
}

/// Writes a question where it stays.
fn keep(script: &str) -> std::io::Result<PathBuf> {
    let id = std::process::id();
    let free = |number: &u32| std::env::temp_dir().join(format!("selvedge-question-{id}-{number}.smt2"));
    let mut last = std::io::ErrorKind::AlreadyExists.into();
    for path in (0..1000_u32).map(|number| free(&number)) {
        // A file that is there already is never written over.
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return std::io::Write::write_all(&mut file, script.as_bytes()).map(|()| path),
            Err(error) => last = error,
        }
    }
    Err(last)
}
