//! Whether one variable is enough for an object: the address of a thread's own object must stay in the
//! thread, and no address of an object may outlive it into the life of its successor.

use super::analysis::Analysis;
use super::model::{Birth, Model, Scope};
use super::slots::{SlotId, SlotKind};
use super::{Problem, Unsupported};
use base::{Budget, Id};
use c::{InstanceId, Loc, Op, Reuse, Value};
use std::collections::BTreeMap;

pub fn check(analysis: &Analysis<'_>, budget: &Budget) -> Result<(), Problem> {
    stays_in_thread(analysis)?;
    no_dangling_address_comes_back(analysis, budget)?;
    let mut births: BTreeMap<InstanceId, Vec<Loc>> = BTreeMap::new();
    for loc in analysis.model.program.locations().ids() {
        if analysis.states[loc.index()].is_some()
            && let Some(instance) = analysis.model.born_at(loc)
        {
            births.entry(instance).or_default().push(loc);
        }
    }
    for (instance, places) in births {
        for &loc in &places {
            if places.len() > 1 || analysis.model.in_cycle(loc) {
                has_no_old_address(analysis, instance, loc)?;
            }
        }
    }
    Ok(())
}

fn own_object(model: &Model<'_>, value: Value) -> Option<InstanceId> {
    match value {
        Value::Address { instance, .. } if model.instance(instance).scope != Scope::Shared => Some(instance),
        _ => None,
    }
}

fn refused(analysis: &Analysis<'_>, instance: InstanceId, why: &str) -> Problem {
    let program = analysis.model.program;
    let born = program.locations().ids().find(|&loc| analysis.model.born_at(loc) == Some(instance));
    Problem::Unsupported(Unsupported {
        construct: format!("`{}`, {why}", analysis.model.instance(instance).name),
        span: born.and_then(|loc| program.at(loc).span),
    })
}

const LEAVES: &str = "an object of which there may be several and whose address leaves its thread";
const COMES_BACK: &str = "whose address may be used again while somebody still has it";
const OUTLIVES: &str = "an object made again while an old address of it may still be used";

fn stays_in_thread(analysis: &Analysis<'_>) -> Result<(), Problem> {
    for value in analysis.shared.values().flat_map(|value| &value.others) {
        if let Some(instance) = own_object(&analysis.model, *value) {
            return Err(refused(analysis, instance, LEAVES));
        }
    }
    let program = analysis.model.program;
    for &template in analysis.model.sites_of.keys() {
        let procedure = &program.procedures()[template];
        let Some(state) = &analysis.states[procedure.entry.index()] else { continue };
        for &param in &procedure.params {
            let slot = analysis.slots.known(SlotKind::Register(param));
            let given = slot.and_then(|slot| state.get(&slot));
            for &value in given.iter().flat_map(|given| &given.others) {
                if let Some(instance) = own_object(&analysis.model, value) {
                    return Err(refused(analysis, instance, LEAVES));
                }
            }
        }
    }
    Ok(())
}

/// Whether no allocation can get an address that somebody still has: each would have to be told apart from
/// the object that died.
fn no_dangling_address_comes_back(analysis: &Analysis<'_>, budget: &Budget) -> Result<(), Problem> {
    let program = analysis.model.program;
    let reuse = Reuse::new(program, budget)?;
    let mut visited = program.locations().ids().filter(|loc| analysis.states[loc.index()].is_some());
    if !visited.any(|loc| reuse.may_reuse(program, loc)) {
        return Ok(());
    }
    let instances = (0..analysis.model.instances.len()).map(InstanceId::from_index);
    for instance in instances.filter(|&it| analysis.model.instance(it).birth == Birth::Allocated) {
        budget.spend(program.locations().len() as u64)?;
        let shared = analysis.shared.values().any(|value| value.others.iter().any(|it| is_in(instance, it)));
        if shared || dangles(analysis, &reuse, instance) {
            return Err(refused(analysis, instance, COMES_BACK));
        }
    }
    Ok(())
}

/// Whether a thread may have the address of an allocated object in a register that it still reads, after some
/// `free`.
fn dangles(analysis: &Analysis<'_>, reuse: &Reuse, instance: InstanceId) -> bool {
    let program = analysis.model.program;
    let alive = analysis.slots.known(SlotKind::Alive(instance));
    program.locations().ids().filter(|&loc| reuse.after_free(loc)).any(|loc| {
        let Some(state) = &analysis.states[loc.index()] else { return false };
        let lives = alive.and_then(|slot| state.get(&slot));
        if lives.is_some_and(|it| it.single() == Some(Value::Bits(1))) {
            return false;
        }
        state.iter().any(|(&slot, value)| {
            let read = match analysis.slots.get(slot).kind {
                SlotKind::Register(local) => analysis.live.is_live(loc, local),
                _ => true,
            };
            read && value.others.iter().any(|it| is_in(instance, it))
        })
    })
}

fn is_in(instance: InstanceId, value: &Value) -> bool {
    matches!(value, Value::Address { instance: it, .. } if *it == instance)
}

fn has_no_old_address(analysis: &Analysis<'_>, instance: InstanceId, loc: Loc) -> Result<(), Problem> {
    let program = analysis.model.program;
    let holds = |value: &Value| is_in(instance, value);
    let location = program.at(loc);
    let made = match location.op {
        Op::Alloc { local, .. } => Some(local),
        _ => None,
    };
    let counts = |slot: SlotId| match analysis.slots.get(slot).kind {
        SlotKind::Register(local) => Some(local) != made && analysis.live.is_live(location.next, local),
        _ => true,
    };
    let own = analysis.states[loc.index()].iter().flatten();
    let kept = own.filter(|(slot, _)| counts(**slot)).any(|(_, value)| value.others.iter().any(holds));
    let shared = analysis.shared.values().any(|value| value.others.iter().any(holds));
    if kept || shared { Err(refused(analysis, instance, OUTLIVES)) } else { Ok(()) }
}
