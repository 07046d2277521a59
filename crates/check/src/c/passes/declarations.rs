//! What both programs declare, and whether a correspondence is one of them at all.

use super::Preserve;
use crate::{Rejected, reject};
use base::Id;
use c::{Control, Correspondence, Fact, Loc, LocalScope, ObjectId, ObjectScope, OldValue, Pair, Program};
use std::collections::BTreeSet;

/// Checks all that is about no step.
pub fn check(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    preserve: &Preserve,
) -> Result<(), Rejected> {
    same_declarations(old, new, correspondence)?;
    private_steps(new)?;
    promoted(old, correspondence)?;
    inlined_objects(old, new, correspondence)?;
    let exact = preserve.races || preserve.deadlocks || preserve.leaks;
    if preserve.races && !correspondence.promoted.is_empty() {
        return reject("accesses to promoted objects are lost");
    }
    for pair in &correspondence.pairs {
        if pair.new.is_none() && exact {
            return reject("a thread is gone although races, deadlocks or leaks matter");
        }
        well_formed(old, new, correspondence, pair)?;
        if preserve.leaks {
            keeps_pointers(old, correspondence, pair)?;
        }
    }
    Ok(())
}

/// Shapes, objects of programs and threads, properties and origins keep their numbers; the new program may have more objects of activations.
fn same_declarations(old: &Program, new: &Program, correspondence: &Correspondence) -> Result<(), Rejected> {
    let layouts = old.layouts().enumerate().all(|(id, it)| new.layouts().get(id) == Some(it));
    let object = |id: ObjectId| {
        let (one, other) = (&old.objects()[id], new.objects().get(id));
        let promoted = correspondence.promoted.contains(&id);
        other == Some(one) || promoted && other.is_some_and(|it| it.scope != ObjectScope::Static)
    };
    let added = new.objects().iter().skip(old.objects().len());
    let objects = old.objects().ids().all(object)
        && added.clone().all(|it| matches!(it.scope, ObjectScope::Procedure(_)));
    let properties = old.properties().len() == new.properties().len()
        && old.properties().iter().zip(new.properties().iter()).all(|(one, other)| one == other);
    let origins = old.origins().enumerate().all(|(id, it)| new.origins().get(id) == Some(it));
    let same = old.pointer_bits() == new.pointer_bits() && layouts && objects && properties && origins;
    if same { Ok(()) } else { reject("the programs do not declare the same") }
}

/// A step is marked as private only if nobody else can have a pointer to what it accesses: engines believe the mark.
fn private_steps(new: &Program) -> Result<(), Rejected> {
    let addressed = new.addressed();
    for location in new.locations().iter().filter(|it| it.private) {
        let own = |object: ObjectId| {
            new.objects()[object].scope != ObjectScope::Static && !addressed[object.index()]
        };
        let places = location.op.places();
        if places.is_empty() || !places.into_iter().all(|it| it.object().is_some_and(own)) {
            return Err(Rejected::new("a step is marked as private that is not").at(location.span));
        }
    }
    Ok(())
}

/// Nobody has the address of a promoted object, and it is one of an activation or thread that may be written.
fn promoted(old: &Program, correspondence: &Correspondence) -> Result<(), Rejected> {
    let addressed = old.addressed();
    for &object in &correspondence.promoted {
        let declared = old.objects().get(object);
        let fits = declared.is_some_and(|it| it.scope != ObjectScope::Static && !it.constant);
        if !fits || addressed[object.index()] {
            return reject("an object is promoted that somebody may point to");
        }
    }
    Ok(())
}

/// Each object of an inlined activation has one of its own in the new program, of the same shape.
fn inlined_objects(old: &Program, new: &Program, correspondence: &Correspondence) -> Result<(), Rejected> {
    let mut used = BTreeSet::new();
    for pair in &correspondence.objects {
        let (Some(one), Some(other)) = (old.objects().get(pair.old), new.objects().get(pair.new)) else {
            return reject("an inlined object is none");
        };
        let same = (one.layout, one.count, one.constant) == (other.layout, other.count, other.constant);
        let own = pair.new.index() >= old.objects().len() && used.insert(pair.new);
        if !same || !own || pair.calls.is_empty() {
            return reject("an inlined object does not have one of its own");
        }
    }
    Ok(())
}

