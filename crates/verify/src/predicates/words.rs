//! Predicates as people read them.

use ::c::{ExprId, Exprs, Node, ProcId};
use ir::c::Model;
use ir::certificate::Predicates;
use predicates::boolean::{Names, ProgramNames, written};
use relation::proof::Proof;
use relation::{Home, Relation};

/// A predicate as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// The condition.
    pub text: String,
    /// What it speaks of: `shared`, `local`, `mixed` or `pair`.
    pub class: &'static str,
}

/// The predicates of a proof as conditions of C that can be named again (`--predicates`), relations between
/// two threads last.
pub fn predicates(by: &Predicates, source: Option<&Model>) -> Vec<Predicate> {
    let Proof { exprs, predicates, .. } = &*by.proof;
    let relation = &*by.relation;
    let nameless = |_: ProcId| String::new();
    let names = source.map(|it| ProgramNames::new(&it.program));
    let names: &dyn Names = names.as_ref().map_or(&nameless, |it| it);
    let text = |it: ExprId| written(relation, exprs, it, names);
    let single = predicates.iter().map(|&it| Predicate { text: text(it), class: class(relation, exprs, it) });
    let between = by.relations().map(|pair| {
        let [left, right] = [pair.left, pair.right].map(text);
        let operator = relation::operator(pair.compare);
        let text = format!("{left} of one thread {operator} {right} of another");
        Predicate { text, class: "pair" }
    });
    single.chain(between).collect()
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
