//! How the image of a command is computed for threads at given control locations: which bits after it are
//! constants or copies of bits before, and which are asked of the solver, in groups that share no input. A
//! group has all bits before that are connected with it, so nothing is lost by asking for the groups one by
//! one.

use crate::pairs::formulas::{CHILD, Form, Forms, Side};
use crate::pairs::images::{Images, Question};
use crate::terms::circuits::Who;
use base::{Id, Stop};
use relation::{ControlId, Outcome};
use rustc_hash::FxHashMap;
use solve::aig::{Input, Lit};
use std::rc::Rc;

/// The bits of a step: shared ones, those of each thread (active, two passive, child), those of each two
/// threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Joint(pub [u64; 11]);

/// The word of shared bits in a [`Joint`].
pub const SHARED: usize = 0;

/// The word of a thread's bits in a [`Joint`].
pub fn local_word(who: Who) -> usize {
    1 + usize::from(who)
}

/// The word of the bits of two threads in a [`Joint`]; the first has the smaller number.
pub fn pair_word(first: Who, second: Who) -> usize {
    match (first, second) {
        (0, 1) => 5,
        (0, 2) => 6,
        (1, 2) => 7,
        (0, _) => 8,
        (1, _) => 9,
        _ => 10,
    }
}

/// A bit of a [`Joint`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct JointBit {
    word: u8,
    at: u8,
}

impl Joint {
    fn get(&self, bit: JointBit) -> bool {
        self.0[usize::from(bit.word)] >> bit.at & 1 == 1
    }

    fn put(&mut self, bit: JointBit, value: bool) {
        let word = &mut self.0[usize::from(bit.word)];
        *word = *word & !(1 << bit.at) | u64::from(value) << bit.at;
    }
}

/// Which threads a step is seen with, and what is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seen {
    /// The active thread alone; itself and its child are wanted.
    Alone,
    /// With a passive thread about whose relation to the active one nothing is known; the passive one is
    /// wanted.
    Passive(ControlId),
    /// With a passive thread; both, and the child, are wanted.
    Pair(ControlId),
    /// With two passive threads, which are wanted.
    Third(ControlId, ControlId),
}

impl Seen {
    fn passive(self) -> Vec<ControlId> {
        match self {
            Seen::Alone => vec![],
            Seen::Passive(a) | Seen::Pair(a) => vec![a],
            Seen::Third(a, b) => vec![a, b],
        }
    }

    fn wants_active(self) -> bool {
        matches!(self, Seen::Alone | Seen::Pair(_))
    }
}

/// How an image is computed.
#[derive(Debug)]
pub struct Plan {
    /// Whether the guard is never true.
    blocked: bool,
    /// Whether no bit of what is wanted can change: the step need not be looked at.
    pub idle: bool,
    fixed: Vec<Fixed>,
    copies: Vec<CopiedBit>,
    groups: Vec<BitGroup>,
}

#[derive(Debug)]
struct Fixed {
    bit: JointBit,
    value: bool,
}

#[derive(Debug)]
struct CopiedBit {
    from: JointBit,
    to: JointBit,
    negate: bool,
}

#[derive(Debug)]
struct BitGroup {
    component: usize,
    given: Vec<JointBit>,
    wanted: Vec<JointBit>,
}

/// A bit and its formula.
#[derive(Clone, Copy)]
struct Named {
    bit: JointBit,
    lit: Lit,
}

/// A question in the making.
#[derive(Default)]
struct Draft {
    facts: Vec<Lit>,
    given: Vec<Named>,
    wanted: Vec<Named>,
}

/// Makes plans and follows them.
pub struct Planner<'a> {
    /// The formulas.
    pub forms: Forms<'a>,
    /// The solvers.
    pub images: Images,
    plans: FxHashMap<(usize, Seen), Rc<Plan>>,
    supports: FxHashMap<Lit, Rc<[Input]>>,
}

