//! The one fold over expressions: where the value may be 0, and where it may be 1.
//!
//! Each `*` is a choice of its own, so that operands choose independently of each other: the range of an
//! operator follows from the ranges of its operands and is exact, and no variable stands for a choice. What
//! the two functions are is up to an [`Algebra`]: decision diagrams over levels, or and-inverter formulas.
//! Only [`crate::code`] evaluates expressions in another way, on single states, for speed.

use base::{Budget, Stop};
use ir::bp::{ExprId, Exprs, Node, Read};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use solve::bdd::{Bdd, Level, Manager};
use std::ops::Not;

/// What expressions are evaluated to.
pub trait Algebra {
    /// A Boolean function; `!` negates it.
    type Value: Copy + PartialEq + Not<Output = Self::Value>;

    /// The constant 1.
    const ONE: Self::Value;

    /// The variable that an expression reads.
    fn read(&mut self, read: Read) -> Result<Self::Value, Stop>;

    /// Conjunction.
    fn and(&mut self, a: Self::Value, b: Self::Value) -> Result<Self::Value, Stop>;

    /// Disjunction.
    fn or(&mut self, a: Self::Value, b: Self::Value) -> Result<Self::Value, Stop> {
        Ok(!self.and(!a, !b)?)
    }

    /// If-then-else.
    fn ite(&mut self, a: Self::Value, b: Self::Value, c: Self::Value) -> Result<Self::Value, Stop>;
}

/// What an expression may evaluate to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range<V> {
    /// Where it may be 0.
    pub zero: V,
    /// Where it may be 1.
    pub one: V,
}

impl<V: Copy + PartialEq + Not<Output = V>> Range<V> {
    /// The value of a function.
    pub fn fixed(one: V) -> Self {
        Range { zero: !one, one }
    }

    /// Whether there is no choice.
    pub fn is_fixed(self) -> bool {
        self.zero == !self.one
    }

    /// Where it may have this value.
    pub fn may_be(self, value: bool) -> V {
        if value { self.one } else { self.zero }
    }
}

impl<V> Not for Range<V> {
    type Output = Self;

    fn not(self) -> Self {
        Range { zero: self.one, one: self.zero }
    }
}

/// The ranges of expressions that were evaluated in one context.
pub type Memo<V> = FxHashMap<ExprId, Range<V>>;

/// The range of an expression; what was evaluated before is looked up.
pub fn range<A: Algebra>(
    algebra: &mut A,
    exprs: &Exprs,
    root: ExprId,
    memo: &mut Memo<A::Value>,
) -> Result<Range<A::Value>, Stop> {
    if !memo.contains_key(&root) {
        extend(algebra, exprs, &exprs.below(root), memo)?;
    }
    Ok(memo[&root])
}

/// Evaluates expressions, operands first.
pub fn extend<A: Algebra>(
    algebra: &mut A,
    exprs: &Exprs,
    order: &[ExprId],
    memo: &mut Memo<A::Value>,
) -> Result<(), Stop> {
    for &id in order {
        if !memo.contains_key(&id) {
            let range = combine(algebra, exprs.node(id), memo)?;
            memo.insert(id, range);
        }
    }
    Ok(())
}

fn combine<A: Algebra>(algebra: &mut A, node: Node, memo: &Memo<A::Value>) -> Result<Range<A::Value>, Stop> {
    let of = |id: ExprId| memo[&id];
    Ok(match node {
        Node::Const(value) => Range::fixed(if value { A::ONE } else { !A::ONE }),
        Node::Choice => Range { zero: A::ONE, one: A::ONE },
        Node::Read(read) => Range::fixed(algebra.read(read)?),
        Node::Not(a) => !of(a),
        Node::And(a, b) => and(algebra, of(a), of(b))?,
        Node::Or(a, b) => !and(algebra, !of(a), !of(b))?,
        Node::Implies(a, b) => !and(algebra, of(a), !of(b))?,
        Node::Xor(a, b) => ite(algebra, of(a), !of(b), of(b))?,
        Node::Equal(a, b) => ite(algebra, of(a), of(b), !of(b))?,
        // 1 if a, else 0 if b, else either.
        Node::Choose(a, b) => {
            let (a, b) = (of(a), of(b));
            let free = algebra.and(a.zero, b.zero)?;
            Range { zero: a.zero, one: algebra.or(a.one, free)? }
        }
        Node::Ite(a, b, c) => ite(algebra, of(a), of(b), of(c))?,
    })
}

fn and<A: Algebra>(algebra: &mut A, a: Range<A::Value>, b: Range<A::Value>) -> Result<Range<A::Value>, Stop> {
    let one = algebra.and(a.one, b.one)?;
    match a.is_fixed() && b.is_fixed() {
        true => Ok(Range::fixed(one)),
        false => Ok(Range { zero: algebra.or(a.zero, b.zero)?, one }),
    }
}

fn ite<A: Algebra>(
    algebra: &mut A,
    test: Range<A::Value>,
    then: Range<A::Value>,
    other: Range<A::Value>,
) -> Result<Range<A::Value>, Stop> {
    if test.is_fixed() && then.is_fixed() && other.is_fixed() {
        return Ok(Range::fixed(algebra.ite(test.one, then.one, other.one)?));
    }
    let mut either = |then: A::Value, other: A::Value| {
        let (then, other) = (algebra.and(test.one, then)?, algebra.and(test.zero, other)?);
        algebra.or(then, other)
    };
    Ok(Range { zero: either(then.zero, other.zero)?, one: either(then.one, other.one)? })
}

/// Decision diagrams; `level` says which variable a reading is.
pub struct Diagrams<'a, F> {
    /// The diagrams.
    pub manager: &'a mut Manager,
    /// The levels of readings.
    pub level: F,
    /// What pays for them.
    pub budget: &'a Budget,
}

impl<F: Fn(Read) -> Level> Algebra for Diagrams<'_, F> {
    type Value = Bdd;

    const ONE: Bdd = Bdd::TRUE;

    fn read(&mut self, read: Read) -> Result<Bdd, Stop> {
        self.manager.var((self.level)(read))
    }

    fn and(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.manager.and(a, b, self.budget)
    }

    fn ite(&mut self, a: Bdd, b: Bdd, c: Bdd) -> Result<Bdd, Stop> {
        self.manager.ite(a, b, c, self.budget)
    }
}

/// And-inverter formulas; `formula` says what a reading stands for.
pub struct Formulas<'a, F> {
    /// The formulas.
    pub aig: &'a mut Aig,
    /// The formulas of readings.
    pub formula: F,
    /// What pays for them.
    pub budget: &'a Budget,
}

impl<F: Fn(Read) -> Lit> Algebra for Formulas<'_, F> {
    type Value = Lit;

    const ONE: Lit = Lit::TRUE;

    fn read(&mut self, read: Read) -> Result<Lit, Stop> {
        Ok((self.formula)(read))
    }

    fn and(&mut self, a: Lit, b: Lit) -> Result<Lit, Stop> {
        self.budget.spend(1)?;
        Ok(self.aig.and(a, b))
    }

    fn ite(&mut self, a: Lit, b: Lit, c: Lit) -> Result<Lit, Stop> {
        self.budget.spend(1)?;
        Ok(self.aig.ite(a, b, c))
    }
}
