//! Quantification, and the relational product that conjoins and quantifies in one pass.

use super::apply::easy_and;
use super::cache::{Key, Op};
use super::table::TERMINAL;
use super::{Bdd, Level, Manager};
use base::{Budget, Stop};

/// A set of variables, made by [`Manager::var_set`] and valid as long as its manager.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VarSet {
    /// The conjunction of the variables; each suffix of the set is a node of its own, which serves as a cache
    /// key.
    pub(super) cube: Bdd,
}

impl Manager {
    /// The set of these variables, in any order. It is never collected.
    pub fn var_set(&mut self, levels: &[Level]) -> Result<VarSet, Stop> {
        let mut sorted = levels.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let cube =
            sorted.iter().rev().try_fold(Bdd::TRUE, |cube, &level| self.make(level, Bdd::FALSE, cube))?;
        Ok(VarSet { cube: self.protect(cube) })
    }

    /// The levels of a set, in order.
    pub fn levels_of(&self, set: VarSet) -> Vec<Level> {
        let mut levels = vec![];
        let mut cube = set.cube;
        while let Some(level) = self.top_level(cube) {
            levels.push(level);
            cube = self.children(cube).1;
        }
        levels
    }

    /// Existential quantification: true where some values of `vars` make `f` true.
    pub fn exists(&mut self, f: Bdd, vars: VarSet, budget: &Budget) -> Result<Bdd, Stop> {
        let result = self.exists_step(f, vars.cube, budget)?;
        self.settle(result, budget)
    }

    /// Universal quantification: true where all values of `vars` make `f` true.
    pub fn forall(&mut self, f: Bdd, vars: VarSet, budget: &Budget) -> Result<Bdd, Stop> {
        Ok(!self.exists(!f, vars, budget)?)
    }

    /// `exists(and(f, g), vars)` without building the conjunction: the relational product.
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, vars: VarSet, budget: &Budget) -> Result<Bdd, Stop> {
        let result = self.and_exists_step(f, g, vars.cube, budget)?;
        self.settle(result, budget)
    }

    /// The part of the cube at or below `level`.
    #[inline]
    fn cube_from(&self, mut cube: Bdd, level: Level) -> (Bdd, Level) {
        loop {
            let node = self.table.node(cube);
            if node.level >= level {
                return (cube, node.level);
            }
            cube = node.high;
        }
    }

    fn exists_step(&mut self, f: Bdd, cube: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        let node = self.table.node(f);
        let (cube, first) = self.cube_from(cube, node.level);
        if first == TERMINAL {
            return Ok(f);
        }
        let key = Key::two(Op::Exists, f, cube);
        if let Some(result) = self.cache.get(key) {
            return Ok(result);
        }
        self.step(budget)?;
        let (f0, f1) = Self::branch(f, node, node.level);
        let low = self.exists_step(f0, cube, budget)?;
        let result = if first == node.level {
            if low.is_true() {
                low
            } else {
                let high = self.exists_step(f1, cube, budget)?;
                self.or_step(low, high, budget)?
            }
        } else {
            let high = self.exists_step(f1, cube, budget)?;
            self.make(node.level, low, high)?
        };
        self.remember(key, result)
    }

    fn and_exists_step(&mut self, f: Bdd, g: Bdd, cube: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        if let Some(single) = easy_and(f, g) {
            return self.exists_step(single, cube, budget);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let (node_f, node_g) = (self.table.node(f), self.table.node(g));
        let level = node_f.level.min(node_g.level);
        let (cube, first) = self.cube_from(cube, level);
        if first == TERMINAL {
            return self.and_step(f, g, budget);
        }
        let key = Key::and_exists(f, g, cube);
        if let Some(result) = self.cache.get(key) {
            return Ok(result);
        }
        self.step(budget)?;
        let (f0, f1) = Self::branch(f, node_f, level);
        let (g0, g1) = Self::branch(g, node_g, level);
        let low = self.and_exists_step(f0, g0, cube, budget)?;
        let result = if first == level {
            if low.is_true() {
                low
            } else {
                let high = self.and_exists_step(f1, g1, cube, budget)?;
                self.or_step(low, high, budget)?
            }
        } else {
            let high = self.and_exists_step(f1, g1, cube, budget)?;
            self.make(level, low, high)?
        };
        self.remember(key, result)
    }
}
