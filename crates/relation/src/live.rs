//! What matters: variables whose values may still decide whether a command is possible. The rest is
//! forgotten: updates of it are dropped, and with them the choices that only they used.

use super::build::SECTION;
use super::maker::Maker;
use super::{Command, ControlId, Home, Outcome, Update};
use base::{Budget, Id, Stop};
use c::expr::ExprId;
use c::program::LocalId;
use c::types::TRUTH;
use std::collections::{BTreeSet, HashMap};

/// The variables that expressions read.
#[derive(Default)]
struct Reads {
    known: HashMap<ExprId, Vec<LocalId>>,
}

impl Reads {
    fn of(&mut self, maker: &Maker<'_>, e: ExprId) -> &[LocalId] {
        self.known.entry(e).or_insert_with(|| maker.pool.exprs.locals(e))
    }
}

/// What matters where.
struct Live {
    /// Shared variables that matter.
    shared: BTreeSet<LocalId>,
    /// Variables of all threads that matter everywhere.
    always: BTreeSet<LocalId>,
    /// By control location: variables of the thread.
    at: Vec<BTreeSet<LocalId>>,
}

impl Live {
    fn has(&self, home: Home, variable: LocalId, at: Option<ControlId>) -> bool {
        match home {
            Home::Shared => self.shared.contains(&variable),
            Home::Choice => false,
            _ => {
                let here = at.is_some_and(|at| self.at[at.index()].contains(&variable));
                here || self.always.contains(&variable) && at.is_some()
            }
        }
    }
}

impl Maker<'_> {
    /// Where threads stop inside atomic sections, a shared bit keeps all others from stepping.
    pub fn guard_sections(&mut self) {
        if self.controls.iter().all(|control| control.phase & SECTION == 0) {
            return;
        }
        let section = self.ghost("section".into(), TRUTH, Home::Shared, Some(0));
        let (yes, no) = (self.pool.truth(true), self.pool.truth(false));
        let taken = self.pool.variable(section, TRUTH);
        let free = self.pool.not(taken);
        let mut commands = std::mem::take(&mut self.commands);
        for command in &mut commands {
            let inside = |at: ControlId| self.controls[at].phase & SECTION != 0;
            let before = inside(command.from);
            let after = matches!(command.outcome, Outcome::Go(to) if inside(to));
            if !before {
                command.guard = self.pool.and(command.guard, free);
            }
            if before != after {
                command.updates.push(Update { variable: section, value: if after { yes } else { no } });
            }
        }
        self.commands = commands;
    }

    /// Keeps what matters, and notes which variables are live where.
    pub fn forget(&mut self, budget: &Budget) -> Result<(), Stop> {
        let mut reads = Reads::default();
        let live = self.live(&mut reads, budget)?;
        let mut commands = std::mem::take(&mut self.commands);
        for command in &mut commands {
            let at = destination(command);
            let keep =
                |update: &Update, at| live.has(self.variables[update.variable].home, update.variable, at);
            command.updates.retain(|update| keep(update, at));
            if let Some(creation) = &mut command.creates {
                creation.values.retain(|update| keep(update, Some(creation.entry)));
            }
            command.choices = self.choices_of(command, &mut reads);
        }
        commands.retain(|command| !does_nothing(command));
        self.commands = commands;
        for (control, variables) in self.controls.iter_mut().zip(live.at) {
            let template = control.template;
            let all = variables.into_iter().chain(live.always.iter().copied());
            let all: BTreeSet<LocalId> = all.collect();
            let seen = |variable: &LocalId| match self.variables[*variable].home {
                Home::Template(it) => it == template,
                home => home == Home::Thread,
            };
            control.live = all.into_iter().filter(seen).collect();
        }
        Ok(())
    }

    fn choices_of(&self, command: &Command, reads: &mut Reads) -> Vec<LocalId> {
        let created = command.creates.iter().flat_map(|creation| &creation.values);
        let values = command.updates.iter().chain(created).map(|update| update.value);
        let mut found = BTreeSet::new();
        for e in values.chain([command.guard]).collect::<Vec<_>>() {
            let all = reads.of(self, e).iter().copied();
            found.extend(all.filter(|&variable| self.variables[variable].home == Home::Choice));
        }
        found.into_iter().collect()
    }

    /// The least solution of: guards matter, and what decides a value that matters does.
    fn live(&self, reads: &mut Reads, budget: &Budget) -> Result<Live, Stop> {
        let mut live = Live {
            shared: BTreeSet::new(),
            always: BTreeSet::new(),
            at: vec![BTreeSet::new(); self.controls.len()],
        };
        for others in self.commands.iter().filter_map(|command| command.others) {
            for &variable in reads.of(self, others) {
                let shared = self.variables[variable].home == Home::Shared;
                if shared { &mut live.shared } else { &mut live.always }.insert(variable);
            }
        }
        let sites = self.sites.iter().flat_map(|it| &it.found);
        let read: Vec<(ControlId, ExprId)> =
            sites.flat_map(|it| [(it.control, it.guard), (it.control, it.address)]).collect();
        for (control, e) in read {
            for &variable in reads.of(self, e) {
                match self.variables[variable].home {
                    Home::Shared => live.shared.insert(variable),
                    Home::Choice => false,
                    _ => live.at[control.index()].insert(variable),
                };
            }
        }
        loop {
            let mut changed = false;
            for command in self.commands.iter().rev() {
                budget.spend(1 + command.updates.len() as u64)?;
                changed |= self.propagate(command, &mut live, reads);
            }
            if !changed {
                return Ok(live);
            }
        }
    }

    fn propagate(&self, command: &Command, live: &mut Live, reads: &mut Reads) -> bool {
        let at = destination(command);
        let mut matters = vec![command.guard];
        let wanted =
            |update: &&Update, at| live.has(self.variables[update.variable].home, update.variable, at);
        matters.extend(command.updates.iter().filter(|it| wanted(it, at)).map(|it| it.value));
        if let Some(creation) = &command.creates {
            let entry = Some(creation.entry);
            matters.extend(creation.values.iter().filter(|it| wanted(it, entry)).map(|it| it.value));
        }
        let written: BTreeSet<LocalId> = command.updates.iter().map(|update| update.variable).collect();
        let stays: Vec<LocalId> = at.map_or(vec![], |at| {
            live.at[at.index()].iter().copied().filter(|variable| !written.contains(variable)).collect()
        });
        let read: Vec<LocalId> = matters.into_iter().flat_map(|e| reads.of(self, e).to_vec()).collect();
        let mut changed = false;
        for variable in read.into_iter().chain(stays) {
            changed |= match self.variables[variable].home {
                Home::Shared => live.shared.insert(variable),
                Home::Choice => false,
                _ => live.at[command.from.index()].insert(variable),
            };
        }
        changed
    }
}

/// Where the thread stands afterwards.
fn destination(command: &Command) -> Option<ControlId> {
    match command.outcome {
        Outcome::Go(to) => Some(to),
        _ => None,
    }
}

/// Whether a step changes nothing at all.
fn does_nothing(command: &Command) -> bool {
    let stays = matches!(command.outcome, Outcome::Go(to) if to == command.from);
    stays && command.creates.is_none() && command.updates.is_empty()
}
