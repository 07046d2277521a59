//! Predicates and lemmas that are given, taken to the end: the Boolean program is abstracted, closed by an engine and the lemmas weakened until they are proved or the program fails.

use super::super::build::Built;
use super::super::growing::Growing;
use super::super::refinement::{BackEnd, Checked, LemmaUse};
use super::super::{Abstraction, Limits, Treatment};
use super::{Invariant, Lemma, Marked, discharge, marked};
use base::{Budget, Stop};
use ir::Certificate;
use ir::c::relation::Relation;
use ir::c::relation::proof::PairPredicate;
use ir::c::{ExprId, Exprs};
use ir::trace::ProgramTrace;

/// A relation between two threads that is to be a lemma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proposed {
    /// The relation.
    pub pair: PairPredicate,
    /// Whether it does not hold, rather than holds.
    pub negated: bool,
}

/// What is given.
pub struct Given<'a> {
    /// The program as guarded commands.
    pub relation: &'a Relation,
    /// The pool of the predicates; it begins with that of the relation.
    pub exprs: &'a Exprs,
    /// The predicates.
    pub conditions: &'a [ExprId],
    /// The lemmas.
    pub lemmas: &'a [Proposed],
    /// How far abstraction goes.
    pub limits: Limits,
    /// Whether lemmas are proved.
    pub treatment: LemmaUse,
}

/// What came of it.
pub enum Settled {
    /// The Boolean program is safe, and these lemmas hold where they say.
    Safe {
        /// The lemmas that are left.
        lemmas: Vec<Lemma>,
        /// The last Boolean program.
        abstraction: Box<Abstraction>,
    },
    /// It fails, with what is left of the lemmas.
    Fails(Box<ProgramTrace>),
    /// Nobody decides it, and why.
    Unknown(String),
}

/// Abstracts and weakens until nothing changes.
pub fn settle(given: &Given<'_>, back_end: &mut dyn BackEnd, budget: &Budget) -> Result<Settled, Stop> {
    let Marked { relation, slots } = marked(given.relation);
    let mut exprs = relation.exprs.clone();
    let mut import = |id: ExprId| exprs.import(given.exprs, id, |node| node);
    let conditions: Vec<ExprId> = given.conditions.iter().map(|&it| import(it)).collect();
    let sides = given.lemmas.iter().map(|it| [it.pair.left, it.pair.right].map(&mut import));
    let sides: Vec<[ExprId; 2]> = sides.collect();
    let mut lemmas = vec![];
    for (it, [left, right]) in given.lemmas.iter().zip(sides) {
        lemmas.extend(Lemma::new(&relation, &exprs, PairPredicate { left, right, ..it.pair }, it.negated));
    }
    let mut growing = Growing::new(&relation, exprs.clone(), given.limits, Treatment::Sound);
    growing.add(exprs, &conditions, budget)?;
    growing.assume(lemmas, &slots, budget)?;
    loop {
        let built = growing.program(&[relation.start], budget)?;
        match back_end.check(&built.program, budget)? {
            Checked::Fails(trace) => return Ok(Settled::Fails(trace)),
            Checked::Unknown(why) => return Ok(Settled::Unknown(why)),
            Checked::Safe(certificate) => {
                let assumed = given.treatment == LemmaUse::Assumed;
                if assumed
                    || weaken(&mut growing, &built, certificate.as_deref(), &slots, budget)?.broken == 0
                {
                    let lemmas = growing.lemmas.list.clone();
                    let (predicates, calls) = (growing.predicates, growing.calls);
                    let abstraction = Box::new(Abstraction { program: built.program, predicates, calls });
                    return Ok(Settled::Safe { lemmas, abstraction });
                }
            }
        }
    }
}

/// How many pairs of control locations lemmas lost, and how many they have.
pub struct Weakened {
    /// Where they may be broken.
    pub broken: usize,
    /// Where they are left.
    pub kept: usize,
}

/// Takes out of the lemmas where steps may break them in what the certificate of the Boolean program allows.
pub fn weaken(
    growing: &mut Growing<'_>,
    built: &Built,
    certificate: Option<&Certificate>,
    slots: &[ExprId],
    budget: &Budget,
) -> Result<Weakened, Stop> {
    let invariant = Invariant::new(built, certificate);
    let (lemmas, broken) = discharge(growing, &invariant, budget)?;
    let kept = lemmas.iter().map(|it| it.at.len()).sum();
    if broken > 0 {
        growing.assume(lemmas, slots, budget)?;
    }
    Ok(Weakened { broken, kept })
}
