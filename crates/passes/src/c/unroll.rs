//! Loops over threads whose turns are counted by registers become copies, one for each turn: the handle in
//! `t[i]` is the cell `t[2]` then, and a join knows whom it waits for. A location of the loop has a copy for
//! each combination of numbers that the counters have there, and the pair of a copy says these numbers; that
//! the loop ends is what the machine's operators say about its condition, turn by turn.
//!
//! Specialisation by known values (Jones, Gomard, Sestoft 1993), of loops that create or join threads alone:
//! the threads of one place are exchangeable, which makes proofs cheap, so loops without joins stay.

use super::constants::{Folder, Known};
use super::rebuild::{reachable, running, same, stub, thread_registers};
use super::{Passed, SteppedLift};
use base::{Budget, Id, Stop, graphs};
use c::{
    Builder, Control, Correspondence, Fact, Live, Loc, LocalId, LocalScope, OldValue, Op, Pair, Place,
    Program, ThreadEffect,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A loop with more turns stays, if nobody says how many.
const TURNS: u32 = 16;
/// A program does not become larger than this.
const PROGRAM: usize = 60_000;

/// Makes copies of the turns of loops over threads.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    unroll(old, TURNS, budget)
}

/// Makes copies of the turns of loops over threads that have at most this many.
pub fn unroll(old: &Program, turns: u32, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let mut loops = loops(old);
    while !loops.is_empty() {
        let folder = Folder::new(old);
        match Copies::new(&folder, &loops, turns, budget)? {
            Ok(copies) => return copies.write(budget).map(Some),
            Err(refused) => {
                loops.remove(refused);
            }
        }
    }
    Ok(None)
}

/// A loop over threads.
struct ThreadLoop {
    locations: BTreeSet<Loc>,
    /// The registers that count its turns, and those that these are computed from.
    counters: BTreeSet<LocalId>,
    /// The branches that the counters decide.
    branches: BTreeSet<Loc>,
}

/// The loops that create or join threads and have counters, where somebody joins.
fn loops(program: &Program) -> Vec<ThreadLoop> {
    let effect = |loc: Loc| program.effects(loc).threads;
    let reached: BTreeSet<Loc> = reachable(program).into_iter().collect();
    if !reached.iter().any(|&loc| matches!(effect(loc), Some(ThreadEffect::Join(_)))) {
        return vec![];
    }
    let next = |at: usize| program.successors(Loc::from_index(at)).into_iter().map(Id::index).collect();
    let mut found = vec![];
    for component in graphs::components(program.locations().len(), next) {
        let locations: BTreeSet<Loc> = component.into_iter().map(Loc::from_index).collect();
        let turns = locations.len() > 1 && locations.is_subset(&reached);
        let threads =
            |loc: &Loc| matches!(effect(*loc), Some(ThreadEffect::Create(_) | ThreadEffect::Join(_)));
        if turns && locations.iter().any(threads) {
            let found_loop = with_counters(program, locations);
            found.extend(Some(found_loop).filter(|it| !it.branches.is_empty()));
        }
    }
    found
}

/// The counters of a loop: registers that only assignments from counters and numbers change, and that decide
/// a branch.
fn with_counters(program: &Program, locations: BTreeSet<Loc>) -> ThreadLoop {
    let exprs = program.exprs();
    let mut fit: BTreeSet<LocalId> = program.locals().ids().collect();
    fit.retain(|&it| program.locals()[it].scope != LocalScope::Thread);
    loop {
        let before = fit.len();
        for &loc in &locations {
            let op = &program.at(loc).op;
            let computed =
                op.assignment().is_some_and(|(_, e)| exprs.locals(e).iter().all(|it| fit.contains(it)));
            if !computed {
                op.writes().iter().for_each(|it| {
                    fit.remove(it);
                });
            }
        }
        if fit.len() == before {
            break;
        }
    }
    let read =
        |loc: Loc| program.at(loc).op.operands().iter().flat_map(|&e| exprs.locals(e)).collect::<Vec<_>>();
    let is_branch = |loc: Loc| matches!(program.effects(loc).control, Control::Branch(_));
    let counted = |loc: Loc| !read(loc).is_empty() && read(loc).iter().all(|it| fit.contains(it));
    let branches: BTreeSet<Loc> =
        locations.iter().copied().filter(|&loc| is_branch(loc) && counted(loc)).collect();
    let mut counters: BTreeSet<LocalId> = branches.iter().flat_map(|&loc| read(loc)).collect();
    loop {
        let assigned = locations.iter().filter_map(|&loc| program.at(loc).op.assignment());
        let needed: Vec<LocalId> =
            assigned.filter(|(it, _)| counters.contains(it)).flat_map(|(_, e)| exprs.locals(e)).collect();
        let before = counters.len();
        counters.extend(needed);
        if counters.len() == before {
            return ThreadLoop { locations, counters, branches };
        }
    }
}

