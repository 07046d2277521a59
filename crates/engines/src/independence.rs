//! Which steps of a thread no other thread can ever disturb or notice: R, W, R∞ and W∞ (Basler et al., CAV
//! 2009, section 7.3), corrected.
//!
//! A thread may be run alone if what its statement reads and writes is never written, or read or written, by
//! anything that another thread may still do, threads that it creates included. What differs from the paper:
//! - `enforce` restricts like `assume`; a branch does not, because both its sides are followed together;
//! - a broadcast reads and writes the *other* threads' locals, so each local has two bits here: one for "my
//!   own copy" and one for "anybody else's copy". Locals that no broadcast speaks of have none, because
//!   nobody else can touch them;
//! - how many threads there are is a variable of its own: `start_thread` reads and writes it, ending writes
//!   it, and so does everything that speaks of the passive threads as a whole;
//! - variables that no condition and no assertion depends on do not count: nobody can tell who wrote them
//!   last;
//! - entering an atomic section stops everybody else and is never done alone; in the future of others a
//!   section counts with its body;
//! - every cycle of control, creation of threads included, has a *sticky* location that is never run alone:
//!   else a thread that loops by itself would put off the others for ever.
//!
//! With these, every run has an equivalent one in which a thread that can step and is independent goes first;
//! a failing assertion counts as a step that reads what the assertion reads, so that verdicts are kept.

use crate::bits;
use base::Id;
use ir::bp::cone::{Cone, Seeds};
use ir::bp::{ExprId, Loc, LocalId, Location, Op, Program, Read, Spawn, Var, Whose};

/// The sets of every location.
#[derive(Clone, Debug)]
pub struct Independence {
    width: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    alone: bool,
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// R∞ ∪ W∞ and W∞, as the other threads see them.
    future: Vec<u32>,
    future_writes: Vec<u32>,
}

/// What several threads may still do, distinguished by whether one or more of them may.
#[derive(Clone, Debug)]
pub struct Futures {
    accessed: Tally,
    written: Tally,
}

#[derive(Clone, Debug)]
struct Tally {
    once: Vec<u32>,
    twice: Vec<u32>,
}

impl Independence {
    /// The sets of a flat program. Transitions from a location in `is_merged` are merged with those that lead
    /// there.
    pub fn new(program: &Program, is_merged: impl Fn(Loc) -> bool) -> Self {
        let variables = Variables::new(program);
        let sticky = sticky(program);
        let single: Vec<Access> = program.locations().ids().map(|loc| variables.access(loc)).collect();
        let mut rows = futures(program, &variables, &single);
        for loc in program.locations().ids() {
            let row = &mut rows[loc.index()];
            for at in run_from(program, loc, &is_merged) {
                let access = &single[at.index()];
                row.alone &= !access.disturbs && !sticky[at.index()];
                bits::unite(&mut row.reads, &access.reads);
                bits::unite(&mut row.writes, &access.writes);
            }
        }
        Self { width: variables.width(), rows }
    }

    /// Room to collect what threads may still do.
    pub fn futures(&self) -> Futures {
        let tally = Tally { once: vec![0; self.width], twice: vec![0; self.width] };
        Futures { accessed: tally.clone(), written: tally }
    }

    /// Whether a thread at `loc`, one of those in `all`, may be run alone, provided that it can step at all:
    /// nothing that the other threads in `all` may still do disturbs or notices it.
    pub fn runs_alone(&self, loc: Loc, all: &Futures) -> bool {
        let row = &self.rows[loc.index()];
        let apart = |mine: &[u32], tally: &Tally, own: &[u32]| {
            (0..self.width).all(|i| mine[i] & (tally.twice[i] | tally.once[i] & !own[i]) == 0)
        };
        row.alone
            && apart(&row.writes, &all.accessed, &row.future)
            && apart(&row.reads, &all.written, &row.future_writes)
    }
}

impl Futures {
    /// Forgets all threads.
    pub fn clear(&mut self) {
        for tally in [&mut self.accessed, &mut self.written] {
            tally.once.fill(0);
            tally.twice.fill(0);
        }
    }

    /// Adds one thread at `loc`, or several.
    pub fn add(&mut self, independence: &Independence, loc: Loc, several: bool) {
        let row = &independence.rows[loc.index()];
        self.accessed.add(&row.future, several);
        self.written.add(&row.future_writes, several);
    }
}

