//! From a model to a run: the ways that the model takes, in the order of the visits, up to the first error.
//! Every step is made by the reference semantics.

use super::super::oracle::Assignment;
use super::unroll::{Unrolling, Way};
use crate::trace::{TraceBuilder, thread};
use base::{Budget, Id, Stop};
use ir::bp::{self, LocalId, ThreadId};
use ir::trace::ProgramTrace;
use rustc_hash::FxHashMap;
use solve::aig::{Input, Lit};

/// The run to the error that the model shows.
pub fn trace(
    unrolling: &Unrolling<'_>,
    model: &Assignment,
    bound: Option<u32>,
    budget: &Budget,
) -> Result<ProgramTrace, Stop> {
    let values = Valuation::new(unrolling, model);
    let start = start(unrolling, &values);
    let names = start.threads.keys().map(|&name| Some(name)).collect();
    let trace = TraceBuilder::new(unrolling.simulator.program, bound, start);
    let mut run = ContextRun { unrolling, values, trace, names };
    for visit in &unrolling.visits {
        budget.spend(1)?;
        if run.values.of(visit.fails) {
            break;
        }
        if let Some(way) = visit.ways.iter().find(|way| run.values.of(way.taken)) {
            run.perform(visit.slot, way);
        }
    }
    Ok(run.trace.finish().expect("the model shows an error"))
}

fn start(unrolling: &Unrolling<'_>, values: &Valuation) -> bp::State {
    let program = unrolling.simulator.program;
    let threads = unrolling
        .start
        .threads
        .iter()
        .map(|it| thread(program, it.loc, it.inside, |local| values.of(it.locals[local.index()])));
    bp::State {
        initialising: false,
        threads: (0..).zip(threads).collect(),
        shared: values.all(&unrolling.start.shared),
    }
}

/// The values of all formulas that matter for a run.
struct Valuation(FxHashMap<Lit, bool>);

impl Valuation {
    fn new(unrolling: &Unrolling<'_>, model: &Assignment) -> Self {
        let mut lits = unrolling.start.shared.clone();
        lits.extend(unrolling.start.threads.iter().flat_map(|it| it.locals.iter().copied()));
        for visit in &unrolling.visits {
            lits.push(visit.fails);
            for way in &visit.ways {
                lits.push(way.taken);
                lits.extend(&way.via.writes);
                lits.extend(way.via.births.iter().flat_map(|it| it.values.iter().map(|it| it.1)));
                lits.extend(way.child.iter().map(|it| it.1));
            }
        }
        let value = |input: Input| model.get(input.index()).copied().unwrap_or(false);
        let values = unrolling.aig().eval_all(&lits, value);
        Valuation(lits.into_iter().zip(values).collect())
    }

    fn of(&self, lit: Lit) -> bool {
        self.0[&lit]
    }

    fn all(&self, lits: &[Lit]) -> Vec<bool> {
        lits.iter().map(|&lit| self.of(lit)).collect()
    }
}

/// A trace that follows the visits.
struct ContextRun<'u, 'p> {
    unrolling: &'u Unrolling<'p>,
    values: Valuation,
    trace: TraceBuilder<'p>,
    /// The names of the threads, by slot.
    names: Vec<Option<ThreadId>>,
}

impl ContextRun<'_, '_> {
    /// Adds the step with its choices.
    fn perform(&mut self, slot: usize, way: &Way) {
        let name = self.names[slot].expect("who steps has been born");
        let loc = self.trace.loc(name);
        let command = &self.unrolling.simulator.commands.at(loc)[way.via.command];
        let mut step = self.trace.command(name, command, self.values.all(&way.via.writes));
        for birth in &way.via.births {
            let given = birth.values.iter().map(|&(local, lit)| (local, self.values.of(lit)));
            let given: Vec<(LocalId, bool)> = given.collect();
            let wanted = |local| given.iter().find(|it| it.0 == local).map(|it| it.1);
            let born = self.trace.child(&mut step, wanted, birth.refused);
            if let Some(&(child, _)) = way.child.iter().find(|it| self.values.of(it.1)) {
                self.names.resize(self.names.len().max(child + 1), None);
                self.names[child] = born;
            }
        }
        self.trace.follow(step);
    }
}
