//! Random concurrent C programs, compiled with a scheduler that tries all schedules, against what each way
//! says of the plain text. The compiler is right; a program with more states than are looked at, or whose
//! answer is `unknown`, is counted and compared with nothing.

mod judge;
mod reading;
mod shrink;

pub use judge::{Truth, judge};
pub use reading::read;
pub use shrink::shrink;

use base::Event;
use ir::{Model, ReasonKind, Scope, Task};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::Arc;
use std::time::Duration;
use testing::c::Twin;
use verify::{CProgram, Limits, Outcome, Plan};

/// How the work is done.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Bounds on the threads, from 2 to 4; a program is asked about with one of them, by its seed.
    pub threads: Vec<u32>,
    pub ways: Vec<&'static str>,
    /// For the concrete and the exact way.
    pub time: Duration,
    /// For the abstract way, which often looks for a proof that it does not find.
    pub proof: Duration,
    /// The most states of the scheduler.
    pub states: usize,
}

/// What came of all programs.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub programs: usize,
    /// Those in which no schedule fails, and in which one does.
    pub safe: usize,
    pub failing: usize,
    /// Those without an answer of the judge, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// For each way: how many it decided, and why not the others.
    pub decided: BTreeMap<&'static str, usize>,
    pub unknown: BTreeMap<(&'static str, String), usize>,
}

/// A way that says something else than the compiled program shows.
#[derive(Clone, Debug)]
pub struct Difference {
    pub seed: u64,
    pub threads: u32,
    pub way: &'static str,
    pub truth: Truth,
    pub outcome: String,
    pub twin: Twin,
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let way = self.way;
        let right = if self.truth == Truth::Fails { "unsafe" } else { "safe" };
        writeln!(f, "// --property assert --threads {} --way {way} (seed {})", self.threads, self.seed)?;
        writeln!(f, "// right: {right}")?;
        writeln!(f, "// we: {}", self.outcome)?;
        write!(f, "{}", self.twin.plain())
    }
}

/// Compares what is said about a batch of programs, which are compiled together.
pub fn compare(
    seeds: &[u64],
    programs: &[Twin],
    effort: &Effort,
    counts: &mut Counts,
) -> Result<Vec<Difference>, String> {
    let truths = judge(programs, effort.states)?;
    let sources = read(programs)?;
    let mut found = vec![];
    for (at, seed) in seeds.iter().enumerate() {
        counts.programs += 1;
        let threads = effort.threads[*seed as usize % effort.threads.len()];
        let truth = truths[at][threads as usize - 2];
        match truth {
            Truth::Safe => counts.safe += 1,
            Truth::Fails => counts.failing += 1,
            Truth::Skipped(why) => {
                *counts.skipped.entry(why).or_default() += 1;
                continue;
            }
        }
        for &way in &effort.ways {
            let outcome = match &sources[at] {
                Ok(source) => ask(source, way, threads, effort),
                Err(why) => Outcome::Unknown(ir::Reason::new(ReasonKind::Fault, why.clone())),
            };
            if let Err(outcome) = agrees(way, &outcome, truth, counts) {
                let twin = programs[at].clone();
                found.push(Difference { seed: *seed, threads, way, truth, outcome, twin });
            }
        }
    }
    Ok(found)
}

/// Counts an answer; an error if it is wrong.
fn agrees(way: &'static str, outcome: &Outcome, truth: Truth, counts: &mut Counts) -> Result<(), String> {
    let found = match outcome {
        Outcome::Safe { .. } => Truth::Safe,
        Outcome::Unsafe { .. } => Truth::Fails,
        Outcome::Unknown(reason) if matches!(reason.kind, ReasonKind::Fault | ReasonKind::Rejected) => {
            return Err(format!("{:?}: {}", reason.kind, reason.message));
        }
        Outcome::Unknown(reason) => {
            *counts.unknown.entry((way, format!("{:?}", reason.kind))).or_default() += 1;
            return Ok(());
        }
    };
    *counts.decided.entry(way).or_default() += 1;
    let line = if found == Truth::Safe { "safe" } else { "unsafe" };
    if found == truth { Ok(()) } else { Err(line.to_string()) }
}

/// Asks one way.
pub fn ask(source: &Arc<CProgram>, way: &'static str, threads: u32, effort: &Effort) -> Outcome {
    let plan = match Plan::named(&[way.to_string()]) {
        Ok(plan) => plan,
        Err(why) => return Outcome::Unknown(ir::Reason::new(ReasonKind::Fault, why)),
    };
    let time = if way == "abstract" { effort.proof } else { effort.time };
    let limits = Limits { time: Some(time), memory: Some(2 << 30), ..Limits::default() };
    let task = Task::new(Model::C(Arc::clone(source)), Scope::threads(threads));
    verify::answer(&task, &plan, &limits, &mut Vec::<Event>::new()).outcome
}

/// Whether the difference is there, with this program in place of the one that it was found with.
pub fn persists(difference: &Difference, twin: &Twin, effort: &Effort) -> bool {
    let programs = [twin.clone()];
    let Ok(sources) = read(&programs) else { return false };
    let Ok(source) = &sources[0] else { return false };
    let outcome = ask(source, difference.way, difference.threads, effort);
    let wrong = agrees(difference.way, &outcome, difference.truth, &mut Counts::default()).err();
    let first = |text: &str| text.split(':').next().map(str::to_string);
    if wrong.as_deref().and_then(first) != first(&difference.outcome) {
        return false;
    }
    // Compiling takes longest: it comes last.
    judge(&programs, effort.states)
        .is_ok_and(|truths| truths[0][difference.threads as usize - 2] == difference.truth)
}