/// A location with what is known there.
type Node = (Loc, Known);

/// The locations of the new program.
struct Copies<'a> {
    folder: &'a Folder<'a>,
    /// By location: the loop that it is in.
    of: HashMap<Loc, usize>,
    tracked: BTreeSet<LocalId>,
    /// Where procedures begin, which may be inside of a loop.
    entries: BTreeSet<Node>,
    /// By node: where control goes; the other way of a branch is the second.
    next: BTreeMap<Node, Vec<Node>>,
}

impl<'a> Copies<'a> {
    /// Follows control from the entries on; or the loop whose turns are too many or not known.
    fn new(
        folder: &'a Folder<'a>,
        loops: &[ThreadLoop],
        turns: u32,
        budget: &Budget,
    ) -> Result<Result<Self, usize>, Stop> {
        let tracked: BTreeSet<LocalId> = loops.iter().flat_map(|it| it.counters.iter().copied()).collect();
        let mut of = HashMap::new();
        for (number, it) in loops.iter().enumerate() {
            of.extend(it.locations.iter().map(|&loc| (loc, number)));
        }
        let everywhere = folder.everywhere(&tracked, budget)?;
        let mut made = Copies { folder, of, tracked, entries: BTreeSet::new(), next: BTreeMap::new() };
        let mut copies: HashMap<Loc, usize> = HashMap::new();
        let mut work: Vec<Node> = vec![];
        for id in running(folder.program) {
            let procedure = &folder.program.procedures()[id];
            let first = folder.first(procedure.entry, &made.tracked);
            work.push((procedure.entry, made.node(procedure.entry, loops, &everywhere, &first)));
        }
        made.entries.extend(work.iter().cloned());
        while let Some(node) = work.pop() {
            budget.spend(1)?;
            if made.next.contains_key(&node) {
                continue;
            }
            let number = copies.entry(node.0).or_default();
            *number += 1;
            let inside = made.of.get(&node.0).copied();
            if let Some(at) = inside {
                let open = loops[at].branches.contains(&node.0) && folder.decided(node.0, &node.1).is_none();
                if *number > turns as usize + 1 || made.next.len() > PROGRAM || open {
                    return Ok(Err(at));
                }
            }
            let after = folder.after(node.0, &node.1, &made.tracked);
            let successors = match inside.and_then(|_| folder.decided(node.0, &node.1)) {
                Some(only) => vec![only],
                None => folder.program.successors(node.0),
            };
            let next: Vec<Node> =
                successors.into_iter().map(|to| (to, made.node(to, loops, &everywhere, &after))).collect();
            work.extend(next.iter().cloned());
            made.next.insert(node, next);
        }
        Ok(Ok(made))
    }

    /// What is told apart at a location: in a loop its counters, elsewhere nothing.
    fn node(&self, loc: Loc, loops: &[ThreadLoop], everywhere: &[Known], known: &Known) -> Known {
        let mut kept = everywhere[loc.index()].clone();
        if let Some(&at) = self.of.get(&loc) {
            kept.retain(|it, _| !loops[at].counters.contains(it));
            let own = known.iter().filter(|(it, _)| loops[at].counters.contains(it));
            kept.extend(own.map(|(&it, &number)| (it, number)));
        }
        kept
    }

