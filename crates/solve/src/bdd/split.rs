//! Splitting a function over shared and local variables into products: f = S1∧L1 ∨ S2∧L2 ∨ …, the S over
//! shared and the L over local variables only. The counter engines store such products (Basler et al.,
//! splicing; the printed way of splitting does not work, and this is the mended one).

use super::{Bdd, Level, Manager, VarSet};
use base::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

/// One product: `shared` and `local` hold together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    /// Over shared variables only.
    pub shared: Bdd,
    /// Over local variables only.
    pub local: Bdd,
}

impl Manager {
    /// The smallest exact split when all shared variables lie above `first_local`: each distinct function
    /// below is the local part of one product, and the paths to it are the shared part. Shared parts are
    /// disjoint, local parts differ. None for false.
    pub fn split_products(
        &mut self,
        f: Bdd,
        first_local: Level,
        budget: &Budget,
    ) -> Result<Vec<Product>, Stop> {
        let mut products = vec![];
        for local in self.functions_below(f, first_local) {
            let mut done = FxHashMap::default();
            let shared = self.paths_to(f, local, first_local, &mut done, budget)?;
            products.push(Product { shared, local });
        }
        self.settle(products, budget)
    }

    /// An exact split for any order: while `f` is no product, branch on a shared variable that changes the
    /// local part, or else on any that `f` does not fix. Shared parts are disjoint; two products may have the
    /// same local part.
    pub fn split_products_by_cofactors(
        &mut self,
        f: Bdd,
        shared: VarSet,
        local: VarSet,
        budget: &Budget,
    ) -> Result<Vec<Product>, Stop> {
        let mut products = vec![];
        let mut pending = vec![f];
        while let Some(f) = pending.pop() {
            if f.is_false() {
                continue;
            }
            let product =
                Product { shared: self.exists(f, local, budget)?, local: self.exists(f, shared, budget)? };
            if self.and(product.shared, product.local, budget)? == f {
                products.push(product);
                continue;
            }
            let level = self.level_to_split(f, shared, budget)?;
            let var = self.var(level)?;
            pending.push(self.and(f, var, budget)?);
            pending.push(self.and(f, !var, budget)?);
        }
        Ok(products)
    }

    fn level_to_split(&mut self, f: Bdd, shared: VarSet, budget: &Budget) -> Result<Level, Stop> {
        let mut unfixed = None;
        for level in self.levels_of(shared) {
            let zero = self.cofactor(f, &[(level, false)], budget)?;
            let one = self.cofactor(f, &[(level, true)], budget)?;
            if zero.is_false() || one.is_false() || zero == one {
                continue;
            }
            if self.exists(zero, shared, budget)? != self.exists(one, shared, budget)? {
                return Ok(level);
            }
            unfixed = unfixed.or(Some(level));
        }
        Ok(unfixed.expect("a function that fixes or ignores every shared variable is a product"))
    }

    /// The distinct functions other than false at the ends of the paths through the levels above `below`, in
    /// the order in which a walk that takes 0 first meets them.
    fn functions_below(&self, f: Bdd, below: Level) -> Vec<Bdd> {
        let mut found = vec![];
        let mut seen = FxHashSet::default();
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            if f.is_false() || !seen.insert(f) {
                continue;
            }
            if self.table.level(f) >= below {
                found.push(f);
            } else {
                let (low, high) = self.children(f);
                stack.extend([high, low]);
            }
        }
        found
    }

    /// True on the paths through the levels above `below` that end in `goal`.
    fn paths_to(
        &mut self,
        f: Bdd,
        goal: Bdd,
        below: Level,
        done: &mut FxHashMap<Bdd, Bdd>,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let level = self.table.level(f);
        if level >= below {
            return Ok(Bdd::constant(f == goal));
        }
        if let Some(&result) = done.get(&f) {
            return Ok(result);
        }
        self.step(budget)?;
        let (low, high) = self.children(f);
        let low = self.paths_to(low, goal, below, done, budget)?;
        let high = self.paths_to(high, goal, below, done, budget)?;
        let result = self.make(level, low, high)?;
        done.insert(f, result);
        Ok(result)
    }
}
