//! The work, written once for every decision diagram package. This file uses nothing but the trait below, so
//! that a scratch crate can include it and measure other packages on the same calls.

use std::collections::HashSet;
use std::hash::Hash;

/// What the workloads need of a package.
pub trait Package {
    /// A function.
    type F: Clone + Eq + Hash;
    /// A prepared set of variables.
    type Vars;
    /// A prepared renaming.
    type Map;
    fn constant(&mut self, value: bool) -> Self::F;
    fn var(&mut self, level: u32) -> Self::F;
    fn not(&mut self, f: &Self::F) -> Self::F;
    fn and(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    fn or(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    fn xor(&mut self, f: &Self::F, g: &Self::F) -> Self::F;
    fn vars(&mut self, levels: &[u32]) -> Self::Vars;
    fn map(&mut self, pairs: &[(u32, u32)]) -> Self::Map;
    fn and_exists(&mut self, f: &Self::F, g: &Self::F, vars: &Self::Vars) -> Self::F;
    fn rename(&mut self, f: &Self::F, map: &Self::Map) -> Self::F;
    /// Called between operations with everything that is still needed.
    fn tidy(&mut self, roots: &dyn Fn() -> Vec<Self::F>);
    fn models(&mut self, f: &Self::F, vars: u32) -> f64;
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(bound)) as u32
    }
}

/// All placements of n queens.
pub fn queens<P: Package>(p: &mut P, n: u32) -> f64 {
    let at: Vec<P::F> = (0..n * n).map(|level| p.var(level)).collect();
    let mut all = p.constant(true);
    for row in 0..n {
        let mut some = p.constant(false);
        for column in 0..n {
            let mut clear = p.constant(true);
            for other in (0..n * n).rev().filter(|&other| attacks(n, row * n + column, other)) {
                let none = p.not(&at[other as usize]);
                clear = p.and(&clear, &none);
            }
            let here = p.and(&at[(row * n + column) as usize], &clear);
            some = p.or(&some, &here);
        }
        all = p.and(&all, &some);
        p.tidy(&|| at.iter().chain([&all]).cloned().collect());
    }
    p.models(&all, n * n)
}

fn attacks(n: u32, a: u32, b: u32) -> bool {
    let ((x, y), (u, v)) = ((a / n, a % n), (b / n, b % n));
    a != b && (x == u || y == v || x.abs_diff(u) == y.abs_diff(v))
}

/// A guarded update of two bits.
struct Rule<P: Package> {
    relation: P::F,
    vars: P::Vars,
    map: P::Map,
}

/// Breadth-first reachability of a random system: current bits at even levels, next ones at odd.
pub fn reachability<P: Package>(p: &mut P, bits: u32, rules: u32, seed: u64) -> f64 {
    let mut random = Random(seed);
    let rules: Vec<Rule<P>> = (0..rules).map(|_| rule(p, bits, &mut random)).collect();
    let mut reached = p.constant(true);
    for bit in 0..bits {
        let var = p.var(2 * bit);
        let none = p.not(&var);
        reached = p.and(&reached, &none);
    }
    let mut frontier = reached.clone();
    let empty = p.constant(false);
    while frontier != empty {
        let mut next = empty.clone();
        for rule in &rules {
            let image = p.and_exists(&frontier, &rule.relation, &rule.vars);
            let image = p.rename(&image, &rule.map);
            next = p.or(&next, &image);
            let kept = [&reached, &frontier, &next, &empty];
            p.tidy(&|| rules.iter().map(|rule| &rule.relation).chain(kept).cloned().collect());
        }
        let old = p.not(&reached);
        frontier = p.and(&next, &old);
        reached = p.or(&reached, &frontier);
        p.tidy(&|| {
            rules.iter().map(|rule| &rule.relation).chain([&reached, &frontier, &empty]).cloned().collect()
        });
    }
    p.models(&reached, bits)
}

fn rule<P: Package>(p: &mut P, bits: u32, random: &mut Random) -> Rule<P> {
    let mut relation = p.constant(true);
    for _ in 0..2 {
        let literal = literal(p, bits, random);
        relation = p.and(&relation, &literal);
    }
    let first = random.below(bits);
    let second = (first + 1 + random.below(bits - 1)) % bits;
    for bit in [first, second] {
        let (a, b, c) = (literal(p, bits, random), literal(p, bits, random), literal(p, bits, random));
        let value = p.and(&a, &b);
        let value = p.xor(&value, &c);
        let next = p.var(2 * bit + 1);
        let differs = p.xor(&next, &value);
        let agrees = p.not(&differs);
        relation = p.and(&relation, &agrees);
    }
    let vars = p.vars(&[2 * first, 2 * second]);
    let map = p.map(&[(2 * first + 1, 2 * first), (2 * second + 1, 2 * second)]);
    Rule { relation, vars, map }
}

fn literal<P: Package>(p: &mut P, bits: u32, random: &mut Random) -> P::F {
    let var = p.var(2 * random.below(bits));
    if random.below(2) == 0 { p.not(&var) } else { var }
}

/// Many small functions of 24 variables, kept in a set as an engine keeps its states: how many are distinct.
pub fn small<P: Package>(p: &mut P, steps: u32) -> f64 {
    let mut random = Random(7);
    let mut pool: Vec<P::F> = (0..24).map(|level| p.var(level)).collect();
    let sets: Vec<P::Vars> = (0..12).map(|at| p.vars(&[at, at + 6, at + 12])).collect();
    let mut seen: HashSet<P::F> = HashSet::new();
    for _ in 0..steps {
        let pick =
            |random: &mut Random, pool: &[P::F]| pool[random.below(pool.len() as u32) as usize].clone();
        let (f, g) = (pick(&mut random, &pool), pick(&mut random, &pool));
        let made = match random.below(8) {
            0 => p.or(&f, &g),
            1 => p.xor(&f, &g),
            2 => p.and(&f, &g),
            _ => p.and_exists(&f, &g, &sets[random.below(12) as usize]),
        };
        seen.insert(made.clone());
        // A made function takes an old place, or a variable comes back: functions stay small.
        let place = random.below(64) as usize;
        let back = random.below(3) == 0;
        let next = if back { p.var(random.below(24)) } else { made };
        if place < pool.len() {
            pool[place] = next
        } else {
            pool.push(next)
        }
        p.tidy(&|| pool.iter().chain(&seen).cloned().collect());
    }
    seen.len() as f64
}
