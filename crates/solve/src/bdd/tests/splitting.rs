//! Splits are exact, and the one below the shared variables is the smallest.

use super::*;
use crate::bdd::Product;

const SHARED: Level = 3;

fn check(m: &mut Manager, f: Bdd, products: &[Product], is_shared: impl Fn(Level) -> bool) {
    let budget = free();
    let mut all = Bdd::FALSE;
    for (at, product) in products.iter().enumerate() {
        assert!(m.support(product.shared).into_iter().all(&is_shared));
        assert!(!m.support(product.local).into_iter().any(&is_shared));
        assert!(!product.shared.is_false() && !product.local.is_false());
        for other in &products[..at] {
            assert_eq!(m.disjoint(product.shared, other.shared, &budget), Ok(true));
        }
        let both = m.and(product.shared, product.local, &budget).expect("nothing stops it");
        all = m.or(all, both, &budget).expect("nothing stops it");
    }
    assert_eq!(all, f);
}

#[test]
fn random_functions() {
    let budget = free();
    let mut random = Random::new(11);
    let mut m = Manager::default();
    let top = [m.var_set(&[0, 1, 2]), m.var_set(&[3, 4, 5])].map(|set| set.expect("nothing stops it"));
    let mixed = [m.var_set(&[1, 3, 4]), m.var_set(&[0, 2, 5])].map(|set| set.expect("nothing stops it"));
    for _ in 0..2000 {
        let t = random_table(&mut random);
        let f = build(&mut m, t);
        let smallest = m.split_products(f, SHARED, &budget).expect("nothing stops it");
        check(&mut m, f, &smallest, |level| level < SHARED);
        // Disjoint shared parts need one product for each distinct non-empty set of locals.
        let mut locals: Vec<u64> =
            (0..8).map(|s| (0..8).fold(0, |l, x| l | (t >> (s + 8 * x) & 1) << x)).collect();
        locals.retain(|&local| local != 0);
        locals.sort_unstable();
        locals.dedup();
        assert_eq!(smallest.len(), locals.len());
        let pieces = m.split_products_by_cofactors(f, top[0], top[1], &budget).expect("nothing stops it");
        check(&mut m, f, &pieces, |level| level < SHARED);
        let pieces = m.split_products_by_cofactors(f, mixed[0], mixed[1], &budget).expect("nothing stops it");
        check(&mut m, f, &pieces, |level| [1, 3, 4].contains(&level));
    }
}

/// `s := l` and `s1 := s2 xor l`: the second has no single variable that changes the local part.
#[test]
fn the_cases_that_need_each_branch() {
    let budget = free();
    let mut m = Manager::default();
    let shared = m.var_set(&[0, 1]).expect("nothing stops it");
    let local = m.var_set(&[3]).expect("nothing stops it");
    let vars: Vec<Bdd> = [0, 1, 3].iter().map(|&l| m.var(l).expect("nothing stops it")).collect();
    let copy = m.iff(vars[0], vars[2], &budget).expect("nothing stops it");
    let parity = m.xor(vars[1], vars[2], &budget).expect("nothing stops it");
    let parity = m.iff(vars[0], parity, &budget).expect("nothing stops it");
    for (f, cofactor_pieces) in [(copy, 2), (parity, 4)] {
        let smallest = m.split_products(f, SHARED, &budget).expect("nothing stops it");
        assert_eq!(smallest.len(), 2);
        check(&mut m, f, &smallest, |level| level < SHARED);
        let pieces = m.split_products_by_cofactors(f, shared, local, &budget).expect("nothing stops it");
        assert_eq!(pieces.len(), cofactor_pieces);
        check(&mut m, f, &pieces, |level| level < SHARED);
    }
}
