//! Objects of an activation or a thread become registers if no address of them is left after inlining and
//! every access hits a fixed scalar.

use std::collections::{BTreeMap, HashMap, HashSet};

use ::c::{
    Binary, Builder, CellType, Convert, ExprId, LocalId, LocalScope, Node, ObjectId, ObjectScope, Op, Place,
    ProcId, SyncOp, TRUTH, Type as Scalar,
};

use super::super::code::Flow;
use super::build::{addressed_objects, place_object};

type Bodies = [(ProcId, Vec<Flow>)];

/// Turns objects into registers.
pub fn promote(pool: &mut Builder, bodies: &mut Bodies) {
    let mut plan =
        Plan { kept: kept_objects(pool, bodies), registers: HashMap::new(), cells: BTreeMap::new() };
    for (_, body) in bodies.iter() {
        for flow in body {
            if let Some((object, offset)) = fixed_place(&flow.op)
                && !plan.kept.contains(&object)
                && !plan.registers.contains_key(&(object, offset))
            {
                let local = register(pool, object, offset);
                plan.registers.insert((object, offset), local);
                plan.cells.entry(object).or_default().push(local);
            }
        }
    }
    for (_, body) in bodies.iter_mut() {
        for at in 0..body.len() {
            plan.rewrite(pool, body, at);
        }
    }
}

/// What becomes of which object.
struct Plan {
    /// The objects that stay objects.
    kept: HashSet<ObjectId>,
    /// The registers of the others, by object and bytes.
    registers: HashMap<(ObjectId, i64), LocalId>,
    /// The same, by object.
    cells: BTreeMap<ObjectId, Vec<LocalId>>,
}

/// The objects that stay objects.
fn kept_objects(pool: &mut Builder, bodies: &Bodies) -> HashSet<ObjectId> {
    let mut kept = addressed_objects(pool, bodies);
    let all = pool.draft().objects().enumerate();
    kept.extend(all.filter(|(_, object)| object.scope == ObjectScope::Static).map(|(id, _)| id));
    for flow in bodies.iter().flat_map(|(_, body)| body) {
        match &flow.op {
            Op::Sync { op, place, .. } => {
                kept.extend(place_object(*place));
                if let SyncOp::CondWait { mutex, .. } = op {
                    kept.extend(place_object(*mutex));
                }
            }
            Op::Rmw { place, weak: true, .. } => kept.extend(place_object(*place)),
            Op::Load { place: Place::Indexed { object, .. }, .. }
            | Op::Store { place: Place::Indexed { object, .. }, .. }
            | Op::Rmw { place: Place::Indexed { object, .. }, .. } => {
                kept.insert(*object);
            }
            op => {
                if let Some((object, offset)) = fixed_place(op)
                    && !hits(pool, op, object, offset)
                {
                    kept.insert(object);
                }
            }
        }
    }
    kept
}

/// The object and bytes of an access to a scalar at a fixed place.
fn fixed_place(op: &Op) -> Option<(ObjectId, i64)> {
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => match *place {
            Place::Object { object, offset } => Some((object, offset)),
            _ => None,
        },
        _ => None,
    }
}

/// The scalar of an object at some bytes.
fn cell(pool: &Builder, object: ObjectId, offset: i64) -> Option<(Scalar, String, u64)> {
    let program = pool.draft();
    let declared = &program.objects()[object];
    let layout = &program.layouts()[declared.layout];
    let offset = u64::try_from(offset).ok()?;
    let (element, within) = (offset / layout.stride, offset % layout.stride);
    let position = layout.cells.iter().position(|cell| cell.offset == within)?;
    let cell = &layout.cells[position];
    let CellType::Scalar(ty) = cell.ty else { return None };
    let name = if declared.count > 1 {
        format!("{}[{element}]{}", declared.name, cell.name)
    } else {
        format!("{}{}", declared.name, cell.name)
    };
    let number = element * layout.cells.len() as u64 + position as u64;
    (element < declared.count).then_some((ty, name, number))
}

/// Whether an access has the width of the scalar that it hits.
fn hits(pool: &mut Builder, op: &Op, object: ObjectId, offset: i64) -> bool {
    let Some((ty, ..)) = cell(pool, object, offset) else { return false };
    let bits = pool.draft().pointer_bits();
    let accessed = match op {
        Op::Load { local, .. } | Op::Rmw { old: local, .. } => pool.draft().locals()[*local].ty,
        Op::Store { value, .. } => pool.exprs().ty(*value),
        _ => return false,
    };
    accessed.bits(bits) == ty.bits(bits)
}

