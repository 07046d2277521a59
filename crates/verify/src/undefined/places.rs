//! The steps of a program that may be undefined, as far as its text tells: what no search has excluded is
//! assumed not to happen there. Only what is plain to see is left out: constants, fixed places, mutexes that
//! the thread has certainly locked, handles of threads that it has just created.

use ::c::{
    Binary, Convert, ExprId, Fault, Loc, LocalId, Locksets, Node, Op, Place, Program, SyncKind, SyncOp,
};
use base::{Budget, Id, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// So deep an expression is looked into for its largest value.
const LEVELS: u8 = 4;

/// Each step that may be undefined, and how.
pub fn places(program: &Program, budget: &Budget) -> Result<BTreeMap<Loc, Fault>, Stop> {
    let locksets = Locksets::new(program, budget)?;
    let fresh = fresh_handles(program, budget)?;
    let used = used_before(program, budget)?;
    let destroys = program
        .locations()
        .iter()
        .any(|location| matches!(location.op, Op::Sync { op: SyncOp::Destroy(_), .. }));
    let look = Look { program, locksets, fresh, used, destroys };
    let mut found = BTreeMap::new();
    for at in (0..program.locations().len()).map(Loc::from_index) {
        budget.spend(1)?;
        found.extend(look.fault(at).map(|fault| (at, fault)));
    }
    Ok(found)
}

struct Look<'a> {
    program: &'a Program,
    locksets: Locksets,
    /// The registers that hold handles of threads which nobody has joined yet, at each location.
    fresh: Vec<BTreeSet<LocalId>>,
    /// Whether threads may run or locks may be held when control is at a location.
    used: Vec<bool>,
    /// Whether a synchronisation object is ever destroyed.
    destroys: bool,
}

impl Look<'_> {
    fn fault(&self, at: Loc) -> Option<Fault> {
        let op = &self.program.at(at).op;
        self.of_op(at, op).or_else(|| op.exprs().into_iter().find_map(|e| self.of_expression(e)))
    }

    fn of_op(&self, at: Loc, op: &Op) -> Option<Fault> {
        match op {
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => self.of_place(*place),
            Op::Sync { op, place, .. } => self.of_sync(at, *op, *place),
            Op::Free { .. } => Some(Fault::BadFree),
            Op::Join { handle, .. } | Op::Detach(handle) => match handle_register(self.program, *handle) {
                Some(local) if self.fresh[at.index()].contains(&local) => None,
                _ => Some(Fault::BadHandle),
            },
            Op::Undefined(why) => Some(Fault::Stated(why.clone())),
            _ => None,
        }
    }

    fn of_place(&self, place: Place) -> Option<Fault> {
        match place {
            Place::Object { object, offset } => {
                let object = &self.program.objects()[object];
                let size = self.program.layouts()[object.layout].stride.saturating_mul(object.count);
                let inside = u64::try_from(offset).is_ok_and(|offset| offset < size);
                (!inside).then_some(Fault::OutOfBounds)
            }
            Place::Indexed { object, offset } => {
                let object = &self.program.objects()[object];
                let layout = &self.program.layouts()[object.layout];
                let last = layout.stride.saturating_mul(object.count.saturating_sub(1));
                let inside = self.most(offset, LEVELS).is_some_and(|most| most <= u128::from(last));
                (!inside).then_some(Fault::OutOfBounds)
            }
            Place::Pointer { pointer, offset } => match self.program.exprs().node(pointer) {
                Node::Address(object) => self.of_place(Place::Object { object, offset }),
                _ => Some(Fault::BadPointer),
            },
        }
    }

    fn of_sync(&self, at: Loc, op: SyncOp, place: Place) -> Option<Fault> {
        let holds = |place: Place| {
            let bit = self.locksets.bit(self.program, place);
            bit != 0 && self.locksets.at(at) & bit != 0
        };
        match op {
            SyncOp::Unlock if !holds(place) => return Some(Fault::NotHeld),
            SyncOp::CondWait { mutex, .. } if !holds(mutex) => return Some(Fault::NotHeld),
            SyncOp::RwUnlock => return Some(Fault::NotHeld),
            SyncOp::Init(_) | SyncOp::Destroy(_)
                if self.used[at.index()] && !matches!(op.kind(), SyncKind::Cond | SyncKind::Once) =>
            {
                return Some(Fault::InUse);
            }
            _ => {}
        }
        let initialised = match place {
            Place::Object { object, .. } => {
                self.program.objects()[object].scope == ::c::ObjectScope::Static && !self.destroys
            }
            _ => false,
        };
        if !initialised && !matches!(op, SyncOp::Init(_)) {
            return Some(Fault::NotInitialised);
        }
        self.of_place(place)
    }

    /// What may be undefined in an expression.
    fn of_expression(&self, e: ExprId) -> Option<Fault> {
        let exprs = self.program.exprs();
        let bits = |e: ExprId| exprs.ty(e).bits(self.program.pointer_bits());
        exprs.below(e).into_iter().find_map(|it| match exprs.node(it) {
            Node::Binary(Binary::DivS | Binary::DivU | Binary::RemS | Binary::RemU, _, by) => {
                (exprs.constant(by).is_none_or(|by| by == 0) && !self.is_positive(by))
                    .then_some(Fault::DivisionByZero)
            }
            Node::Binary(op, a, by) if op.is_shift() => {
                let far = self.most(by, LEVELS).is_none_or(|most| most >= u128::from(bits(a)));
                far.then_some(Fault::ShiftTooFar)
            }
            Node::Binary(Binary::Sub, a, b) => {
                let pointers = [a, b].iter().all(|&it| exprs.ty(it) == ::c::Type::Pointer);
                let known = [a, b].iter().any(|&it| exprs.constant(it).is_some());
                (pointers && !known).then_some(Fault::DifferentObjects)
            }
            Node::Convert(Convert::BitsU | Convert::BitsS, ..) => Some(Fault::FloatConversion),
            _ => None,
        })
    }

    /// Whether a number is certainly not zero.
    fn is_positive(&self, e: ExprId) -> bool {
        let exprs = self.program.exprs();
        match exprs.node(e) {
            Node::Binary(Binary::Or, a, b) => {
                [a, b].iter().any(|&it| exprs.constant(it).is_some_and(|it| it != 0))
            }
            _ => false,
        }
    }

    /// The largest value of an unsigned number, if that is plain to see.
    fn most(&self, e: ExprId, levels: u8) -> Option<u128> {
        let exprs = self.program.exprs();
        let levels = levels.checked_sub(1)?;
        match exprs.node(e) {
            Node::Const(_, value) => Some(value),
            Node::Binary(Binary::And, a, b) => [a, b].into_iter().filter_map(|it| exprs.constant(it)).min(),
            Node::Binary(Binary::RemU, _, by) => exprs.constant(by)?.checked_sub(1),
            // An index times the size of an element.
            Node::Binary(Binary::Mul, a, b) => self.most(a, levels)?.checked_mul(self.most(b, levels)?),
            Node::Convert(Convert::ZeroExtend, _, a) => self.most(a, levels).or_else(|| {
                let bits = exprs.ty(a).bits(self.program.pointer_bits());
                (bits <= 16).then(|| ::c::mask(bits))
            }),
            _ => None,
        }
    }
}

