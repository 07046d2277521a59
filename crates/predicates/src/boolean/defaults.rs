//! Where the predicates of a Boolean program come from if nobody names them: a proof, or the program's own
//! comparisons.

use crate::pairs::distinct::distinct;
use crate::pairs::templates::Templates;
use base::{Budget, Stop};
use c::{ExprId, Exprs};
use relation::Relation;
use relation::proof::{PairPredicate, Proof};

/// Predicates and the pool that they are in, which begins with that of the relation.
#[derive(Clone, Debug)]
pub struct Predicated {
    /// The pool.
    pub exprs: Exprs,
    /// The conditions.
    pub conditions: Vec<ExprId>,
    /// Relations between two threads.
    pub pairs: Vec<PairPredicate>,
}

/// The predicates of a proof.
pub fn of_proof(proof: &Proof) -> Predicated {
    Predicated {
        exprs: proof.exprs.clone(),
        conditions: proof.predicates.clone(),
        pairs: proof.pairs.clone(),
    }
}

/// The comparisons of the program: what the assertions say, what is connected with it, all guards, and what
/// follows from them, as far as `layer` says (0 to 3).
pub fn of_templates(relation: &Relation, layer: usize, budget: &Budget) -> Result<Predicated, Stop> {
    let mut templates = Templates::new(relation, relation.exprs.clone(), budget);
    templates.assertions()?;
    if layer > 0 {
        templates.connected()?;
    }
    if layer > 1 {
        templates.guards()?;
    }
    if layer > 2 {
        templates.linked()?;
    }
    let conditions = distinct(relation, &templates.exprs, templates.predicates(), budget)?;
    Ok(Predicated { exprs: templates.exprs, conditions, pairs: vec![] })
}
