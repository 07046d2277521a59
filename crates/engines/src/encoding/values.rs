//! Single assignments of a function, and threads and shared variables as literals: what traces are made of.

use super::{Encoding, Slot};
use base::Id;
use ir::bp::{Loc, Var};
use solve::bdd::{Bdd, Level};

/// Values by level; what does not matter is 0.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<bool>);

impl Values {
    /// An assignment that satisfies the function, if there is one.
    pub fn pick(encoding: &Encoding<'_>, f: Bdd) -> Option<Values> {
        Some(encoding.manager.pick_cube(f)?.into_iter().collect())
    }

    /// The value at a level.
    pub fn get(&self, level: Level) -> bool {
        self.0.get(level as usize).copied().unwrap_or(false)
    }

    /// The old values of the shared variables.
    pub fn shared(&self, encoding: &Encoding<'_>) -> Vec<bool> {
        let ids = encoding.program.shared().ids();
        ids.map(|id| self.get(encoding.space.now(Var::Shared(id), Slot::Own))).collect()
    }

    /// The old values of the locals of a thread at a location, those that are not kept there 0.
    pub fn locals(&self, encoding: &Encoding<'_>, loc: Loc, slot: Slot) -> Vec<bool> {
        let mut values = vec![false; encoding.program.locals().len()];
        for &local in encoding.kept(loc) {
            values[local.index()] = self.get(encoding.space.now(Var::Local(local), slot));
        }
        values
    }
}

impl FromIterator<(Level, bool)> for Values {
    fn from_iter<I: IntoIterator<Item = (Level, bool)>>(literals: I) -> Self {
        let mut values = vec![];
        for (level, value) in literals {
            let level = level as usize;
            if level >= values.len() {
                values.resize(level + 1, false);
            }
            values[level] = value;
        }
        Values(values)
    }
}

/// The literals of the shared variables.
pub fn shared_literals(encoding: &Encoding<'_>, shared: &[bool]) -> Vec<(Level, bool)> {
    let ids = encoding.program.shared().ids();
    ids.map(|id| (encoding.space.now(Var::Shared(id), Slot::Own), shared[id.index()])).collect()
}

/// The literals of the locals of a thread at a location.
pub fn local_literals(encoding: &Encoding<'_>, loc: Loc, values: &[bool], slot: Slot) -> Vec<(Level, bool)> {
    let kept = encoding.kept(loc).iter();
    kept.map(|&local| (encoding.space.now(Var::Local(local), slot), values[local.index()])).collect()
}
