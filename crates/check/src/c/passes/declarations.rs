//! What both programs declare, and whether a correspondence is one of them at all.

use super::Preserve;
use crate::{Rejected, reject};
use base::Id;
use c::{Correspondence, Fact, LocalScope, ObjectId, ObjectScope, OldValue, Pair, Program};
use std::collections::BTreeSet;

/// Checks all that is about no step.
pub fn check(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    preserve: &Preserve,
) -> Result<(), Rejected> {
    same_declarations(old, new, correspondence)?;
    correspondence.validate(old, new).map_err(Rejected::new)?;
    private_steps(new)?;
    promoted(old, correspondence)?;
    inlined_objects(old, new, correspondence)?;
    let exact = preserve.races || preserve.deadlocks || preserve.leaks;
    for pair in &correspondence.pairs {
        if pair.new.is_none() && exact {
            return reject("a thread is gone although races, deadlocks or leaks matter");
        }
        if preserve.leaks {
            keeps_pointers(old, correspondence, pair)?;
            adds_no_pointers(new, pair)?;
        }
    }
    Ok(())
}

/// Shapes, objects of programs and threads, properties and origins keep their numbers; the new program may
/// have more objects of activations.
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

/// A step is marked as private only if nobody else can have a pointer to what it accesses: engines believe
/// the mark.
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
            return reject("an inlined object does not exist");
        };
        let same = (one.layout, one.count, one.constant) == (other.layout, other.count, other.constant);
        let own = pair.new.index() >= old.objects().len() && used.insert(pair.new);
        if !same || !own || pair.calls.is_empty() {
            return reject("an inlined object does not have one of its own");
        }
    }
    Ok(())
}

/// Everything of the new thread that may hold a pointer has a value of the old one: what nobody says anything
/// about may hold a pointer that the old thread has lost.
fn adds_no_pointers(new: &Program, pair: &Pair) -> Result<(), Rejected> {
    let own = pair.new.map(|at| LocalScope::Procedure(new.at(at).procedure));
    let wide = |ty: c::Type| ty.bits(new.pointer_bits()) >= new.pointer_bits();
    for (id, it) in new.locals().enumerate() {
        let there = it.scope == LocalScope::Thread || Some(it.scope) == own;
        let named = || pair.facts.iter().any(|fact| matches!(*fact, Fact::New { local, .. } if local == id));
        if there && wide(it.ty) && !named() {
            return reject(format!("`{}` may hold a pointer that the old program has lost", it.name));
        }
    }
    Ok(())
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
            Fact::Alive { .. } | Fact::Exists { .. } | Fact::Outside => None,
        })
        .collect();
    let wide = |ty: c::Type| ty.bits(old.pointer_bits()) >= old.pointer_bits();
    for (local, it) in old.locals().enumerate().filter(|(_, it)| wide(it.ty)) {
        for frame in 0..pair.stack.len() as u32 {
            let value = OldValue::Register { frame, local };
            if pair.has(old, value) && !related.contains(&value) {
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
