//! That every step keeps the lemmas, in what the closure of the Boolean program allows before it. A lemma
//! speaks of the variables of its two threads alone, so only their own steps and their creation can break it.

use super::super::cubes::Solver;
use super::super::growing::Growing;
use super::Lemma;
use super::invariant::{Invariant, Seen};
use crate::pairs::basis::Basis;
use crate::pairs::formulas::{CHILD, Form, Forms, Side};
use base::{Budget, Stop};
use c::ExprId;
use relation::{Command, ControlId, Outcome};
use solve::aig::Lit;

/// Two control locations at which a lemma is broken by a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Broken {
    lemma: usize,
    at: (ControlId, ControlId),
}

/// Takes out of the lemmas where they may be broken, until the rest is kept by every step; the lemmas that
/// are left, and how many pairs of locations were taken out. The invariant is that of the Boolean program
/// under all of the lemmas: what one of them breaks there it breaks in a weaker one too.
pub fn discharge(
    growing: &Growing<'_>,
    invariant: &Invariant<'_>,
    budget: &Budget,
) -> Result<(Vec<Lemma>, usize), Stop> {
    let predicates = &growing.predicates;
    let conditions: Vec<ExprId> = predicates.list.iter().map(|it| it.condition).collect();
    let pairs: Vec<_> = growing.lemmas.list.iter().map(|it| it.pair).collect();
    let basis = Basis::new(growing.relation, predicates.exprs.clone(), &conditions, &pairs);
    let forms = Forms::new(growing.relation, &basis, budget)?;
    let seen = [0, 1].map(|who: usize| seen(&basis, &conditions, &forms, who));
    let lemmas = growing.lemmas.list.clone();
    let mut duty = Duty { growing, invariant, budget, forms, seen, lemmas, broken: vec![] };
    let mut removed = 0;
    loop {
        for number in 0..growing.relation.commands.len() {
            duty.command(number)?;
        }
        let broken = std::mem::take(&mut duty.broken);
        if broken.is_empty() {
            return Ok((duty.lemmas, removed));
        }
        for Broken { lemma, at } in broken {
            removed += usize::from(duty.lemmas[lemma].at.remove(&at));
        }
    }
}

/// The formulas of all predicates before a command, as a thread sees them.
fn seen(basis: &Basis, conditions: &[ExprId], forms: &Forms<'_>, who: usize) -> Seen {
    let lit = |condition: &ExprId| {
        let shared = basis.shared.iter().position(|it| it == condition);
        let own = basis.local.iter().position(|it| it == condition);
        shared.map(|it| forms.before.shared[it]).or(own.map(|it| forms.before.local[who][it]))
    };
    conditions.iter().map(lit).collect()
}

struct Duty<'a> {
    growing: &'a Growing<'a>,
    invariant: &'a Invariant<'a>,
    budget: &'a Budget,
    forms: Forms<'a>,
    /// All predicates as the active and as the passive thread see them.
    seen: [Seen; 2],
    lemmas: Vec<Lemma>,
    broken: Vec<Broken>,
}

/// What must hold of two threads after a command.
struct Goal {
    broken: Broken,
    lit: Lit,
}

/// A thread after a command, and where it stands then.
#[derive(Clone, Copy)]
struct Stands {
    side: Side,
    at: ControlId,
}

