//! Proofs that need a basis, made of proofs that need none: tuples are added that no run shows, or the
//! closure is made narrower, and what it allows beyond the proof that it was made of is blocked. The states
//! that are left are the same, so it is a proof again.

use super::{counted, parts};
use base::Random;
use ir::Program;
use ir::certificate::{Closure, ControlLocation, LocalAt, ThreadView, TupleView};
use std::collections::{BTreeMap, BTreeSet};
use testing::Viewed;

/// Proofs with more elements than this are not made.
const MOST: usize = 120;

/// Whether `init` runs, whether somebody is inside, and the shared values.
type Key = (bool, bool, Vec<bool>);
type Multiset = Vec<usize>;
type Tuples = BTreeMap<Key, BTreeSet<Multiset>>;

/// A proof with a basis, or none if there would be too many of them.
pub fn weakened(
    program: &Program,
    closure: &Viewed<Closure>,
    random: &mut Random,
) -> Option<Viewed<Closure>> {
    let mut closure = closure.clone();
    add_views(program, &mut closure, random);
    let proved = proved(&closure);
    let width = 1 + random.below(closure.width as usize);
    let allowed = loosened(&proved, width, closure.threads.len(), random);
    let mut elements: Vec<(Key, Multiset)> = vec![];
    for (key, tuples) in &allowed {
        let singles: Vec<usize> = tuples.iter().filter(|it| it.len() == 1).map(|it| it[0]).collect();
        if singles.len() > 12 {
            return None;
        }
        let known = proved.get(key);
        let mut least: Vec<Multiset> = vec![];
        for multiset in super::meaning::multisets(&singles, closure.width as usize) {
            let is_allowed = parts(&multiset).all(|it| it.len() > width || tuples.contains(&it));
            let is_new = !known.is_some_and(|it| it.contains(&multiset));
            if is_allowed && is_new && !parts(&multiset).any(|it| least.contains(&it)) {
                least.push(multiset);
            }
        }
        elements.extend(least.into_iter().map(|multiset| (key.clone(), multiset)));
    }
    (elements.len() <= MOST).then_some(())?;
    closure.width = width as u32;
    let all = allowed.into_iter().flat_map(|(key, it)| it.into_iter().map(move |it| (key.clone(), it)));
    closure.tuples = all.map(view).collect();
    closure.basis = elements.into_iter().map(view).collect();
    Some(closure)
}

/// Threads that no run shows.
fn add_views(program: &Program, closure: &mut Viewed<Closure>, random: &mut Random) {
    for _ in 0..random.below(3) {
        let stack = vec![*random.pick(&program.locations().ids().collect::<Vec<_>>())];
        let inside = random.percent(40);
        let controls = &mut closure.view.controls;
        let control =
            controls.iter().position(|it| it.stack == stack && it.inside == inside).unwrap_or_else(|| {
                let dead = &program.at(stack[0]).dead;
                let locals = program.locals().ids();
                let live = locals.filter(|local| program.in_scope(stack[0], *local) && !dead.contains(local));
                let kept = live.map(|local| LocalAt { depth: 0, local }).collect();
                controls.push(ControlLocation { stack, inside, kept });
                controls.len() - 1
            });
        let values = closure.view.controls[control].kept.iter().map(|_| random.percent(50)).collect();
        let thread = ThreadView { control, values };
        if !closure.threads.contains(&thread) {
            closure.threads.push(thread);
        }
    }
}

/// The tuples with all their parts.
fn proved(closure: &Closure) -> Tuples {
    let mut all = Tuples::new();
    for tuple in &closure.tuples {
        let key = (tuple.initialising, tuple.busy, tuple.shared.clone());
        let threads = tuple.threads.iter();
        let multiset: Multiset = threads.flat_map(|&(it, n)| std::iter::repeat_n(it, n as usize)).collect();
        all.entry(key).or_default().extend(parts(&multiset));
    }
    all
}

/// The tuples that are no wider than this, and some more.
fn loosened(proved: &Tuples, width: usize, threads: usize, random: &mut Random) -> Tuples {
    let mut all = proved.clone();
    all.values_mut().for_each(|it| it.retain(|multiset| multiset.len() <= width));
    let mut keys: Vec<Key> = all.keys().cloned().collect();
    if random.percent(40) {
        let mut key = random.pick(&keys).clone();
        match key.2.len() {
            0 => key.1 = !key.1,
            some => {
                let at = random.below(some);
                key.2[at] = !key.2[at];
            }
        }
        keys.push(key);
    }
    for _ in 0..random.below(8) {
        let mut multiset: Multiset = (0..1 + random.below(width)).map(|_| random.below(threads)).collect();
        multiset.sort_unstable();
        all.entry(random.pick(&keys).clone()).or_default().extend(parts(&multiset));
    }
    all
}

/// Proofs in which one more element is blocked: a part of a state that is reached. They are none any more.
pub fn refuted(
    program: &Program,
    closure: &Viewed<Closure>,
    most: usize,
    random: &mut Random,
) -> Vec<Viewed<Closure>> {
    let reached = super::meaning::reached(program, &closure.view, closure.threads.clone());
    let mut all = vec![];
    for _ in 0..if reached.is_empty() { 0 } else { most } {
        let (key, multiset) = random.pick(&reached);
        let part = multiset.iter().copied().filter(|_| random.percent(80)).collect();
        let shared = key[2..].iter().map(|&it| it == 1).collect();
        let element = view(((key[0] == 1, key[1] == 1, shared), part));
        let basis = [&closure.basis[..], &[element]].concat();
        all.push(closure.with(Closure { basis, ..closure.body.clone() }));
    }
    all
}

fn view(((initialising, busy, shared), multiset): (Key, Multiset)) -> TupleView {
    let threads = counted(multiset);
    TupleView { initialising, busy, shared, threads }
}
