//! What comes after everything that matters, where only assertions are asked. Once a thread can neither fail,
//! nor end (others may wait for that), nor do anything that another thread needs in order to go on, it may as
//! well stop for good. No run is added: a thread may always stand still where its last steps begin. None that
//! matters is lost: those steps wait, look, end the program or take away what others could use (memory, a
//! synchronisation object, the right to join), so others can only do less after them. Most programs end with
//! a loop of joins; without it nobody reads the handles of the threads.

use std::collections::HashSet;

use ::c::{Binary, Builder, CellType, End, Loc, LocalId, Node, ObjectId, Op, Place, ProcId, SyncOp};
use base::Id;

use super::super::code::Flow;
use super::build::{addressed_objects, first_address, named_objects, place_object};
use super::flow::successors;

/// By body, which steps on the heap others may need: a new object may get the address of a freed one, which
/// brings back what old pointers lead to.
#[derive(Clone, Copy)]
pub struct HeapUse {
    /// Whether another body allocates: it may get what is freed here.
    allocated_elsewhere: bool,
    /// Whether anything is freed.
    freed: bool,
}

/// The use of the heap, by body.
pub fn heap_uses(bodies: &[(ProcId, Vec<Flow>)]) -> Vec<HeapUse> {
    let has = |body: &[Flow], wanted: fn(&Op) -> bool| body.iter().any(|flow| wanted(&flow.op));
    let allocates = |body: &[Flow]| has(body, |op| matches!(op, Op::Alloc { automatic: false, .. }));
    let allocating: Vec<bool> = bodies.iter().map(|(_, body)| allocates(body)).collect();
    let number = allocating.iter().filter(|&&it| it).count();
    let freed =
        bodies.iter().any(|(_, body)| has(body, |op| matches!(op, Op::Free { automatic: false, .. })));
    let of = |own: bool| HeapUse { allocated_elsewhere: number > usize::from(own), freed };
    allocating.into_iter().map(of).collect()
}

/// Puts the end of the program where nothing that matters can follow.
pub fn cut(body: &mut [Flow], heap: HeapUse) {
    let mut idle: Vec<bool> = body.iter().map(|flow| is_idle(&flow.op, heap)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..body.len()).rev() {
            if idle[at] && successors(&body[at]).any(|next| !idle[next]) {
                idle[at] = false;
                changed = true;
            }
        }
    }
    for (flow, idle) in body.iter_mut().zip(idle) {
        // Undefined behaviour is reported to the user.
        if idle && !matches!(flow.op, Op::Undefined(_)) {
            flow.op = Op::Halt(End::Exit);
        }
    }
}

/// Whether a step cannot fail, and no other thread needs it: it leaves memory and locks as they are, or takes
/// away what others could use.
fn is_idle(op: &Op, heap: HeapUse) -> bool {
    match op {
        Op::Alloc { automatic: false, .. } => !heap.freed,
        Op::Free { automatic: false, .. } => !heap.allocated_elsewhere,
        Op::Skip
        | Op::Assign { .. }
        | Op::Choose { .. }
        | Op::Load { .. }
        | Op::Branch { .. }
        | Op::Assume(_)
        | Op::Alloc { .. }
        | Op::Size { .. }
        | Op::Free { .. }
        | Op::Enter(_)
        | Op::Leave(_)
        | Op::Join { .. }
        | Op::Detach(_)
        | Op::Me(_)
        | Op::Halt(_)
        | Op::Undefined(_) => true,
        Op::Sync { op, .. } => matches!(op, SyncOp::Destroy(_)),
        Op::Store { .. }
        | Op::Reach(_)
        | Op::Rmw { .. }
        | Op::Assert { .. }
        | Op::Error(_)
        | Op::Create { .. }
        | Op::Exit(_)
        | Op::SectionBegin
        | Op::SectionEnd
        | Op::Call { .. }
        | Op::Return(_)
        | Op::Refuse(_) => false,
    }
}

