//! New predicates from an alarm, without deciding whether its path is real: the weakest preconditions of the
//! failing guard, and of the guards on the way, along the derivation. And thresholds: where variables are
//! compared with numbers and scaled by numbers, all bounds that follow, at once, instead of one in each
//! round.

use crate::pairs::alarm::Link;
use crate::pairs::formulas::as_variable;
use crate::pairs::templates::{MOST_ATOMS, Templates};
use crate::terms::atoms::{atoms, substitute, under_guard};
use crate::terms::circuits::of_thread;
use base::Stop;
use c::{Binary, ExprId, Exprs, LocalId, Node};
use relation::Home;
use rustc_hash::FxHashMap;

/// The most thresholds.
const MOST_THRESHOLDS: usize = 100;

/// Refinement steps back from all commands at most so often: in a loop that counts there is always something
/// new (`x == 1`, `x == 2`, …).
const MOST_STEPS_BACK: usize = 2;

impl Templates<'_> {
    /// What a chain of commands to a failing one, the last command first, says about the states on its way:
    /// the weakest preconditions of the failing guard and of the guards on the way. Whether anything was new.
    pub fn along(&mut self, failing: ExprId, chain: &[Link]) -> Result<bool, Stop> {
        let before = self.found.len();
        let relation = self.relation;
        let mut followed = atoms(&mut self.exprs, failing);
        for link in chain {
            let command = &relation.commands[link.command];
            let mut values = FxHashMap::default();
            for update in &command.updates {
                if link.own || relation.variables[update.variable].home == Home::Shared {
                    values.insert(update.variable, under_guard(&mut self.exprs, command.guard, update.value));
                }
            }
            let mut next = if link.own { atoms(&mut self.exprs, command.guard) } else { vec![] };
            for atom in followed {
                self.budget.spend(1)?;
                self.add(atom);
                next.extend(self.precondition(atom, &values, link.own));
            }
            self.guard(command)?;
            next.sort();
            next.dedup();
            next.truncate(MOST_ATOMS);
            followed = next;
        }
        for atom in followed {
            self.add(atom);
        }
        if self.found.len() == before && self.steps_back < MOST_STEPS_BACK {
            // The derivation follows one thread; what the others did before they stepped in is one step back
            // from all commands.
            self.steps_back += 1;
            self.weakest(1)?;
        }
        self.complete()?;
        Ok(self.found.len() > before)
    }

    /// The atoms of a weakest precondition that are about one thread. By a step of another thread, one that
    /// was about this thread is left out where the value comes from the other: it would be about two.
    fn precondition(&mut self, atom: ExprId, values: &FxHashMap<LocalId, ExprId>, own: bool) -> Vec<ExprId> {
        let read = self.exprs.locals(atom);
        if !read.iter().any(|it| values.contains_key(it)) {
            return vec![atom];
        }
        let made = substitute(&mut self.exprs, atom, values);
        let of_other =
            |id: ExprId, exprs: &Exprs| exprs.locals(id).into_iter().any(|it| of_thread(self.relation, it));
        if own || !of_other(made, &self.exprs) {
            return atoms(&mut self.exprs, made);
        }
        if !of_other(atom, &self.exprs) {
            for atom in atoms(&mut self.exprs, made) {
                self.add(atom);
            }
        }
        vec![]
    }

    /// All guards and, for variables that are compared with numbers, the bounds that follow through all
    /// assignments.
    pub fn thresholds(&mut self) -> Result<bool, Stop> {
        let relation = self.relation;
        let mut scaled = false;
        for command in &relation.commands {
            self.guard(command)?;
            for update in &command.updates {
                scaled |= self.exprs.below(update.value).into_iter().any(|id| self.is_scaling(id));
                self.remainder(update.variable, update.value);
            }
        }
        // A copy that is scaled later is bounded by what was asked of the original: without this the scaling
        // may overflow.
        self.carry()?;
        let mut at = 0;
        while scaled && at < self.found.len() && self.found.len() < MOST_THRESHOLDS {
            let atom = self.found[at];
            at += 1;
            if !self.is_bound(atom) {
                continue;
            }
            for command in &relation.commands {
                self.budget.spend(1)?;
                let mut values = FxHashMap::default();
                for update in &command.updates {
                    values.insert(update.variable, under_guard(&mut self.exprs, command.guard, update.value));
                }
                let made = substitute(&mut self.exprs, atom, &values);
                for atom in atoms(&mut self.exprs, made) {
                    if self.is_bound(atom) {
                        self.add(atom);
                    }
                }
            }
        }
        Ok(scaled)
    }

    fn is_scaling(&self, id: ExprId) -> bool {
        use Binary::{DivU, Mul, Shl, ShrU};
        matches!(self.exprs.node(id), Node::Binary(DivU | Mul | Shl | ShrU, _, b) if self.exprs.constant(b).is_some())
    }

    /// Whether an atom compares a variable with a number.
    fn is_bound(&self, atom: ExprId) -> bool {
        match self.exprs.node(atom) {
            Node::Binary(op, a, b) if op.is_comparison() => {
                let (x, y) = (as_variable(&self.exprs, a), as_variable(&self.exprs, b));
                x.is_some() && self.exprs.constant(b).is_some()
                    || y.is_some() && self.exprs.constant(a).is_some()
            }
            _ => false,
        }
    }

    /// A remainder is less than its divisor.
    fn remainder(&mut self, variable: LocalId, value: ExprId) {
        if let Node::Binary(Binary::RemU, _, divisor) = self.exprs.node(value)
            && self.exprs.constant(divisor).is_some_and(|it| it > 0)
        {
            let read = self.exprs.add(Node::Local(variable, self.relation.variables[variable].ty));
            let less = self.exprs.binary(Binary::LtU, read, divisor);
            self.add(less);
        }
    }
}
