//! The abstract way: an invariant over predicates, for any number of threads. It finds no errors; what it proves is confirmed by a
//! checker that shares nothing with it.

use super::merged::Prepared;
use super::opinion::OPINION;
use super::{Request, Way, WayResult, conditions, refined};
use crate::answer::{Answer, Evidence, Outcome};
use crate::judge;
use crate::limits::stop_kind;
use base::settings::Allowed;
use base::{Budget, Event, Events, Setting, Stop};
use cegar::boolean::{Names, ProgramNames, written};
use cegar::{Options, Outcome as Found, Start, prove, prove_relation};
use check::Refused;
use check_formulas::c::Subject;
use front::CProgram;
use ir::c::relation::proof::{PairPredicate, Proof};
use ir::c::relation::{Home, NoRelation, Relation};
use ir::c::{ExprId, Exprs, Node, ProcId};
use ir::{Reason, ReasonKind, Scope};
use std::sync::Arc;

/// What a proof about the program with merged steps may cost.
const MERGED_TICKS: u64 = 3_000_000;

/// The options of the way.
pub const SETTINGS: &[Setting] =
    &[refined::ROUTE, refined::LEMMAS, refined::WORKERS, EXACT, STATES, ROUNDS, MINIMISE, OPINION];

const EXACT: Setting = Setting {
    name: "abstraction.exact",
    default: "8",
    allowed: Allowed::Number { least: 2, most: 256 },
    help: "follow variables of at most so many values bit by bit",
    paper: "",
};
const STATES: Setting = Setting {
    name: "abstraction.states",
    default: "60000",
    allowed: Allowed::Number { least: 1, most: 100_000_000 },
    help: "give up predicates with which there are more states of two threads",
    paper: "",
};
const ROUNDS: Setting = Setting {
    name: "abstraction.rounds",
    default: "12",
    allowed: Allowed::Number { least: 0, most: 1_000_000 },
    help: "refine along alarms at most so often",
    paper: "",
};
const MINIMISE: Setting = Setting {
    name: "abstraction.minimise",
    default: "on",
    allowed: Allowed::Switch,
    help: "leave out predicates that the proof does not need",
    paper: "",
};

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
        self.proof.predicates.len() + self.relations().count()
    }

    /// The relations between two threads, without those that are others with the threads exchanged.
    fn relations(&self) -> impl Iterator<Item = &PairPredicate> {
        let pairs = &self.proof.pairs;
        let exchanged = |a: &PairPredicate, b: &PairPredicate| (a.left, a.right) == (b.right, b.left);
        pairs
            .iter()
            .enumerate()
            .filter(move |(at, it)| !pairs[..*at].iter().any(|other| exchanged(other, it)))
            .map(|it| it.1)
    }

    /// The predicates as conditions of C that can be named again (`--predicates`), relations between two threads last.
    pub fn predicates(&self, source: Option<&CProgram>) -> Vec<Predicate> {
        let Proof { exprs, predicates, .. } = &*self.proof;
        let relation = &*self.relation;
        let nameless = |_: ProcId| String::new();
        let names = source.map(|it| ProgramNames::new(&it.program));
        let names: &dyn Names = names.as_ref().map_or(&nameless, |it| it);
        let text = |it: ExprId| written(relation, exprs, it, names);
        let single =
            predicates.iter().map(|&it| Predicate { text: text(it), class: class(relation, exprs, it) });
        let between = self.relations().map(|pair| {
            let [left, right] = [pair.left, pair.right].map(text);
            let operator = ir::c::relation::operator(pair.compare);
            let text = format!("{left} of one thread {operator} {right} of another");
            Predicate { text, class: "pair" }
        });
        single.chain(between).collect()
    }
}

/// Whose variables a predicate reads.
pub(super) fn class(relation: &Relation, exprs: &Exprs, predicate: ExprId) -> &'static str {
    let (mut shared, mut local) = (false, false);
    for e in exprs.below(predicate) {
        if let Node::Local(variable, _) = exprs.node(e) {
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
    if !refined::by_pairs(request) {
        return refined::ask(request, None, budget, events);
    }
    let found = match found(request, budget, events) {
        Ok(found) => found,
        Err(stop) => return unknown(stop_kind(stop), stop.to_string()),
    };
    match found {
        Found::Proved { proof, relation, width, rounds, .. } => {
            let abstraction = Abstraction { relation, proof, width, refinements: rounds.saturating_sub(1) };
            let answer = confirmed(request, abstraction, budget);
            let checked = if answer.outcome.is_unchecked() { "is not checked" } else { "is checked" };
            events.emit(Event::Round(format!("the certificate {checked}")));
            WayResult::of(Way::Abstract, answer)
        }
        Found::Alarm { why, at, .. } => {
            let first = "the predicates that were found do not exclude a failing assertion\n";
            let why = format!("{}{why}", if at.is_some() { first } else { "" });
            WayResult { place: at, ..refined::ask(request, Some(why), budget, events) }
        }
        Found::Unsupported { why, at } => WayResult { place: at, ..unknown(ReasonKind::Unsupported, why) },
    }
}

/// Looks for a proof; where steps are merged, for one about the merged program first: its predicates are likely to prove the other.
fn found(request: &Request, budget: &Budget, events: &mut dyn Events) -> Result<Found, Stop> {
    let source = &request.source;
    let settings = &request.plan.settings;
    let relation = match Relation::of(&source.program, &source.machine, budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(why)) => return Ok(Found::Unsupported { why, at: None }),
    };
    let start = match conditions::read(source, &request.plan.predicates, &relation, budget)? {
        Ok(read) => read.map(|it| Start::new(it.exprs, it.conditions)),
        Err(why) => return Ok(Found::Unsupported { why, at: None }),
    };
    let mut options = Options {
        machine: source.machine,
        states: usize::try_from(settings.number(&STATES)).unwrap_or(usize::MAX),
        rounds: usize::try_from(settings.number(&ROUNDS)).unwrap_or(usize::MAX),
        exact_bits: u8::try_from(settings.number(&EXACT).ilog2()).unwrap_or(u8::MAX),
        minimise: settings.is_on(&MINIMISE),
        start,
    };
    let prepared = Prepared::new(request, Way::Abstract, budget)?;
    if prepared.is_merged() {
        events.emit(Event::Round("steps are merged".into()));
        match prove(prepared.program(), &options, &budget.part(MERGED_TICKS), events) {
            Ok(Found::Proved { proof, .. }) => options.start = Some(Start::of_proof(&proof)),
            Ok(_) => {}
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => budget.spend(0)?,
            Err(stop) => return Err(stop),
        }
        events.emit(Event::Round("the same without merged steps".into()));
    }
    prove_relation(relation, &options, budget, events)
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
