//! Boolean connectives. Everything is conjunction, exclusive or, or if-then-else; negation is free.

use super::cache::{Key, Op};
use super::{Bdd, Manager};
use base::{Budget, Stop};

impl Manager {
    /// Conjunction.
    pub fn and(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let result = self.and_step(f, g, budget)?;
        self.settle(result, budget)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        Ok(!self.and(!f, !g, budget)?)
    }

    /// `f` and not `g`: set difference.
    pub fn diff(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        self.and(f, !g, budget)
    }

    /// Exclusive or.
    pub fn xor(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let result = self.xor_step(f, g, budget)?;
        self.settle(result, budget)
    }

    /// Equivalence.
    pub fn iff(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        Ok(!self.xor(f, g, budget)?)
    }

    /// Implication, as a function; see [`Manager::leq`] for the test.
    pub fn implies(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        Ok(!self.and(f, !g, budget)?)
    }

    /// If `f` then `g` else `h`.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let result = self.ite_step(f, g, h, budget)?;
        self.settle(result, budget)
    }

    /// The conjunction of all of them; true if there are none.
    pub fn and_all(
        &mut self,
        functions: impl IntoIterator<Item = Bdd>,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        functions.into_iter().try_fold(Bdd::TRUE, |all, f| self.and(all, f, budget))
    }

    /// The disjunction of all of them; false if there are none.
    pub fn or_all(&mut self, functions: impl IntoIterator<Item = Bdd>, budget: &Budget) -> Result<Bdd, Stop> {
        functions.into_iter().try_fold(Bdd::FALSE, |all, f| self.or(all, f, budget))
    }

    /// Whether `f` implies `g`, without building the implication.
    pub fn leq(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<bool, Stop> {
        self.disjoint(f, !g, budget)
    }

    /// Whether no assignment satisfies both, without building the conjunction.
    pub fn disjoint(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<bool, Stop> {
        let result = self.disjoint_step(f, g, budget)?;
        self.settle(result, budget)
    }

    pub(super) fn and_step(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        if let Some(result) = easy_and(f, g) {
            return Ok(result);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = Key::two(Op::And, f, g);
        if let Some(result) = self.cache.get(key) {
            return Ok(result);
        }
        self.step(budget)?;
        let (node_f, node_g) = (self.table.node(f), self.table.node(g));
        let level = node_f.level.min(node_g.level);
        let (f0, f1) = Self::branch(f, node_f, level);
        let (g0, g1) = Self::branch(g, node_g, level);
        let low = self.and_step(f0, g0, budget)?;
        let high = self.and_step(f1, g1, budget)?;
        let result = self.make(level, low, high)?;
        self.remember(key, result)
    }

    pub(super) fn or_step(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        Ok(!self.and_step(!f, !g, budget)?)
    }

    fn xor_step(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let sign = f.sign() ^ g.sign();
        let (f, g) = (f.regular(), g.regular());
        if f == g {
            return Ok(Bdd::FALSE.signed(sign));
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if f.is_true() {
            return Ok(g.signed(1 ^ sign));
        }
        let key = Key::two(Op::Xor, f, g);
        if let Some(result) = self.cache.get(key) {
            return Ok(result.signed(sign));
        }
        self.step(budget)?;
        let (node_f, node_g) = (self.table.node(f), self.table.node(g));
        let level = node_f.level.min(node_g.level);
        let (f0, f1) = Self::branch(f, node_f, level);
        let (g0, g1) = Self::branch(g, node_g, level);
        let low = self.xor_step(f0, g0, budget)?;
        let high = self.xor_step(f1, g1, budget)?;
        let result = self.make(level, low, high)?;
        Ok(self.remember(key, result)?.signed(sign))
    }

    pub(super) fn ite_step(&mut self, f: Bdd, g: Bdd, h: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        // A positive test and a positive then-branch, so that equal functions meet in the cache.
        let (f, g, h) = if f.sign() == 1 { (!f, h, g) } else { (f, g, h) };
        if f.is_true() || g == h {
            return Ok(g);
        }
        if g == !h {
            return self.xor_step(f, h, budget);
        }
        if g.is_true() || g == f {
            return self.or_step(f, h, budget);
        }
        if g.is_false() || g == !f {
            return self.and_step(!f, h, budget);
        }
        if h.is_false() || h == f {
            return self.and_step(f, g, budget);
        }
        if h.is_true() || h == !f {
            return self.or_step(!f, g, budget);
        }
        let sign = g.sign();
        let result = self.real_ite(f, g.signed(sign), h.signed(sign), budget)?;
        Ok(result.signed(sign))
    }

    /// If-then-else of three functions no two of which are related.
    fn real_ite(&mut self, f: Bdd, g: Bdd, h: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let key = Key::ite(f, g, h);
        if let Some(result) = self.cache.get(key) {
            return Ok(result);
        }
        self.step(budget)?;
        let (node_f, node_g, node_h) = (self.table.node(f), self.table.node(g), self.table.node(h));
        let level = node_f.level.min(node_g.level).min(node_h.level);
        let (f0, f1) = Self::branch(f, node_f, level);
        let (g0, g1) = Self::branch(g, node_g, level);
        let (h0, h1) = Self::branch(h, node_h, level);
        let low = self.ite_step(f0, g0, h0, budget)?;
        let high = self.ite_step(f1, g1, h1, budget)?;
        let result = self.make(level, low, high)?;
        self.remember(key, result)
    }

    fn disjoint_step(&mut self, f: Bdd, g: Bdd, budget: &Budget) -> Result<bool, Stop> {
        if let Some(result) = easy_and(f, g) {
            return Ok(result.is_false());
        }
        // No high edge is complemented, so an unsigned function is true when all variables are: two of them
        // meet there.
        if f.sign() == 0 && g.sign() == 0 {
            return Ok(false);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = Key::two(Op::Disjoint, f, g);
        if let Some(result) = self.cache.get(key) {
            return Ok(result.is_true());
        }
        self.step(budget)?;
        let (node_f, node_g) = (self.table.node(f), self.table.node(g));
        let level = node_f.level.min(node_g.level);
        let (f0, f1) = Self::branch(f, node_f, level);
        let (g0, g1) = Self::branch(g, node_g, level);
        let result = self.disjoint_step(f0, g0, budget)? && self.disjoint_step(f1, g1, budget)?;
        self.remember(key, Bdd::constant(result))?;
        Ok(result)
    }
}

/// The conjunction, where it needs no look at the nodes.
#[inline]
pub(super) fn easy_and(f: Bdd, g: Bdd) -> Option<Bdd> {
    if f.is_false() || g.is_false() || f == !g {
        Some(Bdd::FALSE)
    } else if f.is_true() || f == g {
        Some(g)
    } else if g.is_true() {
        Some(f)
    } else {
        None
    }
}
