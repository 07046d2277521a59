//! Deadlocks: the proof is an invariant of the program in which waiting against the order cannot be followed
//! ([`relation::Relation::ordered`]). Where threads wait, what they hold there and what they wait for is
//! worked out here from the program and the order; of the certificate only the order and the tables are used.

use super::names::Names;
use super::{Statistics, no_relation, obligations};
use base::Budget;
use check::Refused;
use ir::c::Model;
use ir::certificate::WaitOrder;
use relation::Relation;

/// Checks that no thread waits against the order.
pub fn waits(model: &Model, body: &WaitOrder, budget: &Budget) -> Result<Statistics, Refused> {
    let relation =
        Relation::ordered(&model.program, &model.machine, &body.order, budget).map_err(no_relation)?;
    let names = Names { relation: &relation, program: Some(&model.program) };
    obligations(&names, &body.invariant.proof, budget)
}
