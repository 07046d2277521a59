//! A program with some steps changed and some left out, and the pairs of control locations that belong
//! together then.

use super::{Passed, SteppedLift};
use base::{Budget, Id, Stop};
use c::{
    Builder, Correspondence, Fact, Live, Loc, LocalId, LocalScope, Node, ObjectId, OldValue, Op, Pair,
    ProcId, Program,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What becomes of the steps of a program.
pub struct Changes<'p> {
    /// The program.
    pub old: &'p Program,
    /// The new program's expressions and declarations.
    pub builder: Builder,
    /// By location: the new steps; none if the step is left out.
    pub ops: Vec<Vec<Op>>,
    /// By location: old registers that have another value than the new program's, as expressions of the
    /// builder.
    pub absorbed: Vec<Vec<(LocalId, c::ExprId)>>,
    /// By location: the register of the new program that holds what another one does in the old program.
    pub moved: Vec<Option<(LocalId, LocalId)>>,
    /// Registers that the new program has beside those of the old one, and what they hold.
    pub cells: HashMap<LocalId, OldValue>,
    /// By location: the promoted objects that exist there.
    pub alive: Vec<Vec<ObjectId>>,
    /// By location: other objects that certainly exist there, where that is said.
    pub exists: Vec<Vec<ObjectId>>,
    /// By location: whether threads are gone there.
    pub gone: Vec<bool>,
    /// By location: whether threads are certainly in no atomic section, where that is said.
    pub outside: Vec<bool>,
    /// Whether that holds after calls, too.
    pub outside_after_calls: bool,
}

impl<'p> Changes<'p> {
    /// Nothing changes yet.
    pub fn new(old: &'p Program) -> Self {
        let ops = old.locations().iter().map(|it| vec![it.op.clone()]).collect();
        let number = old.locations().len();
        Self {
            old,
            builder: old.edit(),
            ops,
            absorbed: vec![vec![]; number],
            moved: vec![None; number],
            cells: HashMap::new(),
            alive: vec![vec![]; number],
            exists: vec![vec![]; number],
            gone: vec![false; number],
            outside: vec![false; number],
            outside_after_calls: false,
        }
    }

    /// Leaves a step out.
    pub fn drop(&mut self, loc: Loc) {
        self.ops[loc.index()].clear();
    }

    fn is_dropped(&self, loc: Loc) -> bool {
        self.ops[loc.index()].is_empty()
    }

    /// The first step at or after a location that is not left out.
    fn kept(&self, loc: Loc) -> Loc {
        let mut at = loc;
        while self.is_dropped(at) {
            at = self.old.at(at).next;
        }
        at
    }

    /// The steps that control may reach in the new program from one on.
    fn reached(&self, first: Loc) -> HashSet<Loc> {
        let (mut found, mut work) = (HashSet::new(), vec![first]);
        while let Some(loc) = work.pop() {
            if found.insert(loc) {
                let last = self.ops[loc.index()].last().expect("it is kept");
                let goes_on = last.goes_on();
                work.extend(self.old.successors(loc).into_iter().filter(|_| goes_on).map(|it| self.kept(it)));
            }
        }
        found
    }

    /// Keeps a step of each cycle that would consist of nothing.
    fn break_cycles(&mut self) {
        for loc in self.old.locations().ids() {
            let mut seen = HashSet::new();
            let mut at = loc;
            while self.is_dropped(at) {
                if !seen.insert(at) {
                    self.ops[at.index()].push(Op::skip());
                }
                at = self.old.at(at).next;
            }
        }
    }

    /// The new program with its correspondence.
    pub fn finish(mut self, budget: &Budget) -> Result<Passed, Stop> {
        self.break_cycles();
        let values: Vec<_> = self.absorbed.clone();
        // Expressions of facts are copied before the builder drops those that no step uses.
        let mut correspondence = Correspondence::new(self.old.pointer_bits());
        let absorbed: Vec<Vec<Fact>> = values
            .iter()
            .map(|facts| {
                facts
                    .iter()
                    .map(|&(local, value)| self.absorbed_fact(&mut correspondence, local, value))
                    .collect()
            })
            .collect();
        let (program, image, origin) = self.write();
        let live = Live::new(&program, budget)?;
        let of_threads = read_of_threads(&program);
        for loc in reachable(self.old) {
            if self.gone[loc.index()] {
                correspondence.pairs.push(Pair { stack: vec![loc], new: None, facts: vec![] });
                continue;
            }
            let at = image[loc.index()];
            let mut facts = self.same_registers(&mut correspondence, &program, &live, at, &of_threads);
            if let Some((new, old)) = self.moved[loc.index()] {
                let value = OldValue::Register { frame: 0, local: old };
                let moved = same(&mut correspondence, new, value, program.locals()[new].ty);
                let own =
                    facts.iter_mut().filter(|it| matches!(**it, Fact::New { local, .. } if local == new));
                own.for_each(|it| *it = moved);
            }
            facts.extend(self.exists[loc.index()].iter().map(|&object| Fact::Exists { object }));
            facts.extend(&absorbed[loc.index()]);
            facts.extend(self.alive[loc.index()].iter().map(|&object| Fact::Alive { frame: 0, object }));
            facts.extend(self.outside[loc.index()].then_some(Fact::Outside));
            correspondence.pairs.push(Pair { stack: vec![loc], new: Some(at), facts });
        }
        correspondence.returns =
            of_threads.into_iter().map(|it| self.same(&mut correspondence, &program, it)).collect();
        correspondence.returns.extend(self.outside_after_calls.then_some(Fact::Outside));
        let lift = SteppedLift { old: self.old.clone(), new: program.clone(), origin, fails: HashMap::new() };
        Ok(Passed { program, lift, correspondence })
    }

