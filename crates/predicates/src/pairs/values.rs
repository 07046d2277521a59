//! Proofs over the values of variables themselves. Where another way has found what each variable may hold
//! and has proved the program, the predicates are not searched for: they say which value a variable has, or
//! which bits. The closure then knows as much as a proof about the bits does that looks at one or two
//! threads.

use crate::pairs::basis::{Basis, MOST};
use crate::pairs::closure::{Closed, Limits, close_with};
use crate::pairs::companions::Companions;
use crate::pairs::distinct::distinct;
use crate::pairs::prove::{Options, Outcome};
use crate::pairs::tables::proof;
use crate::pairs::templates::Templates;
use base::{Budget, Stop};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, TRUTH, mask};
use relation::proof::Proof;
use relation::{Home, Relation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a variable may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// One of these.
    Few(Vec<u128>),
    /// Any number of which only these bits, counted from the lowest, are ever set.
    Bits(Vec<u8>),
}

/// The states of one thread that locks alone tell apart, at most.
const LOCK_STATES: usize = 5_000;

/// Tries to prove that no assertion fails, over the values of the variables that matter.
pub fn prove_values(
    relation: Relation,
    values: &BTreeMap<LocalId, Values>,
    options: &Options,
    budget: &Budget,
) -> Result<Outcome, Stop> {
    let relevant = relevant(&relation, budget)?;
    let mut exprs = relation.exprs.clone();
    let mut predicates = vec![];
    for (&variable, values) in values.iter().filter(|(variable, _)| relevant.contains(variable)) {
        budget.spend(1)?;
        predicates.extend(about(&relation, &mut exprs, variable, values));
    }
    let (mut rounds, mut alarm) = (0, "there are too many values".to_string());
    for with_guards in [false, true] {
        let mut templates = Templates::new(&relation, exprs.clone(), budget);
        templates.small();
        let locks = distinct(&relation, &templates.exprs, templates.predicates(), budget)?;
        if with_guards {
            templates.guards()?;
        }
        let all: Vec<ExprId> = templates.predicates().iter().chain(&predicates).copied().collect();
        let all = distinct(&relation, &templates.exprs, &all, budget)?;
        let basis = Basis::new(&relation, templates.exprs.clone(), &all, &[]);
        if basis.shared.len() >= MOST || basis.local.len() >= MOST {
            continue;
        }
        let mut closing = Closing { relation: &relation, basis: &basis, states: options.states, budget };
        for look in [ValuesLook::One, ValuesLook::Companions, ValuesLook::Two] {
            rounds += 1;
            match closing.close(look, &locks)? {
                Ok(proof) => {
                    let (predicates, width) =
                        (proof.predicates.len(), if look == ValuesLook::One { 1 } else { 2 });
                    let (proof, relation) = (Arc::new(proof), Arc::new(relation));
                    return Ok(Outcome::Proved { proof, relation, predicates, width, rounds });
                }
                Err(why) => alarm = why.to_string(),
            }
        }
    }
    Ok(Outcome::Alarm { why: alarm, at: None, rounds })
}

/// How threads are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuesLook {
    One,
    Companions,
    Two,
}

struct Closing<'a> {
    relation: &'a Relation,
    basis: &'a Basis,
    states: usize,
    budget: &'a Budget,
}

impl Closing<'_> {
    /// The closure as a proof, or why it is not one.
    fn close(&mut self, look: ValuesLook, locks: &[ExprId]) -> Result<Result<Proof, &'static str>, Stop> {
        let Closing { relation, basis, budget, .. } = *self;
        let mut companions = None;
        if look == ValuesLook::Companions {
            companions = Companions::new(relation, &basis.exprs, locks, LOCK_STATES, budget)?;
            if !companions.as_mut().is_some_and(|it| it.place(basis)) {
                return Ok(Err("the locks have too many states"));
            }
        }
        let width = if look == ValuesLook::Two { 2 } else { 1 };
        let limits = Limits { width, states: self.states, all: false };
        Ok(match close_with(relation, basis, companions.as_ref(), limits, budget)? {
            Closed::Safe(states) => {
                let mut made = proof(basis, &states, width, budget)?;
                made.races = relation.accesses.is_some();
                if let Some(companions) = companions {
                    made.doubles = Some(companions.doubles(basis, budget)?);
                }
                Ok(made)
            }
            Closed::Alarm { .. } | Closed::Race { .. } => {
                Err("the values of two threads at a time are no proof")
            }
            Closed::Large => Err("there are too many states"),
        })
    }
}

/// The variables that guards depend on, at first hand or through others.
fn relevant(relation: &Relation, budget: &Budget) -> Result<BTreeSet<LocalId>, Stop> {
    let exprs = &relation.exprs;
    let mut found: BTreeSet<LocalId> = BTreeSet::new();
    for command in &relation.commands {
        found.extend(exprs.locals(command.guard));
        found.extend(command.others.map(|it| exprs.locals(it)).unwrap_or_default());
    }
    loop {
        let before = found.len();
        for command in &relation.commands {
            budget.spend(1 + command.updates.len() as u64)?;
            let created = command.creates.iter().flat_map(|it| &it.values);
            for update in command.updates.iter().chain(created) {
                if found.contains(&update.variable) {
                    found.extend(exprs.locals(update.value));
                }
            }
        }
        if found.len() == before {
            return Ok(found);
        }
    }
}

/// The predicates that say what a variable holds.
fn about(relation: &Relation, exprs: &mut Exprs, variable: LocalId, values: &Values) -> Vec<ExprId> {
    let declared = &relation.variables[variable];
    if declared.home == Home::Choice || declared.ty.is_float() {
        return vec![];
    }
    let (ty, bits) = (declared.ty, declared.ty.bits(exprs.pointer_bits()));
    let read = exprs.add(Node::Local(variable, ty));
    match values {
        Values::Few(numbers) => {
            let numbers = numbers.iter().filter(|&&it| it & !mask(bits) == 0);
            let is = |&number: &u128| {
                let number = exprs.number(ty, number);
                exprs.binary(Binary::Eq, read, number)
            };
            numbers.map(is).collect()
        }
        Values::Bits(places) => {
            let mut found = vec![];
            let mut free = 0u128;
            for &place in places.iter().filter(|&&place| place < bits) {
                free |= 1 << place;
                let amount = exprs.number(ty, u128::from(place));
                let shifted = if place == 0 { read } else { exprs.binary(Binary::ShrU, read, amount) };
                found.push(exprs.convert(Convert::Truncate, TRUTH, shifted));
            }
            let rest = exprs.number(ty, mask(bits) & !free);
            let (rest, zero) = (exprs.binary(Binary::And, read, rest), exprs.number(ty, 0));
            found.push(exprs.binary(Binary::Eq, rest, zero));
            found
        }
    }
}
