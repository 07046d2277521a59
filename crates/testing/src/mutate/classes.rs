//! Mutants of proofs by formulas over classes of points.

use super::{Mutation, picks, replaced, without};
use base::Random;
use ir::certificate::graph::{Builder, Graph, Node, NodeId};
use ir::certificate::{ClassClosure, ClassTuple, View};

/// This many values of a thread that is taken out of an element are tried; the rest are 0.
const MOST_VALUES: usize = 4;

/// At most `most` mutants of this kind that differ from the proof.
pub fn mutants(
    it: &ClassClosure,
    view: &View,
    kind: Mutation,
    most: usize,
    random: &mut Random,
) -> Vec<ClassClosure> {
    let (tuples, basis) = (&it.tuples[..], &it.basis[..]);
    let with_tuples = |tuples| ClassClosure { tuples, ..it.clone() };
    let with_basis = |basis| ClassClosure { basis, ..it.clone() };
    let made: Vec<ClassClosure> = match kind {
        Mutation::TupleDropped => {
            picks(tuples.len(), most, random).map(|at| with_tuples(without(tuples, at))).collect()
        }
        Mutation::ElementDropped => {
            picks(basis.len(), most, random).map(|at| with_basis(without(basis, at))).collect()
        }
        Mutation::WidthLowered if it.width > 1 => {
            let width = it.width - 1;
            let narrow = tuples.iter().filter(|it| threads(it) <= width as usize).cloned().collect();
            vec![ClassClosure { width, ..with_tuples(narrow) }]
        }
        Mutation::WidthLowered => vec![],
        Mutation::ElementLowered => picks(basis.len(), most, random)
            .filter_map(|at| {
                let place = random.below(threads(&basis[at]).max(1));
                let (graph, fewer) = fewer(it, view, &basis[at], place)?;
                Some(ClassClosure { graph, ..with_basis(replaced(basis, at, fewer)) })
            })
            .collect(),
        Mutation::ThreadReplaced => {
            changed(it, most, random, |it, tuple, random| class_replaced(it, view, tuple, random))
        }
        Mutation::StateReplaced => changed(it, most, random, |it, tuple, random| {
            let other = random.pick(&it.tuples);
            let (initialising, busy) = (other.initialising, other.busy);
            Some((it.graph.clone(), ClassTuple { initialising, busy, ..tuple.clone() }))
        }),
        Mutation::TupleInBasis => picks(tuples.len(), most, random)
            .map(|at| with_basis([basis, &tuples[at..=at]].concat()))
            .collect(),
        Mutation::FormulaChanged => {
            changed(it, most, random, |it, tuple, random| formula_changed(it, view, tuple, random))
        }
        // Only nets have weights and traps.
        Mutation::WeightsDropped | Mutation::WeightChanged | Mutation::TrapChanged => vec![],
    };
    made.into_iter().filter(|mutant| mutant != it).collect()
}

/// How many threads a tuple has.
fn threads(tuple: &ClassTuple) -> usize {
    tuple.classes.iter().map(|it| it.1 as usize).sum()
}

/// Mutants in which one tuple or element is another.
fn changed(
    it: &ClassClosure,
    most: usize,
    random: &mut Random,
    change: impl Fn(&ClassClosure, &ClassTuple, &mut Random) -> Option<(Graph, ClassTuple)>,
) -> Vec<ClassClosure> {
    let mut made = vec![];
    for _ in 0..most {
        let element = !it.basis.is_empty() && random.percent(50);
        let list = if element { &it.basis } else { &it.tuples };
        if list.is_empty() {
            continue;
        }
        let at = random.below(list.len());
        let Some((graph, new)) = change(it, &list[at], random) else { continue };
        let list = replaced(list, at, new);
        made.push(match element {
            true => ClassClosure { graph, basis: list, ..it.clone() },
            false => ClassClosure { graph, tuples: list, ..it.clone() },
        });
    }
    made
}

/// All threads of a class stand in another, which keeps as many values and comes at the same place of the
/// list.
fn class_replaced(
    it: &ClassClosure,
    view: &View,
    tuple: &ClassTuple,
    random: &mut Random,
) -> Option<(Graph, ClassTuple)> {
    let kept = |class: usize| Some(view.controls.get(*it.classes.get(class)?.first()?)?.kept.len());
    let mut tuple = tuple.clone();
    let at = random.below(tuple.classes.len().max(1));
    let (old, new) = (tuple.classes.get(at)?.0, random.below(it.classes.len()));
    (kept(old) == kept(new)).then_some(())?;
    tuple.classes[at].0 = new;
    tuple.classes.is_sorted_by(|a, b| a.0 < b.0).then(|| (it.graph.clone(), tuple))
}

/// The formula holds less often, or more often, or the other way round, depending on one value.
fn formula_changed(
    it: &ClassClosure,
    view: &View,
    tuple: &ClassTuple,
    random: &mut Random,
) -> Option<(Graph, ClassTuple)> {
    let graph = &it.graph;
    let read = graph.below([tuple.formula]).into_iter().filter_map(|id| match graph.node(id) {
        Node::Input(number) => Some(number),
        _ => None,
    });
    let shared = 0..u32::try_from(view.shared.len()).ok()?;
    let inputs: Vec<u32> = read.chain(shared).collect();
    (!inputs.is_empty()).then_some(())?;
    let (mut builder, old) = (Builder::from(graph.clone()), tuple.formula);
    let input = builder.input(*random.pick(&inputs));
    let formula = match random.below(5) {
        0 => builder.and(old, input),
        1 => builder.ite(input, NodeId::FALSE, old),
        2 => builder.or(old, input),
        3 => builder.ite(input, old, NodeId::TRUE),
        _ => {
            let not = builder.not(old);
            builder.ite(input, old, not)
        }
    };
    Some((builder.finish(), ClassTuple { formula, ..tuple.clone() }))
}

/// An element without the thread in a place: where the formula holds for some values of it.
fn fewer(it: &ClassClosure, view: &View, tuple: &ClassTuple, place: usize) -> Option<(Graph, ClassTuple)> {
    let mut tuple = tuple.clone();
    let mut before = 0;
    let class = tuple.classes.iter().position(|&(_, n)| {
        before += n as usize;
        place < before
    })?;
    let controls = it.classes.get(tuple.classes[class].0)?;
    let kept = view.controls.get(*controls.first()?)?.kept.len();
    tuple.classes[class].1 -= 1;
    tuple.classes.retain(|it| it.1 > 0);
    let width = view.most_kept();
    let first = view.input(place, 0)? as usize;
    let (mut builder, mut formula) = (Builder::from(it.graph.clone()), NodeId::FALSE);
    for values in 0..1usize << kept.min(MOST_VALUES) {
        let input = |to: &mut Builder, number: u32| match (number as usize).checked_sub(first) {
            None => to.input(number),
            Some(index) if index < width => NodeId::constant(index < MOST_VALUES && values >> index & 1 == 1),
            Some(_) => to.input(number - width as u32),
        };
        let roots = builder.import(&it.graph, &[tuple.formula], input);
        formula = builder.or(formula, roots[0]);
    }
    Some((builder.finish(), ClassTuple { formula, ..tuple }))
}