impl Duty<'_> {
    fn command(&mut self, number: usize) -> Result<(), Stop> {
        let command = &self.growing.relation.commands[number];
        if !matches!(command.outcome, Outcome::Go(_) | Outcome::End) {
            return Ok(());
        }
        let mut moved = vec![];
        if let Outcome::Go(to) = command.outcome {
            moved.push(Stands { side: Side::After(0), at: to });
        }
        let child = command.creates.as_ref().map(|it| Stands { side: Side::After(CHILD), at: it.entry });
        if let (Some(&parent), Some(child)) = (moved.first(), child) {
            self.family(number, parent, child)?;
        }
        moved.extend(child);
        let controls: Vec<ControlId> = self.growing.relation.controls.ids().collect();
        for passive in controls {
            self.budget.spend(1)?;
            let other = Stands { side: Side::After(1), at: passive };
            let mut goals = vec![];
            for &it in &moved {
                goals.extend(self.goals(number, it, other)?);
            }
            self.with_passive(number, command, passive, goals)?;
        }
        Ok(())
    }

    /// A thread and the child that it creates.
    fn family(&mut self, number: usize, parent: Stands, child: Stands) -> Result<(), Stop> {
        let goals = self.goals(number, parent, child)?;
        if goals.is_empty() {
            return Ok(());
        }
        let form = self.forms.command(number)?;
        let from = self.growing.relation.commands[number].from;
        let seen = self.visible(0, from);
        let before = self.invariant.single(&mut self.forms.circuits.aig, from, &seen, self.budget)?;
        self.ask(&form, &[before], goals)
    }

    /// The thread that steps, or its child, with one that does not.
    fn with_passive(
        &mut self,
        number: usize,
        command: &Command,
        passive: ControlId,
        mut goals: Vec<Goal>,
    ) -> Result<(), Stop> {
        let mut facts = self.lemmas_before(number, command.from, passive)?;
        // What held before and is not changed holds.
        goals.retain(|it| !facts.contains(&it.lit));
        if goals.is_empty() {
            return Ok(());
        }
        let form = self.forms.command(number)?;
        facts.extend(&form.others[0]);
        let [active, other] = [self.visible(0, command.from), self.visible(1, passive)];
        let threads = [(command.from, &active), (passive, &other)];
        facts.push(self.invariant.double(&mut self.forms.circuits.aig, threads, self.budget)?);
        self.ask(&form, &facts, goals)
    }

    /// The predicates that have a meaning for a thread that stands here.
    fn visible(&self, who: usize, control: ControlId) -> Seen {
        let predicates = &self.growing.predicates;
        let has_meaning = |it: usize| predicates.list[it].is_shared || predicates.is_live(control, it);
        self.seen[who].iter().enumerate().map(|(at, lit)| lit.filter(|_| has_meaning(at))).collect()
    }

    /// What the lemmas say of the active and a passive thread before a command.
    fn lemmas_before(
        &mut self,
        number: usize,
        active: ControlId,
        passive: ControlId,
    ) -> Result<Vec<Lit>, Stop> {
        let [first, second] =
            [(0, active), (1, passive)].map(|(who, at)| Stands { side: Side::Before(who), at });
        let goals = self.goals(number, first, second)?;
        Ok(goals.into_iter().map(|it| it.lit).collect())
    }

    /// What the lemmas say of two threads, in both orders.
    fn goals(&mut self, number: usize, a: Stands, b: Stands) -> Result<Vec<Goal>, Stop> {
        let mut goals = vec![];
        for lemma in 0..self.lemmas.len() {
            for [first, second] in [[a, b], [b, a]] {
                let at = (first.at, second.at);
                if self.lemmas[lemma].at.contains(&at) {
                    let holds = self.forms.pair(number, [first.side, second.side], lemma)?;
                    let lit = holds.negate_if(self.lemmas[lemma].negated);
                    goals.push(Goal { broken: Broken { lemma, at }, lit });
                }
            }
        }
        Ok(goals)
    }

    /// Notes the goals that may fail after the command.
    fn ask(&mut self, form: &Form, facts: &[Lit], goals: Vec<Goal>) -> Result<(), Stop> {
        let aig = &mut self.forms.circuits.aig;
        let before = aig.and_all(form.guard.iter().chain(facts).copied());
        let mut solver = Solver::default();
        for goal in goals {
            let aig = &mut self.forms.circuits.aig;
            let fails = aig.and(before, !goal.lit);
            if solver.possible(aig, fails, self.budget)? && !self.broken.contains(&goal.broken) {
                self.broken.push(goal.broken);
            }
        }
        Ok(())
    }
}