impl<'a> Planner<'a> {
    /// No plan yet; an image of more states than this is too large.
    pub fn new(forms: Forms<'a>, most: usize) -> Self {
        let images = Images::new(most);
        Self { forms, images, plans: FxHashMap::default(), supports: FxHashMap::default() }
    }

    /// The plan for a command.
    pub fn plan(&mut self, command: usize, seen: Seen) -> Result<Rc<Plan>, Stop> {
        if let Some(known) = self.plans.get(&(command, seen)) {
            return Ok(Rc::clone(known));
        }
        let plan = Rc::new(self.make(command, seen)?);
        self.plans.insert((command, seen), Rc::clone(&plan));
        Ok(plan)
    }

    /// All states after a step that is planned, from the bits before.
    pub fn image(&mut self, plan: &Plan, before: &Joint) -> Result<Vec<Joint>, Stop> {
        if plan.blocked {
            return Ok(vec![]);
        }
        let mut first = Joint::default();
        for fixed in &plan.fixed {
            first.put(fixed.bit, fixed.value);
        }
        for copy in &plan.copies {
            first.put(copy.to, before.get(copy.from) != copy.negate);
        }
        let mut parts = vec![];
        for group in &plan.groups {
            let given = group.given.iter().enumerate();
            let given = given.fold(0, |bits, (at, &bit)| bits | u128::from(before.get(bit)) << at);
            let solutions = self.images.solutions(group.component, given, self.forms.budget)?;
            if solutions.is_empty() {
                return Ok(vec![]);
            }
            parts.push((group, solutions));
        }
        // Each part is small, but their product need not be.
        self.images.check_size(parts.iter().map(|(_, solutions)| solutions.len()))?;
        let mut found = vec![first];
        for (group, solutions) in parts {
            self.forms.budget.spend(1 + (found.len() * solutions.len()) as u64 / 8)?;
            found = product(&found, &group.wanted, &solutions);
        }
        Ok(found)
    }

    fn make(&mut self, command: usize, seen: Seen) -> Result<Plan, Stop> {
        let form = self.forms.command(command)?;
        let mut facts = form.guard.clone();
        for others in form.others.iter().take(seen.passive().len()) {
            facts.extend(others);
        }
        facts.extend(self.counted(command, seen));
        let blocked = facts.contains(&Lit::FALSE);
        let given = self.given(command, seen)?;
        let wanted = self.wanted(command, seen, &form)?;
        let mut plan = Plan { blocked, idle: true, fixed: vec![], copies: vec![], groups: vec![] };
        let mut by_lit: FxHashMap<Lit, JointBit> = FxHashMap::default();
        for named in &given {
            by_lit.entry(named.lit).or_insert(named.bit);
            by_lit.entry(!named.lit).or_insert(named.bit);
        }
        // A bit is a copy of itself where that is possible: two predicates may have the same formula.
        let itself: FxHashMap<JointBit, Lit> = given.iter().map(|it| (it.bit, it.lit)).collect();
        let mut open = vec![];
        for named in wanted {
            if itself.get(&named.bit) == Some(&named.lit) {
                plan.copies.push(CopiedBit { from: named.bit, to: named.bit, negate: false });
                continue;
            }
            plan.idle = false;
            if let Some(value) = named.lit.as_constant() {
                plan.fixed.push(Fixed { bit: named.bit, value });
            } else if let Some(&from) = by_lit.get(&named.lit) {
                plan.copies.push(CopiedBit { from, to: named.bit, negate: itself[&from] != named.lit });
            } else {
                open.push(named);
            }
        }
        if !blocked {
            plan.groups = self.groups(&facts, &given, &open)?;
        }
        plan.idle &= !seen.wants_active();
        Ok(plan)
    }

    /// What the variables that count threads say of those that take part.
    fn counted(&mut self, command: usize, seen: Seen) -> Vec<Lit> {
        let mut places = seen.passive();
        places.push(self.forms.relation.commands[command].from);
        self.forms.counted(&places)
    }

