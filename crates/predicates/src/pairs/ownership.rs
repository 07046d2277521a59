//! Ownership: what keeps apart the places that threads of one template work at. A loop creates threads and gives
//! each one a number or an address that it counts on: `worker(i)`, `worker(&data[i])`; or each thread draws a
//! ticket, `mine = next++`. Two threads then differ in what they got, because what is given next is larger
//! than all that was given before. Only the relations are named here; whether they hold is found out by the
//! closure, and no checker need know why.

use crate::pairs::counts::change;
use crate::pairs::templates::Templates;
use crate::terms::atoms::substitute;
use crate::terms::circuits::of_thread;
use base::Stop;
use c::{Binary, Convert, ExprId, LocalId, Node, Type};
use relation::proof::{Count, PairPredicate};
use relation::{Home, Relation};
use rustc_hash::FxHashMap;

/// The most relations.
const MOST: usize = 24;

/// A thread has in a variable what its creator gave it, computed from the creator's own variables.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Given {
    variable: LocalId,
    value: ExprId,
}

impl Templates<'_> {
    /// Relations between threads that got what others did not, with the predicates that their proofs need.
    pub(crate) fn ownership(&mut self, counts: &[Count]) -> Result<Vec<PairPredicate>, Stop> {
        let mut found = vec![];
        for Given { variable, value } in self.given()? {
            let steps = self.exprs.locals(value);
            let changes: Vec<i128> = self
                .relation
                .commands
                .iter()
                .flat_map(|command| steps.iter().filter_map(|&it| change(self.relation, command, it)))
                .collect();
            let down = changes.iter().any(|it| *it < 0);
            if !down && changes.iter().all(|it| *it == 0) {
                continue;
            }
            let mine = self.exprs.add(Node::Local(variable, self.relation.variables[variable].ty));
            let order = if down { [value, mine] } else { [mine, value] };
            found.push(PairPredicate { left: mine, compare: Binary::Eq, right: mine });
            found.push(PairPredicate { left: order[0], compare: Binary::LtU, right: order[1] });
            found.push(PairPredicate { left: mine, compare: Binary::Eq, right: value });
            for step in steps {
                self.not_negative(step);
                self.guards_about(step)?;
            }
        }
        self.tickets(counts, &mut found)?;
        found.truncate(MOST);
        Ok(found)
    }

    /// What threads are given when they are created, and copies of it.
    fn given(&mut self) -> Result<Vec<Given>, Stop> {
        let relation = self.relation;
        let is_own = |it: &LocalId| of_thread(relation, *it);
        let mut found: Vec<Given> = vec![];
        for creation in relation.commands.iter().filter_map(|it| it.creates.as_ref()) {
            for update in &creation.values {
                let read = self.exprs.locals(update.value);
                let given = Given { variable: update.variable, value: update.value };
                let wide = relation.variables[update.variable].ty.bits(64) > self.exact_bits;
                if wide && !read.is_empty() && read.iter().all(is_own) && !found.contains(&given) {
                    found.push(given);
                }
            }
        }
        let mut at = 0;
        while at < found.len() && found.len() < MOST / 3 {
            let given = found[at];
            at += 1;
            for command in &relation.commands {
                self.budget.spend(1)?;
                for update in &command.updates {
                    let is_shared = relation.variables[update.variable].home == Home::Shared;
                    if !is_shared && self.exprs.locals(update.value) == [given.variable] {
                        let copy = self.copied(given, update.variable, update.value);
                        found.extend(copy.filter(|it| found.iter().all(|old| old.variable != it.variable)));
                    }
                }
            }
        }
        Ok(found)
    }

    /// A variable computed from what was given; what is cut off on the way is no more than its sign.
    fn copied(&mut self, given: Given, variable: LocalId, value: ExprId) -> Option<Given> {
        if variable == given.variable {
            return None;
        }
        let ty = self.relation.variables[given.variable].ty;
        let told = self.exprs.convert(Convert::Reinterpret, ty, given.value);
        for id in self.exprs.below(value) {
            if let Node::Convert(Convert::Truncate, _, whole) = self.exprs.node(id) {
                let of = self.exprs.ty(whole);
                let again = self.exprs.convert(Convert::SignExtend, of, id);
                self.compare(Binary::Eq, whole, again);
            }
        }
        let value = substitute(&mut self.exprs, value, &FxHashMap::from_iter([(given.variable, told)]));
        Some(Given { variable, value })
    }

    /// Threads that read a shared variable which is counted up: each reads another number.
    fn tickets(&mut self, counts: &[Count], found: &mut Vec<PairPredicate>) -> Result<(), Stop> {
        let relation = self.relation;
        let counted = |it: LocalId| counts.iter().any(|count| count.variable == it);
        for (next, about) in relation.variables.enumerate() {
            let is_next = about.home == Home::Shared && !about.ghost && !counted(next);
            if !is_next || !grows(relation, next) {
                continue;
            }
            let number = self.exprs.add(Node::Local(next, about.ty));
            for update in relation.commands.iter().flat_map(|it| &it.updates) {
                self.budget.spend(1)?;
                if update.value != number || !of_thread(relation, update.variable) {
                    continue;
                }
                let mine = self.exprs.add(Node::Local(update.variable, about.ty));
                let same = PairPredicate { left: mine, compare: Binary::Eq, right: mine };
                if !found.contains(&same) {
                    found.push(same);
                    self.compare(Binary::LtU, mine, number);
                    self.compare(Binary::Eq, mine, number);
                    self.not_negative(next);
                    self.not_negative(update.variable);
                    self.guards_about(update.variable)?;
                    self.guards_about(next)?;
                }
            }
        }
        Ok(())
    }

    fn not_negative(&mut self, variable: LocalId) {
        let ty = self.relation.variables[variable].ty;
        if matches!(ty, Type::Bits(bits) if bits > self.exact_bits) {
            let read = self.exprs.add(Node::Local(variable, ty));
            let zero = self.exprs.number(ty, 0);
            self.compare(Binary::LtS, read, zero);
        }
    }
}

/// Whether a shared number is only ever counted up.
fn grows(relation: &Relation, variable: LocalId) -> bool {
    let wide = matches!(relation.variables[variable].ty, Type::Bits(bits) if bits >= 8);
    let changes: Option<Vec<i128>> =
        relation.commands.iter().map(|it| change(relation, it, variable)).collect();
    let up = |changes: Vec<i128>| changes.iter().all(|it| *it >= 0) && changes.iter().any(|it| *it > 0);
    wide && changes.is_some_and(up)
}
