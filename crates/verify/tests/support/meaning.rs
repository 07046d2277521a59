//! What a proof by tuples says, judged by brute force: the states with few threads that it allows, and
//! whether they hold what can be reached, are closed under steps and have no error. Nothing here is shared
//! with the checker.

use super::classes::Formulas;
use super::parts;
use base::Id;
use ir::bp::{Frame, LocalScope, Machine, State, Thread};
use ir::certificate::{Body, Closure, ThreadView, TokenClosure, Trap, TupleView, View, Weights};
use ir::net::{Interval, Marking, PlaceId};
use ir::{Certificate, Model, Net, Program, net};
use std::collections::{BTreeMap, BTreeSet};

/// The most threads of the states that are enumerated.
const MOST_THREADS: usize = 3;
/// More states than this are too many.
const MOST_STATES: usize = 1500;

/// A shared state as words, and threads by number, sorted.
pub type Key = Vec<u32>;
pub type Multiset = Vec<usize>;

/// What a proof says.
pub trait Meaning {
    /// The most threads of a tuple.
    fn width(&self) -> usize;
    /// Whether so few threads are a tuple, or a part of one.
    fn has(&self, key: &Key, part: &Multiset) -> bool;
    /// Whether threads are above an element of the basis.
    fn blocks(&self, key: &Key, multiset: &Multiset) -> bool;
    /// All shared states, each with the threads met there.
    fn keys(&self) -> BTreeMap<Key, Vec<usize>>;

    /// Whether the proof allows the threads.
    fn allows(&self, key: &Key, multiset: &Multiset) -> bool {
        let mut few = parts(multiset).filter(|part| part.len() <= self.width());
        few.all(|part| self.has(key, &part)) && !self.blocks(key, multiset)
    }
}

/// The tuples with all their parts, and the elements of the basis.
struct Lists {
    width: usize,
    parts: BTreeSet<(Key, Multiset)>,
    basis: Vec<(Key, Multiset)>,
}

impl Lists {
    fn new(width: u32, tuples: Vec<(Key, Multiset)>, basis: Vec<(Key, Multiset)>) -> Self {
        let mut parts = BTreeSet::new();
        for (key, multiset) in tuples {
            parts.extend(super::parts(&multiset).map(|part| (key.clone(), part)));
        }
        Self { width: width as usize, parts, basis }
    }
}

impl Meaning for Lists {
    fn width(&self) -> usize {
        self.width
    }

    fn has(&self, key: &Key, part: &Multiset) -> bool {
        self.parts.contains(&(key.clone(), part.clone()))
    }

    fn blocks(&self, key: &Key, multiset: &Multiset) -> bool {
        self.basis.iter().any(|(state, element)| {
            let has = |local: &usize, multiset: &Multiset| multiset.iter().filter(|it| *it == local).count();
            state == key && element.iter().all(|local| has(local, multiset) >= has(local, element))
        })
    }

    fn keys(&self) -> BTreeMap<Key, Vec<usize>> {
        let mut keys: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (key, multiset) in &self.parts {
            let locals = keys.entry(key.clone()).or_default();
            if let [local] = multiset[..] {
                locals.push(local);
            }
        }
        keys
    }
}

/// All multisets of at most `most` of the numbers.
pub fn multisets(locals: &[usize], most: usize) -> Vec<Multiset> {
    let mut all: Vec<Multiset> = vec![vec![]];
    let mut from = 0;
    for _ in 0..most {
        let end = all.len();
        for at in from..end {
            let last = all[at].last().copied();
            let next = locals.iter().filter(|&&it| last.is_none_or(|last| it >= last));
            let longer: Vec<Multiset> =
                next.map(|&local| all[at].iter().copied().chain([local]).collect()).collect();
            all.extend(longer);
        }
        from = end;
    }
    all
}