fn register(pool: &mut Builder, object: ObjectId, offset: i64) -> LocalId {
    let (ty, name, number) =
        cell(pool, object, offset).expect("only objects all of whose accesses hit a scalar are promoted");
    let declared = &pool.draft().objects()[object];
    let (scope, init) = match declared.scope {
        ObjectScope::Procedure(procedure) => (LocalScope::Procedure(procedure), None),
        ObjectScope::Thread | ObjectScope::Static => (
            LocalScope::Thread,
            declared.init.iter().find(|(cell, _)| *cell == number).map(|(_, value)| *value),
        ),
    };
    let local = pool.local(name, scope, ty);
    if let Some(init) = init {
        pool.local_mut(local).init = init;
    }
    local
}

impl Plan {
    fn rewrite(&self, pool: &mut Builder, body: &mut Vec<Flow>, at: usize) {
        match body[at].op.clone() {
            Op::Enter(object) if !self.kept.contains(&object) => {
                let locals = self.cells.get(&object).into_iter().flatten();
                replace(body, at, locals.map(|&local| Op::any(local)).collect());
            }
            Op::Leave(object) if !self.kept.contains(&object) => body[at].op = Op::Skip,
            Op::Load { local, place: Place::Object { object, offset }, .. } => {
                if let Some(&register) = self.registers.get(&(object, offset)) {
                    let value = pool.read(register);
                    body[at].op = assignment(pool, local, value);
                }
            }
            Op::Store { place: Place::Object { object, offset }, value, .. } => {
                if let Some(&local) = self.registers.get(&(object, offset)) {
                    body[at].op = assignment(pool, local, value);
                }
            }
            Op::Rmw { place: Place::Object { object, offset }, .. } => {
                if let Some(&register) = self.registers.get(&(object, offset)) {
                    let steps = plain_update(pool, register, &body[at].op);
                    replace(body, at, steps);
                }
            }
            _ => {}
        }
    }
}

/// An assignment between scalars of the same width.
fn assignment(pool: &mut Builder, local: LocalId, value: ExprId) -> Op {
    let ty = pool.draft().locals()[local].ty;
    Op::Assign { local, value: pool.exprs().convert(Convert::Reinterpret, ty, value) }
}

/// A read-modify-write on a register. A weak one may fail although the values are equal.
fn plain_update(pool: &mut Builder, register: LocalId, op: &Op) -> Vec<Op> {
    let Op::Rmw { old, guard, value, success, weak, .. } = op else { return vec![op.clone()] };
    let current = pool.read(register);
    let mut steps = vec![assignment(pool, *old, current)];
    let mut guard = guard.unwrap_or_else(|| pool.exprs().number(TRUTH, 1));
    if *weak {
        let scope = pool.draft().locals()[register].scope;
        let name = format!("works{}", pool.draft().locals().len());
        let works = pool.local(name, scope, TRUTH);
        steps.push(Op::any(works));
        let works = pool.read(works);
        guard = pool.exprs().binary(Binary::And, guard, works);
    }
    let ty = pool.draft().locals()[register].ty;
    let written = pool.exprs().convert(Convert::Reinterpret, ty, *value);
    let after = pool.exprs().add(Node::Ite(guard, written, current));
    // Guard and value read what was there, which `old` keeps; the value may also read what is overwritten
    // by the success.
    steps.push(Op::Assign { local: register, value: after });
    if let Some(success) = *success {
        let ty = pool.draft().locals()[success].ty;
        let value = pool.exprs().convert(Convert::ZeroExtend, ty, guard);
        steps.push(Op::Assign { local: success, value });
    }
    steps
}

/// Puts several steps in place of one.
fn replace(body: &mut Vec<Flow>, at: usize, steps: Vec<Op>) {
    let (next, span) = (body[at].next, body[at].span);
    let mut at = at;
    let Some((last, before)) = steps.split_last() else {
        body[at].op = Op::Skip;
        return;
    };
    for op in before {
        let added = body.len();
        body[at] = Flow { op: op.clone(), next: added, span, private: false };
        body.push(Flow { op: Op::Skip, next, span, private: false });
        at = added;
    }
    body[at] = Flow { op: last.clone(), next, span, private: false };
}

/// Marks accesses to objects that only their thread can reach.
pub fn mark_private(pool: &Builder, bodies: &mut Bodies) {
    let named = addressed_objects(pool, bodies);
    for flow in bodies.iter_mut().flat_map(|(_, body)| body) {
        if let Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } = &flow.op
            && let Some(object) = place_object(*place)
        {
            let shared = pool.draft().objects()[object].scope == ObjectScope::Static;
            flow.private = !shared && !named.contains(&object);
        }
    }
}