/// A stack is one: each location but the last calls the procedure of the next. Facts are about what is there.
fn well_formed(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    pair: &Pair,
) -> Result<(), Rejected> {
    let known = |loc: Loc| old.locations().get(loc).is_some();
    let calls = |it: &[Loc]| old.effects(it[0]).control == Control::Call(old.at(it[1]).procedure);
    let is_stack = !pair.stack.is_empty()
        && pair.stack.iter().all(|&loc| known(loc))
        && pair.stack.windows(2).all(calls);
    if !is_stack || pair.new.is_some_and(|at| new.locations().get(at).is_none()) {
        return reject("a pair is not about locations of the programs");
    }
    for fact in &pair.facts {
        let fits = match *fact {
            Fact::New { local, value } => {
                let scope = new.locals().get(local).map(|it| it.scope);
                let own = pair.new.map(|at| LocalScope::Procedure(new.at(at).procedure));
                (scope == Some(LocalScope::Thread) || scope.is_some() && scope == own)
                    && expression(old, correspondence, pair, value)
            }
            Fact::Old { value, equals } => {
                in_frame(old, pair, value) && expression(old, correspondence, pair, equals)
            }
            Fact::Alive { frame, object } => {
                correspondence.promoted.contains(&object)
                    && in_frame(old, pair, OldValue::Cell { frame, object, offset: 0 })
            }
            Fact::Outside => true,
        };
        if !fits {
            return reject("a fact is about what is not there");
        }
    }
    Ok(())
}

fn expression(old: &Program, correspondence: &Correspondence, pair: &Pair, e: c::ExprId) -> bool {
    let exprs = correspondence.exprs();
    e.index() < exprs.len()
        && exprs
            .locals(e)
            .into_iter()
            .all(|number| correspondence.value(number).is_some_and(|value| in_frame(old, pair, value)))
}

/// Whether a frame of the pair has the value.
fn in_frame(old: &Program, pair: &Pair, value: OldValue) -> bool {
    let procedure = |frame: u32| pair.stack.get(frame as usize).map(|&loc| old.at(loc).procedure);
    match value {
        OldValue::Register { frame, local } => old.locals().get(local).is_some_and(|it| match it.scope {
            LocalScope::Thread => frame == 0,
            LocalScope::Procedure(it) => procedure(frame) == Some(it),
        }),
        OldValue::Cell { frame, object, .. } => old.objects().get(object).is_some_and(|it| match it.scope {
            ObjectScope::Thread => frame == 0,
            ObjectScope::Procedure(it) => procedure(frame) == Some(it),
            ObjectScope::Static => false,
        }),
    }
}

/// Everything of the old thread that may hold a pointer is in a new register, or a number.
fn keeps_pointers(old: &Program, correspondence: &Correspondence, pair: &Pair) -> Result<(), Rejected> {
    let exprs = correspondence.exprs();
    let related: BTreeSet<OldValue> = pair
        .facts
        .iter()
        .filter_map(|fact| match *fact {
            Fact::New { value, .. } => match exprs.node(value) {
                c::Node::Local(number, _) => correspondence.value(number),
                _ => None,
            },
            Fact::Old { value, equals } => exprs.constant(equals).map(|_| value),
            Fact::Alive { .. } | Fact::Outside => None,
        })
        .collect();
    let wide = |ty: c::Type| ty.bits(old.pointer_bits()) >= old.pointer_bits();
    for (local, it) in old.locals().enumerate().filter(|(_, it)| wide(it.ty)) {
        for frame in 0..pair.stack.len() as u32 {
            let value = OldValue::Register { frame, local };
            if in_frame(old, pair, value) && !related.contains(&value) {
                return reject(format!("`{}` may hold a pointer that is lost", it.name));
            }
        }
    }
    if correspondence.promoted.is_empty() {
        Ok(())
    } else {
        reject("a promoted object may hold a pointer that is lost")
    }
}
