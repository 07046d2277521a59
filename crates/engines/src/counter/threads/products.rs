//! Splitting sets into products, where a step ends.

use super::super::group::Control;
use super::{Joint, SymbolicOutcome, SymbolicThreads};
use crate::encoding::Slot;
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Product};

impl SymbolicThreads<'_> {
    /// Splits a set into products and adds them.
    pub(super) fn finish(
        &mut self,
        set: Joint,
        at: Option<Control>,
        child: Option<Control>,
        budget: &Budget,
        list: &mut Vec<SymbolicOutcome>,
    ) -> Result<(), Stop> {
        for product in self.products(set, budget)? {
            let Some(child) = child else {
                let local = at.map(|at| (at, product.local));
                list.push(SymbolicOutcome { shared: product.shared, local, child: None });
                continue;
            };
            for (own, born) in self.apart(product.local, budget)? {
                let local = at.map(|at| (at, own));
                list.push(SymbolicOutcome { shared: product.shared, local, child: Some((child, born)) });
            }
        }
        Ok(())
    }

    /// The smallest number of products.
    fn products(&mut self, set: Joint, budget: &Budget) -> Result<Vec<Product>, Stop> {
        let set = match set {
            _ if set.is_empty() => return Ok(vec![]),
            Joint::Product(product) => return Ok(vec![product]),
            Joint::Mixed(set) => set,
        };
        let manager = &mut self.encoding.manager;
        let products = manager.split_products(set, self.encoding.space.first_local(), budget)?;
        if products.len() > 1 {
            self.counts[2] += 1;
            self.counts[3] += products.len() as u64;
        }
        Ok(products)
    }

    fn joined(&mut self, products: Vec<Product>, budget: &Budget) -> Result<Vec<Product>, Stop> {
        let mut joined: Vec<Product> = vec![];
        let mut numbers: FxHashMap<Bdd, usize> = FxHashMap::default();
        for product in products {
            match numbers.get(&product.local) {
                Some(&number) => {
                    let old = joined[number].shared;
                    joined[number].shared = self.encoding.manager.or(old, product.shared, budget)?;
                }
                None => {
                    numbers.insert(product.local, joined.len());
                    joined.push(product);
                }
            }
        }
        Ok(joined)
    }

    /// Takes a creator and its child apart: pairs of a set of the one and a set of the other, the child's in
    /// the slot of an active thread.
    fn apart(&mut self, both: Bdd, budget: &Budget) -> Result<Vec<(Bdd, Bdd)>, Stop> {
        let encoding = &mut self.encoding;
        let (own, passive) = (encoding.all_own, encoding.all_passive);
        let products = encoding.manager.split_products_by_cofactors(both, passive, own, budget)?;
        let products = self.joined(products, budget)?;
        let encoding = &mut self.encoding;
        let map = encoding.space.map(&mut encoding.manager, Slot::Passive, Slot::Own);
        let rename = |it: Product| Ok((it.local, encoding.manager.rename(it.shared, map, budget)?));
        products.into_iter().map(rename).collect()
    }
}
