//! Objects of an activation or a thread become registers if nobody has their address and every access hits a
//! fixed scalar while the object exists. Entering one is a choice of any values then.

use super::Passed;
use super::rebuild::{Changes, reachable};
use base::{Budget, Id, Stop};
use c::{
    AccessKind, CellType, Constant, Convert, ExprId, Fault, Loc, LocalId, LocalScope, Node, ObjectId,
    ObjectScope, OldValue, Op, Place, Program, Region, TRUTH, Type,
};
use std::collections::{BTreeSet, HashMap};

/// Larger objects stay.
const CELLS: u64 = 256;

/// Turns objects into registers.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let alive = alive(old, budget)?;
    let promoted = promotable(old, &alive);
    if promoted.is_empty() {
        return Ok(None);
    }
    let mut plan = Plan { changes: Changes::new(old), registers: HashMap::new() };
    plan.declare(&promoted);
    for loc in reachable(old) {
        plan.rewrite(loc, &promoted);
        let here = alive[loc.index()].iter().flatten().copied().filter(|it| promoted.contains(it));
        plan.changes.alive[loc.index()] = here.collect();
    }
    let mut passed = plan.changes.finish(budget)?;
    passed.correspondence.promoted = promoted.into_iter().collect();
    Ok(Some(passed))
}

/// By location: the objects of the activation that certainly exist; `None` if control does not get there.
pub fn alive(program: &Program, budget: &Budget) -> Result<Vec<Option<BTreeSet<ObjectId>>>, Stop> {
    let mut found: Vec<Option<BTreeSet<ObjectId>>> = vec![None; program.locations().len()];
    let mut work = vec![];
    for procedure in program.procedures().iter() {
        found[procedure.entry.index()] = Some(BTreeSet::new());
        work.push(procedure.entry);
    }
    while let Some(loc) = work.pop() {
        budget.spend(1)?;
        let mut after = found[loc.index()].clone().unwrap_or_default();
        for access in program.effects(loc).accesses {
            match (access.region, access.kind) {
                (Region::Declared(object), AccessKind::Begin) => {
                    after.insert(object);
                }
                (Region::Declared(object), AccessKind::End) => {
                    after.remove(&object);
                }
                _ => {}
            }
        }
        for next in program.successors(loc) {
            let before = found[next.index()].clone();
            let met = before.as_ref().map_or(after.clone(), |it| it.intersection(&after).copied().collect());
            if before.as_ref() != Some(&met) {
                found[next.index()] = Some(met);
                work.push(next);
            }
        }
    }
    Ok(found)
}

/// The objects that become registers.
fn promotable(program: &Program, alive: &[Option<BTreeSet<ObjectId>>]) -> BTreeSet<ObjectId> {
    let addressed = program.addressed();
    let all = program.objects().enumerate();
    let mut found: BTreeSet<ObjectId> = all
        .filter(|(id, it)| it.scope != ObjectScope::Static && !it.constant && !addressed[id.index()])
        .filter(|(_, it)| it.count.saturating_mul(program.layouts()[it.layout].cells.len() as u64) <= CELLS)
        .map(|(id, _)| id)
        .collect();
    let mut used = BTreeSet::new();
    for loc in reachable(program) {
        let op = &program.at(loc).op;
        used.extend(op.entered_or_left());
        for object in op.places().into_iter().filter_map(Place::object) {
            used.insert(object);
            let of_thread = program.objects()[object].scope == ObjectScope::Thread;
            let lives = of_thread || alive[loc.index()].as_ref().is_some_and(|it| it.contains(&object));
            if !lives || access(program, loc).is_none() {
                found.remove(&object);
            }
        }
    }
    found.intersection(&used).copied().collect()
}

/// The one cell that a plain access to an object hits.
fn access(program: &Program, loc: Loc) -> Option<(ObjectId, i64, AccessKind)> {
    let effects = program.effects(loc);
    let (found, place, bits) = effects.scalar()?;
    let Place::Object { object, offset } = place else { return None };
    let fits = cell(program, object, offset)?.0.bits(program.pointer_bits()) == bits;
    // What a read-modify-write may not write must be defined all the same.
    let total = found.kind != AccessKind::Update || effects.faults.iter().all(|it| *it == Fault::DeadObject);
    (fits && total && !effects.chooses.fails).then_some((object, offset, found.kind))
}

