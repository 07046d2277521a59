//! The engine `modular`: proofs for any number of threads by over-approximating what few of them look like
//! together, with one thread at a time, then two, then three (Cook, Kroening and Sharygina, FMCAD 2006, which
//! is the case of one; [`crate::closure`] says what differs).
//!
//! Places of nets that need not be told apart are merged first ([`crate::closure::places`]). Tuples of
//! threads are listed, which is fast where there are few; where it takes too long, the same set is computed
//! with decision diagrams over classes of locations ([`crate::closure::diagrams`]).

mod diagrams;
mod listed;
mod nets;
mod recursion;
mod relation;
mod settings;

use crate::closure;
use crate::engine::no_c;
use crate::engine::{Cx, Engine};
use crate::options;
use base::{Event, Setting, Stop};
use ir::{Model, Program, Reason, Task, Verdict, Why};
use settings::{CERTIFICATE, RELATION, SETS, SETTINGS, TURN, WIDTH};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modular;

impl Engine for Modular {
    fn name(&self) -> &'static str {
        "modular"
    }

    fn about(&self) -> &'static str {
        "proofs for any number of threads: what one, two or three threads can look like together"
    }

    fn paper(&self) -> &'static str {
        "Cook, Kroening, Sharygina: Over-Approximating Boolean Programs with Unbounded Thread Creation, FMCAD 2006"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        match &task.model {
            Model::Program(program) if program.is_flat() => Ok(()),
            Model::Program(_) => recursion::by_threads(task).map(|_| ()),
            Model::Net(_) => Ok(()),
            Model::C(_) => Err(no_c()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        if let Err(reason) = self.accepts(task) {
            return Ok(Verdict::Unknown(Why::Because(reason)));
        }
        if let Model::Program(program) = &task.model
            && !program.is_flat()
        {
            return self.run_by_threads(task, cx);
        }
        if cx.settings.word(&RELATION) == "threads" {
            return relation::answer(task, cx);
        }
        let most = options::size(cx.settings, &WIDTH);
        let program = match &task.model {
            Model::Program(program) => program,
            Model::Net(net) => return nets::run(task, net, most, cx),
            Model::C(_) => unreachable!("C programs were refused"),
        };
        match cx.settings.word(&SETS) {
            "explicit" => listed::run(task, 1..=most, cx.budget, cx),
            "bdd" => diagrams::run(program, 1..=most, cx.budget, cx),
            _ => both(task, program, most, cx),
        }
    }
}

/// How much longer the first turn of diagrams is if they come first.
const LONG_TURN: u64 = 16;

/// Lists tuples and, where that takes too long, draws diagrams; by turns, each time with a larger limit.
/// Where threads ask something of passive ones diagrams come first: a list asks for every passive thread
/// anew, and so does its checker.
fn both(task: &Task, program: &Program, most: usize, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let mut lists = program.monotone();
    let first = if lists { 1 } else { LONG_TURN };
    let mut ticks = cx.settings.number(&TURN).saturating_mul(first);
    loop {
        if lists {
            let listed = listed::run(task, 1..=most, &cx.budget.part(ticks), cx);
            if let Some(verdict) = ended(listed, cx)? {
                return Ok(verdict);
            }
        }
        lists = true;
        let drawn = diagrams::run(program, 1..=most, &cx.budget.part(ticks), cx);
        match ended(drawn, cx)? {
            // Merged transitions show less of a thread: the listed set may have no error where this one has.
            Some(Verdict::Unknown(_)) if closure::has_merging(&task.model) => {
                return listed::run(task, 1..=most, cx.budget, cx);
            }
            Some(verdict) => return Ok(verdict),
            None => ticks = ticks.saturating_mul(4).max(1),
        }
    }
}

/// What a turn has found, if it came to its end.
fn ended(turn: Result<Verdict, Stop>, cx: &Cx<'_>) -> Result<Option<Verdict>, Stop> {
    match turn {
        // If it is the whole budget that has ended, this says so.
        Err(Stop::Ticks) => cx.budget.spend(0).map(|()| None),
        other => other.map(Some),
    }
}

impl Modular {
    /// A program with calls: its activations are threads. What is proved of these cannot be written in the
    /// program's own terms.
    fn run_by_threads(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let task = match recursion::by_threads(task) {
            Ok(task) => task,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        let mut settings = cx.settings.clone();
        settings.set(&[SETTINGS], CERTIFICATE.name, "0").expect("the option is in the table");
        let mut cx = Cx { settings: &settings, events: &mut *cx.events, ..*cx };
        Ok(match self.run(&task, &mut cx)? {
            Verdict::Safe { scope, .. } => {
                cx.events.emit(Event::NoCertificate("the proof is about activations as threads"));
                Verdict::Safe { scope, certificate: None }
            }
            other => other,
        })
    }
}
