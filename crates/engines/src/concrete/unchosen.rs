//! Loads of cells that nobody has written. Where not all numbers are tried, one more run goes on without a
//! number ([`c::Unchosen`]), and stands for all that are left out until a step uses it.

use super::lazy::{Chosen, unwritten};
use super::state::GlobalState;
use super::step::{Phase, Runner, TriedStep};
use c::{Done, LocalId, Value};

impl Runner<'_> {
    /// The register of a load that may go on without a number. Not where states are errors, which would ask
    /// what the register holds, and not beside choices that a store puts off: traces could not tell the two
    /// apart.
    pub(super) fn loads_unchosen(&self, run: &GlobalState) -> Option<LocalId> {
        let options = self.machine.options();
        let states = options.races.matter() || options.deadlocks.matter() || options.leaks.matter();
        let later = || self.chosen.iter().any(|it| matches!(it, Chosen::Later(_)));
        let local = self.analysis.unchosen.load(run.thread.loc())?;
        let late = self.options.liveness && !states && !later();
        let whole = || unwritten(&self.machine, &run.memory, &run.thread).is_some();
        (late && whole()).then_some(local)
    }

    /// The run that loads no number.
    pub(super) fn without_choice(&mut self, run: &GlobalState, local: LocalId) -> (GlobalState, Phase) {
        let mut late = run.clone();
        late.chose = true;
        let loc = late.thread.loc();
        late.thread.set(self.machine.program(), local, Value::Undetermined);
        late.thread.top_mut().loc = self.machine.program().at(loc).next;
        self.has_unchosen = true;
        match self.after(&mut late, loc, None, Ok(Done::default())) {
            Ok(TriedStep::Went) => (late, Phase::Free),
            _ => unreachable!("a step that was taken goes on"),
        }
    }

    /// Whether the next step uses a value that was not chosen: then some are left out after all.
    pub(super) fn uses_unchosen(&mut self, run: &GlobalState) -> bool {
        let used = self.has_unchosen && self.analysis.unchosen.is_used(self.machine.program(), &run.thread);
        if used {
            self.limits.cut = true;
            self.limits.choices.insert(run.thread.loc());
        }
        used
    }
}