    /// The bits before, with their formulas.
    fn given(&mut self, command: usize, seen: Seen) -> Result<Vec<Named>, Stop> {
        let from = self.forms.relation.commands[command].from;
        let basis = self.forms.basis;
        let mut list = vec![];
        named(&mut list, SHARED, basis.shared_bits(), &self.forms.before.shared);
        let mut threads = vec![from];
        threads.extend(seen.passive());
        for (who, &control) in (0u8..).zip(&threads) {
            let lits = &self.forms.before.local[usize::from(who)];
            named(&mut list, local_word(who), basis.local_bits(control), lits);
        }
        if matches!(seen, Seen::Pair(_) | Seen::Third(..)) {
            for second in 1..threads.len() {
                for first in 0..second {
                    let bits = basis.pair_bits(threads[first], threads[second]);
                    let sides = [Side::Before(first as u8), Side::Before(second as u8)];
                    self.pair_bits(&mut list, command, sides, bits)?;
                }
            }
        }
        list.retain(|it| it.lit.as_constant().is_none());
        Ok(list)
    }

    /// The bits after that are wanted, with their formulas over the state before.
    fn wanted(&mut self, command: usize, seen: Seen, form: &Form) -> Result<Vec<Named>, Stop> {
        let mut list = vec![];
        let about = &self.forms.relation.commands[command];
        let (creates, outcome) = (about.creates.as_ref().map(|it| it.entry), about.outcome.clone());
        if !matches!(outcome, Outcome::Go(_) | Outcome::End) {
            return Ok(list);
        }
        let basis = self.forms.basis;
        named(&mut list, SHARED, basis.shared_bits(), &form.shared);
        // The threads that are wanted: number and control location after.
        let mut threads: Vec<(Who, ControlId)> = vec![];
        if let (Outcome::Go(to), true) = (outcome, seen.wants_active()) {
            threads.push((0, to));
        }
        threads.extend((1..).zip(seen.passive()));
        if let (Some(entry), true) = (creates, seen.wants_active()) {
            threads.push((CHILD, entry));
        }
        for &(who, control) in &threads {
            named(&mut list, local_word(who), basis.local_bits(control), &form.local[usize::from(who)]);
        }
        if matches!(seen, Seen::Passive(_)) {
            return Ok(list);
        }
        for (at, &(second, control)) in threads.iter().enumerate() {
            for &(first, other) in &threads[..at] {
                let bits = basis.pair_bits(other, control);
                let sides = [self.side_after(first), self.side_after(second)];
                self.pair_bits(&mut list, command, sides, bits)?;
            }
        }
        Ok(list)
    }

    /// Relations between threads read no shared variable, so that a passive thread is the same before and
    /// after.
    fn side_after(&self, who: Who) -> Side {
        if who == 0 || who == CHILD { Side::After(who) } else { Side::Before(who) }
    }

    fn pair_bits(
        &mut self,
        list: &mut Vec<Named>,
        command: usize,
        sides: [Side; 2],
        bits: u64,
    ) -> Result<(), Stop> {
        let [first, second] = sides.map(|side| match side {
            Side::Before(who) | Side::After(who) => who,
        });
        let word = pair_word(first, second) as u8;
        for at in (0..64u8).filter(|at| bits >> at & 1 == 1) {
            let sides = if at % 2 == 0 { sides } else { [sides[1], sides[0]] };
            let lit = self.forms.pair(command, sides, usize::from(at / 2))?;
            list.push(Named { bit: JointBit { word, at }, lit });
        }
        Ok(())
    }

