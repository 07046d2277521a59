//! Predicates and lemmas that are given, taken to the end: the Boolean program is abstracted, closed by an
//! engine and the lemmas weakened until they are proved or the program fails.

use super::super::build::Built;
use super::super::growing::Growing;
use super::super::refinement::{BackEnd, Checked, LemmaUse};
use super::super::{Abstraction, Limits, Treatment};
use super::{Invariant, Lemma, Marked, discharge, marked};
use base::{Budget, Stop};
use c::{ExprId, Exprs};
use ir::Certificate;
use ir::trace::ProgramTrace;
use relation::Relation;
use relation::proof::PairPredicate;

/// Predicates and lemmas, in a pool that begins with that of the relation.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The program as guarded commands.
    pub relation: &'a Relation,
    /// The pool.
    pub exprs: &'a Exprs,
    /// The predicates.
    pub conditions: &'a [ExprId],
    /// The lemmas.
    pub lemmas: &'a [Lemma],
    /// How far abstraction goes.
    pub limits: Limits,
}

/// What came of it.
pub enum Settled {
    /// The Boolean program is safe, and these lemmas hold where they say.
    Safe(Vec<Lemma>),
    /// It fails, with what is left of the lemmas.
    Fails(Box<ProgramTrace>),
    /// Nobody decides it, and why.
    Unknown(String),
}

/// Abstracts and weakens the lemmas until nothing changes.
pub fn settle(
    given: &Given<'_>,
    treatment: LemmaUse,
    back_end: &mut dyn BackEnd,
    budget: &Budget,
) -> Result<Settled, Stop> {
    let marked = marked(given.relation);
    let mut growing = assumed(given, &marked, budget)?;
    loop {
        let built = growing.program(&[given.relation.start], budget)?;
        let certificate = match back_end.check(&built.program, budget)? {
            Checked::Fails(trace) => return Ok(Settled::Fails(trace)),
            Checked::Unknown(why) => return Ok(Settled::Unknown(why)),
            Checked::Safe(certificate) => certificate,
        };
        if treatment == LemmaUse::Assumed
            || weaken(&mut growing, &built, certificate.as_deref(), &marked.slots, budget)?.broken == 0
        {
            let mut lemmas = growing.lemmas.list;
            for lemma in &mut lemmas {
                lemma.pair = given.lemmas[lemma.number].pair;
            }
            return Ok(Settled::Safe(lemmas));
        }
    }
}

/// The Boolean program under lemmas as they are, proved or not.
pub fn under_lemmas(given: &Given<'_>, budget: &Budget) -> Result<Abstraction, Stop> {
    let marked = marked(given.relation);
    let mut growing = assumed(given, &marked, budget)?;
    let built = growing.program(&[given.relation.start], budget)?;
    Ok(Abstraction { program: built.program, predicates: growing.predicates, calls: growing.calls })
}

/// An abstraction over the predicates under the lemmas.
fn assumed<'a>(given: &Given<'_>, marked: &'a Marked, budget: &Budget) -> Result<Growing<'a>, Stop> {
    let Marked { relation, slots } = marked;
    let mut exprs = relation.exprs.clone();
    let mut import = |id: ExprId| exprs.import(given.exprs, id, |node| node);
    let conditions: Vec<ExprId> = given.conditions.iter().map(|&it| import(it)).collect();
    let mut lemmas = given.lemmas.to_vec();
    for (number, lemma) in lemmas.iter_mut().enumerate() {
        let [left, right] = [lemma.pair.left, lemma.pair.right].map(&mut import);
        lemma.pair = PairPredicate { left, right, ..lemma.pair };
        lemma.number = number;
    }
    let mut growing = Growing::new(relation, exprs.clone(), given.limits, Treatment::Sound);
    growing.add(exprs, &conditions, budget)?;
    growing.assume(lemmas, slots, budget)?;
    Ok(growing)
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
