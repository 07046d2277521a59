//! The proof obligations of one command, or of the start, each a question that must have no model: is there a
//! state in which all tables hold before the command and one of them does not after it?

use super::Statistics;
use super::frames::{Frames, Moment, Reading, Who};
use super::names::Names;
use super::tables::{Stand, Tables};
use crate::proof::Lit;
use ::c::{LocalId, Node};
use base::Budget;
use check::{Refused, reject};
use relation::proof::Proof;
use relation::{Command, ControlId, Home, Outcome, Relation};

/// What questions are about.
pub struct Claim<'a> {
    pub names: &'a Names<'a>,
    pub proof: &'a Proof,
    pub tables: &'a Tables<'a>,
}

impl Claim<'_> {
    /// The first thread begins in a state of its table.
    pub fn start(&self, statistics: &mut Statistics, budget: &Budget) -> Result<(), Refused> {
        let relation = self.names.relation;
        let mut frames = Frames::new(relation, &self.proof.exprs, None, budget);
        let first = Stand { who: Who::Child, control: relation.start };
        let holds = self.tables.alone(&mut frames, Moment::After, first)?;
        statistics.questions += 1;
        if frames.cnf.solve(&[!holds])? {
            return Ok(reject("the first thread may begin in a state that its table does not have")?);
        }
        Ok(())
    }
}

/// All obligations of a command.
pub struct Obligations<'a, 'b> {
    claim: &'a Claim<'a>,
    command: &'a Command,
    frames: Frames<'a, 'b>,
    statistics: &'a mut Statistics,
    /// The shared variables that may change.
    written: Vec<LocalId>,
    /// The table of the active thread, the guard, and what counters say of the thread.
    step: [Lit; 3],
}

impl<'a, 'b> Obligations<'a, 'b> {
    pub fn new(
        claim: &'a Claim<'a>,
        command: &'a Command,
        statistics: &'a mut Statistics,
        budget: &'b Budget,
    ) -> Result<Self, Refused> {
        let (relation, proof, tables) = (claim.names.relation, claim.proof, claim.tables);
        let mut frames = Frames::new(relation, &proof.exprs, Some(command), budget);
        let active = Stand { who: Who::Active, control: command.from };
        let table = tables.alone(&mut frames, Moment::Before, active)?;
        let guard = frames.truth(command.guard, Reading { moment: Moment::Before, who: Who::Active })?;
        let counted = claim.counted(&mut frames, &[command.from])?;
        let written = written(relation, command);
        Ok(Self { claim, command, frames, statistics, written, step: [table, guard, counted] })
    }

    /// Asks all questions about the command.
    pub fn check(mut self) -> Result<(), Refused> {
        let step = self.step;
        if !self.possible(&step)? {
            return Ok(());
        }
        let to = match &self.command.outcome {
            &Outcome::Fail(property) => {
                let what = self.claim.names.property(property);
                return Ok(reject(format!("{what} may fail"))?);
            }
            Outcome::Refuse(why) => {
                return Ok(reject(format!("what is not followed may be reached: {why}"))?);
            }
            // Nobody ever steps again.
            Outcome::Halt => return Ok(()),
            Outcome::End => None,
            &Outcome::Go(to) => Some(to),
        };
        let counts_on = self.claim.counts_on(&mut self.frames, self.command)?;
        if !self.claim.proof.counts.is_empty() && self.leads_out(&step, counts_on)? {
            return Ok(reject("a variable counts fewer threads than there are")?);
        }
        self.alone(to)?;
        let passive = self.environment(to)?;
        if self.claim.tables.doubles.is_some() {
            self.third(&passive)?;
        }
        Ok(())
    }

    /// The active thread and the one that it creates, without others.
    fn alone(&mut self, to: Option<ControlId>) -> Result<(), Refused> {
        let step = self.step;
        let active = to.map(|control| Stand { who: Who::Active, control });
        if let Some(active) = active {
            self.single(&step, active, "the thread leaves the states of its table")?;
        }
        let Some(child) = self.child() else { return Ok(()) };
        self.single(&step, child, "the new thread begins in a state that its table does not have")?;
        match active {
            Some(active) => self.pair(&step, [active, child], "the new thread and its creator"),
            None => Ok(()),
        }
    }