    fn write(self, budget: &Budget) -> Result<Passed, Stop> {
        let old = self.folder.program;
        let mut builder = old.edit();
        builder.clear();
        let mut image: HashMap<&Node, Loc> = HashMap::new();
        let mut origin = vec![];
        let running = running(old);
        for procedure in old.procedures().ids() {
            if !running.contains(&procedure) {
                stub(&mut builder, procedure);
                origin.push(None);
                continue;
            }
            builder.begin(procedure);
            let mut own: Vec<&Node> =
                self.next.keys().filter(|(loc, _)| old.at(*loc).procedure == procedure).collect();
            own.sort_by_key(|node| !self.entries.contains(node));
            for node in own {
                image.insert(node, builder.here());
                let op = self.copied(&mut builder, node);
                let made = builder.push(procedure, op, old.at(node.0).span);
                let places = !builder.at(made).op.places().is_empty();
                builder.at(made).private = old.at(node.0).private && places;
                origin.push(Some(node.0));
            }
            builder.end(procedure);
        }
        for (node, next) in &self.next {
            let location = builder.at(image[node]);
            let to = |loc: Loc| next.iter().find(|it| it.0 == loc).map(|it| image[it]);
            location.next =
                to(old.at(node.0).next).or(next.first().map(|it| image[it])).unwrap_or(location.next);
            location.op.redirect(|target| to(target).expect("both ways of a branch are followed"));
        }
        let program = builder.finish().expect("copies of steps leave a valid program valid");
        let correspondence = self.correspondence(&program, &image, &Live::new(&program, budget)?);
        let lift = SteppedLift { old: old.clone(), new: program.clone(), origin, fails: HashMap::new() };
        Ok(Passed { program, lift, correspondence })
    }

    /// A step with numbers for the counters, if it is in a loop.
    fn copied(&self, builder: &mut Builder, (loc, known): &Node) -> Op {
        let old = self.folder.program;
        let mut op = old.at(*loc).op.clone();
        if !self.of.contains_key(loc) {
            return op;
        }
        if self.folder.decided(*loc, known).is_some() {
            return Op::skip();
        }
        let mut known = known.clone();
        if op.assignment().is_none() {
            // A read-modify-write computes with what it has just read.
            op.writes().iter().for_each(|it| {
                known.remove(it);
            });
        }
        op.for_each_expr(|e| *e = self.folder.folded(builder, *e, &known));
        let exprs = builder.draft().exprs();
        op.for_each_place(|place| {
            if let Place::Indexed { object, offset } = *place
                && let Some(offset) = exprs.constant(offset).and_then(|it| i64::try_from(it).ok())
                && old.scalars(object).iter().any(|cell| cell.offset == offset)
            {
                *place = Place::Object { object, offset };
            }
        });
        op
    }

    fn correspondence(&self, new: &Program, image: &HashMap<&Node, Loc>, live: &Live) -> Correspondence {
        let mut made = Correspondence::new(new.pointer_bits());
        let register = |local: LocalId| OldValue::Register { frame: 0, local };
        for (node, &at) in self.next.keys().map(|node| (node, &image[node])) {
            let own = LocalScope::Procedure(new.at(at).procedure);
            let mut facts = vec![];
            for (local, it) in new.locals().enumerate() {
                let wanted =
                    it.scope == LocalScope::Thread || it.scope == own && live.is_live(at, it.slot as usize);
                if wanted {
                    facts.push(same(&mut made, local, register(local), it.ty));
                }
            }
            for (&local, &number) in &node.1 {
                let equals = made.exprs_mut().number(new.locals()[local].ty, number);
                facts.push(Fact::Old { value: register(local), equals });
            }
            made.pairs.push(Pair { stack: vec![node.0], new: Some(at), facts });
        }
        for local in thread_registers(new) {
            let fact = same(&mut made, local, register(local), new.locals()[local].ty);
            made.returns.push(fact);
        }
        made
    }
}