impl Tally {
    fn add(&mut self, more: &[u32], several: bool) {
        for ((once, twice), &more) in self.once.iter_mut().zip(&mut self.twice).zip(more) {
            *twice |= if several { more } else { more & *once };
            *once |= more;
        }
    }
}

/// What one statement does.
#[derive(Clone, Debug)]
struct Access {
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Never alone, whatever the others do.
    disturbs: bool,
}

/// The numbering of the bits: the shared variables, the number of threads, then for each local that
/// broadcasts speak of the own copy and everybody else's copies.
struct Variables<'p> {
    program: &'p Program,
    spoken: Vec<LocalId>,
    /// The variables that matter.
    matters: Cone,
}

impl<'p> Variables<'p> {
    fn new(program: &'p Program) -> Self {
        let mut spoken = vec![];
        for location in program.locations().iter() {
            if let Op::Assign { broadcast, .. } = &location.op {
                spoken.extend(broadcast.iter().map(|&(local, _)| local));
            }
            let reads = expressions(location).into_iter().flat_map(|e| program.exprs().reads(e));
            spoken.extend(reads.filter(|read| read.whose == Whose::Passive).filter_map(local_of));
        }
        spoken.sort();
        spoken.dedup();
        let matters = Cone::of(program, Seeds::Conditions);
        spoken.retain(|&local| matters.has(Var::Local(local)));
        Self { program, spoken, matters }
    }

    fn width(&self) -> usize {
        bits::words(self.program.shared().len() + 1 + 2 * self.spoken.len())
    }

    fn count(&self) -> usize {
        self.program.shared().len()
    }

    fn own(&self, local: LocalId) -> Option<usize> {
        self.spoken.binary_search(&local).ok().map(|index| self.count() + 1 + 2 * index)
    }

    fn bit(&self, read: Read) -> Option<usize> {
        match (read.var, read.whose) {
            (Var::Shared(id), _) => Some(id.index()).filter(|_| self.matters.has(read.var)),
            (Var::Local(id), Whose::Own) => self.own(id),
            (Var::Local(id), Whose::Passive) => self.own(id).map(|bit| bit + 1),
        }
    }

    fn access(&self, loc: Loc) -> Access {
        let location = self.program.at(loc);
        let none = vec![0; self.width()];
        let mut access = Access { reads: none.clone(), writes: none, disturbs: false };
        self.operation(&mut access, location);
        let successors = self.program.successors(loc);
        let ends = successors.iter().map(|&to| self.program.at(to)).chain([location]);
        for enforce in ends.filter_map(|end| end.enforce) {
            self.restricts(&mut access, enforce);
        }
        for &to in &successors {
            // A local that dies is set to 0.
            let dying = self.program.at(to).dead.iter().filter(|local| !location.dead.contains(local));
            dying
                .filter_map(|&local| self.own(local))
                .for_each(|bit| bits::set(&mut access.writes, bit, true));
        }
        access
    }

    fn operation(&self, access: &mut Access, location: &Location) {
        match &location.op {
            Op::Skip | Op::Goto(_) | Op::AtomicEnd => {}
            Op::AtomicBegin | Op::Call { .. } => access.disturbs = true,
            Op::Branch { cond, .. } | Op::Assert(cond) => self.reads(access, *cond),
            Op::Assume(e) => self.restricts(access, *e),
            Op::Assign { targets, broadcast, constrain } => {
                self.assign(access, targets);
                for &(local, e) in broadcast {
                    self.reads(access, e);
                    self.counts_threads(access);
                    if let Some(own) = self.own(local) {
                        bits::set(&mut access.writes, own + 1, true);
                    }
                }
                constrain.iter().for_each(|&e| self.restricts(access, e));
            }
            Op::Start(spawn) => {
                self.counts_threads(access);
                match spawn {
                    Spawn::Clone(at) => self.copies(access, *at),
                    Spawn::Call(_, args) => args.iter().for_each(|&arg| self.reads(access, arg)),
                }
            }
            Op::Return(_) | Op::End => bits::set(&mut access.writes, self.count(), true),
            Op::Lock(id) | Op::Unlock(id) => {
                let taken = self.program.locks()[*id].taken.index();
                bits::set(&mut access.reads, taken, true);
                bits::set(&mut access.writes, taken, true);
            }
        }
    }