/// The register that a handle is read from.
fn handle_register(program: &Program, mut e: ExprId) -> Option<LocalId> {
    loop {
        match program.exprs().node(e) {
            Node::Local(local, _) => return Some(local),
            Node::Convert(_, _, a) => e = a,
            _ => return None,
        }
    }
}

/// For each location the registers that certainly hold a handle which was neither copied nor joined.
fn fresh_handles(program: &Program, budget: &Budget) -> Result<Vec<BTreeSet<LocalId>>, Stop> {
    let mut fresh: Vec<Option<BTreeSet<LocalId>>> = vec![None; program.locations().len()];
    let mut work = vec![];
    for procedure in program.procedures().iter().filter(|it| it.entry != it.end) {
        fresh[procedure.entry.index()] = Some(BTreeSet::new());
        work.push(procedure.entry);
    }
    while let Some(at) = work.pop() {
        budget.spend(1)?;
        let op = &program.at(at).op;
        let mut after = fresh[at.index()].clone().unwrap_or_default();
        // Whatever else reads a handle may give it to somebody who joins it, too.
        for e in op.exprs() {
            for it in program.exprs().below(e) {
                if let Node::Local(local, _) = program.exprs().node(it) {
                    after.remove(&local);
                }
            }
        }
        op.writes().iter().for_each(|local| {
            after.remove(local);
        });
        if let Op::Create { handle: Some(handle), .. } = op {
            after.insert(*handle);
        }
        for next in program.successors(at) {
            let there = &mut fresh[next.index()];
            let met = match there {
                Some(there) => there.intersection(&after).copied().collect(),
                None => after.clone(),
            };
            if there.as_ref() != Some(&met) {
                *there = Some(met);
                work.push(next);
            }
        }
    }
    Ok(fresh.into_iter().map(Option::unwrap_or_default).collect())
}

/// For each location whether a thread may have been created, or something locked or called, before it is
/// reached.
fn used_before(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let mut used = vec![false; program.locations().len()];
    let mut work: Vec<Loc> = vec![];
    for (id, procedure) in program.procedures().enumerate() {
        if id != program.main() && procedure.entry != procedure.end {
            used[procedure.entry.index()] = true;
            work.push(procedure.entry);
        }
    }
    for at in (0..program.locations().len()).map(Loc::from_index) {
        let starts = match &program.at(at).op {
            Op::Create { .. } | Op::Call { .. } => true,
            Op::Sync { op, .. } => !matches!(op, SyncOp::Init(_)),
            _ => false,
        };
        if starts {
            work.push(at);
        }
    }
    while let Some(at) = work.pop() {
        budget.spend(1)?;
        for next in program.successors(at) {
            if !std::mem::replace(&mut used[next.index()], true) {
                work.push(next);
            }
        }
    }
    Ok(used)
}
