//! Deadlock freedom for any number of threads: orders of what threads wait for, guessed from who may hold
//! what where ([`edges`]), and for each an invariant in which nobody waits against it ([`crate::pairs`]).

mod edges;

use crate::pairs::prove::{Options, Outcome, prove_relation};
use base::{Budget, Events, Stop};
use c::Program;
use edges::Edges;
use relation::{Direction, NoRelation, Order, Relation, Resource};

/// What an order may cost in the first pass over all of them.
const FIRST_TICKS: u64 = 4_000_000;

/// What was found.
#[derive(Debug)]
pub struct Found {
    /// The order that was tried last.
    pub order: Order,
    /// What came of it.
    pub outcome: Outcome,
}

/// Looks for an order in which all threads wait.
pub fn prove_order(
    program: &Program,
    options: &Options,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Found, Stop> {
    let edges = Edges::new(program, budget)?;
    if let Some(at) = edges.otherwise {
        let why = "a thread may wait for a condition, at a barrier or for `pthread_once`".into();
        return Ok(Found { order: Order::default(), outcome: Outcome::Unsupported { why, at: Some(at) } });
    }
    let orders = orders(&edges);
    let mut last = None;
    for ticks in [FIRST_TICKS, u64::MAX] {
        for order in &orders {
            let relation = match Relation::ordered(program, &options.machine, order, budget) {
                Ok(relation) => relation,
                Err(NoRelation::Stopped(stop)) => return Err(stop),
                Err(NoRelation::Unsupported(why)) => {
                    let outcome = Outcome::Unsupported { why, at: None };
                    return Ok(Found { order: order.clone(), outcome });
                }
            };
            let outcome = match prove_relation(relation, options, &budget.part(ticks), events) {
                Ok(outcome) => outcome,
                // Only this part of the budget may be at its end.
                Err(Stop::Ticks) => {
                    budget.spend(0)?;
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            let proved = matches!(outcome, Outcome::Proved { .. });
            last = Some(Found { order: order.clone(), outcome });
            if proved {
                return Ok(last.expect("it was just set"));
            }
        }
        if let Some(last) = last {
            return Ok(last);
        }
    }
    Err(Stop::Ticks)
}

/// The orders that are worth trying: one that fits who may hold what, with the locks of each class by rising
/// and, where a class may be waited for by who holds one of it, by falling addresses.
fn orders(edges: &Edges) -> Vec<Order> {
    let components = base::graphs::components(edges.nodes.len(), |at| edges.next[at].clone());
    let cyclic = components.iter().any(|it| it.len() > 1 || edges.next[it[0]].contains(&it[0]));
    let slots = edges.deepest.clamp(1, MOST_HELD);
    let order = |direction: Direction| {
        let mut resources = vec![];
        // Those that others lead to come first among the components.
        for component in components.iter().rev() {
            let mut nodes: Vec<Resource> = component.iter().map(|&at| edges.nodes[at]).collect();
            nodes.sort();
            if direction == Direction::Down {
                nodes.reverse();
            }
            resources.extend(nodes.into_iter().map(|it| directed(it, direction)));
        }
        Order { slots, resources }
    };
    let directions = if cyclic { vec![Direction::Up, Direction::Down] } else { vec![Direction::Up] };
    directions.into_iter().map(order).collect()
}

/// More locks are seldom held at once.
const MOST_HELD: usize = 4;

fn directed(resource: Resource, direction: Direction) -> Resource {
    match resource {
        Resource::Object(object, _) => Resource::Object(object, direction),
        Resource::Rest(_) => Resource::Rest(direction),
        other => other,
    }
}
