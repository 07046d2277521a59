//! Proofs by lists of tuples, written as formulas: each point is a class of its own, and a formula is the
//! disjunction of what is listed. And what proofs by formulas say, by evaluation.

use super::meaning::{Key as State, Meaning, Multiset, key, reached};
use super::{counted, parts};
use base::Random;
use ir::Program;
use ir::certificate::graph::{Builder, NodeId};
use ir::certificate::{ClassClosure, ClassTuple, Closure, ThreadView, TupleView, View};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use testing::Viewed;

/// Whether `init` runs, whether somebody is inside, and where the threads stand, sorted.
type Key = (bool, bool, Vec<usize>);
/// Threads by number, one for each place.
type Order = Vec<usize>;
/// What holds: shared values and threads.
type Rows = BTreeSet<(Vec<bool>, Order)>;

/// The proof as formulas. Elements that stand at the same points are one formula or several, and may be
/// listed in one order alone.
pub fn formulas(closure: &Viewed<Closure>, random: &mut Random) -> Viewed<ClassClosure> {
    let mut writer = Writer { closure, builder: Builder::default() };
    let mut sets: BTreeMap<Key, Rows> = BTreeMap::new();
    for tuple in &closure.tuples {
        for part in parts(&threads(tuple)).filter(|it| !it.is_empty()) {
            let (key, orders) = writer.orders(tuple, &part);
            sets.entry(key).or_default().extend(orders.into_iter().map(|it| (tuple.shared.clone(), it)));
        }
    }
    let tuples = sets.into_iter().map(|(key, set)| writer.tuple(key, set)).collect();
    let mut elements: BTreeMap<(usize, Key), Rows> = BTreeMap::new();
    let (together, ordered) = (random.percent(50), random.percent(50));
    for (index, element) in closure.basis.iter().enumerate() {
        let (key, mut orders) = writer.orders(element, &threads(element));
        if ordered {
            orders = vec![orders[random.below(orders.len())].clone()];
        }
        let set = elements.entry((if together { 0 } else { index }, key)).or_default();
        set.extend(orders.into_iter().map(|it| (element.shared.clone(), it)));
    }
    let basis = elements.into_iter().map(|((_, key), set)| writer.tuple(key, set)).collect();
    let body = ClassClosure {
        classes: (0..closure.view.controls.len()).map(|control| vec![control]).collect(),
        graph: writer.builder.finish(),
        width: closure.width,
        tuples,
        basis,
    };
    Viewed { view: closure.view.clone(), body }
}

/// The threads of a tuple, one after the other.
fn threads(tuple: &TupleView) -> Vec<usize> {
    tuple.threads.iter().flat_map(|&(thread, n)| std::iter::repeat_n(thread, n as usize)).collect()
}

struct Writer<'c> {
    closure: &'c Viewed<Closure>,
    builder: Builder,
}

impl Writer<'_> {
    /// Where the threads stand, and all ways to put them there.
    fn orders(&self, tuple: &TupleView, threads: &[usize]) -> (Key, Vec<Order>) {
        let control = |thread: usize| self.closure.threads[thread].control;
        let mut controls: Vec<usize> = threads.iter().map(|&it| control(it)).collect();
        controls.sort_unstable();
        let mut orders: BTreeSet<Order> = BTreeSet::from([vec![]]);
        for &at in &controls {
            let left = |order: &Order, thread: usize| {
                let count = |list: &[usize]| list.iter().filter(|&&it| it == thread).count();
                count(threads) > count(order)
            };
            let longer = |order: &Order| {
                let next = threads.iter().filter(|&&it| control(it) == at && left(order, it));
                next.map(|&it| [&order[..], &[it]].concat()).collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        ((tuple.initialising, tuple.busy, controls), orders.into_iter().collect())
    }

    fn tuple(&mut self, key: Key, set: Rows) -> ClassTuple {
        let (initialising, busy, controls) = key;
        let mut formula = NodeId::FALSE;
        for (shared, order) in set {
            let mut values: Vec<(u32, bool)> = (0..).zip(shared).collect();
            for (place, &thread) in order.iter().enumerate() {
                for (index, &value) in self.closure.threads[thread].values.iter().enumerate() {
                    let input = self.closure.view.input(place, index).expect("few threads");
                    values.push((input, value));
                }
            }
            let all = minterm(&mut self.builder, values);
            formula = self.builder.or(formula, all);
        }
        let classes = counted(controls);
        ClassTuple { initialising, busy, classes, formula }
    }
}

/// Inputs have these values.
fn minterm(builder: &mut Builder, values: impl IntoIterator<Item = (u32, bool)>) -> NodeId {
    values.into_iter().fold(NodeId::TRUE, |all, (input, value)| {
        let node = builder.input(input);
        let literal = if value { node } else { builder.not(node) };
        builder.and(all, literal)
    })
}

/// The proof with the complement of each of its tuples blocked: a proof again, for the tuples are closed.
pub fn complemented(closure: &Viewed<ClassClosure>) -> Viewed<ClassClosure> {
    let mut builder = Builder::from(closure.graph.clone());
    let element = |it: &ClassTuple| ClassTuple { formula: builder.not(it.formula), ..it.clone() };
    let basis = closure.tuples.iter().map(element).collect();
    closure.with(ClassClosure { graph: builder.finish(), basis, ..closure.body.clone() })
}

/// Proofs in which one more element is blocked: a part of a state that is reached. They are none any more.
pub fn refuted(
    program: &Program,
    closure: &Viewed<ClassClosure>,
    most: usize,
    random: &mut Random,
) -> Vec<Viewed<ClassClosure>> {
    let Some(formulas) = Formulas::new(&closure.view, closure) else { return vec![] };
    let reached = reached(program, &closure.view, formulas.threads());
    let mut all = vec![];
    for _ in 0..if reached.is_empty() { 0 } else { most } {
        let (state, multiset) = random.pick(&reached);
        let part: Multiset = multiset.iter().copied().filter(|_| random.percent(80)).collect();
        let mut builder = Builder::from(closure.graph.clone());
        let formula = minterm(&mut builder, formulas.values(state, &part));
        let classes = counted(part.iter().map(|&it| formulas.threads[it].0));
        let element = ClassTuple { initialising: state[0] == 1, busy: state[1] == 1, classes, formula };
        let basis = [&closure.basis[..], &[element]].concat();
        all.push(closure.with(ClassClosure { graph: builder.finish(), basis, ..closure.body.clone() }));
    }
    all
}

/// What a proof by formulas says.
pub struct Formulas<'c> {
    view: &'c View,
    closure: &'c ClassClosure,
    /// All threads that can be spoken of, with their classes.
    threads: Vec<(usize, ThreadView)>,
    /// What was asked before.
    known: RefCell<BTreeMap<(State, Multiset), bool>>,
}