/// Whether brute force agrees that the certificate is a proof; `None` if there is too much to do.
pub fn is_proof(model: &Model, certificate: &Certificate) -> Option<bool> {
    let view = &certificate.view;
    match (model, &certificate.body) {
        (Model::Program(program), Body::Closure(closure)) => {
            let (threads, meaning) = (closure.threads.clone(), lists(closure));
            Programs { program, view, threads, meaning }.is_proof()
        }
        (Model::Program(program), Body::ClassClosure(closure)) => {
            let meaning = Formulas::new(view, closure)?;
            Programs { program, view, threads: meaning.threads(), meaning }.is_proof()
        }
        (Model::Net(net), Body::TokenClosure(it)) => {
            let spread = |tokens: &ir::certificate::Tokens| {
                let all = tokens.1.iter();
                let multiset = all.flat_map(|&(place, n)| std::iter::repeat_n(place.index(), n as usize));
                (vec![tokens.0.index() as u32], multiset.collect())
            };
            let list = |list: &[ir::certificate::Tokens]| list.iter().map(spread).collect();
            let meaning = Lists::new(it.width, list(&it.tuples), list(&it.basis));
            let class = |place: usize| {
                let holds = |class: &&Vec<PlaceId>| class.iter().any(|it| it.index() == place);
                it.classes.iter().find(holds).map_or(place, |class| class[0].index())
            };
            net_proof(net, &meaning, it, &class)
        }
        _ => None,
    }
}

/// `class` names the place that stands for a place.
fn net_proof(net: &Net, meaning: &Lists, it: &TokenClosure, class: &dyn Fn(usize) -> usize) -> Option<bool> {
    let machine = net::Machine::new(net, None);
    let holds = |marking: &Marking| {
        let tokens = marking.tokens.iter().enumerate();
        let mut multiset: Multiset =
            tokens.flat_map(|(place, &n)| std::iter::repeat_n(class(place), n as usize)).collect();
        multiset.sort_unstable();
        meaning.allows(&vec![marking.shared.index() as u32], &multiset)
            && it.traps.iter().all(|trap| is_marked(trap, marking))
            && it.weights.iter().all(|weights| weight(weights, marking) <= most(weights, net))
    };
    let bounded = net::Machine::new(net, Some(MOST_THREADS as u32 + 1));
    let reached = bounded.reachable(MOST_STATES)?;
    let mut all: Vec<Marking> = reached.into_iter().collect();
    if !all.iter().all(holds) {
        return Some(false);
    }
    let places: Vec<usize> = net.places().ids().map(|it| it.index()).collect();
    for shared in net.shared().ids() {
        for multiset in multisets(&places, MOST_THREADS) {
            let mut tokens = vec![0; places.len()];
            multiset.iter().for_each(|&place| tokens[place] += 1);
            all.push(Marking { shared, tokens });
        }
    }
    (all.len() <= 4 * MOST_STATES).then_some(())?;
    let allowed = all.iter().filter(|marking| holds(marking));
    Some(allowed.into_iter().all(|marking| {
        !machine.at_target(marking) && machine.steps(marking).iter().all(|(_, after)| holds(after))
    }))
}

fn is_marked(trap: &Trap, marking: &Marking) -> bool {
    trap.states.contains(&marking.shared) || trap.places.iter().any(|it| marking.tokens[it.index()] > 0)
}

fn weight(weights: &Weights, marking: &Marking) -> u64 {
    let states = weights.states.iter().filter(|it| it.0 == marking.shared).map(|it| u64::from(it.1));
    let places = weights.places.iter().map(|it| u64::from(it.1) * u64::from(marking.tokens[it.0.index()]));
    states.chain(places).sum()
}

/// The most that a start weighs.
fn most(weights: &Weights, net: &Net) -> u64 {
    let start = net.start();
    let count = |it: &Interval| it.most.unwrap_or(1 << 20);
    let tokens = start.tokens.iter().map(count).collect();
    weight(weights, &Marking { shared: start.shared, tokens })
}

/// The states that few threads reach, as a view and a list of threads show them; none if there are too many
/// or one is not shown.
pub fn reached(program: &Program, view: &View, threads: Vec<ThreadView>) -> Vec<(Key, Multiset)> {
    let meaning = Lists::new(0, vec![], vec![]);
    let shown = Programs { program, view, threads, meaning };
    let states = Machine::new(program, Some(MOST_THREADS as u32)).reachable(MOST_STATES);
    let all = states.iter().flatten().map(|state| shown.show(state));
    all.collect::<Option<_>>().unwrap_or_default()
}

fn lists(closure: &Closure) -> Lists {
    let show = |it: &TupleView| {
        let multiset = it.threads.iter().flat_map(|&(view, n)| std::iter::repeat_n(view, n as usize));
        (key(it.initialising, it.busy, it.shared.iter().copied()), multiset.collect())
    };
    let list = |list: &[TupleView]| list.iter().map(show).collect();
    Lists::new(closure.width, list(&closure.tuples), list(&closure.basis))
}

