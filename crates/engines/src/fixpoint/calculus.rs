//! The operations of the calculus: a diagram manager and the budget it works under.

use base::{Budget, Stop};
use solve::bdd::{Bdd, Level, Limits, Manager};

/// A diagram manager with the budget that pays for it.
pub struct Calculus<'b> {
    /// The diagrams.
    pub manager: Manager,
    /// What pays for them.
    pub budget: &'b Budget,
}

impl<'b> Calculus<'b> {
    /// An empty manager with a limit of `nodes` nodes.
    pub fn new(nodes: usize, budget: &'b Budget) -> Self {
        Self { manager: Manager::new(Limits { nodes, ..Limits::default() }), budget }
    }

    /// Conjunction.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.manager.and(f, g, self.budget)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.manager.or(f, g, self.budget)
    }

    /// The conjunction of all.
    pub fn all(&mut self, functions: impl IntoIterator<Item = Bdd>) -> Result<Bdd, Stop> {
        self.manager.and_all(functions, self.budget)
    }

    /// The disjunction of all.
    pub fn any(&mut self, functions: impl IntoIterator<Item = Bdd>) -> Result<Bdd, Stop> {
        self.manager.or_all(functions, self.budget)
    }

    /// If-then-else.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Stop> {
        self.manager.ite(f, g, h, self.budget)
    }

    /// True where some values at these levels make `f` true.
    pub fn exists(&mut self, f: Bdd, levels: &[Level]) -> Result<Bdd, Stop> {
        let set = self.manager.var_set(levels)?;
        self.manager.exists(f, set, self.budget)
    }

    /// Conjunction, then [`Calculus::exists`].
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, levels: &[Level]) -> Result<Bdd, Stop> {
        let set = self.manager.var_set(levels)?;
        self.manager.and_exists(f, g, set, self.budget)
    }

    /// `f` with its variables replaced, all at once.
    pub fn rename(&mut self, f: Bdd, pairs: &[(Level, Level)]) -> Result<Bdd, Stop> {
        let map = self.manager.level_map(pairs);
        self.manager.rename(f, map, self.budget)
    }

    /// The variable at a level, or its negation.
    pub fn literal(&mut self, level: Level, value: bool) -> Result<Bdd, Stop> {
        self.manager.literal(level, value)
    }

    /// That each pair has equal values. Built from the bottom of the order, so that no intermediate result is
    /// large.
    pub fn equal(&mut self, pairs: &[(Level, Level)]) -> Result<Bdd, Stop> {
        let mut sorted = pairs.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted.into_iter().try_fold(Bdd::TRUE, |all, (a, b)| {
            let (a, b) = (self.literal(a, true)?, self.literal(b, true)?);
            let same = self.manager.iff(a, b, self.budget)?;
            self.and(all, same)
        })
    }

    /// That the levels hold this number, the least significant bit first.
    pub fn number(&mut self, levels: &[Level], number: usize) -> Result<Bdd, Stop> {
        // There may be more levels than a number has bits.
        let is_set = |bit: usize| number.checked_shr(bit as u32).is_some_and(|rest| rest & 1 == 1);
        let bits: Vec<_> = levels.iter().enumerate().map(|(bit, &level)| (level, is_set(bit))).collect();
        self.manager.cube(&bits)
    }

    /// All values that these levels have where `f` is true, in the order of `levels`; `None` if there are
    /// more than `most`.
    pub fn rows(&mut self, f: Bdd, levels: &[Level], most: usize) -> Result<Option<Vec<Vec<bool>>>, Stop> {
        let mut hidden = self.manager.support(f);
        hidden.retain(|level| !levels.contains(level));
        let shown = self.exists(f, &hidden)?;
        let mut rows: Vec<Vec<bool>> = vec![];
        for cube in self.manager.cubes(shown) {
            let fixed = |level: &Level| cube.binary_search_by_key(level, |it| it.0).ok().map(|at| cube[at].1);
            let free: Vec<usize> = (0..levels.len()).filter(|&at| fixed(&levels[at]).is_none()).collect();
            let count = u32::try_from(free.len()).ok().and_then(|free| 1usize.checked_shl(free));
            let Some(count) = count.filter(|count| rows.len() + count <= most) else { return Ok(None) };
            self.budget.spend(count as u64)?;
            let row: Vec<bool> = levels.iter().map(|level| fixed(level).unwrap_or(false)).collect();
            for number in 0..count {
                let mut row = row.clone();
                free.iter().enumerate().for_each(|(bit, &at)| row[at] = number >> bit & 1 == 1);
                rows.push(row);
            }
        }
        Ok(Some(rows))
    }
}
