//! A step in parts: what it is apart from names, and the registers, places, objects and expressions that it
//! names. Passes change the parts, the validator of passes compares them; neither looks at what kind of step
//! it is.

use super::expr::ExprId;
use super::op::{End, Op, Place, SyncOp};
use super::program::{Loc, LocalId, ObjectId, ProcId};
use base::Id;

/// The result that a step gives, in its role.
enum Slot<'a> {
    Always(&'a mut LocalId),
    Perhaps(&'a mut Option<LocalId>),
}

impl Op {
    /// A step for nothing.
    pub fn skip() -> Op {
        Op::Skip
    }

    /// Ends the program.
    pub fn halt() -> Op {
        Op::Halt(End::Exit)
    }

    /// Assigns a value to a register.
    pub fn assign(local: LocalId, value: ExprId) -> Op {
        Op::Assign { local, value }
    }

    /// Ends the life of an object of the activation.
    pub fn leave(object: ObjectId) -> Op {
        Op::Leave(object)
    }

    /// The register and its new value, if all that the step does is to assign it.
    pub fn assignment(&self) -> Option<(LocalId, ExprId)> {
        match *self {
            Op::Assign { local, value } => Some((local, value)),
            _ => None,
        }
    }

    /// The registers that get something, each in its role: equal steps have as many, and those that drop a
    /// result have `None` there.
    pub fn results(&self) -> Vec<Option<LocalId>> {
        let slot = |slot: Slot<'_>| match slot {
            Slot::Always(local) => Some(*local),
            Slot::Perhaps(local) => *local,
        };
        self.clone().slots().into_iter().map(slot).collect()
    }

    /// Calls `f` on every register that gets something.
    pub fn for_each_result(&mut self, mut f: impl FnMut(&mut LocalId)) {
        for slot in self.slots() {
            match slot {
                Slot::Always(local) => f(local),
                Slot::Perhaps(local) => local.iter_mut().for_each(&mut f),
            }
        }
    }

    /// Drops the results that need not be kept and that `dead` says nobody reads; whether there was one.
    pub fn drop_results(&mut self, dead: impl Fn(LocalId) -> bool) -> bool {
        let mut dropped = false;
        for slot in self.slots() {
            if let Slot::Perhaps(local) = slot
                && local.is_some_and(&dead)
            {
                *local = None;
                dropped = true;
            }
        }
        dropped
    }

    fn slots(&mut self) -> Vec<Slot<'_>> {
        match self {
            Op::Assign { local, .. }
            | Op::Choose { local, .. }
            | Op::Load { local, .. }
            | Op::Alloc { local, .. }
            | Op::Size { local, .. }
            | Op::Me(local) => vec![Slot::Always(local)],
            Op::Rmw { old, success, .. } => vec![Slot::Always(old), Slot::Perhaps(success)],
            Op::Create { handle, .. } => vec![Slot::Perhaps(handle)],
            Op::Join { result, code, .. } => vec![Slot::Perhaps(result), Slot::Perhaps(code)],
            Op::Sync { code, .. } => vec![Slot::Perhaps(code)],
            Op::Call { result, .. } => vec![Slot::Perhaps(result)],
            Op::Reach(reach) => reach.local_mut().into_iter().map(Slot::Always).collect(),
            _ => vec![],
        }
    }

    /// The places that it accesses, in a fixed order.
    pub fn places(&self) -> Vec<Place> {
        let mut found = vec![];
        self.clone().for_each_place(|place| found.push(*place));
        found
    }

    /// Calls `f` on every place.
    pub fn for_each_place(&mut self, mut f: impl FnMut(&mut Place)) {
        match self {
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => f(place),
            Op::Sync { op, place, .. } => {
                f(place);
                if let SyncOp::CondWait { mutex, .. } = op {
                    f(mutex);
                }
            }
            _ => {}
        }
    }

    /// The objects whose lives it begins or ends.
    pub fn entered_or_left(&self) -> Option<ObjectId> {
        match self {
            Op::Enter(object) | Op::Leave(object) => Some(*object),
            _ => None,
        }
    }

    /// Calls `f` on every declared object that it names outside of expressions.
    pub fn for_each_object(&mut self, mut f: impl FnMut(&mut ObjectId)) {
        match self {
            Op::Enter(object) | Op::Leave(object) => f(object),
            _ => self.for_each_place(|place| match place {
                Place::Object { object, .. } | Place::Indexed { object, .. } => f(object),
                Place::Pointer { .. } => {}
            }),
        }
    }

    /// The expressions that are no part of a place, in a fixed order.
    pub fn operands(&self) -> Vec<ExprId> {
        let mut op = self.clone();
        op.for_each_place(|place| *place = nowhere());
        op.exprs()
    }

    /// Sends jumps elsewhere.
    pub fn redirect(&mut self, mut f: impl FnMut(Loc) -> Loc) {
        if let Op::Branch { target, .. } = self {
            *target = f(*target);
        }
    }

    /// What the step is apart from all that it names: two steps with equal skeletons do the same to equal
    /// places with equal operands.
    pub fn skeleton(&self) -> Op {
        let mut op = self.clone();
        op.for_each_place(|place| *place = nowhere());
        op.for_each_object(|object| *object = ObjectId::from_index(0));
        op.for_each_expr(|e| *e = ExprId::from_index(0));
        op.drop_results(|_| true);
        op.for_each_result(|local| *local = LocalId::from_index(0));
        op.redirect(|_| Loc::from_index(0));
        if let Op::Create { template: procedure, .. } | Op::Call { procedure, .. } = &mut op {
            *procedure = ProcId::from_index(0);
        }
        op
    }
}

/// What stands in a skeleton for every place.
fn nowhere() -> Place {
    Place::Object { object: ObjectId::from_index(0), offset: 0 }
}
