//! The abstract way: an invariant over predicates, for any number of threads. It finds no errors; what it proves is confirmed by a
//! checker that shares nothing with it.

use super::{Request, Way, WayResult, exact};
use crate::answer::{Answer, Evidence, Outcome};
use crate::judge;
use crate::limits::stop_kind;
use base::{Budget, Events};
use cegar::{Options, Outcome as Found, prove};
use check::Refused;
use check_formulas::c::Subject;
use ir::c::Node;
use ir::c::relation::proof::Proof;
use ir::c::relation::{Home, Relation};
use ir::{Reason, ReasonKind, Scope};
use std::sync::Arc;

/// What a program was proved with.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The program as guarded commands.
    pub relation: Arc<Relation>,
    /// The invariant.
    pub proof: Arc<Proof>,
    /// How many threads it looks at together.
    pub width: u8,
    /// The attempts before the last.
    pub refinements: usize,
}

/// A predicate as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// The condition.
    pub text: String,
    /// What it speaks of: `shared`, `local`, `mixed` or `pair`.
    pub class: &'static str,
}

impl Abstraction {
    /// The number of predicates, relations between two threads included.
    pub fn count(&self) -> usize {
        self.proof.predicates.len() + self.proof.pairs.len()
    }

    /// The predicates, relations between two threads last.
    pub fn predicates(&self) -> Vec<Predicate> {
        let Proof { exprs, predicates, pairs, .. } = &*self.proof;
        let shown = Relation { exprs: exprs.clone(), ..(*self.relation).clone() };
        let single =
            predicates.iter().map(|&it| Predicate { text: shown.show(it), class: class(&shown, it) });
        let between = pairs.iter().map(|pair| {
            let [left, right] = [pair.left, pair.right].map(|side| shown.show(side));
            let text = format!(
                "{left} of one thread {} {right} of another",
                ir::c::relation::operator(pair.compare)
            );
            Predicate { text, class: "pair" }
        });
        single.chain(between).collect()
    }
}

/// Whose variables a predicate reads.
pub(super) fn class(relation: &Relation, predicate: ir::c::ExprId) -> &'static str {
    let (mut shared, mut local) = (false, false);
    for e in relation.exprs.below(predicate) {
        if let Node::Local(variable, _) = relation.exprs.node(e) {
            match relation.variables[variable].home {
                Home::Shared => shared = true,
                _ => local = true,
            }
        }
    }
    match (shared, local) {
        (true, true) => "mixed",
        (false, true) => "local",
        _ => "shared",
    }
}

/// Asks it.
pub fn ask(request: &Request, budget: &Budget, events: &mut dyn Events) -> WayResult {
    let source = &request.source;
    let options = Options { machine: source.machine, ..Options::default() };
    let found = match prove(&source.program, &options, budget, events) {
        Ok(found) => found,
        Err(stop) => return unknown(stop_kind(stop), stop.to_string()),
    };
    match found {
        Found::Proved { proof, relation, width, rounds, .. } => {
            let abstraction = Abstraction { relation, proof, width, refinements: rounds.saturating_sub(1) };
            let result = WayResult::of(Way::Abstract, confirmed(request, abstraction, budget));
            WayResult { may_stop: exact::may_be_meaningless(&source.program), ..result }
        }
        Found::Alarm { why, at: Some(at), .. } => {
            let why = format!("the predicates that were found do not exclude a failing assertion\n{why}");
            WayResult { place: Some(at), ..unknown(ReasonKind::Refinement, why) }
        }
        Found::Alarm { why, at: None, .. } => unknown(ReasonKind::Refinement, why),
        Found::Unsupported { why, at } => WayResult { place: at, ..unknown(ReasonKind::Unsupported, why) },
    }
}

fn unknown(kind: ReasonKind, why: String) -> WayResult {
    WayResult::of(Way::Abstract, Answer::unknown(Reason::new(kind, why)))
}

/// What may be told of a proof.
pub(super) fn confirmed(request: &Request, abstraction: Abstraction, budget: &Budget) -> Answer {
    let source = &request.source;
    let subject = Subject { program: &source.program, options: &source.machine, sources: None };
    let answer = match subject.proof(&abstraction.proof, budget) {
        Ok(_) => Answer::of(Outcome::Safe {
            scope: Scope::ANY,
            evidence: Evidence::Confirmed,
            certificate: None,
            why_unchecked: None,
        }),
        Err(Refused::Stopped(stop)) => {
            judge::claimed(request.scope, Scope::ANY, &format!("the check ended early, {stop}"))
        }
        Err(Refused::Rejected(why)) => {
            let message = format!("the checker refuses the proof by predicates: {}", why.0);
            return Answer::unknown(Reason::new(ReasonKind::Rejected, message));
        }
    };
    Answer { engine: Some(Way::Abstract.name()), abstraction: Some(abstraction), ..answer }
}
