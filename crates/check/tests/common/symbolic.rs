//! A set of states as formulas: the disjunction of its states, cut into pieces at random, and with the
//! threads that stand at one point in any order.

use base::Random;
use ir::Scope;
use ir::certificate::graph::{Builder, NodeId};
use ir::certificate::{Body, Certificate, Piece, Reached, StateView, Symbolic};
use std::collections::BTreeMap;
use testing::Viewed;

/// The certificate with this set, claiming its bound.
pub fn certificate(symbolic: Viewed<Symbolic>) -> Certificate {
    let scope = Scope::threads(symbolic.bound);
    symbolic.certificate(scope, Body::Symbolic)
}

/// Whether `init` runs, where the threads stand, and which piece of these it is.
type Key = (bool, Vec<(usize, u32)>, usize);

/// The same set as formulas; `None` if it is not well formed.
pub fn symbolic(reached: &Viewed<Reached>, random: &mut Random) -> Option<Viewed<Symbolic>> {
    let mut builder = Builder::default();
    let mut pieces = BTreeMap::<Key, NodeId>::new();
    for state in &reached.states {
        let threads = threads(reached, state, random)?;
        let mut controls: Vec<(usize, u32)> = vec![];
        for &(control, _) in &threads {
            match controls.last_mut() {
                Some(last) if last.0 == control => last.1 += 1,
                _ => controls.push((control, 1)),
            }
        }
        let cube = cube(&mut builder, reached, state, &threads)?;
        let key = (state.initialising, controls, random.below(2));
        let formula = pieces.entry(key).or_insert(NodeId::FALSE);
        *formula = builder.or(cube, *formula);
    }
    let piece = |((initialising, controls, _), formula)| Piece { initialising, controls, formula };
    let pieces = pieces.into_iter().map(piece).collect();
    let body = Symbolic { graph: builder.finish(), pieces, bound: reached.bound };
    Some(Viewed { view: reached.view.clone(), body })
}

/// The threads of a state, each on its own, those at one point in any order.
fn threads<'r>(
    reached: &'r Viewed<Reached>,
    state: &StateView,
    random: &mut Random,
) -> Option<Vec<(usize, &'r [bool])>> {
    if state.shared.len() != reached.view.shared.len() || !state.threads.is_sorted_by(|a, b| a.0 < b.0) {
        return None;
    }
    let mut threads: Vec<(usize, usize, &[bool])> = vec![];
    for &(thread, n) in &state.threads {
        let thread = reached.threads.get(thread)?;
        let kept = reached.view.controls.get(thread.control)?.kept.len();
        if kept != thread.values.len() || n == 0 {
            return None;
        }
        threads.extend((0..n.min(9)).map(|_| (thread.control, random.below(1000), &thread.values[..])));
    }
    threads.sort();
    Some(threads.into_iter().map(|(control, _, values)| (control, values)).collect())
}

fn cube(
    builder: &mut Builder,
    reached: &Viewed<Reached>,
    state: &StateView,
    threads: &[(usize, &[bool])],
) -> Option<NodeId> {
    let mut values: Vec<(u32, bool)> = (0..).zip(state.shared.iter().copied()).collect();
    for (place, (_, locals)) in threads.iter().enumerate() {
        for (index, &value) in locals.iter().enumerate() {
            values.push((reached.view.input(place, index)?, value));
        }
    }
    let literals = values.into_iter().map(|(input, value)| {
        let input = builder.input(input);
        if value { input } else { builder.not(input) }
    });
    let literals: Vec<NodeId> = literals.collect();
    Some(builder.all(literals))
}
