//! The reached set as a certificate: for all program counters that were seen the union of the states with
//! them, a decision diagram over the variables that are compared.
//!
//! States are images of choices, ω(x) under a guard γ(x), and an image could be carried with its choices only
//! where it is stepped from. What steps lead into must be a formula of the state alone, and the canonical
//! forms of the history are just that (re-parameterisation, proposed by Cook, Kroening and Sharygina, section
//! 6).

use super::bounded::Simulation;
use super::history::History;
use super::live::{Compared, Live};
use super::search::{SimulateSearch, SimulateWork};
use super::settings::{Reduction, SimulateOptions};
use super::state::ControlKey;
use crate::bounded::Sizes;
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId, Program};
use ir::certificate::graph::{Builder, NodeId};
use ir::certificate::{ControlLocation, LocalAt, Piece, Symbolic, View};
use solve::bdd::{Bdd, Level};
use std::collections::BTreeSet;

/// All states with at most `bound` threads, found by a second search that leaves nothing out; `None` if it
/// keeps too many states, or a set of them has no canonical form.
pub fn symbolic(
    simulation: &Simulation<'_>,
    bound: u32,
    work: &mut SimulateWork<'_>,
) -> Result<Option<(View, Symbolic)>, Stop> {
    // All starts, all steps, every state, and the threads of a state in the order of their program counters.
    let sizes = Sizes { bound, exact: false };
    let all = SimulateOptions {
        reduction: Reduction::Off,
        merging: false,
        symmetry: true,
        union: true,
        ..simulation.options
    };
    let mut search =
        SimulateSearch::new(&Simulation { options: all, seed: 0, ..*simulation }, sizes, work.budget)?;
    if !search.complete(simulation.options.certificate_pieces, work)? {
        return Ok(None);
    }
    let mut writer =
        RelationWriter { program: simulation.program, history: search.history(), budget: work.budget };
    writer.write(bound)
}

struct RelationWriter<'s> {
    program: &'s Program,
    history: &'s mut History,
    budget: &'s Budget,
}

impl RelationWriter<'_> {
    fn live(&self) -> &Live {
        self.history.live()
    }

    fn write(&mut self, bound: u32) -> Result<Option<(View, Symbolic)>, Stop> {
        let Some(unions) = self.history.unions() else { return Ok(None) };
        let controls: BTreeSet<(Loc, bool)> = unions.iter().flat_map(|it| it.0.pcs.iter().copied()).collect();
        let controls: Vec<(Loc, bool)> = controls.into_iter().collect();
        let shared = self.program.shared().ids().collect();
        let view = View {
            shared,
            controls: controls.iter().map(|&(loc, inside)| self.control(loc, inside)).collect(),
        };
        let mut builder = Builder::default();
        let mut pieces = vec![];
        for (key, union) in unions.into_iter().filter(|it| !it.1.is_false()) {
            let number = |it| controls.binary_search(it).expect("all program counters are points");
            let controls: Vec<usize> = key.pcs.iter().map(number).collect();
            let formula = self.formula(&mut builder, &view, &key, &controls, union)?;
            let counted = crate::certificate::counted(controls);
            pieces.push(Piece { initialising: key.initialising, controls: counted, formula });
        }
        Ok(Some((view, Symbolic { graph: builder.finish(), pieces, bound })))
    }

    /// A point keeps the locals in scope that may still be read. One that is dead there is 0 only in the
    /// prepared program.
    fn control(&self, loc: Loc, inside: bool) -> ControlLocation {
        let dead = |local| self.program.at(loc).dead.contains(&local);
        let scope = self.program.locals().ids().filter(|&local| self.program.in_scope(loc, local));
        let kept = scope.filter(|&local| self.live().is_live(loc, local) && !dead(local));
        ControlLocation {
            stack: vec![loc],
            inside,
            kept: kept.map(|local| LocalAt { depth: 0, local }).collect(),
        }
    }

    /// The union of all states with a key; what no point keeps is forgotten.
    fn formula(
        &mut self,
        builder: &mut Builder,
        view: &View,
        key: &ControlKey,
        controls: &[usize],
        union: Bdd,
    ) -> Result<NodeId, Stop> {
        let input = |it: Compared| match it {
            Compared::Shared(index) => u32::try_from(index).ok(),
            Compared::Local(thread, local) => {
                let kept = &view.controls[controls[thread]].kept;
                let index = kept.iter().position(|it| it.local == LocalId::from_index(local))?;
                view.input(thread, index)
            }
        };
        let compared = self.live().compared(key.pcs.iter().map(|it| it.0));
        let inputs: Vec<Option<u32>> = compared.into_iter().map(input).collect();
        let forgotten = (0..).zip(&inputs).filter(|it| it.1.is_none()).map(|it| it.0);
        let forms = self.history.forms();
        let union = forms.without(union, &forgotten.collect::<Vec<_>>(), self.budget)?;
        let input = |level: Level| inputs[level as usize].expect("the rest is forgotten");
        crate::certificate::add(builder, forms.manager(), union, input, self.budget)
    }
}
