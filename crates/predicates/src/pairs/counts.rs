//! Variables that count threads, such as a number of threads alive that the creator counts up and each thread
//! counts down when it is done. The tables of two threads cannot say that nobody is left where the counter is
//! 0; a [`Count`] says it: the variable is at least the number of threads at some control locations. Which
//! they are is read off the program: as many as possible, such that no command counts less than it should if
//! it adds what it seems to add. Whether it does is asked when the closure is complete.

use crate::pairs::closure::Closure;
use crate::pairs::formulas::{Forms, Side};
use crate::pairs::images::Question;
use crate::pairs::templates::Templates;
use crate::terms::circuits::{compare, of_thread};
use base::{Id, Stop};
use c::{Binary, ExprId, LocalId, Node, Type, signed};
use relation::proof::Count;
use relation::{Command, ControlId, Home, Outcome, Relation};
use solve::aig::Lit;
use solve::bv::{self, Word};

/// The fewest bits of a counter.
const LEAST_BITS: u8 = 8;
/// The most bits that a question is given.
const GIVEN: usize = 128;

impl Templates<'_> {
    /// Variables that may count threads.
    pub(crate) fn counts(&self) -> Result<Vec<Count>, Stop> {
        let mut found = vec![];
        for (variable, about) in self.relation.variables.enumerate() {
            let wide = matches!(about.ty, Type::Bits(bits) if (LEAST_BITS..=64).contains(&bits));
            if about.home == Home::Shared && !about.ghost && wide {
                self.budget.spend(1 + self.relation.commands.len() as u64)?;
                found.extend(self.count(variable)?);
            }
        }
        Ok(found)
    }

    /// The most control locations that a variable may count, if it is counted up and down.
    fn count(&self, variable: LocalId) -> Result<Option<Count>, Stop> {
        let relation = self.relation;
        let changes: Option<Vec<i128>> =
            relation.commands.iter().map(|it| change(relation, it, variable)).collect();
        let Some(changes) = changes else { return Ok(None) };
        if !changes.iter().any(|it| *it > 0) || !changes.iter().any(|it| *it < 0) {
            return Ok(None);
        }
        let mut counted = vec![1i128; relation.controls.len()];
        let initial = relation.variables[variable].initial.unwrap_or(0);
        counted[relation.start.index()] = i128::from(initial > 0);
        loop {
            self.budget.spend(1 + relation.commands.len() as u64)?;
            let before = counted.clone();
            for (command, change) in relation.commands.iter().zip(&changes) {
                let left = counted[command.from.index()] + change;
                if !lower(command, left, &mut counted) {
                    return Ok(None);
                }
            }
            if before == counted {
                break;
            }
        }
        let controls = relation.controls.ids().filter(|it| counted[it.index()] == 1).collect();
        Ok(Some(Count { variable, controls }))
    }

    /// What a proof with counters speaks of: whether one is 0, what threads read of it, and loops that count
    /// beside it, which keep it from overflowing.
    pub(crate) fn about_counts(&mut self, counts: &[Count]) -> Result<(), Stop> {
        let relation = self.relation;
        for &Count { variable, .. } in counts {
            let ty = self.relation.variables[variable].ty;
            let read = self.exprs.add(Node::Local(variable, ty));
            let zero = self.exprs.number(ty, 0);
            self.compare(Binary::Eq, read, zero);
            for command in &relation.commands {
                self.budget.spend(1)?;
                for update in command.updates.iter().filter(|it| of_thread(relation, it.variable)) {
                    if update.value == read {
                        let copy = self.exprs.add(Node::Local(update.variable, ty));
                        self.compare(Binary::Eq, copy, read);
                        self.guards_about(update.variable)?;
                    }
                    if change(relation, command, update.variable) == Some(1)
                        && relation.variables[update.variable].ty == ty
                    {
                        self.counts_beside(update.variable, read)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A loop counts up beside a counter of threads, which is never larger.
    fn counts_beside(&mut self, variable: LocalId, counter: ExprId) -> Result<(), Stop> {
        let ty = self.relation.variables[variable].ty;
        let index = self.exprs.add(Node::Local(variable, ty));
        let [zero, one] = [0, 1].map(|it| self.exprs.number(ty, it));
        let next = self.exprs.binary(Binary::Add, index, one);
        self.compare(Binary::LtU, index, counter);
        self.compare(Binary::LtU, next, counter);
        self.compare(Binary::LtS, index, zero);
        self.guards_about(variable)
    }

    /// The atoms of guards that read a variable, also after a step that counts it.
    pub(crate) fn guards_about(&mut self, variable: LocalId) -> Result<(), Stop> {
        for command in &self.relation.commands {
            self.budget.spend(1)?;
            for atom in self.guard_atoms(command) {
                let atom = self.afterwards(atom, &command.updates);
                if self.exprs.locals(atom).contains(&variable) {
                    self.add(atom);
                }
            }
        }
        Ok(())
    }

    /// Adds a comparison.
    pub(crate) fn compare(&mut self, op: Binary, a: ExprId, b: ExprId) {
        let atom = crate::terms::atoms::simplify(&mut self.exprs, Node::Binary(op, a, b));
        self.add(atom);
    }
}

/// What a command seems to add to a shared variable or one of the thread: to itself, or to what the thread
/// has read of it. `None` if it is no number.
pub(super) fn change(relation: &Relation, command: &Command, variable: LocalId) -> Option<i128> {
    let Some(update) = command.updates.iter().find(|it| it.variable == variable) else { return Some(0) };
    let (exprs, ty) = (&relation.exprs, relation.variables[variable].ty);
    let bits = ty.bits(exprs.pointer_bits());
    let is_read = |e: ExprId| match exprs.node(e) {
        Node::Local(it, of) => of == ty && (it == variable || of_thread(relation, it)),
        _ => false,
    };
    let number = |e: ExprId| exprs.constant(e).map(|it| signed(it, bits));
    match exprs.node(update.value) {
        Node::Local(it, _) if it == variable => Some(0),
        Node::Binary(Binary::Add, a, b) if is_read(a) => number(b),
        Node::Binary(Binary::Add, a, b) if is_read(b) => number(a),
        Node::Binary(Binary::Sub, a, b) if is_read(a) => number(b).map(|it| -it),
        _ => None,
    }
}

/// Counts fewer threads after a command, where `left` is what may be counted; whether that is possible. A new
/// thread is counted rather than its creator.
fn lower(command: &Command, left: i128, counted: &mut [i128]) -> bool {
    let entry = command.creates.as_ref().map(|it| it.entry);
    let to = match command.outcome {
        Outcome::Go(to) => Some(to),
        Outcome::End => None,
        _ => return true,
    };
    let mut rest = left;
    for at in [entry, to].into_iter().flatten() {
        let most = rest.clamp(0, 1);
        counted[at.index()] = counted[at.index()].min(most);
        rest -= counted[at.index()];
    }
    rest >= 0
}

impl Closure<'_> {
    /// A command after which a variable may count fewer threads than there are, and a state of one thread
    /// that it begins in.
    pub(super) fn miscount(&mut self) -> Result<Option<(usize, usize)>, Stop> {
        if self.basis.counts.is_empty() {
            return Ok(None);
        }
        for command in 0..self.relation.commands.len() {
            self.budget.spend(1)?;
            if !self.goes_on(command) {
                continue;
            }
            for wrong in self.planner.forms.miscounts(command)? {
                if let Some(single) = self.state_with(command, wrong)? {
                    return Ok(Some((command, single)));
                }
            }
        }
        Ok(None)
    }

    /// A state of one thread in which a command is possible and this holds.
    fn state_with(&mut self, command: usize, wrong: Lit) -> Result<Option<usize>, Stop> {
        let from = self.relation.commands[command].from;
        let forms = &mut self.planner.forms;
        let mut facts = forms.command(command)?.guard.clone();
        facts.extend(forms.counted(&[from]));
        facts.push(wrong);
        if facts.contains(&Lit::FALSE) {
            return Ok(None);
        }
        let lists = [&forms.before.shared, &forms.before.local[0]];
        let live = [self.basis.shared_bits(), self.basis.local_bits(from)];
        let (mut places, mut given) = (vec![], vec![]);
        for (word, (list, bits)) in lists.into_iter().zip(live).enumerate() {
            let read = list
                .iter()
                .enumerate()
                .filter(|(at, lit)| bits >> at & 1 == 1 && lit.as_constant().is_none());
            for (at, &lit) in read.take(GIVEN / 2) {
                places.push((word, at));
                given.push(lit);
            }
        }
        let question = Question { facts, given, wanted: vec![] };
        let component = self.planner.images.component(&forms.circuits.aig, question, self.budget)?;
        for (number, single) in self.states.singles.iter().enumerate().filter(|(_, it)| it.control == from) {
            let words = [single.shared, single.local];
            let bits = places.iter().enumerate();
            let bits =
                bits.fold(0, |bits, (at, &(word, place))| bits | u128::from(words[word] >> place & 1) << at);
            if !self.planner.images.solutions(component, bits, self.budget)?.is_empty() {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

impl Forms<'_> {
    /// That each variable is at least the number of those that it counts among threads at these places.
    pub(super) fn counted(&mut self, places: &[ControlId]) -> Vec<Lit> {
        let mut facts = vec![];
        for count in &self.basis.counts {
            let value = self.circuits.input(self.relation, count.variable, 0);
            let least = bv::constant(u128::from(count.among(places)), value.len());
            facts.push(compare(&mut self.circuits.aig, Binary::LeU, &least, &value));
        }
        facts.retain(|&it| it != Lit::TRUE);
        facts
    }

    /// When each variable counts too few threads after a command.
    fn miscounts(&mut self, command: usize) -> Result<Vec<Lit>, Stop> {
        let about = &self.relation.commands[command];
        let mut after: Vec<ControlId> = about.creates.iter().map(|it| it.entry).collect();
        if let Outcome::Go(to) = about.outcome {
            after.push(to);
        }
        let mut wrong = vec![];
        for count in &self.basis.counts {
            let old = self.circuits.input(self.relation, count.variable, 0);
            let update = about.updates.iter().find(|it| it.variable == count.variable);
            let new = match update {
                Some(update) => self.side(0, Side::Before(0), update.value)?,
                None => old.clone(),
            };
            let more = self.plus(old, count.among(&after));
            let less = self.plus(new, count.among(&[about.from]));
            wrong.push(compare(&mut self.circuits.aig, Binary::LtU, &less, &more));
        }
        wrong.retain(|&it| it != Lit::FALSE);
        Ok(wrong)
    }

    /// The sum with a small number, with as many more bits as it takes.
    fn plus(&mut self, mut value: Word, add: u8) -> Word {
        value.extend([Lit::FALSE; 2]);
        let add = bv::constant(u128::from(add), value.len());
        bv::add(&mut self.circuits.aig, &value, &add)
    }
}