    fn absorbed_fact(&self, correspondence: &mut Correspondence, local: LocalId, value: c::ExprId) -> Fact {
        let equals = old_expression(correspondence, self.builder.draft(), value, 0);
        Fact::Old { value: OldValue::Register { frame: 0, local }, equals }
    }

    /// The live registers of a location of the new program hold what those of the old one do that have the
    /// same numbers, or their cells.
    fn same_registers(
        &self,
        correspondence: &mut Correspondence,
        new: &Program,
        live: &Live,
        at: Loc,
        of_threads: &BTreeSet<LocalId>,
    ) -> Vec<Fact> {
        let own = LocalScope::Procedure(new.at(at).procedure);
        let is_live = |it: &c::Local| it.scope == own && live.is_live(at, it.slot as usize);
        let wanted = new.locals().enumerate().filter(|(local, it)| of_threads.contains(local) || is_live(it));
        wanted.map(|(local, _)| self.same(correspondence, new, local)).collect()
    }

    fn same(&self, correspondence: &mut Correspondence, new: &Program, local: LocalId) -> Fact {
        let value = self.cells.get(&local).copied().unwrap_or(OldValue::Register { frame: 0, local });
        same(correspondence, local, value, new.locals()[local].ty)
    }

    fn write(&self) -> (Program, Vec<Loc>, Vec<Option<Loc>>) {
        let mut builder = self.builder.clone();
        builder.clear();
        let nowhere = Loc::from_index(0);
        let mut made = vec![nowhere; self.old.locations().len()];
        let mut origin = vec![];
        let running = running(self.old);
        for procedure in self.old.procedures().ids() {
            if !running.contains(&procedure) {
                stub(&mut builder, procedure);
                origin.push(None);
                continue;
            }
            let first = self.kept(self.old.procedures()[procedure].entry);
            let reached = self.reached(first);
            let others = self.old.locations_of(procedure).filter(|it| *it != first && reached.contains(it));
            builder.begin(procedure);
            for loc in std::iter::once(first).chain(others) {
                made[loc.index()] = builder.here();
                for (number, op) in self.ops[loc.index()].iter().enumerate() {
                    builder.push(procedure, op.clone(), self.old.at(loc).span);
                    origin.push((number == 0).then_some(loc));
                }
            }
            builder.end(procedure);
        }
        let image: Vec<Loc> = self.old.locations().ids().map(|loc| made[self.kept(loc).index()]).collect();
        for loc in origin.iter().flatten().copied() {
            let last = made[loc.index()].index() + self.ops[loc.index()].len() - 1;
            let (location, new) = (self.old.at(loc), builder.at(Loc::from_index(last)));
            new.next = image[location.next.index()];
            new.op.redirect(|target| image[target.index()]);
            new.private = location.private && !new.op.places().is_empty();
        }
        let program = builder.finish().expect("fewer and equal steps leave a valid program valid");
        (program, image, origin)
    }
}

/// The locations that control may reach from the start of the program.
pub fn reachable(program: &Program) -> Vec<Loc> {
    let mut seen = vec![false; program.locations().len()];
    let mut work: Vec<Loc> = vec![program.procedures()[program.main()].entry];
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut seen[loc.index()], true) {
            work.extend(program.successors(loc));
            work.extend(program.effects(loc).begins().map(|it| program.procedures()[it].entry));
        }
    }
    program.locations().ids().filter(|it| seen[it.index()]).collect()
}

/// The procedures that may run. The others need no body: no pair speaks of them.
pub fn running(program: &Program) -> BTreeSet<ProcId> {
    reachable(program).into_iter().map(|loc| program.at(loc).procedure).collect()
}

/// The body of a procedure that never runs.
pub fn stub(builder: &mut Builder, procedure: ProcId) {
    builder.begin(procedure);
    builder.push(procedure, Op::halt(), None);
    builder.end(procedure);
}

/// The registers of threads.
pub fn thread_registers(program: &Program) -> Vec<LocalId> {
    let all = program.locals().enumerate().filter(|(_, it)| it.scope == LocalScope::Thread);
    all.map(|(local, _)| local).collect()
}

/// Those that some step reads.
pub fn read_of_threads(program: &Program) -> BTreeSet<LocalId> {
    let of_threads = thread_registers(program);
    let read = |loc: Loc| program.at(loc).op.exprs().into_iter().flat_map(|e| program.exprs().locals(e));
    reachable(program).into_iter().flat_map(read).filter(|it| of_threads.contains(it)).collect()
}

/// A new register holds an old value.
pub fn same(correspondence: &mut Correspondence, local: LocalId, value: OldValue, ty: c::Type) -> Fact {
    Fact::New { local, value: correspondence.read(value, ty) }
}

/// An expression over registers that have the same numbers in the old program, of a frame.
pub fn old_expression(
    correspondence: &mut Correspondence,
    program: &Program,
    root: c::ExprId,
    frame: u32,
) -> c::ExprId {
    let mut made = HashMap::new();
    for id in program.exprs().below(root) {
        let new = match program.exprs().node(id) {
            Node::Local(local, ty) => {
                let own = program.locals()[local].scope != LocalScope::Thread;
                correspondence.read(OldValue::Register { frame: if own { frame } else { 0 }, local }, ty)
            }
            node => correspondence.exprs_mut().add(node.map_children(|child| made[&child])),
        };
        made.insert(id, new);
    }
    made[&root]
}