/// Does not store handles of threads in objects that nobody reads.
pub fn drop_handles(pool: &mut Builder, bodies: &mut [(ProcId, Vec<Flow>)]) {
    let read = read_objects(pool, bodies);
    let others = other_registers(bodies);
    let mut stores = vec![];
    for (index, (_, body)) in bodies.iter().enumerate() {
        for (at, flow) in body.iter().enumerate() {
            if let Op::Store { place, .. } = flow.op
                && let Some(object) = place_object(place)
                && !read.contains(&object)
            {
                stores.push((index, at, object));
            }
        }
    }
    let kept: HashSet<ObjectId> = stores
        .iter()
        .filter(|&&(index, at, object)| !stores_a_handle(pool, &bodies[index].1[at].op, object, &others))
        .map(|&(_, _, object)| object)
        .collect();
    stores.retain(|(_, _, object)| !kept.contains(object));
    let dropped: HashSet<ObjectId> = stores.iter().map(|&(_, _, object)| object).collect();
    for (index, at, object) in stores {
        check_bounds(pool, &mut bodies[index].1, at, object);
    }
    for flow in bodies.iter_mut().flat_map(|(_, body)| body) {
        if matches!(flow.op, Op::Enter(object) | Op::Leave(object) if dropped.contains(&object)) {
            flow.op = Op::Skip;
        }
    }
}

/// The objects that a step may read, or that an address may lead to.
fn read_objects(pool: &Builder, bodies: &[(ProcId, Vec<Flow>)]) -> HashSet<ObjectId> {
    let draft = pool.draft();
    let first = draft.objects().iter().flat_map(|object| object.init.iter().map(|(_, value)| *value));
    let first = first.chain(draft.locals().iter().map(|local| local.init));
    let mut read = addressed_objects(pool, bodies);
    read.extend(first.filter_map(first_address));
    let flows = bodies.iter().flat_map(|(_, body)| body);
    let reading = flows.filter(|flow| !matches!(flow.op, Op::Store { .. } | Op::Enter(_) | Op::Leave(_)));
    read.extend(reading.flat_map(|flow| named_objects(&flow.op)));
    read
}

/// The registers that hold anything else than the handle of a thread that was just created.
fn other_registers(bodies: &[(ProcId, Vec<Flow>)]) -> HashSet<LocalId> {
    let flows = bodies.iter().flat_map(|(_, body)| body);
    let writes = flows.filter(|flow| !matches!(flow.op, Op::Create { .. }));
    writes.flat_map(|flow| flow.op.writes()).collect()
}

/// Whether the step stores a handle into an array of plain scalars of its width, and how far it may reach is
/// simple to say.
fn stores_a_handle(pool: &Builder, op: &Op, object: ObjectId, others: &HashSet<LocalId>) -> bool {
    let draft = pool.draft();
    let Op::Store { place: Place::Indexed { .. }, value, .. } = *op else { return false };
    let Node::Local(local, _) = draft.exprs().node(value) else { return false };
    let declared = &draft.objects()[object];
    let layout = &draft.layouts()[declared.layout];
    let bits = draft.pointer_bits();
    let scalar = match &layout.cells[..] {
        [cell] if cell.offset == 0 => matches!(cell.ty, CellType::Scalar(ty)
            if u64::from(ty.bits(bits)) == layout.stride * 8 && ty.bits(bits) == draft.exprs().ty(value).bits(bits)),
        _ => false,
    };
    scalar && layout.stride.is_power_of_two() && !declared.constant && !others.contains(&local)
}

/// In place of a store that nobody reads: the step has a meaning if the index is in bounds.
fn check_bounds(pool: &mut Builder, body: &mut Vec<Flow>, at: usize, object: ObjectId) {
    let Op::Store { place: Place::Indexed { offset, .. }, .. } = body[at].op else { return };
    let declared = &pool.draft().objects()[object];
    let stride = u128::from(pool.draft().layouts()[declared.layout].stride);
    let last = stride * u128::from(declared.count.saturating_sub(1));
    let ty = pool.exprs().ty(offset);
    let exprs = pool.exprs();
    let [last, mask, zero] = [last, stride - 1, 0].map(|number| exprs.number(ty, number));
    let below = exprs.binary(Binary::LeU, offset, last);
    let rest = exprs.binary(Binary::And, offset, mask);
    let aligned = exprs.binary(Binary::Eq, rest, zero);
    let cond = exprs.binary(Binary::And, below, aligned);
    let Flow { next, span, .. } = body[at];
    let outside = body.len();
    let why = ::c::Fault::OutOfBounds.to_string();
    body.push(Flow { op: Op::Undefined(why), next: outside, span, private: false });
    let op = Op::Branch { cond, target: Loc::from_index(next) };
    body[at] = Flow { op, next: outside, span, private: false };
}
