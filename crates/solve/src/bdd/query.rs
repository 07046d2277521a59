//! Questions about functions that make no nodes: support, size, models and their number.

use super::{Bdd, Level, Manager};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

impl Manager {
    /// The levels of the variables `f` depends on, in order.
    pub fn support(&self, f: Bdd) -> Vec<Level> {
        self.support_of_all([f])
    }

    /// The levels of the variables that one of the functions depends on, in order.
    pub fn support_of_all(&self, functions: impl IntoIterator<Item = Bdd>) -> Vec<Level> {
        let mut levels = BTreeSet::new();
        self.visit(functions, |level| {
            levels.insert(level);
        });
        levels.into_iter().collect()
    }

    /// The nodes of all these functions together, shared ones counted once, constants not counted.
    pub fn node_count(&self, functions: impl IntoIterator<Item = Bdd>) -> usize {
        let mut count = 0;
        self.visit(functions, |_| count += 1);
        count
    }

    fn visit(&self, functions: impl IntoIterator<Item = Bdd>, mut each: impl FnMut(Level)) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Bdd> = functions.into_iter().collect();
        while let Some(f) = stack.pop() {
            if !f.is_constant() && seen.insert(f.index()) {
                let node = self.table.node(f);
                each(node.level);
                stack.extend([node.low, node.high]);
            }
        }
    }

    /// The value of `f` when `value` gives those of the variables.
    pub fn eval(&self, mut f: Bdd, value: impl Fn(Level) -> bool) -> bool {
        while let Some(level) = self.top_level(f) {
            let (low, high) = self.children(f);
            f = if value(level) { high } else { low };
        }
        f.is_true()
    }

    /// The number of satisfying assignments to `variables` variables, among them all that `f` depends on. Exact up to
    /// rounding; infinite where an `f64` cannot hold it.
    pub fn sat_count(&self, f: Bdd, variables: u32) -> f64 {
        let whole = Weight { whole: 1.0, complement: |part: f64| 1.0 - part, mean: |a, b| (a + b) / 2.0 };
        let share = whole.of(self, f, &mut FxHashMap::default());
        share * 2f64.powi(i32::try_from(variables).unwrap_or(i32::MAX))
    }

    /// The same number exactly, `None` for more than 126 variables.
    pub fn sat_count_exact(&self, f: Bdd, variables: u32) -> Option<u128> {
        let all = 1u128.checked_shl(variables).filter(|_| variables <= 126)?;
        // Every sum below is even: a function of k of the variables has a multiple of 2^(variables - k) models.
        let whole = Weight { whole: all, complement: |part: u128| all - part, mean: |a, b| (a + b) / 2 };
        Some(whole.of(self, f, &mut FxHashMap::default()))
    }
}

/// Weighs a function: the whole for true, half the sum of the cofactors' weights otherwise.
struct Weight<T, C, M> {
    whole: T,
    complement: C,
    mean: M,
}

impl<T: Copy, C: Fn(T) -> T, M: Fn(T, T) -> T> Weight<T, C, M> {
    fn of(&self, manager: &Manager, f: Bdd, done: &mut FxHashMap<usize, T>) -> T {
        let weight = match done.get(&f.index()) {
            _ if f.is_constant() => self.whole,
            Some(&weight) => weight,
            None => {
                let (low, high) = manager.children(f.regular());
                let weight = (self.mean)(self.of(manager, low, done), self.of(manager, high, done));
                done.insert(f.index(), weight);
                weight
            }
        };
        if f.sign() == 1 { (self.complement)(weight) } else { weight }
    }
}