/// The type and number of the scalar of an object at some bytes.
fn cell(program: &Program, object: ObjectId, offset: i64) -> Option<(Type, u64)> {
    let declared = &program.objects()[object];
    let layout = &program.layouts()[declared.layout];
    let offset = u64::try_from(offset).ok()?;
    let (element, within) = (offset.checked_div(layout.stride)?, offset % layout.stride);
    let position = layout.cells.iter().position(|cell| cell.offset == within)?;
    let CellType::Scalar(ty) = layout.cells[position].ty else { return None };
    let number = element * layout.cells.len() as u64 + position as u64;
    (element < declared.count).then_some((ty, number))
}

struct Plan<'p> {
    changes: Changes<'p>,
    registers: HashMap<(ObjectId, i64), LocalId>,
}

impl Plan<'_> {
    /// Declares a register for each cell that is accessed.
    fn declare(&mut self, promoted: &BTreeSet<ObjectId>) {
        let old = self.changes.old;
        for loc in reachable(old) {
            let Some((object, offset, _)) = access(old, loc).filter(|it| promoted.contains(&it.0)) else {
                continue;
            };
            if self.registers.contains_key(&(object, offset)) {
                continue;
            }
            let declared = &old.objects()[object];
            let (ty, number) = cell(old, object, offset).expect("the access hits a cell");
            let scope = match declared.scope {
                ObjectScope::Procedure(procedure) => LocalScope::Procedure(procedure),
                ObjectScope::Thread | ObjectScope::Static => LocalScope::Thread,
            };
            let name = format!("{}.{offset}.{}", declared.name, self.changes.builder.draft().locals().len());
            let local = self.changes.builder.local(name, scope, ty);
            let first = declared.init.iter().find(|(cell, _)| *cell == number).map(|it| it.1);
            self.changes.builder.local_mut(local).init = first.unwrap_or(Constant::Bits(0));
            self.changes.cells.insert(local, OldValue::Cell { frame: 0, object, offset });
            self.registers.insert((object, offset), local);
        }
    }

    fn rewrite(&mut self, loc: Loc, promoted: &BTreeSet<ObjectId>) {
        let old = self.changes.old;
        let op = &old.at(loc).op;
        if let Some(object) = op.entered_or_left().filter(|it| promoted.contains(it)) {
            let begins = old.effects(loc).accesses.iter().any(|it| it.kind == AccessKind::Begin);
            let mut cells: Vec<LocalId> = self
                .registers
                .iter()
                .filter(|(it, _)| it.0 == object && begins)
                .map(|(_, &local)| local)
                .collect();
            cells.sort();
            self.changes.ops[loc.index()] = cells.into_iter().map(Op::any).collect();
            return;
        }
        let Some((object, offset, kind)) = access(old, loc).filter(|it| promoted.contains(&it.0)) else {
            return;
        };
        let register = self.registers[&(object, offset)];
        let current = self.changes.builder.read(register);
        let results = op.results();
        let operands = op.operands();
        self.changes.ops[loc.index()] = match (kind, &results[..], &operands[..]) {
            (AccessKind::Read, [Some(local)], _) => vec![self.assignment(*local, current)],
            (AccessKind::Write, _, [value]) => vec![self.assignment(register, *value)],
            (_, [Some(read), success], [.., value]) => {
                let guard = (operands.len() > 1).then(|| operands[0]);
                let guard = guard.unwrap_or_else(|| self.changes.builder.exprs().number(TRUTH, 1));
                let mut steps = vec![self.assignment(*read, current)];
                let written = self.converted(register, *value);
                let after = self.changes.builder.exprs().add(Node::Ite(guard, written, current));
                steps.push(Op::assign(register, after));
                if let Some(success) = *success {
                    let ty = old.locals()[success].ty;
                    let flag = self.changes.builder.exprs().convert(Convert::ZeroExtend, ty, guard);
                    steps.push(Op::assign(success, flag));
                }
                steps
            }
            _ => vec![op.clone()],
        };
    }

    fn converted(&mut self, local: LocalId, value: ExprId) -> ExprId {
        let ty = self.changes.builder.draft().locals()[local].ty;
        self.changes.builder.exprs().convert(Convert::Reinterpret, ty, value)
    }

    /// An assignment between scalars of the same width.
    fn assignment(&mut self, local: LocalId, value: ExprId) -> Op {
        let value = self.converted(local, value);
        Op::assign(local, value)
    }
}
