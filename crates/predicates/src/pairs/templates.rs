//! Predicates from the program itself: the comparisons of its guards and assertions, carried along copies,
//! with `<` and `==` over the same terms together, and every bit of small variables. They come in layers:
//! what the assertions say and the locks first, then what is connected with it.

use crate::terms::atoms::{atoms, simplify, substitute, under_guard};
use crate::terms::circuits::of_thread;
use base::{Budget, Id, Stop};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, TRUTH, Type};
use relation::proof::PairPredicate;
use relation::{Command, Home, Outcome, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables of at most this many bits are followed bit by bit.
pub(crate) const EXACT_BITS: u8 = 3;
/// Atoms larger than this are no templates.
const LARGEST_ATOM: usize = 12;
/// The most atoms that are carried along copies.
pub(crate) const MOST_ATOMS: usize = 60;

/// Collects predicates.
pub struct Templates<'a> {
    pub(crate) relation: &'a Relation,
    pub(crate) budget: &'a Budget,
    /// The pool of the predicates.
    pub exprs: Exprs,
    pub(crate) found: Vec<ExprId>,
    known: FxHashSet<ExprId>,
    /// Variables of at most this many bits are followed bit by bit.
    pub(crate) exact_bits: u8,
    /// How often refinement stepped back from all commands.
    pub(crate) steps_back: usize,
}

impl<'a> Templates<'a> {
    /// None yet; `exprs` is a pool that begins with that of the relation.
    pub fn new(relation: &'a Relation, exprs: Exprs, budget: &'a Budget) -> Self {
        Self {
            relation,
            budget,
            exprs,
            found: vec![],
            known: FxHashSet::default(),
            exact_bits: EXACT_BITS,
            steps_back: 0,
        }
    }

    /// The predicates so far, in the order in which they were found.
    pub fn predicates(&self) -> &[ExprId] {
        &self.found
    }

    /// Layer 0: the assertions, and the bits of small variables that guards read.
    pub fn assertions(&mut self) -> Result<(), Stop> {
        self.small();
        for command in self.relation.commands.iter().filter(|it| fails(it)) {
            self.guard(command)?;
        }
        self.complete()
    }

    /// The bits of small variables that guards read.
    pub fn small(&mut self) {
        let mut read = FxHashSet::default();
        for command in &self.relation.commands {
            read.extend(self.relation.exprs.locals(command.guard));
            read.extend(command.others.map(|it| self.relation.exprs.locals(it)).unwrap_or_default());
        }
        for (variable, about) in self.relation.variables.enumerate() {
            if read.contains(&variable) && about.home != Home::Choice {
                self.bits_of(variable);
            }
        }
    }

    /// Layer 1: the guards over variables that the assertions depend on, carried along copies.
    pub fn connected(&mut self) -> Result<(), Stop> {
        let cone = self.cone()?;
        for command in &self.relation.commands {
            for atom in self.guard_atoms(command) {
                if self.exprs.locals(atom).iter().any(|it| cone.contains(it)) {
                    self.add(atom);
                }
            }
        }
        self.flags(&cone);
        self.carry()?;
        self.complete()
    }

    /// Layer 2: all guards, carried along copies.
    pub fn guards(&mut self) -> Result<(), Stop> {
        for command in &self.relation.commands {
            self.guard(command)?;
        }
        let all: FxHashSet<LocalId> = self.relation.variables.ids().collect();
        self.flags(&all);
        self.carry()?;
        self.complete()
    }

    /// Layer 3: weakest preconditions, and relations between variables that are compared or copied, or have a
    /// common neighbour.
    pub fn linked(&mut self) -> Result<(), Stop> {
        self.weakest(1)?;
        self.neighbours()?;
        self.carry()?;
        self.complete()
    }

    /// A predicate, if it is one: a truth value over variables of the program that is not too large.
    pub fn add(&mut self, atom: ExprId) {
        if self.exprs.below(atom).len() <= LARGEST_ATOM {
            self.add_given(atom);
        }
    }

