//! Satisfying assignments, one after the other. Where both values will do, 0 comes first, so that answers are
//! the same on every run.

use super::{Bdd, Level, Manager};

impl Manager {
    /// The first cube of `f`: values for some variables that make it true whatever the others are. `None` if
    /// `f` is false.
    pub fn pick_cube(&self, f: Bdd) -> Option<Vec<(Level, bool)>> {
        self.cubes(f).next()
    }

    /// The smallest satisfying assignment of the given variables, in lexical order by level, `None` if `f` is
    /// false. Variables that do not matter are false. The result has the order of `levels`, which must hold
    /// all of the support.
    pub fn pick_assignment(&self, f: Bdd, levels: &[Level]) -> Option<Vec<bool>> {
        let cube = self.pick_cube(f)?;
        let value = |level: &Level| match cube.binary_search_by_key(level, |&(at, _)| at) {
            Ok(at) => cube[at].1,
            Err(_) => false,
        };
        Some(levels.iter().map(value).collect())
    }

    /// All cubes of `f`, lazily: disjoint, together equal to `f`, each sorted by level.
    pub fn cubes(&self, f: Bdd) -> Cubes<'_> {
        Cubes { manager: self, path: vec![], pending: vec![(f, 0, None)] }
    }
}

type CubeLiteral = (Level, bool);

/// Iterator over the cubes of a function; see [`Manager::cubes`].
#[derive(Clone, Debug)]
pub struct Cubes<'a> {
    manager: &'a Manager,
    path: Vec<(Level, bool)>,
    /// A function still to be walked, the length of the path to its parent, and the literal that leads to it.
    pending: Vec<(Bdd, usize, Option<CubeLiteral>)>,
}

impl Iterator for Cubes<'_> {
    type Item = Vec<(Level, bool)>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((f, length, literal)) = self.pending.pop() {
            if f.is_false() {
                continue;
            }
            self.path.truncate(length);
            self.path.extend(literal);
            let Some(level) = self.manager.top_level(f) else {
                return Some(self.path.clone());
            };
            let (low, high) = self.manager.children(f);
            let length = self.path.len();
            self.pending.push((high, length, Some((level, true))));
            self.pending.push((low, length, Some((level, false))));
        }
        None
    }
}
