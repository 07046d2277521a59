//! Passes on a C program that was read literally, one after the other: each result is validated by `check`
//! before anybody works on it, so that a proof about the last program is one about the first. A pass whose
//! result is refused is left out. Traces go back over all passes.

use ::c::{Control, Faults, Races, Trace};
use base::{Budget, Event, Events, Span, Stop, Warning};
use check::c::passes::{Preserve, validate};
use check::{Refused, Rejected};
use ir::Lift;
use ir::c::Model;
use passes::c::{CPass, Passed, ROUNDS, SteppedLift};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A C program after passes, and the way back.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The last validated program; the first, if no pass had anything to do.
    pub model: Arc<Model>,
    links: Vec<Link>,
    /// The passes that have nothing to do on the last program.
    idle: BTreeSet<&'static str>,
}

/// One pass that was run.
#[derive(Clone, Debug)]
struct Link {
    pass: &'static str,
    lift: SteppedLift,
}

impl Chain {
    /// Runs passes in rounds, until they have nothing to do. Those that drop steps are left out where every
    /// step may matter.
    pub fn new(
        model: &Arc<Model>,
        passes: &[CPass],
        budget: &Budget,
        events: &mut dyn Events,
    ) -> Result<Chain, Stop> {
        let mut chain = Chain::start(model);
        chain.rounds(passes, budget, events)?;
        Ok(chain)
    }

    /// Two questions about one program, the second of which asks for more: what both may do is done once,
    /// and validated for the second.
    pub fn of_both(
        [model, stricter]: [&Arc<Model>; 2],
        passes: &[CPass],
        budget: &Budget,
        events: &mut dyn Events,
    ) -> Result<[Chain; 2], Stop> {
        let shared: Vec<CPass> = passes.iter().filter(|it| !it.drops && !it.waits).copied().collect();
        let mut second = Chain::new(stricter, &shared, budget, events)?;
        let mut first = second.asking(model);
        first.rounds(passes, budget, events)?;
        second.rounds(passes, budget, events)?;
        Ok([first, second])
    }

    fn start(model: &Arc<Model>) -> Chain {
        Chain { model: Arc::clone(model), links: vec![], idle: BTreeSet::new() }
    }

    /// The same passes of the same program about which something else is asked.
    fn asking(&self, model: &Arc<Model>) -> Chain {
        let program = self.model.program.clone();
        let refused = self.model.refused.clone();
        Chain { model: Arc::new(Model { program, refused, ..Model::clone(model) }), ..self.clone() }
    }

    fn rounds(&mut self, passes: &[CPass], budget: &Budget, events: &mut dyn Events) -> Result<(), Stop> {
        // Passes forget variables that nobody reads, which lead to memory all the same.
        if !self.model.wants_passes || self.model.machine.leaks.matter() {
            return Ok(());
        }
        let exact = preserve(&self.model) != Preserve::default();
        let mut fit: Vec<&CPass> = passes.iter().filter(|it| !it.drops || !exact).collect();
        for _ in 0..ROUNDS {
            fit.retain(|pass| match self.run(pass, budget) {
                Err(Refused::Rejected(Rejected { why, at })) => {
                    let pass = pass.name();
                    events.emit(Event::Warning(Warning::PassRefused { pass, why, at }));
                    false
                }
                // A stop is seen below.
                Ok(()) | Err(Refused::Stopped(_)) => true,
            });
            budget.spend(0)?;
            if fit.iter().all(|pass| self.idle.contains(pass.name())) {
                break;
            }
        }
        Ok(())
    }

    /// Runs the passes that a certificate names, in that order. All of them must be accepted.
    pub fn named(
        model: &Arc<Model>,
        names: &[String],
        passes: &[CPass],
        budget: &Budget,
    ) -> Result<Chain, Refused> {
        let mut chain = Chain::start(model);
        if !names.is_empty() && !model.wants_passes {
            let why = "the proof is about what passes make of the program, and here none are to be run";
            return Err(Rejected::new(why).into());
        }
        if !names.is_empty() && model.machine.leaks.matter() {
            return Err(
                Rejected::new("a proof that nothing leaks is about the program without passes").into()
            );
        }
        for name in names {
            let Some(pass) = passes.iter().find(|it| it.name() == name) else {
                return Err(Rejected::new(format!("there is no pass `{name}`")).into());
            };
            chain.run(pass, budget)?;
        }
        Ok(chain)
    }

    /// The passes that were run, in their order.
    pub fn passes(&self) -> Vec<String> {
        self.links.iter().map(|it| it.pass.to_string()).collect()
    }

    /// The trace of the first program for one of the last.
    pub fn trace(&self, trace: Trace) -> Result<Trace, String> {
        self.links.iter().rev().try_fold(trace, |trace, link| {
            link.lift.trace(trace).map_err(|why| format!("over the pass `{}`: {why}", link.pass))
        })
    }

    /// Runs one pass and has its result validated.
    fn run(&mut self, pass: &CPass, budget: &Budget) -> Result<(), Refused> {
        if self.idle.contains(pass.name()) {
            return Ok(());
        }
        let (old, turns) = (&self.model.program, self.model.unroll_threads);
        // A fault of a pass is like a wrong result of it.
        let made = catch_unwind(AssertUnwindSafe(|| pass.apply(old, turns, budget)));
        let made = made.map_err(|why| Rejected::new(crate::supervise::message(&*why)))?;
        let Some(Passed { program, lift, correspondence }) = made? else {
            self.idle.insert(pass.name());
            return Ok(());
        };
        validate(old, &program, &correspondence, &preserve(&self.model), budget)?;
        let mut model = Model { program, ..Model::clone(&self.model) };
        model.refused = still_refused(&model);
        self.model = Arc::new(model);
        self.idle.clear();
        self.links.push(Link { pass: pass.name(), lift });
        Ok(())
    }
}

/// What is refused and was not found to be out of reach: a construct may stand in several functions.
fn still_refused(model: &Model) -> Vec<ir::c::Refused> {
    let program = &model.program;
    let stops = program.locations().ids().filter(|&it| program.effects(it).control == Control::Nowhere);
    let spans: BTreeSet<Option<Span>> = stops.map(|it| program.at(it).span).collect();
    model.refused.iter().filter(|it| spans.contains(&it.span)).cloned().collect()
}

/// What must not be lost.
fn preserve(model: &Model) -> Preserve {
    let machine = &model.machine;
    let races = machine.races != Races::Ignored;
    let faults = machine.faults;
    // One that nobody asks about, met first, would hide one that somebody does.
    let first_fault = faults.any() && faults != Faults::ALL;
    let deadlocks = machine.deadlocks.matter();
    Preserve { undefined: faults.any(), first_fault, races, deadlocks, leaks: machine.leaks.matter() }
}
