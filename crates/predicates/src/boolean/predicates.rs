//! The predicates of an abstraction: whose variables they read, which Booleans track them, and where these
//! have a meaning.

use super::Treatment;
use crate::terms::circuits::of_thread;
use c::{ExprId, Exprs, LocalId, ProcId};
use relation::{ControlId, Home, Relation};

/// Whose variables a predicate reads (Donaldson et al., CAV 2011).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Shared ones only.
    Shared,
    /// Those of a thread only.
    Local,
    /// Both.
    Mixed,
}

impl Class {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Class::Shared => "shared",
            Class::Local => "local",
            Class::Mixed => "mixed",
        }
    }
}

/// A predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// The condition.
    pub condition: ExprId,
    /// Whose variables it reads.
    pub class: Class,
    /// Whether one Boolean for all threads tracks it, not one of each thread.
    pub is_shared: bool,
    /// The shared variables that it reads, in order.
    pub shared: Vec<LocalId>,
    /// The variables of the thread that it reads, in order.
    pub local: Vec<LocalId>,
    /// The template that these belong to; `None` if every thread has them.
    pub template: Option<ProcId>,
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Predicates {
    /// The pool of the conditions; it begins with that of the relation.
    pub exprs: Exprs,
    /// The predicates, by number.
    pub list: Vec<Predicate>,
    /// For each control location the predicates of a thread that have a meaning there.
    live: Vec<Vec<bool>>,
}

impl Predicates {
    /// Classifies conditions. Those that read no variable or a choice, or variables of two templates, are
    /// left out.
    pub fn new(relation: &Relation, exprs: Exprs, conditions: &[ExprId], treatment: Treatment) -> Predicates {
        let list: Vec<Predicate> =
            conditions.iter().filter_map(|&it| classify(relation, &exprs, it, treatment)).collect();
        let live = relation.controls.iter().map(|control| {
            let lives = |it: &LocalId| control.live.binary_search(it).is_ok();
            list.iter().map(|it| !it.is_shared && it.local.iter().all(lives)).collect()
        });
        let live = live.collect();
        Predicates { exprs, list, live }
    }

    /// Whether the Boolean of a thread that tracks a predicate has a meaning here.
    pub fn is_live(&self, control: ControlId, predicate: usize) -> bool {
        use base::Id;
        self.live[control.index()][predicate]
    }

    /// The predicates that are known of a thread that stands here: shared ones, and live ones of the thread.
    pub fn known(&self, relation: &Relation, control: ControlId) -> Vec<usize> {
        let has_meaning = |it: &usize| {
            let predicate = &self.list[*it];
            // A mixed predicate that one Boolean for all threads tracks is read as that of the active thread.
            let lives = |it: &LocalId| relation.controls[control].live.binary_search(it).is_ok();
            if predicate.is_shared { predicate.local.iter().all(lives) } else { self.is_live(control, *it) }
        };
        (0..self.list.len()).filter(has_meaning).collect()
    }
}

fn classify(
    relation: &Relation,
    exprs: &Exprs,
    condition: ExprId,
    treatment: Treatment,
) -> Option<Predicate> {
    let read = exprs.locals(condition);
    if read.is_empty() || read.iter().any(|&it| relation.variables[it].home == Home::Choice) {
        return None;
    }
    let (local, shared): (Vec<LocalId>, Vec<LocalId>) = read.iter().partition(|&&it| of_thread(relation, it));
    let mut templates: Vec<ProcId> = vec![];
    for &it in &local {
        if let Home::Template(template) = relation.variables[it].home
            && !templates.contains(&template)
        {
            templates.push(template);
        }
    }
    if templates.len() > 1 {
        return None;
    }
    let class = match (shared.is_empty(), local.is_empty()) {
        (_, true) => Class::Shared,
        (true, _) => Class::Local,
        _ => Class::Mixed,
    };
    let is_shared = class == Class::Shared || class == Class::Mixed && treatment == Treatment::MixedAsShared;
    Some(Predicate { condition, class, is_shared, shared, local, template: templates.first().copied() })
}