    /// A predicate that somebody named, of any size.
    pub fn add_given(&mut self, atom: ExprId) {
        let readable = |it: &LocalId| self.relation.variables[*it].home != Home::Choice;
        let locals = self.exprs.locals(atom);
        let is_one = self.exprs.ty(atom) == TRUTH && !locals.is_empty() && locals.iter().all(readable);
        if is_one && self.one_template(&locals) && self.known.insert(atom) {
            self.found.push(atom);
        }
    }

    /// Whether some thread has all these variables.
    fn one_template(&self, locals: &[LocalId]) -> bool {
        let homes = locals.iter().filter_map(|&it| match self.relation.variables[it].home {
            Home::Template(template) => Some(template),
            _ => None,
        });
        let homes: Vec<_> = homes.collect();
        homes.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The atoms of a command's conditions.
    pub(crate) fn guard(&mut self, command: &Command) -> Result<(), Stop> {
        self.budget.spend(1)?;
        let others = command.others.map(|it| atoms(&mut self.exprs, it)).unwrap_or_default();
        for atom in self.guard_atoms(command).into_iter().chain(others) {
            self.add(atom);
        }
        Ok(())
    }

    /// The atoms of a command's guard. What it says of a value that it chooses, it says of the variable that
    /// gets the value.
    pub(crate) fn guard_atoms(&mut self, command: &Command) -> Vec<ExprId> {
        let mut chosen = FxHashMap::default();
        for update in &command.updates {
            if let Node::Local(choice, ty) = self.exprs.node(update.value)
                && self.relation.variables[choice].home == Home::Choice
            {
                chosen.insert(choice, self.exprs.add(Node::Local(update.variable, ty)));
            }
        }
        let found = atoms(&mut self.exprs, command.guard);
        found.into_iter().map(|atom| substitute(&mut self.exprs, atom, &chosen)).collect()
    }

    fn bits_of(&mut self, variable: LocalId) {
        let ty = self.relation.variables[variable].ty;
        let Type::Bits(bits) = ty else { return };
        if bits > self.exact_bits {
            return;
        }
        let read = self.exprs.add(Node::Local(variable, ty));
        for at in 0..bits {
            let amount = self.exprs.number(ty, u128::from(at));
            let shifted = if at == 0 { read } else { self.exprs.binary(Binary::ShrU, read, amount) };
            let bit = self.exprs.convert(Convert::Truncate, TRUTH, shifted);
            self.add(bit);
        }
    }

    /// The variables that the assertions depend on through assignments and the guards of these.
    fn cone(&self) -> Result<FxHashSet<LocalId>, Stop> {
        let exprs = &self.relation.exprs;
        let mut cone = FxHashSet::default();
        for command in self.relation.commands.iter().filter(|it| fails(it)) {
            cone.extend(exprs.locals(command.guard));
        }
        loop {
            let before = cone.len();
            for command in &self.relation.commands {
                self.budget.spend(1)?;
                let mut values = vec![];
                let created = command.creates.iter().flat_map(|it| &it.values);
                for update in command.updates.iter().chain(created) {
                    if cone.contains(&update.variable) {
                        values.extend(exprs.locals(update.value));
                        values.extend(exprs.locals(command.guard));
                    }
                }
                cone.extend(values);
            }
            if cone.len() == before {
                return Ok(cone);
            }
        }
    }

    /// Variables that get constants only, and not many: each of these.
    fn flags(&mut self, among: &FxHashSet<LocalId>) {
        let mut values: FxHashMap<LocalId, Option<Vec<u128>>> = FxHashMap::default();
        for command in &self.relation.commands {
            for update in &command.updates {
                let constant = self.relation.exprs.constant(update.value);
                let entry = values.entry(update.variable).or_insert_with(|| Some(vec![]));
                match (constant, entry.as_mut()) {
                    (Some(value), Some(list)) => list.push(value),
                    _ => *entry = None,
                }
            }
        }
        for (variable, about) in self.relation.variables.enumerate() {
            let Some(Some(list)) = values.get(&variable) else { continue };
            let mut list: Vec<u128> = list.iter().copied().chain(about.initial).collect();
            list.sort_unstable();
            list.dedup();
            let wide = about.ty.bits(self.exprs.pointer_bits()) > self.exact_bits;
            if !among.contains(&variable) || !wide || list.len() > 8 || about.ty.is_float() {
                continue;
            }
            let read = self.exprs.add(Node::Local(variable, about.ty));
            for value in list {
                let number = self.exprs.number(about.ty, value);
                let atom = simplify(&mut self.exprs, Node::Binary(Binary::Eq, read, number));
                self.add(atom);
            }
        }
    }

    /// Atoms through copies, in both directions: what holds of a variable may hold of its copy, and of what
    /// it is copied from.
    pub(crate) fn carry(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        while at < self.found.len() && self.found.len() < MOST_ATOMS {
            let atom = self.found[at];
            at += 1;
            let read = self.exprs.locals(atom);
            for command in &self.relation.commands {
                self.budget.spend(1)?;
                let created = command.creates.iter().flat_map(|it| &it.values);
                let (mut back, mut on) = (FxHashMap::default(), FxHashMap::default());
                for update in command.updates.iter().chain(created) {
                    let value = under_guard(&mut self.exprs, command.guard, update.value);
                    match self.exprs.node(value) {
                        Node::Const(..) if read.contains(&update.variable) => {
                            back.insert(update.variable, value);
                        }
                        Node::Local(source, ty) => {
                            if read.contains(&update.variable) {
                                back.insert(update.variable, value);
                            }
                            if read.contains(&source) {
                                let copy = self.exprs.add(Node::Local(update.variable, ty));
                                on.insert(source, copy);
                            }
                        }
                        _ => {}
                    }
                }
                for values in [back, on].into_iter().filter(|it| !it.is_empty()) {
                    self.add_substituted(atom, &values);
                }
            }
        }
        Ok(())
    }

    /// Weakest preconditions of the atoms through all commands, this many times.
    pub fn weakest(&mut self, rounds: usize) -> Result<(), Stop> {
        for _ in 0..rounds {
            self.weakest_of(&self.found.clone())?;
        }
        Ok(())
    }

    /// Weakest preconditions of these atoms through all commands.
    pub(crate) fn weakest_of(&mut self, atoms: &[ExprId]) -> Result<(), Stop> {
        for command in &self.relation.commands {
            let mut values = FxHashMap::default();
            for update in &command.updates {
                values.insert(update.variable, under_guard(&mut self.exprs, command.guard, update.value));
            }
            for &atom in atoms {
                self.budget.spend(1)?;
                if self.found.len() < 2 * MOST_ATOMS
                    && self.exprs.locals(atom).iter().any(|it| values.contains_key(it))
                {
                    self.add_substituted(atom, &values);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn add_substituted(&mut self, atom: ExprId, values: &FxHashMap<LocalId, ExprId>) {
        let made = substitute(&mut self.exprs, atom, values);
        for atom in atoms(&mut self.exprs, made) {
            self.add(atom);
        }
    }

    /// Where two terms are compared for order, also for equality, and the other way round where both are
    /// variables.
    pub(crate) fn complete(&mut self) -> Result<(), Stop> {
        for atom in self.found.clone() {
            self.budget.spend(1)?;
            let Node::Binary(op, a, b) = self.exprs.node(atom) else { continue };
            let variables = [a, b].map(|it| crate::pairs::formulas::as_variable(&self.exprs, it));
            match (op, variables) {
                (Binary::LtU | Binary::LtS, _) => {
                    let equal = simplify(&mut self.exprs, Node::Binary(Binary::Eq, a, b));
                    self.add(equal);
                }
                (Binary::Eq, [Some(x), Some(_)]) => self.order(x, a, b),
                _ => {}
            }
        }
        Ok(())
    }

    fn order(&mut self, variable: LocalId, a: ExprId, b: ExprId) {
        let about = &self.relation.variables[variable];
        if about.ty.is_float() || about.ty == Type::Pointer || about.ty.bits(64) <= self.exact_bits {
            return;
        }
        let op = if about.signed { Binary::LtS } else { Binary::LtU };
        let other = self.exprs.binary(op, b, a);
        if !self.known.contains(&other) {
            let less = self.exprs.binary(op, a, b);
            self.add(less);
        }
    }

    /// Variables that are compared or copied are linked; so are those with a common neighbour.
    pub(crate) fn neighbours(&mut self) -> Result<(), Stop> {
        let links = self.links()?;
        let mut close: Vec<[LocalId; 2]> = links.clone();
        for first in &links {
            for second in &links {
                self.budget.spend(1)?;
                for (x, a) in [(first[0], first[1]), (first[1], first[0])] {
                    for (y, b) in [(second[0], second[1]), (second[1], second[0])] {
                        if a == b && x < y {
                            close.push([x, y]);
                        }
                    }
                }
            }
        }
        close.sort();
        close.dedup();
        for [x, y] in close {
            let (left, right) = (&self.relation.variables[x], &self.relation.variables[y]);
            if left.ty == right.ty && self.found.len() < 2 * MOST_ATOMS {
                let a = self.exprs.add(Node::Local(x, left.ty));
                let b = self.exprs.add(Node::Local(y, right.ty));
                let equal = simplify(&mut self.exprs, Node::Binary(Binary::Eq, a, b));
                self.add(equal);
            }
        }
        Ok(())
    }

    /// Variables of one guard's comparison or one assignment, in pairs.
    pub(crate) fn links(&self) -> Result<Vec<[LocalId; 2]>, Stop> {
        let exprs = &self.exprs;
        let mut links = vec![];
        for command in &self.relation.commands {
            self.budget.spend(1)?;
            for id in exprs.below(command.guard) {
                if let Node::Binary(op, a, b) = exprs.node(id)
                    && op.is_comparison()
                    && let [Some(a), Some(b)] =
                        [a, b].map(|it| crate::pairs::formulas::as_variable(exprs, it))
                {
                    links.push([a.min(b), a.max(b)]);
                }
            }
            let created = command.creates.iter().flat_map(|it| &it.values);
            for update in command.updates.iter().chain(created) {
                let target = update.variable;
                for source in exprs.locals(update.value).into_iter().filter(|&it| it != target) {
                    links.push([target.min(source), target.max(source)]);
                }
            }
        }
        let wide = |it: LocalId| {
            let about = &self.relation.variables[it];
            about.home != Home::Choice && about.ty.bits(64) > self.exact_bits && !about.ty.is_float()
        };
        links.retain(|link| link[0] != link[1] && link.iter().all(|&it| wide(it)));
        links.sort();
        links.dedup();
        Ok(links)
    }

    /// Relations between two threads: equality of a variable of the thread that is compared with a shared one
    /// or copied from it, and that a shared one is written from.
    pub fn pairs(&mut self, order: bool) -> Result<Vec<PairPredicate>, Stop> {
        let shared = |it: LocalId| self.relation.variables[it].home == Home::Shared;
        let local = |it: LocalId| of_thread(self.relation, it);
        let mut met: FxHashSet<LocalId> = FxHashSet::default();
        for link in self.links()? {
            let [a, b] = link;
            if shared(a) && local(b) {
                met.insert(b);
            } else if local(a) && shared(b) {
                met.insert(a);
            }
        }
        let mut writes: FxHashSet<LocalId> = FxHashSet::default();
        for command in &self.relation.commands {
            for update in command.updates.iter().filter(|it| shared(it.variable)) {
                writes.extend(self.relation.exprs.locals(update.value));
            }
        }
        let mut chosen: Vec<LocalId> = met.into_iter().filter(|it| writes.contains(it)).collect();
        chosen.sort_by_key(|it| it.index());
        let mut pairs = vec![];
        for variable in chosen {
            let about = &self.relation.variables[variable];
            let read = self.exprs.add(Node::Local(variable, about.ty));
            pairs.push(PairPredicate { left: read, compare: Binary::Eq, right: read });
            if order && about.ty != Type::Pointer {
                let compare = if about.signed { Binary::LtS } else { Binary::LtU };
                pairs.push(PairPredicate { left: read, compare, right: read });
            }
        }
        Ok(pairs)
    }
}

/// Whether a command is what must never happen.
pub fn fails(command: &Command) -> bool {
    matches!(command.outcome, Outcome::Fail(_) | Outcome::Refuse(_))
}
