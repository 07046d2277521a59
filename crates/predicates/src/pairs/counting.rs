//! Loops that add up what they count: `sum += a[i], i++`. Where no element is more than one, the sum is at
//! most the count, whatever the elements are. Such relations, bounds of variables that only ever get
//! constants, and the small comparisons of the program are few enough for programs with arrays, where the
//! weakest preconditions of anything are about every element.

use crate::pairs::templates::Templates;
use crate::terms::atoms::simplify;
use base::Stop;
use c::{Binary, ExprId, Exprs, LocalId, Node, Type};
use relation::{Home, Update};
use std::collections::{BTreeMap, BTreeSet};

/// A comparison of a variable with a variable or a number has no more parts.
const SMALL_ATOM: usize = 3;

/// A sum and what is counted beside it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sum {
    sum: LocalId,
    count: LocalId,
}

impl Templates<'_> {
    /// Sums that are at most what is counted beside them, bounds, and small comparisons; whether there are
    /// such sums.
    pub(crate) fn counting(&mut self) -> Result<bool, Stop> {
        let sums = self.added_up()?;
        if sums.is_empty() {
            return Ok(false);
        }
        let counts: BTreeSet<LocalId> = sums.iter().map(|it| it.count).collect();
        for command in &self.relation.commands {
            self.budget.spend(1)?;
            for atom in self.guard_atoms(command) {
                let atom = self.afterwards(atom, &command.updates);
                if self.exprs.below(atom).len() <= SMALL_ATOM {
                    self.add(atom);
                    self.turned(atom, &counts);
                }
            }
        }
        self.bounded()?;
        for Sum { sum, count } in sums {
            let ty = self.relation.variables[sum].ty;
            let [sum, count] = [sum, count].map(|it| self.exprs.add(Node::Local(it, ty)));
            let zero = self.exprs.number(ty, 0);
            for [a, b] in [[count, sum], [sum, zero], [count, zero]] {
                let less = simplify(&mut self.exprs, Node::Binary(Binary::LtS, a, b));
                self.add(less);
            }
        }
        Ok(true)
    }

    /// Variables to which one command adds what is not a number, while it counts another one.
    fn added_up(&self) -> Result<BTreeSet<Sum>, Stop> {
        let (relation, exprs) = (self.relation, &self.relation.exprs);
        let mut found = BTreeSet::new();
        for command in &relation.commands {
            self.budget.spend(1)?;
            for grows in &command.updates {
                let sum = grows.variable;
                if addend(exprs, sum, grows.value).is_none_or(|it| exprs.constant(it).is_some()) {
                    continue;
                }
                for counts in command.updates.iter().filter(|it| it.variable != sum) {
                    let count = counts.variable;
                    let by = addend(exprs, count, counts.value).and_then(|it| exprs.constant(it));
                    let [left, right] = [sum, count].map(|it| &relation.variables[it]);
                    let wide = matches!(left.ty, Type::Bits(bits) if bits > self.exact_bits);
                    if by == Some(1) && left.ty == right.ty && left.home != Home::Choice && wide {
                        found.insert(Sum { sum, count });
                    }
                }
            }
        }
        Ok(found)
    }

    /// What a comparison says of the state after the command: `i + 1 < n` beside `i := i + 1` is `i < n`.
    pub(crate) fn afterwards(&mut self, atom: ExprId, updates: &[Update]) -> ExprId {
        let Node::Binary(op, a, b) = self.exprs.node(atom) else { return atom };
        if !op.is_comparison() {
            return atom;
        }
        let [a, b] = [a, b].map(|side| {
            let fits = |it: &&Update| it.value == side && self.exprs.constant(side).is_none();
            let target = updates.iter().find(fits).map(|it| it.variable);
            let ty = self.exprs.ty(side);
            target.map_or(side, |it| self.exprs.add(Node::Local(it, ty)))
        });
        self.exprs.binary(op, a, b)
    }

    /// For `count < end`: `end < count`, which never holds in a loop that ends there.
    fn turned(&mut self, atom: ExprId, counts: &BTreeSet<LocalId>) {
        if let Node::Binary(op @ (Binary::LtS | Binary::LtU), a, b) = self.exprs.node(atom)
            && matches!(self.exprs.node(a), Node::Local(it, _) if counts.contains(&it))
        {
            let turned = self.exprs.binary(op, b, a);
            self.add(turned);
        }
    }

    /// Variables that only ever get constants or stay what they are: they are at most the largest of these.
    fn bounded(&mut self) -> Result<(), Stop> {
        let mut largest: BTreeMap<LocalId, Option<u128>> = BTreeMap::new();
        for command in &self.relation.commands {
            let created = command.creates.iter().flat_map(|it| &it.values);
            for update in command.updates.iter().chain(created) {
                self.budget.spend(1)?;
                let value = largest_leaf(&self.relation.exprs, update.variable, update.value);
                let entry = largest.entry(update.variable).or_insert(Some(0));
                *entry = entry.and_then(|before| value.map(|value| before.max(value)));
            }
        }
        for (variable, most) in largest {
            let about = &self.relation.variables[variable];
            let (Some(most), Some(initial), Type::Bits(bits)) = (most, about.initial, about.ty) else {
                continue;
            };
            if about.home == Home::Choice || bits <= self.exact_bits {
                continue;
            }
            let (ty, most) = (about.ty, most.max(initial));
            let read = self.exprs.add(Node::Local(variable, ty));
            let bound = self.exprs.number(ty, most);
            let above = simplify(&mut self.exprs, Node::Binary(Binary::LtU, bound, read));
            self.add(above);
        }
        Ok(())
    }
}

/// What a value adds to a variable.
fn addend(exprs: &Exprs, variable: LocalId, value: ExprId) -> Option<ExprId> {
    let Node::Binary(Binary::Add, a, b) = exprs.node(value) else { return None };
    let is = |id: ExprId| matches!(exprs.node(id), Node::Local(it, _) if it == variable);
    if is(a) {
        Some(b)
    } else if is(b) {
        Some(a)
    } else {
        None
    }
}

/// The largest constant that a value may be, beside the variable itself; `None` if it may be anything else.
fn largest_leaf(exprs: &Exprs, variable: LocalId, value: ExprId) -> Option<u128> {
    let mut work = vec![value];
    let mut seen = BTreeSet::new();
    let mut largest = 0;
    while let Some(at) = work.pop() {
        match exprs.node(at) {
            _ if !seen.insert(at) => {}
            Node::Const(_, number) => largest = largest.max(number),
            Node::Local(it, _) if it == variable => {}
            Node::Ite(_, a, b) => work.extend([a, b]),
            _ => return None,
        }
    }
    Some(largest)
}