    fn assign(&self, access: &mut Access, targets: &[(Var, ExprId)]) {
        for &(var, e) in targets {
            self.reads(access, e);
            if let Some(bit) = self.bit(Read::now(var)) {
                bits::set(&mut access.writes, bit, true);
            }
            access.disturbs |= self.program.atomic_variable().map(Var::Shared) == Some(var);
        }
    }

    fn reads(&self, access: &mut Access, e: ExprId) {
        for bit in self.program.exprs().reads(e).into_iter().filter_map(|read| self.bit(read)) {
            bits::set(&mut access.reads, bit, true);
        }
    }

    /// What a condition mentions counts as written: the condition can stop others from going on together with
    /// this step.
    fn restricts(&self, access: &mut Access, e: ExprId) {
        for read in self.program.exprs().reads(e) {
            if let Some(bit) = self.bit(read) {
                bits::set(&mut access.reads, bit, true);
                bits::set(&mut access.writes, bit, true);
            }
            if read.whose == Whose::Passive {
                // Whether the thread can step is up to others, and they may leave it blocked for ever.
                access.disturbs = true;
                self.counts_threads(access);
            }
        }
    }

    /// The statement depends on which threads there are.
    fn counts_threads(&self, access: &mut Access) {
        bits::set(&mut access.reads, self.count(), true);
        bits::set(&mut access.writes, self.count(), true);
    }

    fn copies(&self, access: &mut Access, at: Loc) {
        let copied = self.spoken.iter().filter(|&&local| self.program.in_scope(at, local));
        copied.filter_map(|&local| self.own(local)).for_each(|bit| bits::set(&mut access.reads, bit, true));
    }

    /// The same set as another thread sees it: everybody else's copies are its own copy and the others', my
    /// own copy is for it among the others'.
    fn seen(&self, set: &[u32]) -> Vec<u32> {
        let mut seen = set.to_vec();
        for &local in &self.spoken {
            let own = self.own(local).expect("spoken of");
            let (mine, others) = (bits::get(set, own), bits::get(set, own + 1));
            bits::set(&mut seen, own, others);
            bits::set(&mut seen, own + 1, mine || others);
        }
        seen
    }
}

/// R∞ and W∞ by iteration to the least fixed point; `alone`, `reads` and `writes` are filled in later.
fn futures(program: &Program, variables: &Variables<'_>, single: &[Access]) -> Vec<Row> {
    let none = vec![0; variables.width()];
    let mut rows: Vec<Row> = single
        .iter()
        .map(|access| {
            let future_writes = variables.seen(&access.writes);
            let mut future = variables.seen(&access.reads);
            bits::unite(&mut future, &future_writes);
            Row { alone: true, reads: none.clone(), writes: none.clone(), future, future_writes }
        })
        .collect();
    let mut predecessors = vec![vec![]; rows.len()];
    for loc in program.locations().ids() {
        followers(program, loc).into_iter().for_each(|to| predecessors[to.index()].push(loc));
    }
    let mut work: Vec<Loc> = program.locations().ids().collect();
    while let Some(to) = work.pop() {
        let (future, writes) = (rows[to.index()].future.clone(), rows[to.index()].future_writes.clone());
        for &from in &predecessors[to.index()] {
            let row = &mut rows[from.index()];
            let grew = bits::unite(&mut row.future, &future) | bits::unite(&mut row.future_writes, &writes);
            if grew {
                work.push(from);
            }
        }
    }
    rows
}

/// Where a thread at `loc` may go on, and where a thread that it creates may begin.
fn followers(program: &Program, loc: Loc) -> Vec<Loc> {
    let mut followers = program.successors(loc);
    match &program.at(loc).op {
        Op::Start(Spawn::Clone(at)) => followers.push(*at),
        Op::Start(Spawn::Call(procedure, _)) => followers.push(program.procedures()[*procedure].entry),
        _ => {}
    }
    followers
}

/// The location itself and those that a step from it runs through.
fn run_from(program: &Program, loc: Loc, is_merged: &impl Fn(Loc) -> bool) -> Vec<Loc> {
    let mut run = vec![loc];
    let mut done = 0;
    while let Some(&at) = run.get(done) {
        done += 1;
        for to in program.successors(at) {
            if is_merged(to) && !run.contains(&to) {
                run.push(to);
            }
        }
    }
    run
}