impl<'c> Formulas<'c> {
    /// Of this proof; `None` if there is too much to enumerate.
    pub fn new(view: &'c View, closure: &'c ClassClosure) -> Option<Self> {
        let mut threads = vec![];
        for (class, controls) in closure.classes.iter().enumerate() {
            for &control in controls {
                let kept = view.controls[control].kept.len();
                (kept <= 4 && threads.len() <= 200).then_some(())?;
                let values = |number: u32| (0..kept).map(|bit| number >> bit & 1 == 1).collect();
                let views = (0..1u32 << kept).map(|it| (class, ThreadView { control, values: values(it) }));
                threads.extend(views);
            }
        }
        (view.shared.len() <= 4).then_some(())?;
        Some(Formulas { view, closure, threads, known: RefCell::default() })
    }

    /// All threads that can be spoken of.
    pub fn threads(&self) -> Vec<ThreadView> {
        self.threads.iter().map(|it| it.1.clone()).collect()
    }

    /// Whether threads, in this order, are in a tuple or an element.
    fn holds(&self, tuple: &ClassTuple, state: &State, order: &[usize]) -> bool {
        let marks = state[0] == u32::from(tuple.initialising) && state[1] == u32::from(tuple.busy);
        let classes = tuple.classes.iter().flat_map(|&(class, n)| (0..n).map(move |_| class));
        if !marks || !classes.eq(order.iter().map(|&it| self.threads[it].0)) {
            return false;
        }
        let values = self.values(state, order);
        self.closure.graph.evaluate(tuple.formula, |input| values[&input])
    }

    /// The inputs of a formula about threads in this order.
    fn values(&self, state: &State, order: &[usize]) -> BTreeMap<u32, bool> {
        let mut values: BTreeMap<u32, bool> = (0..).zip(state[2..].iter().map(|&it| it == 1)).collect();
        for (place, &thread) in order.iter().enumerate() {
            for (index, &value) in self.threads[thread].1.values.iter().enumerate() {
                let input = self.view.input(place, index).expect("few threads");
                values.insert(input, value);
            }
        }
        values
    }
}

impl Meaning for Formulas<'_> {
    fn width(&self) -> usize {
        self.closure.width as usize
    }

    /// Nobody always is a tuple. Threads of one class can be exchanged, so that one order will do.
    fn has(&self, state: &State, part: &Multiset) -> bool {
        let requested = (state.clone(), part.clone());
        if let Some(&known) = self.known.borrow().get(&requested) {
            return known;
        }
        let has = part.is_empty() || self.closure.tuples.iter().any(|it| self.holds(it, state, part));
        self.known.borrow_mut().insert(requested, has);
        has
    }

    fn blocks(&self, state: &State, multiset: &Multiset) -> bool {
        let below = |element: &ClassTuple| {
            let most = element.classes.iter().map(|it| it.1 as usize).sum();
            orders(multiset, most).iter().any(|order| self.holds(element, state, order))
        };
        self.closure.basis.iter().any(below)
    }

    fn keys(&self) -> BTreeMap<State, Vec<usize>> {
        let mut keys = BTreeMap::new();
        let shared = self.view.shared.len();
        for tuple in &self.closure.tuples {
            for number in 0..1u32 << shared {
                let values = (0..shared).map(|bit| number >> bit & 1 == 1);
                let state = key(tuple.initialising, tuple.busy, values);
                let single = |&it: &usize| self.has(&state, &vec![it]);
                let singles = (0..self.threads.len()).filter(single).collect();
                keys.entry(state).or_insert(singles);
            }
        }
        keys
    }
}

/// All ways to pick this many of the threads, in every order.
fn orders(multiset: &Multiset, most: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..most {
        let longer = |order: &Vec<usize>| {
            let free = (0..multiset.len()).filter(|at| !order.contains(at));
            free.map(|at| [&order[..], &[at]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders.into_iter().map(|order| order.into_iter().map(|at| multiset[at]).collect()).collect()
}
