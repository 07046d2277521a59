//! A second opinion about paths: what [`super::feasibility`] decided, as a question for a solver that shares
//! nothing with ours. It changes no answer; a user who has another one has found a fault.

use super::ControlPath;
use super::feasibility::{Core, Feasibility, feasibility};
use super::straight::Straight;
use crate::terms::smt::{Script, SmtReading, SmtView, Term};
use base::{Budget, Stop};
use c::LocalId;
use relation::Relation;
use rustc_hash::FxHashMap;

/// A question that has an answer already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// The question in SMT-LIB 2.
    pub script: String,
    /// Our answer.
    pub satisfiable: bool,
}

/// What came of a second opinion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compared {
    /// The other says the same.
    Agrees,
    /// The other says nothing, and why.
    Unanswered(String),
    /// The other says the opposite, in words.
    Differs(String),
}

/// Who is asked for a second opinion.
pub trait SecondOpinion {
    /// Compares an answer with the other's.
    fn compare(&mut self, question: &Decided, budget: &Budget) -> Result<Compared, Stop>;
}

/// Decides whether a path is one of the program, and asks for a second opinion.
pub fn compared(
    relation: &Relation,
    path: &ControlPath,
    second: &mut dyn SecondOpinion,
    budget: &Budget,
) -> Result<Compared, Stop> {
    let straight = Straight::of(relation, &relation.exprs, path, budget)?;
    let decided = feasibility(&straight, budget)?;
    second.compare(&question(&straight, &decided, budget)?, budget)
}

/// The question: for a run the whole path, and otherwise only what is to blame, since that must be impossible
/// by itself.
pub(crate) fn question(straight: &Straight, decided: &Feasibility, budget: &Budget) -> Result<Decided, Stop> {
    let core = match decided {
        Feasibility::Run(_) => None,
        Feasibility::Core(core) => Some(core),
    };
    let mut writer = Writer { straight, core, budget, script: Script::new() };
    writer.start();
    writer.steps()?;
    Ok(Decided { script: writer.script.question(), satisfiable: core.is_none() })
}

struct Writer<'a> {
    straight: &'a Straight,
    core: Option<&'a Core>,
    budget: &'a Budget,
    script: Script,
}

impl Writer<'_> {
    fn start(&mut self) {
        if self.core.is_some_and(|core| !core.start) {
            return;
        }
        for it in self.straight.start() {
            let term = self.script.input(&self.straight.relation, it.variable);
            self.script.equal(&term, it.value);
        }
    }

    fn steps(&mut self) -> Result<(), Stop> {
        let mut values: FxHashMap<LocalId, Term> = FxHashMap::default();
        for (at, step) in self.straight.steps.iter().enumerate() {
            let mut view = SmtView::with(values.clone());
            let blames = |core: &Core, conjunct| {
                core.conjuncts.iter().any(|it| it.step == at && it.conjunct == conjunct)
            };
            for &conjunct in &step.conjuncts {
                if self.core.is_none_or(|core| blames(core, conjunct)) {
                    let term = self.word(&mut view, conjunct)?;
                    self.script.hold(&term);
                }
            }
            for &condition in &step.others {
                if self.core.is_none_or(|core| core.others.contains(&at)) {
                    let term = self.word(&mut view, condition)?;
                    self.script.hold(&term);
                }
            }
            for update in &step.updates {
                let term = self.word(&mut view, update.value)?;
                values.insert(update.variable, term);
            }
        }
        Ok(())
    }

    fn word(&mut self, view: &mut SmtView, id: c::ExprId) -> Result<Term, Stop> {
        let relation = &self.straight.relation;
        let mut reading = SmtReading { relation, exprs: &relation.exprs, view, budget: self.budget };
        self.script.word(&mut reading, id)
    }
}
