//! The Boolean program of a C program by predicate abstraction, for people and for other tools: over the
//! predicates that were named, or else those of a proof, or else the program's own comparisons.

use super::conditions;
use super::words::{Predicate, class};
use crate::limits::stop_kind;
use crate::prepare::passed;
use base::{Budget, Events, Stop};
use engines::Condition;
use ir::bp::Program;
use ir::c::Model;
use ir::{Reason, ReasonKind};
use predicates::boolean::{
    Limits, Predicated, ProgramNames, Request, Treatment, abstraction, of_proof, of_templates, written,
};
use predicates::{Options, Outcome, prove_relation};
use relation::{NoRelation, Relation};
use std::sync::Arc;

/// What looking for a proof may cost if no predicates are named.
const PROOF_TICKS: u64 = 3_000_000;
/// Which of the program's comparisons are taken if there is no proof.
const LAYER: usize = 1;

/// A Boolean program and what its Booleans mean.
#[derive(Clone, Debug)]
pub struct BooleanProgram {
    /// The program: safe only if the C program is.
    pub program: Program,
    /// What Boolean `b0`, `b1`, … tracks.
    pub predicates: Vec<Predicate>,
}

impl BooleanProgram {
    /// Its text, with the predicates as comments.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, predicate) in self.predicates.iter().enumerate() {
            let condition = predicate.text.replace('\n', " ");
            text += &format!("// b{number}: {condition} ({})\n", predicate.class);
        }
        text + "\n" + &ir::bp::print::program(&self.program)
    }
}

/// Why there is no Boolean program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBooleanProgram {
    /// A condition is invalid, and why.
    Condition(String),
    /// The program cannot be treated so, or a limit was reached.
    Reason(Reason),
}

impl From<Stop> for NoBooleanProgram {
    fn from(stop: Stop) -> Self {
        NoBooleanProgram::Reason(Reason::new(stop_kind(stop), stop.to_string()))
    }
}

/// The Boolean program over these conditions (`docs/engines/abstract.md`).
pub fn boolean_program(
    read: &Arc<Model>,
    conditions: &[Condition],
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<BooleanProgram, NoBooleanProgram> {
    let source = &*passed(read, budget)?;
    let relation = match source.relation(budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return Err(stop.into()),
        Err(NoRelation::Unsupported(why)) => {
            return Err(NoBooleanProgram::Reason(Reason::new(ReasonKind::Unsupported, why)));
        }
    };
    let named = conditions::read(source, conditions, &relation, budget)?;
    let predicated = match named.map_err(NoBooleanProgram::Condition)? {
        Some(named) => named,
        None => unnamed(&relation, source, budget, events)?,
    };
    let request = Request {
        relation: &relation,
        exprs: &predicated.exprs,
        conditions: &predicated.conditions,
        starts: &[],
        limits: Limits::default(),
        treatment: Treatment::Sound,
    };
    let made = abstraction(&request, budget)?;
    let names = ProgramNames::new(&source.program);
    let predicates = made.predicates.list.iter().map(|it| Predicate {
        text: written(&relation, &predicated.exprs, it.condition, &names),
        class: class(&relation, &predicated.exprs, it.condition),
    });
    Ok(BooleanProgram { program: made.program, predicates: predicates.collect() })
}

/// The predicates if nobody names any.
fn unnamed(
    relation: &Relation,
    source: &Model,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Predicated, Stop> {
    let options = Options { machine: source.machine, ..Options::default() };
    match prove_relation(relation.clone(), &options, &budget.part(PROOF_TICKS), events) {
        Ok(Outcome::Proved { proof, .. }) => Ok(of_proof(&proof)),
        // Only this part of the budget may be at its end.
        Ok(_) | Err(Stop::Ticks) => {
            budget.spend(0)?;
            of_templates(relation, LAYER, budget)
        }
        Err(stop) => Err(stop),
    }
}
