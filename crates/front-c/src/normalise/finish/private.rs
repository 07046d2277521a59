//! Accesses that no other thread can make.

use ::c::{Builder, ObjectScope, Op, ProcId};

use super::super::code::Flow;
use super::build::{addressed_objects, place_object};

/// Marks accesses to objects that only their thread can reach.
pub fn mark_private(pool: &Builder, bodies: &mut [(ProcId, Vec<Flow>)]) {
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
