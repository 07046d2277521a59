//! What every engine is compared with: brute force over the reference semantics.

use ir::Model;
use ir::bp::{self, Program, State};
use ir::certificate::{Body, Certificate, Reached, ReachedMarkings, View};
use ir::net::{self, Marking, Net};
use std::collections::HashSet;
use std::sync::Arc;

/// What brute force knows of a model under a bound on the threads.
pub struct Truth {
    /// The length of a shortest run into an error, if one was found.
    pub shortest: Option<usize>,
    /// Whether everything up to the first error was seen.
    pub complete: bool,
    states: Seen,
}

/// All states, up to the names of threads.
enum Seen {
    Program(HashSet<State>),
    Net(HashSet<Marking>),
}

/// A breadth-first search, level by level, up to an error or to this many states.
fn search<S: Clone + Eq + std::hash::Hash>(
    starts: Vec<S>,
    most: usize,
    fails: impl Fn(&S) -> bool,
    after: impl Fn(&S) -> Vec<S>,
) -> (Option<usize>, bool, HashSet<S>) {
    let (mut level, mut depth) = (starts, 0);
    let mut seen: HashSet<S> = level.iter().cloned().collect();
    while !level.is_empty() {
        if level.iter().any(&fails) {
            return (Some(depth), true, seen);
        }
        if seen.len() > most {
            return (None, false, seen);
        }
        level = level.iter().flat_map(&after).filter(|state| seen.insert(state.clone())).collect();
        depth += 1;
    }
    (None, true, seen)
}

/// What brute force finds with at most this many threads.
pub fn truth(model: &Model, bound: u32, most: usize) -> Truth {
    match model {
        Model::Program(program) => {
            let machine = bp::Machine::new(program, Some(bound));
            let after = |state: &State| {
                let steps = state.threads.keys().flat_map(|&thread| machine.steps(state, thread));
                steps.map(|(_, after)| after.canonical()).collect()
            };
            let starts = machine.starts().iter().map(State::canonical).collect();
            let fails = |state: &State| machine.failure(state).is_some();
            let (shortest, complete, seen) = search(starts, most, fails, after);
            Truth { shortest, complete, states: Seen::Program(seen) }
        }
        Model::C(_) => unreachable!("the engines for C have a suite of their own"),
        Model::Net(net) => {
            let machine = net::Machine::new(net, Some(bound));
            let after = |marking: &Marking| machine.steps(marking).into_iter().map(|it| it.1).collect();
            let (shortest, complete, seen) =
                search(machine.starts(), most, |marking| machine.at_target(marking), after);
            Truth { shortest, complete, states: Seen::Net(seen) }
        }
    }
}

/// A certificate that lists states lists those of brute force.
pub fn same_states(model: &Model, certificate: &Certificate, truth: &Truth) {
    match (&certificate.body, model, &truth.states) {
        (Body::Reached(reached), Model::Program(program), Seen::Program(states)) => {
            same_program_states(program, &certificate.view, reached, states);
        }
        (Body::ReachedMarkings(reached), Model::Net(net), Seen::Net(markings)) => {
            same_markings(net, reached, markings);
        }
        _ => {}
    }
}

/// Seen through the view of the certificate: every state, and no other.
fn same_program_states(program: &Arc<Program>, kept: &View, reached: &Reached, states: &HashSet<State>) {
    let seen_through = |state: &State| {
        let view = |thread: &bp::Thread| {
            let here = |it: &&ir::certificate::ControlLocation| {
                it.stack == [thread.loc()] && it.inside == thread.inside
            };
            let at = kept.controls.iter().find(here).expect("the control location is known");
            let values = at.kept.iter().map(|it| thread.value(program, 0, it.local)).collect::<Vec<bool>>();
            (thread.loc(), thread.inside, values)
        };
        let mut threads: Vec<_> = state.threads.values().map(view).collect();
        threads.sort();
        (state.initialising, state.shared.clone(), threads)
    };
    let listed = reached.states.iter().map(|state| {
        let threads = state.threads.iter().flat_map(|&(thread, count)| {
            let it = &reached.threads[thread];
            let at = &kept.controls[it.control];
            std::iter::repeat_n((at.stack[0], at.inside, it.values.clone()), count as usize)
        });
        let mut threads: Vec<_> = threads.collect();
        threads.sort();
        (state.initialising, state.shared.clone(), threads)
    });
    let (expected, listed): (HashSet<_>, HashSet<_>) =
        (states.iter().map(seen_through).collect(), listed.collect());
    assert!(expected == listed, "{} states, listed {}", expected.len(), listed.len());
}

/// The certificate lists reachable markings, and all that a start with as many tokens as the bound allows
/// leads to; where starting with fewer could lead elsewhere, all markings.
fn same_markings(net: &Net, reached: &ReachedMarkings, markings: &HashSet<Marking>) {
    let sum = |tokens: &[(net::PlaceId, u32)]| tokens.iter().map(|it| it.1).sum::<u32>();
    let grows = net.rules().iter().any(|rule| sum(&rule.make) > sum(&rule.take));
    let listed: HashSet<_> = reached.markings.iter().cloned().collect();
    let is_listed = |marking: &&Marking| {
        let tokens = net.places().ids().zip(marking.tokens.iter().copied()).filter(|it| it.1 > 0);
        listed.contains(&(marking.shared, tokens.collect()))
    };
    let found = markings.iter().filter(is_listed).count();
    assert_eq!(listed.len(), found);
    assert!(found == markings.len() || net.monotone() && !grows);
}
