//! Ownership: what keeps apart the places that threads of one template work at. A loop creates threads and
//! gives each one a number or an address that it counts on: `worker(i)`, `worker(&data[i])`; or each thread
//! draws a ticket, `mine = next++`. Two threads then differ in what they got, because what is given next is
//! larger than all that was given before. Only the relations are named here; whether they hold is found out
//! by the closure, and no checker need know why.

use crate::pairs::counts::change;
use crate::pairs::templates::Templates;
use crate::terms::atoms::substitute;
use crate::terms::circuits::{Circuits, Reading, View, of_thread};
use base::Stop;
use c::{Binary, Convert, ExprId, LocalId, Node, Type, mask, signed};
use relation::proof::{Count, PairPredicate};
use relation::{Home, Relation};
use rustc_hash::FxHashMap;
use solve::bv;

/// The most relations.
const MOST: usize = 24;

/// A thread has in a variable what its creator gave it, perhaps after it computed with it.
#[derive(Clone, PartialEq, Eq)]
struct Given {
    variable: LocalId,
    /// Computed from variables that the thread had it in before, the last one first.
    earlier: Vec<ExprId>,
    /// Computed from the creator's variables.
    value: ExprId,
}

/// A variable of the creator that each creation counts on, and by how much.
#[derive(Clone, Copy)]
struct Index {
    variable: LocalId,
    step: i128,
}

