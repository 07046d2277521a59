//! Which locations may be merged.
//!
//! *Quiet* locations only go on and assign variables that no condition and no assertion ever depends on. Two
//! of them that lead to the same other locations are merged for good: a thread may wait at the first location
//! of the way as well as at any later one, so that, seen through the variables that matter, merging them adds
//! nothing. *Distant* locations touch no variable that flows into an assertion; neighbours among them are
//! merged as a first attempt, which forgets the conditions that guard them.

use crate::command::{Command, Section};
use crate::encoding::Encoding;
use base::Id;
use base::graphs::components;
use ir::bp::cone::{Cone, Seeds};
use ir::bp::{ExprId, Loc, Location, Op, ProcId, Var};
use std::collections::{BTreeMap, BTreeSet};

/// For each location a name for its fine class: equal names, one class.
pub fn fine(encoding: &Encoding<'_>) -> Vec<u32> {
    let relevant = Cone::of(encoding.program, Seeds::Conditions);
    let program = encoding.program;
    let quiet: Vec<bool> = program.locations().ids().map(|loc| is_quiet(encoding, &relevant, loc)).collect();
    let mut names: Vec<u32> = (0..program.locations().len() as u32).collect();
    // A class is known by its scope and by the names of what it leads to.
    let mut known: BTreeMap<(Scope<'_>, Vec<u32>), u32> = BTreeMap::new();
    for component in components(program.locations().len(), |at| followers(encoding, &quiet, at)) {
        let first = component[0];
        if !quiet[first] {
            continue;
        }
        let inside = |to: &Loc| component.binary_search(&to.index()).is_ok();
        let exits = component.iter().flat_map(|&at| program.successors(Loc::from_index(at)));
        let exits: BTreeSet<Loc> = exits.filter(|to| !inside(to)).collect();
        let targets: BTreeSet<u32> = exits.iter().map(|to| names[to.index()]).collect();
        let here = scope(encoding, Loc::from_index(first));
        let only = exits.iter().next().filter(|_| targets.len() == 1);
        let name = match only {
            Some(to) if quiet[to.index()] && scope(encoding, *to) == here => names[to.index()],
            _ => *known.entry((here, targets.into_iter().collect())).or_insert(first as u32),
        };
        component.iter().for_each(|&at| names[at] = name);
    }
    names
}

/// For each location a name for its coarse class, a union of fine ones.
pub fn coarse(encoding: &Encoding<'_>, fine: &[u32]) -> Vec<u32> {
    let near = Cone::of(encoding.program, Seeds::Assertions);
    let program = encoding.program;
    let distant: Vec<bool> = program.locations().ids().map(|loc| is_distant(encoding, &near, loc)).collect();
    let mut names = Union::new(fine.len());
    fine.iter().enumerate().for_each(|(at, &name)| names.join(at, name as usize));
    for loc in program.locations().ids().filter(|loc| distant[loc.index()]) {
        for to in program.successors(loc) {
            if distant[to.index()] && scope(encoding, loc) == scope(encoding, to) {
                names.join(loc.index(), to.index());
            }
        }
    }
    (0..fine.len()).map(|at| names.find(at) as u32).collect()
}

/// The procedures that are active at a location: they say which locals broadcasts reach there.
type Scope<'a> = (ProcId, &'a [ProcId]);

fn scope<'a>(encoding: &Encoding<'a>, loc: Loc) -> Scope<'a> {
    let location = encoding.program.at(loc);
    (location.procedure, &location.active)
}

fn followers(encoding: &Encoding<'_>, quiet: &[bool], at: usize) -> Vec<usize> {
    if !quiet[at] {
        return vec![];
    }
    let to = encoding.program.successors(Loc::from_index(at)).into_iter().map(Id::index);
    to.filter(|&to| quiet[to]).collect()
}

/// A location where nothing is checked, nobody is created or ends, and sections and other threads are left
/// alone.
fn is_plain(location: &Location, commands: &[Command]) -> bool {
    let harmless = |command: &Command| {
        command.section == Section::Keep
            && command.to.is_some()
            && command.child.is_none()
            && command.asks.is_none()
            && command.broadcast.is_empty()
    };
    let unchecked = !location.error && location.enforce.is_none() && !matches!(location.op, Op::Assert(_));
    unchecked && commands.iter().all(harmless)
}

fn is_quiet(encoding: &Encoding<'_>, relevant: &Cone, loc: Loc) -> bool {
    let commands = encoding.commands.at(loc);
    let free = |command: &Command| {
        let assigns = command.assign.iter().any(|&(var, _)| relevant.has(var));
        let reads = command.requires.iter().any(|&e| !reads(encoding, e).is_empty());
        !assigns && !reads
    };
    is_plain(encoding.program.at(loc), commands)
        && commands.iter().all(free)
        && encoding.steps(loc).iter().all(|step| step.enabled.is_true())
}

fn is_distant(encoding: &Encoding<'_>, near: &Cone, loc: Loc) -> bool {
    let commands = encoding.commands.at(loc);
    let touches = |command: &Command| {
        let read = command.requires.iter().chain(command.assign.iter().map(|it| &it.1));
        command.assign.iter().any(|&(var, _)| near.has(var))
            || read.flat_map(|&e| reads(encoding, e)).any(|var| near.has(var))
    };
    is_plain(encoding.program.at(loc), commands) && !commands.iter().any(touches)
}

fn reads(encoding: &Encoding<'_>, e: ExprId) -> Vec<Var> {
    encoding.commands.exprs().reads(e).into_iter().map(|read| read.var).collect()
}

/// Disjoint sets with path halving.
struct Union(Vec<usize>);

impl Union {
    fn new(count: usize) -> Union {
        Union((0..count).collect())
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number stays, so that names do not depend on the order of joining.
        self.0[a.max(b)] = a.min(b);
    }
}
