//! Predicates to begin with: those that a user names, or those of a proof about the same program with merged
//! steps. They may be in another pool; variables have the same numbers.

use crate::pairs::templates::Templates;
use c::{ExprId, Exprs, Node};
use relation::Relation;
use relation::proof::{PairPredicate, Proof};

/// Predicates and the pool that they are in.
#[derive(Clone, Debug)]
pub struct Start {
    exprs: Exprs,
    predicates: Vec<ExprId>,
    pairs: Vec<PairPredicate>,
}

impl Start {
    /// These predicates.
    pub fn new(exprs: Exprs, predicates: Vec<ExprId>) -> Start {
        Start { exprs, predicates, pairs: vec![] }
    }

    /// The predicates of a proof. The second half of its relations are the first with the threads exchanged.
    pub fn of_proof(proof: &Proof) -> Start {
        let pairs = proof.pairs[..proof.pairs.len() / 2].to_vec();
        Start { exprs: proof.exprs.clone(), predicates: proof.predicates.clone(), pairs }
    }

    /// Adds the predicates to others.
    pub(crate) fn add_to(&self, templates: &mut Templates<'_>) {
        for &predicate in &self.predicates {
            if is_about(templates.relation, &self.exprs, predicate) {
                let imported = templates.exprs.import(&self.exprs, predicate, |leaf| leaf);
                templates.add_given(imported);
            }
        }
    }

    /// The relations between two threads, in the pool of the predicates.
    pub(crate) fn pairs(&self, templates: &mut Templates<'_>) -> Vec<PairPredicate> {
        let mut imported = vec![];
        for pair in &self.pairs {
            if [pair.left, pair.right].into_iter().all(|it| is_about(templates.relation, &self.exprs, it)) {
                let [left, right] =
                    [pair.left, pair.right].map(|it| templates.exprs.import(&self.exprs, it, |leaf| leaf));
                imported.push(PairPredicate { left, right, ..*pair });
            }
        }
        imported
    }
}

/// Whether an expression reads variables of the relation only, with their types.
fn is_about(relation: &Relation, exprs: &Exprs, id: ExprId) -> bool {
    exprs.below(id).into_iter().all(|it| match exprs.node(it) {
        Node::Local(variable, ty) => relation.variables.get(variable).is_some_and(|known| known.ty == ty),
        _ => true,
    })
}