/// The shared state of a program.
pub fn key(initialising: bool, busy: bool, shared: impl Iterator<Item = bool>) -> Key {
    [initialising, busy].into_iter().chain(shared).map(u32::from).collect()
}

/// A program and what a certificate says of it.
struct Programs<'p, M> {
    program: &'p Program,
    view: &'p View,
    threads: Vec<ThreadView>,
    meaning: M,
}

impl<M: Meaning> Programs<'_, M> {
    fn is_proof(&self) -> Option<bool> {
        let machine = Machine::new(self.program, Some(MOST_THREADS as u32));
        let reached = machine.reachable(MOST_STATES)?;
        if reached.iter().any(|state| machine.failure(state).is_some() || !self.holds(state)) {
            return Some(false);
        }
        if !self.keeps_everything() {
            return Some(true);
        }
        let free = Machine::new(self.program, Some(MOST_THREADS as u32 + 1));
        for (key, locals) in &self.meaning.keys() {
            let most = if key[0] == 1 { 1 } else { MOST_THREADS };
            let all = multisets(locals, most);
            (all.len() <= MOST_STATES).then_some(())?;
            for multiset in all.iter().filter(|multiset| self.meaning.allows(key, multiset)) {
                let Some(state) = self.state(key, multiset) else { continue };
                let steps = state.threads.keys().flat_map(|&thread| free.steps(&state, thread));
                let starts = |after: &State| state.initialising && !after.initialising;
                let left = |after: &State| !starts(after) && !self.holds(after);
                if free.failure(&state).is_some() || steps.into_iter().any(|(_, after)| left(&after)) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    fn holds(&self, state: &State) -> bool {
        self.show(state).is_some_and(|(key, multiset)| self.meaning.allows(&key, &multiset))
    }

    fn show(&self, state: &State) -> Option<(Key, Multiset)> {
        let busy = state.threads.values().any(|thread| thread.inside);
        let shared = self.view.shared.iter().map(|id| state.shared[id.index()]);
        let key = key(state.initialising, busy, shared);
        let multiset: Option<Multiset> = state.threads.values().map(|thread| self.number(thread)).collect();
        let mut multiset = multiset?;
        multiset.sort_unstable();
        Some((key, multiset))
    }

    fn number(&self, thread: &Thread) -> Option<usize> {
        let stack = thread.stack.iter().map(|it| it.loc);
        let controls = &self.view.controls;
        let control = controls
            .iter()
            .position(|it| it.inside == thread.inside && it.stack.iter().copied().eq(stack.clone()))?;
        let kept = controls[control].kept.iter();
        let values = kept.map(|it| thread.value(self.program, it.depth, it.local)).collect();
        self.threads.iter().position(|it| *it == ThreadView { control, values: Clone::clone(&values) })
    }

    /// Whether the view forgets nothing but what is dead.
    fn keeps_everything(&self) -> bool {
        let program = self.program;
        let all = |control: &ir::certificate::ControlLocation| {
            let at = control.stack[0];
            program.locals().ids().all(|local| {
                let dead = program.at(at).dead.contains(&local);
                dead || !program.in_scope(at, local) || control.kept.iter().any(|it| it.local == local)
            })
        };
        let wide = program.locals().iter().any(|it| it.scope == LocalScope::Thread);
        !wide && self.view.shared.len() == program.shared().len() && self.view.controls.iter().all(all)
    }

    /// The state with these threads, if it is one: the mark of a section is right, and at most one thread is
    /// inside.
    fn state(&self, key: &Key, multiset: &Multiset) -> Option<State> {
        let threads: Vec<Thread> = multiset.iter().map(|&view| self.thread(view)).collect();
        let inside = threads.iter().filter(|it| it.inside).count();
        (inside == key[1] as usize).then_some(())?;
        let mut shared = vec![false; self.program.shared().len()];
        let values = self.view.shared.iter().zip(&key[2..]);
        values.for_each(|(id, &value)| shared[id.index()] = value == 1);
        Some(State { initialising: key[0] == 1, shared, threads: (0..).zip(threads).collect() })
    }

    fn thread(&self, view: usize) -> Thread {
        let view = &self.threads[view];
        let control = &self.view.controls[view.control];
        let none = vec![false; self.program.locals().len()];
        let frame = Frame { loc: control.stack[0], values: none.clone() };
        let mut thread = Thread { inside: control.inside, values: none, stack: vec![frame] };
        for (kept, &value) in control.kept.iter().zip(&view.values) {
            thread.set(self.program, kept.depth, kept.local, value);
        }
        thread
    }
}