    /// What one passive thread sees of the command; where such a thread may stand.
    fn environment(&mut self, to: Option<ControlId>) -> Result<Vec<ControlId>, Refused> {
        let mut found = vec![];
        let has_pairs = self.claim.tables.doubles.is_some();
        for (&control, entry) in &self.claim.tables.singles {
            let is_read = entry.reads(&self.written);
            if !self.claim.tables.may_meet(self.command.from, control) || !(is_read || has_pairs) {
                continue;
            }
            let passive = Stand { who: Who::First, control };
            let before = self.with_passive(passive)?;
            if !self.possible(&before)? {
                continue;
            }
            found.push(control);
            if is_read {
                self.single(&before, passive, "a passive thread leaves the states of its table")?;
            }
            if let Some(control) = to {
                let active = Stand { who: Who::Active, control };
                self.pair(&before, [active, passive], "the active and a passive thread")?;
            }
            if let Some(child) = self.child() {
                self.pair(&before, [child, passive], "the new and a passive thread")?;
            }
        }
        Ok(found)
    }

    /// What two passive threads see of the command.
    fn third(&mut self, passive: &[ControlId]) -> Result<(), Refused> {
        let tables = self.claim.tables;
        for (at, &first) in passive.iter().enumerate() {
            for &second in &passive[at..] {
                if !tables.double(first, second).is_some_and(|entry| entry.reads(&self.written)) {
                    continue;
                }
                let stands =
                    [Stand { who: Who::First, control: first }, Stand { who: Who::Second, control: second }];
                let mut before = self.with_passive(stands[0])?;
                before.extend(self.with_passive(stands[1])?);
                before.push(tables.together(&mut self.frames, Moment::Before, stands)?);
                let places = [self.command.from, first, second];
                before.push(self.claim.counted(&mut self.frames, &places)?);
                self.pair(&before, stands, "two passive threads")?;
            }
        }
        Ok(())
    }

    /// The active thread steps and sees a passive one.
    fn with_passive(&mut self, passive: Stand) -> Result<Vec<Lit>, Refused> {
        let active = Stand { who: Who::Active, control: self.command.from };
        let tables = self.claim.tables;
        let mut before = self.step.to_vec();
        before.push(tables.alone(&mut self.frames, Moment::Before, passive)?);
        before.push(tables.together(&mut self.frames, Moment::Before, [active, passive])?);
        let places = [active.control, passive.control];
        before.push(self.claim.counted(&mut self.frames, &places)?);
        if let Some(others) = self.command.others {
            let reading = Reading { moment: Moment::Before, who: passive.who };
            before.push(self.frames.truth(others, reading)?);
        }
        Ok(before)
    }

    fn child(&self) -> Option<Stand> {
        self.command.creates.as_ref().map(|it| Stand { who: Who::Child, control: it.entry })
    }

    fn single(&mut self, before: &[Lit], stand: Stand, what: &str) -> Result<(), Refused> {
        let after = self.claim.tables.alone(&mut self.frames, Moment::After, stand)?;
        match self.leads_out(before, after)? {
            true => Ok(reject(format!("{what}, at {}", self.place(stand)))?),
            false => Ok(()),
        }
    }

    fn pair(&mut self, before: &[Lit], stands: [Stand; 2], who: &str) -> Result<(), Refused> {
        let after = self.claim.tables.together(&mut self.frames, Moment::After, stands)?;
        match self.leads_out(before, after)? {
            true => {
                let [one, other] = stands.map(|stand| self.place(stand));
                Ok(reject(format!("{who} leave the states of their table, at {one} and {other}"))?)
            }
            false => Ok(()),
        }
    }

    fn place(&self, stand: Stand) -> String {
        self.claim.names.control(stand.control)
    }

    fn leads_out(&mut self, before: &[Lit], after: Lit) -> Result<bool, Refused> {
        if after == Lit::TRUE || before.contains(&after) {
            self.statistics.unchanged += 1;
            return Ok(false);
        }
        let question: Vec<Lit> = before.iter().copied().chain([!after]).collect();
        self.possible(&question)
    }

    fn possible(&mut self, question: &[Lit]) -> Result<bool, Refused> {
        self.statistics.questions += 1;
        self.frames.cnf.solve(question)
    }
}

/// The shared variables that a command may change.
fn written(relation: &Relation, command: &Command) -> Vec<LocalId> {
    let changes = command.updates.iter().filter(|update| {
        let is_shared = relation.variables[update.variable].home == Home::Shared;
        let is_same =
            matches!(relation.exprs.node(update.value), Node::Local(from, _) if from == update.variable);
        is_shared && !is_same
    });
    changes.map(|update| update.variable).collect()
}
