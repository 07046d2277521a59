//! Brute force over schedules: a fixed order of m threads, k rounds, each turn any number of steps, turns end
//! outside sections.

use super::Visible;
use crate::rounds::model::Model;
use ir::bp::{Machine, Op, Program, State, ThreadId};
use std::collections::{BTreeSet, HashSet};

/// The thread states that k-round schedules of `threads` threads visit, k = 1, 2, …; `None` if there are too
/// many states or the stack grows beyond the bound.
pub fn visited(
    model: &Model<'_>,
    rounds: usize,
    threads: u32,
    most: usize,
) -> Option<Vec<BTreeSet<Visible>>> {
    let machine = Machine::new(model.program, Some(threads));
    let starts: Vec<State> = after_init(&machine, most)?
        .into_iter()
        .filter(|state| state.threads.len() == threads as usize)
        .collect();
    let mut all = vec![BTreeSet::new(); rounds];
    let mut size = 0;
    for start in starts {
        for order in orders(model, &start) {
            let mut states = HashSet::from([start.clone()]);
            for visits in &mut all {
                for &thread in &order {
                    states = turn(&machine, states, thread, |state| {
                        visits.extend(seen(model, state, thread));
                    })?;
                    size += states.len();
                    if size > most {
                        return None;
                    }
                }
            }
        }
    }
    for round in 1..rounds {
        let earlier = all[round - 1].clone();
        all[round].extend(earlier);
    }
    Some(all)
}

fn after_init(machine: &Machine<'_>, most: usize) -> Option<Vec<State>> {
    let mut seen: HashSet<State> = machine.starts().into_iter().collect();
    let mut work: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = work.pop() {
        if !state.initialising {
            continue;
        }
        for &thread in state.threads.keys() {
            for (_, after) in machine.steps(&state, thread) {
                if seen.insert(after.clone()) {
                    work.push(after);
                }
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    let mut all: Vec<State> = seen.into_iter().filter(|state| !state.initialising).collect();
    all.sort();
    Some(all)
}

/// All orders of the threads; a distinguished first thread comes first.
fn orders(model: &Model<'_>, state: &State) -> Vec<Vec<ThreadId>> {
    let mut orders: Vec<Vec<ThreadId>> = vec![vec![]];
    for _ in 0..state.threads.len() {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                let rest = state
                    .threads
                    .keys()
                    .filter(|thread| !order.contains(thread))
                    .copied()
                    .collect::<Vec<_>>();
                rest.into_iter().map(move |thread| [&order[..], &[thread]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    let entry = model.first.map(|first| model.program.procedures()[first].entry);
    orders.retain(|order| entry.is_none_or(|entry| state.threads[&order[0]].loc() == entry));
    // Threads that start alike are alike.
    let mut seen = BTreeSet::new();
    orders.retain(|order| {
        seen.insert(order.iter().map(|thread| state.threads[thread].clone()).collect::<Vec<_>>())
    });
    orders
}

/// All states in which the turn may end.
fn turn(
    machine: &Machine<'_>,
    states: HashSet<State>,
    thread: ThreadId,
    mut see: impl FnMut(&State),
) -> Option<HashSet<State>> {
    let mut seen = states.clone();
    let mut work: Vec<State> = states.into_iter().collect();
    while let Some(state) = work.pop() {
        if !state.threads.contains_key(&thread) {
            continue;
        }
        see(&state);
        if state.threads[&thread].stack.len() > 4 || seen.len() > 20_000 {
            return None;
        }
        for (_, after) in machine.steps(&state, thread) {
            if seen.insert(after.clone()) {
                work.push(after);
            }
        }
    }
    seen.retain(|state| state.threads.get(&thread).is_none_or(|it| !it.inside));
    Some(seen)
}

fn seen(model: &Model<'_>, state: &State, thread: ThreadId) -> Option<Visible> {
    let it = state.threads.get(&thread)?;
    let frame = model.frame(model.program.at(it.loc()).procedure);
    let depth = it.stack.len() - 1;
    let locals = frame.into_iter().chain(model.thread_locals());
    let local = locals.map(|local| it.value(model.program, depth, local)).chain([it.inside]).collect();
    Some((it.loc(), local, state.shared.clone()))
}

/// Whether the program calls a procedure.
pub fn calls(program: &Program) -> bool {
    program.locations().iter().any(|location| matches!(location.op, Op::Call { .. }))
}
