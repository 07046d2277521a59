//! What programs with calls can be told by their text: where a thread may be inside an atomic section, and
//! whether statements reach other threads.

use base::Id;
use ir::bp::{ExprId, Loc, Node, Op, Program, Spawn, Var};

/// The locations where a thread may be inside an atomic section, whatever its data and its callers.
pub fn may_be_inside(program: &Program) -> Vec<bool> {
    let mut flags = Flags { program, seen: vec![[false; 2]; program.locations().len()], work: vec![] };
    for root in program.roots() {
        flags.work.push((program.procedures()[root].entry, false));
    }
    for location in program.locations().iter() {
        if let Op::Start(spawn) = &location.op {
            let child = match spawn {
                Spawn::Clone(target) => *target,
                Spawn::Call(procedure, _) => program.procedures()[*procedure].entry,
            };
            flags.work.push((child, false));
        }
    }
    while let Some((loc, inside)) = flags.work.pop() {
        if !std::mem::replace(&mut flags.seen[loc.index()][usize::from(inside)], true) {
            flags.follow(loc, inside);
        }
    }
    flags.seen.into_iter().map(|seen| seen[1]).collect()
}

struct Flags<'p> {
    program: &'p Program,
    /// Which values of the flag each location has been seen with.
    seen: Vec<[bool; 2]>,
    work: Vec<(Loc, bool)>,
}

impl Flags<'_> {
    fn follow(&mut self, loc: Loc, inside: bool) {
        let location = self.program.at(loc);
        match &location.op {
            Op::Call { procedure, .. } => {
                self.work.push((self.program.procedures()[*procedure].entry, inside));
                for end in self.program.locations_of(*procedure) {
                    self.come_back(loc, end);
                }
            }
            Op::Return(_) => {
                for (call, _) in self.program.locations().enumerate() {
                    self.come_back(call, loc);
                }
            }
            Op::AtomicBegin => self.work.push((location.next, true)),
            Op::AtomicEnd => self.work.push((location.next, false)),
            Op::Assign { targets, .. } => self.assigned(location.next, targets, inside),
            _ => self.work.extend(self.program.successors(loc).into_iter().map(|next| (next, inside))),
        }
    }

    /// If `end` returns from what `call` calls and both have been seen: control goes on after the call.
    fn come_back(&mut self, call: Loc, end: Loc) {
        let Op::Call { procedure, results, .. } = &self.program.at(call).op else { return };
        let returns = matches!(self.program.at(end).op, Op::Return(_));
        if self.program.at(end).procedure != *procedure || !returns || self.seen[call.index()] == [false; 2] {
            return;
        }
        for inside in [false, true] {
            if self.seen[end.index()][usize::from(inside)] {
                self.written(self.program.at(call).next, results.iter().flatten().copied(), inside);
            }
        }
    }

    /// Assigning 1 to the atomic variable enters, 0 leaves, and anything else may do either.
    fn assigned(&mut self, next: Loc, targets: &[(Var, ExprId)], inside: bool) {
        let atomic = self.program.atomic_variable().map(Var::Shared);
        let assigned = targets.iter().find(|it| Some(it.0) == atomic);
        match assigned.map(|it| self.program.exprs().node(it.1)) {
            None => self.work.push((next, inside)),
            Some(Node::Const(value)) => self.work.push((next, value)),
            Some(_) => self.work.extend([(next, false), (next, true)]),
        }
    }

    /// A result that goes to the atomic variable may enter or leave.
    fn written(&mut self, next: Loc, mut vars: impl Iterator<Item = Var>, inside: bool) {
        let atomic = self.program.atomic_variable().map(Var::Shared);
        match vars.any(|var| Some(var) == atomic) {
            true => self.work.extend([(next, false), (next, true)]),
            false => self.work.push((next, inside)),
        }
    }
}

/// Whether a statement of the program changes or asks threads other than the one that executes it.
pub fn reaches_others(program: &Program) -> bool {
    let passive = |e| program.exprs().mentions_passive(e);
    program.locations().iter().any(|location| match &location.op {
        Op::Assign { broadcast, constrain, .. } => !broadcast.is_empty() || constrain.is_some_and(passive),
        Op::Assume(e) => passive(*e),
        _ => false,
    })
}
