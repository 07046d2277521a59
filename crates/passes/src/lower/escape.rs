//! Whether one variable is enough for an object: the address of a thread's own object must stay in the
//! thread, and no address of an object may outlive it into the life of its successor.

use super::analysis::Analysis;
use super::model::{Model, Scope};
use super::slots::{SlotId, SlotKind};
use super::{Problem, Unsupported};
use base::Id;
use c::{InstanceId, Loc, Op, Value};
use std::collections::BTreeMap;

pub fn check(analysis: &Analysis<'_>) -> Result<(), Problem> {
    stays_in_thread(analysis)?;
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

fn has_no_old_address(analysis: &Analysis<'_>, instance: InstanceId, loc: Loc) -> Result<(), Problem> {
    let program = analysis.model.program;
    let holds = |value: &Value| matches!(value, Value::Address { instance: it, .. } if *it == instance);
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
