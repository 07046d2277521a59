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

    /// The number of satisfying assignments to `variables` variables, among them all that `f` depends on.
    /// Exact up to rounding; infinite where an `f64` cannot hold it.
    pub fn sat_count(&self, f: Bdd, variables: u32) -> f64 {
        let share =
            weigh(self, f, Scaled { digits: 1.0, exponent: 0 }, Scaled::mean, &mut FxHashMap::default());
        share.map_or(0.0, |share| share.times_power(variables))
    }

    /// The same number exactly, `None` for more than 126 variables.
    pub fn sat_count_exact(&self, f: Bdd, variables: u32) -> Option<u128> {
        let all = 1u128.checked_shl(variables).filter(|_| variables <= 126)?;
        // Every sum is even: a function of k of the variables has a multiple of 2^(variables - k) models.
        let mean = |a: Option<u128>, b: Option<u128>| (a.unwrap_or(0) + b.unwrap_or(0)) / 2;
        Some(weigh(self, f, all, mean, &mut FxHashMap::default()).unwrap_or(0))
    }
}

/// The weight of a function: the whole for true, the mean of the cofactors' weights otherwise, nothing for
/// false. A function and its negation are weighed apart: subtracting from the whole would lose small weights
/// to rounding.
fn weigh<T: Copy>(
    manager: &Manager,
    f: Bdd,
    whole: T,
    mean: impl Fn(Option<T>, Option<T>) -> T + Copy,
    done: &mut FxHashMap<Bdd, T>,
) -> Option<T> {
    if f.is_constant() {
        return f.is_true().then_some(whole);
    }
    if let Some(&weight) = done.get(&f) {
        return Some(weight);
    }
    let (low, high) = manager.children(f);
    let weight = mean(weigh(manager, low, whole, mean, done), weigh(manager, high, whole, mean, done));
    done.insert(f, weight);
    Some(weight)
}

/// A positive number with its own exponent of two: shares of thousands of variables are too small for an
/// `f64`.
#[derive(Clone, Copy)]
struct Scaled {
    digits: f64,
    exponent: i32,
}

impl Scaled {
    fn mean(a: Option<Scaled>, b: Option<Scaled>) -> Scaled {
        let zero = Scaled { digits: 0.0, exponent: i32::MIN };
        let (a, b) = (a.unwrap_or(zero), b.unwrap_or(zero));
        let (large, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        let distance = i64::from(large.exponent) - i64::from(small.exponent);
        let digits = large.digits + small.digits * power(-distance);
        // Digits stay in 1..2: the half comes off the digits or off the exponent.
        if digits >= 2.0 {
            Scaled { digits: digits / 2.0, exponent: large.exponent }
        } else {
            Scaled { digits, exponent: large.exponent - 1 }
        }
    }

    fn times_power(self, exponent: u32) -> f64 {
        self.digits * power(i64::from(self.exponent) + i64::from(exponent))
    }
}

/// Two to this power, zero or infinite where an `f64` ends.
fn power(exponent: i64) -> f64 {
    2f64.powi(exponent.clamp(-2000, 2000) as i32)
}
