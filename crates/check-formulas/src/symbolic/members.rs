//! The pieces of a certificate: looks them over once, and finds one that holds a given state.

use super::state::{Formula, SymbolicState};
use base::{Budget, Stop};
use check::describe::bits;
use check::view_index::ViewIndex;
use check::{Refused, Rejected, reject};
use ir::bp::Program;
use ir::certificate::graph::NodeId;
use ir::certificate::{Piece, Symbolic};
use std::collections::HashMap;

/// This many threads may stand in a state: each has its own values, and looking for their positions tries
/// them one by one.
const MOST_THREADS: u64 = 256;

/// Whether `init` still runs, and where the threads stand.
type Multiset<'c> = (bool, &'c [(usize, u32)]);

/// Pieces that are well formed.
pub struct Members<'c> {
    pub program: &'c Program,
    pub symbolic: &'c Symbolic,
    pub view_index: ViewIndex<'c>,
    pub budget: &'c Budget,
    /// The most values kept at a control location.
    pub width: usize,
    by_controls: HashMap<Multiset<'c>, Vec<usize>>,
}

impl<'c> Members<'c> {
    /// Reads a certificate; an ill-formed one is rejected.
    pub fn new(
        view_index: ViewIndex<'c>,
        symbolic: &'c Symbolic,
        budget: &'c Budget,
    ) -> Result<Self, Refused> {
        let (program, width) = (view_index.program, view_index.view.most_kept());
        let by_controls = HashMap::new();
        let mut members = Members { program, symbolic, view_index, budget, width, by_controls };
        for (index, piece) in symbolic.pieces.iter().enumerate() {
            members.read(piece)?.map_err(|why| Rejected::new(format!("piece {index}: {why}")))?;
            members.by_controls.entry((piece.initialising, &piece.controls)).or_default().push(index);
        }
        Ok(members)
    }

    fn read(&self, piece: &Piece) -> Result<Result<(), Rejected>, Stop> {
        self.budget.spend(1 + piece.controls.len() as u64)?;
        if !piece.controls.iter().all(|&(control, n)| self.view_index.slots(control).is_some() && n > 0) {
            return Ok(reject("no such control location, or no thread there"));
        }
        if !piece.controls.is_sorted_by(|a, b| a.0 < b.0) {
            return Ok(reject("the control locations are not in order"));
        }
        // `init` runs alone under every bound.
        let most = u64::from(self.symbolic.bound.max(1));
        let threads = piece.controls.iter().map(|it| u64::from(it.1)).sum::<u64>();
        if threads > most {
            return Ok(reject("more threads than the bound allows"));
        }
        if let Err(why) = few(threads) {
            return Ok(Err(why));
        }
        let formula = self.formula(piece.formula);
        self.state_of(piece, || ()).reads(formula, self.width, self.budget)
    }

    /// A formula of the certificate.
    pub fn formula(&self, root: NodeId) -> Formula<'c> {
        Formula { graph: &self.symbolic.graph, root }
    }

    /// The states of a piece, whatever its formula says, with these values.
    pub fn state_of<V>(&self, piece: &Piece, mut value: impl FnMut() -> V) -> SymbolicState<V> {
        let shared = self.view_index.view.shared.iter().map(|_| value()).collect();
        let mut thread = |control: usize| {
            let slots = self.view_index.slots(control).unwrap_or_default();
            (control, slots.iter().map(|_| value()).collect())
        };
        let threads = piece.controls.iter().flat_map(|&(control, n)| (0..n).map(move |_| control));
        let threads = threads.map(&mut thread).collect();
        SymbolicState { initialising: piece.initialising, shared, threads }
    }

    /// A piece that holds the state, whose threads are in the order of their control locations, and which
    /// thread is in which position of it.
    pub fn find(&self, state: &SymbolicState<bool>) -> Result<Option<(NodeId, Vec<usize>)>, Stop> {
        let controls = state.controls();
        let candidates = self.by_controls.get(&(state.initialising, &controls[..]));
        for &index in candidates.into_iter().flatten() {
            let formula = self.symbolic.pieces[index].formula;
            if let Some(order) = self.order(formula, state)? {
                return Ok(Some((formula, order)));
            }
        }
        Ok(None)
    }

    /// An order of the threads in which the formula holds. SymbolicState are filled one after the other; a
    /// formula that is false already is not asked about the rest.
    fn order(&self, formula: NodeId, state: &SymbolicState<bool>) -> Result<Option<Vec<usize>>, Stop> {
        let graph = &self.symbolic.graph;
        let below = graph.below([formula]);
        let mut chosen: Vec<usize> = vec![];
        loop {
            self.budget.spend((1 + below.len() + state.threads.len()) as u64)?;
            let input = |number| state.input(self.width, |position| chosen.get(position).copied(), number);
            match graph.evaluate_partly(&below, formula, input) {
                Some(true) => {
                    let mut order = chosen;
                    while let Some(next) = another(state, &order, 0) {
                        order.push(next);
                    }
                    return Ok(Some(order));
                }
                Some(false) => loop {
                    let Some(last) = chosen.pop() else { return Ok(None) };
                    if let Some(next) = another(state, &chosen, last + 1) {
                        chosen.push(next);
                        break;
                    }
                },
                None => {
                    chosen.push(another(state, &chosen, 0).expect("with all inputs known it has a value"))
                }
            }
        }
    }

    /// A state in words.
    pub fn words(&self, state: &SymbolicState<bool>) -> String {
        let list =
            |items: Vec<String>| if items.is_empty() { "nothing".to_string() } else { items.join(", ") };
        let values = self.view_index.view.shared.iter().zip(&state.shared);
        let shared =
            values.map(|(&id, &value)| format!("{}={}", self.program.shared()[id].name, u8::from(value)));
        let thread = |(control, values): &(usize, Vec<bool>)| {
            format!("control location {control} with {}", bits(values))
        };
        let threads = state.threads.iter().map(thread).collect();
        let phase = if state.initialising { "during init, " } else { "" };
        format!("{phase}shared {}; alive {}", list(shared.collect()), list(threads))
    }
}

/// The next thread for the first position that is free: one that stands where the position is, and is no copy
/// of one that was tried.
fn another(state: &SymbolicState<bool>, chosen: &[usize], from: usize) -> Option<usize> {
    let position = chosen.len();
    let control = state.threads.get(position)?.0;
    let fits = |thread: usize| state.threads[thread].0 == control && !chosen.contains(&thread);
    let is_new = |&thread: &usize| {
        !(0..thread).any(|earlier| fits(earlier) && state.threads[earlier].1 == state.threads[thread].1)
    };
    (from..state.threads.len()).filter(|&thread| fits(thread)).find(is_new)
}

/// Refuses states with too many threads to tell their values apart.
pub fn few(threads: u64) -> Result<(), Rejected> {
    if threads <= MOST_THREADS {
        return Ok(());
    }
    reject(format!("more than {MOST_THREADS} threads: list the states one by one"))
}
