//! Substitution: variables by variables, by constants, by functions, and into another manager.
//!
//! Renaming needs no proof that the order is kept: each node looks whether its new variable is above its
//! renamed children, and falls back to if-then-else where it is not.

use super::cache::{Key, Op};
use super::table::TERMINAL;
use super::{Bdd, Level, Manager};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;

/// A map from levels to levels, made by [`Manager::level_map`] and valid as long as its manager.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LevelMap(u32);

/// The maps of a manager. Equal maps get one number, so that their results meet in the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Maps {
    /// Indexed by map, then by level; levels past the end stay.
    targets: Vec<Vec<Level>>,
    numbers: FxHashMap<Vec<Level>, u32>,
}

impl Maps {
    #[inline]
    fn target(&self, map: u32, level: Level) -> Level {
        self.targets[map as usize].get(level as usize).copied().unwrap_or(level)
    }
}

impl Manager {
    /// The map that sends each first level to its second, all at once, and every other level to itself.
    pub fn level_map(&mut self, pairs: &[(Level, Level)]) -> LevelMap {
        let size = pairs.iter().map(|&(from, _)| from + 1).max().unwrap_or(0);
        let mut targets: Vec<Level> = (0..size).collect();
        for &(from, to) in pairs {
            targets[from as usize] = to;
        }
        while targets.last().is_some_and(|&last| last as usize + 1 == targets.len()) {
            targets.pop();
        }
        if let Some(&number) = self.maps.numbers.get(&targets) {
            return LevelMap(number);
        }
        let number = self.maps.targets.len() as u32;
        self.maps.numbers.insert(targets.clone(), number);
        self.maps.targets.push(targets);
        LevelMap(number)
    }

    /// `f` with its variables replaced as `map` says, all at once. Linear where the map keeps the order of
    /// the variables in `f`; right for any map, also one that sends two variables to one.
    pub fn rename(&mut self, f: Bdd, map: LevelMap, budget: &Budget) -> Result<Bdd, Stop> {
        let result = self.rename_step(f, map.0, budget)?;
        self.settle(result, budget)
    }

    /// `f` with some variables fixed. A variable given twice keeps its last value.
    pub fn cofactor(&mut self, f: Bdd, values: &[(Level, bool)], budget: &Budget) -> Result<Bdd, Stop> {
        let cube = self.cube(values)?;
        let result = self.cofactor_step(f, cube, budget)?;
        self.settle(result, budget)
    }

    /// The conjunction of literals. A variable given twice keeps its last value.
    pub fn cube(&mut self, values: &[(Level, bool)]) -> Result<Bdd, Stop> {
        let sorted: std::collections::BTreeMap<Level, bool> = values.iter().copied().collect();
        sorted.iter().rev().try_fold(Bdd::TRUE, |cube, (&level, &value)| {
            if value { self.make(level, Bdd::FALSE, cube) } else { self.make(level, cube, Bdd::FALSE) }
        })
    }

    /// `f` with variables replaced by functions, all at once.
    pub fn compose(&mut self, f: Bdd, by: &[(Level, Bdd)], budget: &Budget) -> Result<Bdd, Stop> {
        let by: FxHashMap<Level, Bdd> = by.iter().copied().collect();
        let result = self.compose_step(f, &by, &mut FxHashMap::default(), budget)?;
        self.settle(result, budget)
    }

    /// The function `f` of another manager, its variable at level `l` placed at `map(l)`: the way to another
    /// order.
    pub fn transfer(
        &mut self,
        from: &Manager,
        f: Bdd,
        map: impl Fn(Level) -> Level,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let mut transfer = Transfer { from, map, done: FxHashMap::default() };
        let result = transfer.step(self, f, budget)?;
        self.settle(result, budget)
    }

    /// `level ? high : low`, wherever the tops of `low` and `high` are.
    fn place(&mut self, level: Level, low: Bdd, high: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        if level < self.table.level(low) && level < self.table.level(high) {
            return self.make(level, low, high);
        }
        let var = self.var(level)?;
        self.ite_step(var, high, low, budget)
    }

    fn rename_step(&mut self, f: Bdd, map: u32, budget: &Budget) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        // Renaming and negation commute: one cache entry serves both signs.
        let sign = f.sign();
        let f = f.regular();
        let key = Key::rename(f, map);
        if let Some(result) = self.cache.get(key) {
            return Ok(result.signed(sign));
        }
        self.step(budget)?;
        let node = self.table.node(f);
        let low = self.rename_step(node.low, map, budget)?;
        let high = self.rename_step(node.high, map, budget)?;
        let result = self.place(self.maps.target(map, node.level), low, high, budget)?;
        Ok(self.remember(key, result)?.signed(sign))
    }

    fn cofactor_step(&mut self, f: Bdd, mut cube: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let sign = f.sign();
        let f = f.regular();
        let node = self.table.node(f);
        let mut first = self.table.level(cube);
        while first < node.level {
            let (low, high) = self.children(cube);
            cube = if low.is_false() { high } else { low };
            first = self.table.level(cube);
        }
        if f.is_constant() || first == TERMINAL {
            return Ok(f.signed(sign));
        }
        let key = Key::two(Op::Cofactor, f, cube);
        if let Some(result) = self.cache.get(key) {
            return Ok(result.signed(sign));
        }
        self.step(budget)?;
        let result = if first == node.level {
            let (low, high) = self.children(cube);
            let (kept, rest) = if low.is_false() { (node.high, high) } else { (node.low, low) };
            self.cofactor_step(kept, rest, budget)?
        } else {
            let low = self.cofactor_step(node.low, cube, budget)?;
            let high = self.cofactor_step(node.high, cube, budget)?;
            self.make(node.level, low, high)?
        };
        Ok(self.remember(key, result)?.signed(sign))
    }

    fn compose_step(
        &mut self,
        f: Bdd,
        by: &FxHashMap<Level, Bdd>,
        done: &mut FxHashMap<Bdd, Bdd>,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        let sign = f.sign();
        let f = f.regular();
        if let Some(&result) = done.get(&f) {
            return Ok(result.signed(sign));
        }
        self.step(budget)?;
        let node = self.table.node(f);
        let low = self.compose_step(node.low, by, done, budget)?;
        let high = self.compose_step(node.high, by, done, budget)?;
        let result = match by.get(&node.level) {
            Some(&test) => self.ite_step(test, high, low, budget)?,
            None => self.place(node.level, low, high, budget)?,
        };
        done.insert(f, result);
        Ok(result.signed(sign))
    }
}

struct Transfer<'a, M> {
    from: &'a Manager,
    map: M,
    done: FxHashMap<Bdd, Bdd>,
}

impl<M: Fn(Level) -> Level> Transfer<'_, M> {
    fn step(&mut self, to: &mut Manager, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        let sign = f.sign();
        let f = f.regular();
        if let Some(&result) = self.done.get(&f) {
            return Ok(result.signed(sign));
        }
        to.step(budget)?;
        let node = self.from.table.node(f);
        let low = self.step(to, node.low, budget)?;
        let high = self.step(to, node.high, budget)?;
        let result = to.place((self.map)(node.level), low, high, budget)?;
        self.done.insert(f, result);
        Ok(result.signed(sign))
    }
}