    /// The questions that the facts and the open bits fall into, with all bits before that are connected with
    /// them.
    fn groups(&mut self, facts: &[Lit], given: &[Named], open: &[Named]) -> Result<Vec<BitGroup>, Stop> {
        let mut classes =
            self.classes(facts.iter().copied().chain(given.iter().chain(open).map(|it| it.lit)))?;
        let mut drafts: Vec<Draft> = vec![];
        let mut place: FxHashMap<Option<Input>, usize> = FxHashMap::default();
        for &lit in facts.iter().chain(open.iter().map(|it| &it.lit)) {
            place.entry(self.class(&mut classes, lit)).or_insert_with(|| {
                drafts.push(Draft::default());
                drafts.len() - 1
            });
        }
        for &lit in facts {
            drafts[place[&self.class(&mut classes, lit)]].facts.push(lit);
        }
        for &named in given {
            if let Some(&at) = place.get(&self.class(&mut classes, named.lit)) {
                drafts[at].given.push(named);
            }
        }
        for &named in open {
            drafts[place[&self.class(&mut classes, named.lit)]].wanted.push(named);
        }
        let mut groups = vec![];
        for draft in drafts {
            self.finish(draft, &mut groups)?;
        }
        Ok(groups)
    }

    fn classes(&mut self, lits: impl Iterator<Item = Lit>) -> Result<Classes, Stop> {
        let mut classes = Classes::default();
        for lit in lits {
            self.forms.budget.spend(1)?;
            for pair in self.support(lit).windows(2) {
                classes.join(pair[0], pair[1]);
            }
        }
        Ok(classes)
    }

    fn class(&mut self, classes: &mut Classes, lit: Lit) -> Option<Input> {
        self.support(lit).first().map(|&input| classes.root(input))
    }

    /// Makes questions of a draft. Of bits before, more than fit are left out: fewer of them allow more
    /// after, never fewer. Of bits after, what does not fit into one question is asked in another with the
    /// same bits before.
    fn finish(&mut self, mut draft: Draft, groups: &mut Vec<BitGroup>) -> Result<(), Stop> {
        draft.given.truncate(128);
        let mut open = draft.wanted.as_slice();
        loop {
            let (now, later) = open.split_at(open.len().min(128));
            let question = Question {
                facts: draft.facts.clone(),
                given: draft.given.iter().map(|it| it.lit).collect(),
                wanted: now.iter().map(|it| it.lit).collect(),
            };
            let component = self.images.component(&self.forms.circuits.aig, question, self.forms.budget)?;
            let bits = |list: &[Named]| list.iter().map(|it| it.bit).collect();
            groups.push(BitGroup { component, given: bits(&draft.given), wanted: bits(now) });
            open = later;
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    fn support(&mut self, lit: Lit) -> Rc<[Input]> {
        let aig = &self.forms.circuits.aig;
        let positive = lit.negate_if(lit.is_negated());
        Rc::clone(self.supports.entry(positive).or_insert_with(|| Rc::from(aig.support([positive]))))
    }
}

fn named(list: &mut Vec<Named>, word: usize, bits: u64, lits: &[Lit]) {
    for (at, &lit) in (0u8..).zip(lits) {
        if bits >> at & 1 == 1 {
            list.push(Named { bit: JointBit { word: word as u8, at }, lit });
        }
    }
}

fn product(found: &[Joint], wanted: &[JointBit], solutions: &[u128]) -> Vec<Joint> {
    let mut made = Vec::with_capacity(found.len() * solutions.len());
    for joint in found {
        for solution in solutions {
            let mut joint = *joint;
            for (at, &bit) in wanted.iter().enumerate() {
                joint.put(bit, solution >> at & 1 == 1);
            }
            made.push(joint);
        }
    }
    made
}

/// Inputs that are connected, by union and find.
#[derive(Default)]
struct Classes {
    parent: FxHashMap<Input, Input>,
}

impl Classes {
    fn root(&mut self, input: Input) -> Input {
        let mut at = input;
        while let Some(&above) = self.parent.get(&at) {
            at = above;
        }
        let mut walk = input;
        while walk != at {
            walk = self.parent.insert(walk, at).unwrap_or(at);
        }
        at
    }

    fn join(&mut self, a: Input, b: Input) {
        let (a, b) = (self.root(a), self.root(b));
        if a.index() != b.index() {
            self.parent.insert(a, b);
        }
    }
}
