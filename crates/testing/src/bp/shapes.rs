//! Statements that the rarer shapes ask for: what a section, a child, a dead end, a broadcast and a call do
//! to each other is rare by chance.

use super::ProgramMaker;
use super::profile::Favourite;
use base::Id;
use ir::bp::expr::{ExprId, Node, Read, Var, When, Whose};
use ir::bp::program::{Loc, LocalId, Op, Spawn};

impl ProgramMaker {
    /// A statement that one of the program's shapes asks for here, if any does.
    pub(super) fn fitting_op(&mut self) -> Option<Op> {
        let found = self.favourite_op();
        let found = found.or_else(|| self.stuck_op());
        let found = found.or_else(|| self.thread_local_op());
        found.or_else(|| self.section_variable_op())
    }

    /// A child inside a section, or a dead end behind a child.
    fn stuck_op(&mut self) -> Option<Op> {
        if !self.shapes.dead_ends {
            return None;
        }
        let here = self.builder.here().index();
        let last = (here > self.entry).then(|| self.builder.draft().at(Loc::from_index(here - 1)).op.clone());
        match last {
            Some(Op::AtomicBegin) if self.may_start() && self.random.percent(60) => {
                Some(Op::Start(if self.shapes.errors { self.clone_ahead() } else { self.spawn() }))
            }
            Some(Op::Start(_)) if self.random.percent(50) => Some(self.dead_end()),
            _ if self.may.sections > 0 && self.random.percent(25) => Some(Op::AtomicBegin),
            _ if self.random.percent(6) => Some(self.dead_end()),
            _ => None,
        }
    }

    /// A child that begins where its creator may never come, because of a dead end between.
    fn clone_ahead(&mut self) -> Spawn {
        let end = self.entry + self.length;
        let first = (self.builder.here().index() + 2).min(end);
        Spawn::Clone(Loc::from_index(first + self.random.below(end - first + 1)))
    }

    /// What others are told in a thread-local variable, and who looks at it.
    fn thread_local_op(&mut self) -> Option<Op> {
        if !self.shapes.thread_locals {
            return None;
        }
        let local = *self.random.pick(&self.thread_locals);
        match self.random.below(100) {
            0..15 if self.may.broadcasts > 0 => Some(self.tell(local)),
            15..30 => {
                let mut holds = self.builder.exprs().var(Var::Local(local));
                if self.random.percent(50) {
                    holds = self.builder.exprs().not(holds);
                }
                Some(Op::Assert(holds))
            }
            30..45 if self.may.procedures > 0 => self.call(),
            45..60 if self.may.passive_conditions > 0 => Some(Op::Assume(self.both_copies(local))),
            _ => None,
        }
    }

    /// A condition over the thread-local variable and a procedure's local of each passive thread, be it in an
    /// older activation.
    fn both_copies(&mut self, local: LocalId) -> ExprId {
        self.choose_passive();
        let mut own: Vec<LocalId> = self.passive.clone();
        own.retain(|it| !self.thread_locals.contains(it));
        let other = if own.is_empty() { local } else { *self.random.pick(&own) };
        let [a, b] = [local, other].map(|local| {
            let read = Read { var: Var::Local(local), whose: Whose::Passive, when: When::Now };
            let read = self.builder.exprs().add(Node::Read(read));
            if self.random.percent(50) { self.builder.exprs().not(read) } else { read }
        });
        if self.random.percent(50) { self.builder.exprs().and(a, b) } else { self.builder.exprs().or(a, b) }
    }

    /// Copies a local of each passive thread into its thread-local variable, and may raise a flag.
    fn tell(&mut self, local: LocalId) -> Op {
        self.choose_passive();
        let mut from = if self.mixed { self.passive.clone() } else { self.thread_locals.clone() };
        // Who is elsewhere has no such local.
        if self.mixed && from.len() > self.thread_locals.len() && self.random.percent(70) {
            from.retain(|it| !self.thread_locals.contains(it));
        }
        let var = Var::Local(*self.random.pick(&from));
        let value =
            self.builder.exprs().add(Node::Read(Read { var, whose: Whose::Passive, when: When::Now }));
        let flag = Var::Shared(*self.random.pick(&self.shared));
        let raised = self.builder.exprs().constant(true);
        let targets = if self.random.percent(50) { vec![(flag, raised)] } else { vec![] };
        Op::Assign { targets, broadcast: vec![(local, value)], constrain: None }
    }

    /// Calls whose result may enter a section, and procedures that never come back.
    fn section_variable_op(&mut self) -> Option<Op> {
        if !self.shapes.section_variable || self.may.procedures == 0 {
            return None;
        }
        match self.random.below(100) {
            0..15 => self.call(),
            15..30 if self.may.recursion > 0 && self.current > 0 && !self.quiet => {
                Some(self.call_of(self.current))
            }
            _ => None,
        }
    }

    fn favourite_op(&mut self) -> Option<Op> {
        let favourite = self.shapes.favourite?;
        if !self.random.percent(25) {
            return None;
        }
        match favourite {
            Favourite::Call if self.may.procedures > 0 => self.call(),
            Favourite::Start if self.may_start() => Some(Op::Start(self.spawn())),
            Favourite::Broadcast if self.may.broadcasts > 0 => {
                self.choose_passive();
                Some(Op::Assign { targets: vec![], broadcast: self.broadcast(), constrain: None })
            }
            Favourite::Jump => Some(Op::Branch { cond: self.expr(1), target: self.target() }),
            _ => None,
        }
    }

    pub(super) fn may_start(&self) -> bool {
        self.may.spawns > 0 && !self.quiet
    }

    /// A statement that no thread ever passes, or only by going round for ever.
    fn dead_end(&mut self) -> Op {
        let here = self.builder.here();
        let var = self.variable();
        match self.random.below(8) {
            0 => Op::Goto(vec![here]),
            1 => {
                let (value, never) = (self.expr(1), self.never());
                Op::Assign { targets: vec![(var, value)], broadcast: vec![], constrain: Some(never) }
            }
            2 if !self.locks.is_empty() => Op::Unlock(self.locks[0]),
            _ => Op::Assume(self.never()),
        }
    }
}