/// At least one location on every cycle: those that a depth-first search meets again while it is below them.
fn sticky(program: &Program) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Closed,
    }
    let count = program.locations().len();
    let (mut marks, mut sticky) = (vec![Mark::New; count], vec![false; count]);
    for root in program.locations().ids() {
        let mut stack = vec![(root, false)];
        while let Some((loc, done)) = stack.pop() {
            if done {
                marks[loc.index()] = Mark::Closed;
            } else if marks[loc.index()] == Mark::New {
                marks[loc.index()] = Mark::Open;
                stack.push((loc, true));
                for to in followers(program, loc) {
                    sticky[to.index()] |= marks[to.index()] == Mark::Open;
                    stack.push((to, false));
                }
            }
        }
    }
    sticky
}

fn expressions(location: &Location) -> Vec<ExprId> {
    match &location.op {
        Op::Assume(e) => vec![*e],
        Op::Assign { broadcast, constrain, .. } => {
            broadcast.iter().map(|&(_, e)| e).chain(*constrain).collect()
        }
        _ => vec![],
    }
}

fn local_of(read: Read) -> Option<LocalId> {
    match read.var {
        Var::Local(local) => Some(local),
        Var::Shared(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::bp::{Builder, Init, LocalScope};

    /// Three procedures of one statement each: `x := 1`, `y := 1` and `[v] := 1`, where v is a local of the
    /// first.
    fn three() -> (Program, [Loc; 3]) {
        let mut builder = Builder::new();
        let [x, y] = ["x", "y"].map(|name| Var::Shared(builder.shared(name, Init::Fixed(false))));
        let ids = ["a", "b", "c"].map(|name| builder.declare(name, 0));
        let v = builder.local("v", LocalScope::Procedure(ids[0]), Init::Fixed(false));
        let (yes, read) = (builder.exprs().constant(true), builder.exprs().var(Var::Local(v)));
        let broadcast = Op::Assign { targets: vec![], broadcast: vec![(v, yes)], constrain: None };
        let ops = [Op::assign(x, read), Op::assign(y, yes), broadcast];
        let mut entries = vec![];
        for (&id, op) in ids.iter().zip(ops) {
            builder.begin(id);
            entries.push(builder.push(id, op, None));
            builder.end(id, None);
            builder.template(id, ir::bp::Count::Exactly(1));
        }
        // Variables that no assertion depends on are left out of account.
        let last = builder.declare("last", 0);
        builder.begin(last);
        for var in [x, y] {
            let read = builder.exprs().var(var);
            builder.push(last, Op::Assert(read), None);
        }
        builder.end(last, None);
        (builder.finish().expect("a valid program"), [entries[0], entries[1], entries[2]])
    }

    #[test]
    fn only_what_others_touch_matters() {
        let (program, [a, b, c]) = three();
        let independence = Independence::new(&program, |_| false);
        let alone = |loc: Loc, threads: &[(Loc, bool)]| {
            let mut all = independence.futures();
            threads.iter().for_each(|&(at, several)| all.add(&independence, at, several));
            independence.runs_alone(loc, &all)
        };
        assert!(alone(a, &[(a, false), (b, false)]) && alone(b, &[(a, false), (b, false)]));
        // Two threads at the same statement disturb each other.
        assert!(!alone(a, &[(a, true), (b, false)]));
        // The broadcast writes what a reads, and nothing of b.
        assert!(!alone(a, &[(a, false), (c, false)]) && alone(b, &[(b, false), (c, false)]));
        assert!(!alone(c, &[(a, false), (c, false)]));
    }

    #[test]
    fn every_cycle_has_a_sticky_location() {
        let mut builder = Builder::new();
        let main = builder.declare("main", 0);
        builder.begin(main);
        let child = Spawn::Clone(Loc::from_index(0));
        for op in [Op::Skip, Op::Start(child), Op::End] {
            builder.push(main, op, None);
        }
        builder.end(main, None);
        builder.template(main, ir::bp::Count::Exactly(1));
        let program = builder.finish().expect("a valid program");
        // The cycle goes through the thread created: 0, 1, and 0 again.
        assert_eq!(sticky(&program), [true, false, false, false]);
    }
}
