//! Lemmas that may help: of the variables that a path's core compares between two threads, and else of those
//! that are written from what they are compared with (a ticket that is taken, a value that is exchanged).

use super::Lemma;
use crate::pairs::templates::Templates;
use crate::paths::candidates::order;
use crate::paths::straight::{Owner, Straight};
use base::{Budget, Stop};
use c::{Binary, ExprId, Exprs, LocalId, Node, Type};
use relation::proof::PairPredicate;
use relation::{Home, Relation};

/// The most variables that lemmas are proposed for.
const MOST: usize = 4;

/// The variables of threads that atoms about two threads read in both.
pub fn between(straight: &Straight, atoms: &[ExprId]) -> Vec<LocalId> {
    let mut found: Vec<LocalId> = vec![];
    for &atom in atoms {
        let mut read: Vec<(LocalId, Owner)> = vec![];
        for copy in straight.relation.exprs.locals(atom) {
            if let Some(copied) = straight.copies.get(&copy) {
                read.push((copied.variable, copied.owner));
            }
        }
        for (at, &(variable, owner)) in read.iter().enumerate() {
            let twice = read[..at].iter().any(|it| it.0 == variable && it.1 != owner);
            if twice && !found.contains(&variable) {
                found.push(variable);
            }
        }
    }
    found
}

/// Lemmas that are tried together, with predicates that their proof is likely to need.
pub struct Proposal {
    /// The lemmas.
    pub lemmas: Vec<Lemma>,
    /// What guards say of their variables and of the shared ones that these are compared with or copied from,
    /// and the order of all these.
    pub companions: Vec<ExprId>,
}

/// The lemmas about these variables, or about all that look like tickets; that they differ, then that they
/// are ordered.
pub fn proposed(
    relation: &Relation,
    exprs: &mut Exprs,
    variables: &[LocalId],
    budget: &Budget,
) -> Result<[Proposal; 2], Stop> {
    let mut templates = Templates::new(relation, exprs.clone(), budget);
    let links = templates.links()?;
    let mut chosen = variables.to_vec();
    if chosen.is_empty() {
        let pairs = templates.pairs(false)?;
        chosen = pairs.iter().flat_map(|it| templates.exprs.locals(it.left)).collect();
    }
    chosen.truncate(MOST);
    let mut variables = chosen.clone();
    for link in links {
        for [own, shared] in [link, [link[1], link[0]]] {
            let is_shared = relation.variables[shared].home == Home::Shared;
            if chosen.contains(&own) && is_shared && !variables.contains(&shared) {
                variables.push(shared);
            }
        }
    }
    templates.guards()?;
    let all = |&&it: &&ExprId| templates.exprs.locals(it).iter().all(|it| variables.contains(it));
    let mut companions: Vec<ExprId> = templates.predicates().iter().filter(all).copied().collect();
    *exprs = templates.exprs;
    for (at, &x) in variables.iter().enumerate() {
        for &y in &variables[..at] {
            companions.extend(order(relation, exprs, [x, y]));
        }
    }
    let (mut differ, mut ordered) = (vec![], vec![]);
    for variable in chosen {
        let about = &relation.variables[variable];
        let side = exprs.add(Node::Local(variable, about.ty));
        let pair = |compare| PairPredicate { left: side, compare, right: side };
        differ.extend(Lemma::new(relation, exprs, pair(Binary::Eq), true));
        if about.ty != Type::Pointer && !about.ty.is_float() {
            let less = if about.signed { Binary::LtS } else { Binary::LtU };
            ordered.extend(Lemma::new(relation, exprs, pair(less), false));
        }
    }
    Ok([differ, ordered].map(|lemmas| Proposal { lemmas, companions: companions.clone() }))
}
