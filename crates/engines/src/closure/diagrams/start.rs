//! The tuples that a program starts with: every multiset of at most k threads that may be there together, and
//! the same once more when `init` has ended.

use super::derive::{DiagramDeriver, Member};
use super::sets::{TupleKey, control};
use crate::closure::programs::counts;
use crate::closure::tuples::Tuple;
use crate::encoding::Slot;
use base::Stop;
use ir::bp::ProcId;
use solve::bdd::Bdd;

/// Threads that are interchangeable at the start.
struct DiagramPool {
    control: u32,
    /// The locals that each may have, as those of the active thread.
    locals: Bdd,
    /// How many more may come; `None` for any number.
    left: Option<u32>,
}

impl DiagramDeriver<'_, '_> {
    /// Adds the tuples of the start.
    pub(super) fn start(&mut self) -> Result<(), Stop> {
        let shared = self.encoding.first_shared()?;
        match self.encoding.program.start().init {
            None => self.populate(shared, &[]),
            Some(init) => {
                let mut pools = vec![self.pool(init, Some(1))?];
                self.choose_threads(true, shared, &mut pools, &mut vec![], &[])
            }
        }
    }

    /// Adds all tuples of threads of the templates, in these shared states.
    pub(super) fn populate(&mut self, shared: Bdd, sources: &[u32]) -> Result<(), Stop> {
        let mut pools = vec![];
        for (procedure, _, left) in counts(self.encoding.program) {
            pools.push(self.pool(procedure, left)?);
        }
        self.choose_threads(false, shared, &mut pools, &mut vec![], sources)
    }

    fn pool(&mut self, procedure: ProcId, left: Option<u32>) -> Result<DiagramPool, Stop> {
        let (at, locals) = self.encoding.fresh(procedure, self.budget)?;
        let class = self.classes.of(at);
        let lost = self.encoding.kept(at).iter().filter(|&&local| !self.classes.keeps(class, local));
        let lost: Vec<_> =
            lost.map(|&local| self.encoding.space.now(ir::bp::Var::Local(local), Slot::Own)).collect();
        let lost = self.encoding.manager.var_set(&lost)?;
        let locals = self.encoding.manager.exists(locals, lost, self.budget)?;
        Ok(DiagramPool { control: control(class, false), locals, left })
    }

    /// Adds the tuple with each further thread from the pools, from the last one's pool on.
    fn choose_threads(
        &mut self,
        initialising: bool,
        set: Bdd,
        pools: &mut [DiagramPool],
        threads: &mut Vec<Member>,
        sources: &[u32],
    ) -> Result<(), Stop> {
        let key = TupleKey { initialising, busy: false, tuple: Tuple::default() };
        self.add(key, threads, set, sources)?;
        if threads.len() == self.width {
            return Ok(());
        }
        for first in 0..pools.len() {
            let pool = &mut pools[first];
            if pool.left == Some(0) {
                continue;
            }
            pool.left = pool.left.map(|left| left - 1);
            let (at, locals, slot) = (pool.control, pool.locals, threads.len());
            let map = self.encoding.space.map(&mut self.encoding.manager, Slot::Own, Slot::Member(slot));
            let locals = self.encoding.manager.rename(locals, map, self.budget)?;
            let together = self.encoding.manager.and(set, locals, self.budget)?;
            threads.push((at, slot));
            self.choose_threads(initialising, together, &mut pools[first..], threads, sources)?;
            threads.pop();
            pools[first].left = pools[first].left.map(|left| left + 1);
        }
        Ok(())
    }
}