impl Templates<'_> {
    /// Relations between threads that got what others did not, with the predicates that their proofs need.
    pub(crate) fn ownership(&mut self, counts: &[Count]) -> Result<Vec<PairPredicate>, Stop> {
        let mut found = vec![];
        for given in self.given()? {
            for index in self.exprs.locals(given.value) {
                let commands = self.relation.commands.iter();
                let mut changes = commands.filter_map(|it| change(self.relation, it, index));
                if let Some(step) = changes.find(|it| *it != 0) {
                    self.apart(&given, Index { variable: index, step }, &mut found)?;
                }
            }
        }
        self.tickets(counts, &mut found)?;
        found.truncate(MOST);
        Ok(found)
    }

    /// What is given next lies behind all that was given before, and is as far away as the index takes it.
    fn apart(&mut self, given: &Given, index: Index, found: &mut Vec<PairPredicate>) -> Result<(), Stop> {
        let &Given { variable, value, .. } = given;
        let Some(distance) = self.distance(value, index)? else { return Ok(()) };
        let ty = self.relation.variables[variable].ty;
        let mine = self.exprs.add(Node::Local(variable, ty));
        let width = Type::Bits(ty.bits(self.exprs.pointer_bits()));
        let plain = self.exprs.convert(Convert::Reinterpret, width, mine);
        let received = self.exprs.convert(Convert::Reinterpret, width, value);
        let by = self.exprs.number(width, distance.unsigned_abs());
        let [behind_mine, behind_given] = [plain, received].map(|it| self.exprs.binary(Binary::Add, it, by));
        let order = if distance < 0 { [behind_given, plain] } else { [behind_mine, received] };
        for [left, right] in [order, [behind_mine, plain]] {
            found.push(PairPredicate { left, compare: Binary::LeU, right });
        }
        found.push(PairPredicate { left: plain, compare: Binary::Eq, right: received });
        for &before in &given.earlier {
            let before = self.exprs.convert(Convert::Reinterpret, width, before);
            let behind = self.exprs.binary(Binary::Add, before, by);
            found.push(PairPredicate { left: behind_mine, compare: Binary::LeU, right: before });
            found.push(PairPredicate { left: behind, compare: Binary::LeU, right: plain });
        }
        self.compare(Binary::LtU, behind_mine, plain);
        self.same_when_cut(variable);
        for read in self.exprs.locals(value) {
            self.not_negative(read);
            self.guards_about(read)?;
        }
        Ok(())
    }

    /// How far apart are two values that follow each other.
    fn distance(&self, value: ExprId, Index { variable, step }: Index) -> Result<Option<i128>, Stop> {
        let mut found = [0; 2];
        for (number, found) in (0..).zip(&mut found) {
            let numbers = self.exprs.locals(value).into_iter().map(|it| {
                let bits = self.relation.variables[it].ty.bits(self.exprs.pointer_bits());
                (it, bv::constant(if it == variable { number } else { 0 }, usize::from(bits)))
            });
            let mut view = View::with(0, numbers.collect());
            let mut reading =
                Reading { relation: self.relation, exprs: &self.exprs, view: &mut view, budget: self.budget };
            for (at, bit) in Circuits::new().word(&mut reading, value)?.into_iter().enumerate() {
                let Some(bit) = bit.as_constant() else { return Ok(None) };
                *found |= u128::from(bit) << at;
            }
        }
        let bits = self.exprs.ty(value).bits(self.exprs.pointer_bits());
        let each = signed(found[1].wrapping_sub(found[0]) & mask(bits), bits);
        Ok(each.checked_mul(step).filter(|it| *it != 0))
    }

    /// That what accesses cut off of a variable is no more than its sign.
    fn same_when_cut(&mut self, variable: LocalId) {
        for site in self.relation.accesses.iter().flat_map(|it| &it.sites) {
            for id in self.exprs.below(site.address) {
                if let Node::Convert(Convert::Truncate, _, whole) = self.exprs.node(id)
                    && self.exprs.locals(whole) == [variable]
                {
                    self.same_as_cut(whole, id);
                }
            }
        }
    }

    fn same_as_cut(&mut self, whole: ExprId, cut: ExprId) {
        let of = self.exprs.ty(whole);
        let again = self.exprs.convert(Convert::SignExtend, of, cut);
        self.compare(Binary::Eq, whole, again);
    }

    /// What threads are given when they are created, and copies of it.
    fn given(&mut self) -> Result<Vec<Given>, Stop> {
        let relation = self.relation;
        let is_own = |it: &LocalId| of_thread(relation, *it);
        let mut found: Vec<Given> = vec![];
        for creation in relation.commands.iter().filter_map(|it| it.creates.as_ref()) {
            for update in &creation.values {
                let read = self.exprs.locals(update.value);
                let given = Given { variable: update.variable, earlier: vec![], value: update.value };
                let wide = relation.variables[update.variable].ty.bits(64) > self.exact_bits;
                if wide && !read.is_empty() && read.iter().all(is_own) && !found.contains(&given) {
                    found.push(given);
                }
            }
        }
        let mut at = 0;
        while at < found.len() && found.len() < MOST / 3 {
            let given = found[at].clone();
            at += 1;
            for command in &relation.commands {
                self.budget.spend(1)?;
                for update in &command.updates {
                    let is_shared = relation.variables[update.variable].home == Home::Shared;
                    if !is_shared && self.exprs.locals(update.value) == [given.variable] {
                        let copy = self.copied(&given, update.variable, update.value);
                        found.extend(copy.filter(|it| found.iter().all(|old| old.variable != it.variable)));
                    }
                }
            }
        }
        Ok(found)
    }

    /// A variable computed from what was given; what is cut off on the way is no more than its sign.
    fn copied(&mut self, given: &Given, variable: LocalId, value: ExprId) -> Option<Given> {
        if variable == given.variable {
            return None;
        }
        let ty = self.relation.variables[given.variable].ty;
        let received = self.exprs.convert(Convert::Reinterpret, ty, given.value);
        for id in self.exprs.below(value) {
            if let Node::Convert(Convert::Truncate, _, whole) = self.exprs.node(id) {
                self.same_as_cut(whole, id);
            }
        }
        let mut earlier = vec![value];
        for &before in &given.earlier {
            let before = self.exprs.convert(Convert::Reinterpret, ty, before);
            let values = FxHashMap::from_iter([(given.variable, before)]);
            earlier.push(substitute(&mut self.exprs, value, &values));
        }
        let value = substitute(&mut self.exprs, value, &FxHashMap::from_iter([(given.variable, received)]));
        Some(Given { variable, earlier, value })
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
