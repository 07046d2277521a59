//! A program with some steps changed and some left out, and the pairs of control locations that belong together then.

use super::{Passed, SteppedLift};
use base::{Budget, Id, Stop};
use c::{Builder, Correspondence, Fact, Live, Loc, LocalId, LocalScope, Node, OldValue, Op, Pair, Program};
use std::collections::HashMap;

/// What becomes of the steps of a program.
pub struct Changes<'p> {
    /// The program.
    pub old: &'p Program,
    /// The new program's expressions and declarations.
    pub builder: Builder,
    /// By location: the new step.
    pub ops: Vec<Op>,
    /// By location: whether the step is left out.
    pub dropped: Vec<bool>,
    /// By location: old registers that have another value than the new program's, as expressions of the builder.
    pub absorbed: Vec<Vec<(LocalId, c::ExprId)>>,
}

impl<'p> Changes<'p> {
    /// Nothing changes yet.
    pub fn new(old: &'p Program) -> Self {
        let ops = old.locations().iter().map(|it| it.op.clone()).collect();
        let number = old.locations().len();
        Self { old, builder: old.edit(), ops, dropped: vec![false; number], absorbed: vec![vec![]; number] }
    }

    /// The first step at or after a location that is not left out.
    fn kept(&self, loc: Loc) -> Loc {
        let mut at = loc;
        while self.dropped[at.index()] {
            at = self.old.at(at).next;
        }
        at
    }

    /// Keeps a step of each cycle that would consist of nothing.
    fn break_cycles(&mut self) {
        for loc in self.old.locations().ids() {
            let mut seen = std::collections::HashSet::new();
            let mut at = loc;
            while self.dropped[at.index()] {
                if !seen.insert(at) {
                    self.dropped[at.index()] = false;
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
            .map(|facts| facts.iter().map(|&it| self.absorbed_fact(&mut correspondence, it)).collect())
            .collect();
        let (program, image, origin) = self.write();
        let live = Live::new(&program, budget)?;
        for loc in reachable(self.old) {
            let at = image[loc.index()];
            let mut facts = same_registers(&mut correspondence, &program, &live, at);
            facts.extend(&absorbed[loc.index()]);
            correspondence.pairs.push(Pair { stack: vec![loc], new: Some(at), facts });
        }
        correspondence.returns = thread_registers(&mut correspondence, &program);
        let lift = SteppedLift { old: self.old.clone(), new: program.clone(), origin, fails: HashMap::new() };
        Ok(Passed { program, lift, correspondence })
    }

    fn absorbed_fact(
        &self,
        correspondence: &mut Correspondence,
        (local, value): (LocalId, c::ExprId),
    ) -> Fact {
        let equals = old_expression(correspondence, self.builder.draft(), value, 0);
        Fact::Old { value: OldValue::Register { frame: 0, local }, equals }
    }

    fn write(&self) -> (Program, Vec<Loc>, Vec<Option<Loc>>) {
        let mut builder = self.builder.clone();
        builder.clear();
        let nowhere = Loc::from_index(0);
        let mut made = vec![nowhere; self.old.locations().len()];
        let mut origin = vec![];
        for procedure in self.old.procedures().ids() {
            let first = self.kept(self.old.procedures()[procedure].entry);
            let others =
                self.old.locations_of(procedure).filter(|&it| it != first && !self.dropped[it.index()]);
            builder.begin(procedure);
            for loc in std::iter::once(first).chain(others) {
                made[loc.index()] =
                    builder.push(procedure, self.ops[loc.index()].clone(), self.old.at(loc).span);
                origin.push(Some(loc));
            }
            builder.end(procedure);
        }
        let image: Vec<Loc> = self.old.locations().ids().map(|loc| made[self.kept(loc).index()]).collect();
        for loc in self.old.locations().ids().filter(|it| !self.dropped[it.index()]) {
            let (location, new) = (self.old.at(loc), builder.at(made[loc.index()]));
            new.next = image[location.next.index()];
            new.op.redirect(|target| image[target.index()]);
            new.private = location.private;
        }
        let program = builder.finish().expect("fewer and equal steps leave a valid program valid");
        (program, image, origin)
    }
}

/// The locations that control may reach in each procedure.
pub fn reachable(program: &Program) -> Vec<Loc> {
    let mut seen = vec![false; program.locations().len()];
    let mut work: Vec<Loc> = program.procedures().iter().map(|it| it.entry).collect();
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut seen[loc.index()], true) {
            work.extend(program.successors(loc));
        }
    }
    program.locations().ids().filter(|it| seen[it.index()]).collect()
}

/// The live registers of a location of the new program hold what those of the old one do that have the same numbers.
fn same_registers(correspondence: &mut Correspondence, new: &Program, live: &Live, at: Loc) -> Vec<Fact> {
    let own = LocalScope::Procedure(new.at(at).procedure);
    let is_live = |it: &c::Local| it.scope == own && live.is_live(at, it.slot as usize);
    let wanted = new.locals().enumerate().filter(|(_, it)| it.scope == LocalScope::Thread || is_live(it));
    wanted
        .map(|(local, it)| same(correspondence, local, OldValue::Register { frame: 0, local }, it.ty))
        .collect()
}

/// The registers of threads are the same.
pub fn thread_registers(correspondence: &mut Correspondence, new: &Program) -> Vec<Fact> {
    let wanted = new.locals().enumerate().filter(|(_, it)| it.scope == LocalScope::Thread);
    wanted
        .map(|(local, it)| same(correspondence, local, OldValue::Register { frame: 0, local }, it.ty))
        .collect()
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
