//! Expressions as formulas over choice variables.
//!
//! The paper makes a choice variable for each `*`. Each occurrence is chosen on its own, so what an expression may evaluate to is a
//! function of the variables it reads: a pair of formulas, "may be 1" and "may be 0", is exact, and one choice variable per evaluation
//! picks between them. Conditions, which must hold for some choice, need none at all.

use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Exprs, Node, Read};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use std::rc::Rc;

/// What an expression may evaluate to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// It may be 1.
    pub one: Lit,
    /// It may be 0.
    pub zero: Lit,
}

impl Range {
    /// The value of a formula.
    pub fn fixed(lit: Lit) -> Range {
        Range { one: lit, zero: !lit }
    }

    /// Whether there is no choice.
    pub fn is_fixed(self) -> bool {
        self.zero == !self.one
    }

    fn not(self) -> Range {
        Range { one: self.zero, zero: self.one }
    }

    /// One of the possible values, chosen by a fresh variable where there is a choice.
    pub fn value(self, aig: &mut Aig) -> Lit {
        if self.is_fixed() {
            return self.one;
        }
        let input = aig.new_input();
        let choice = aig.input(input);
        aig.ite(choice, self.one, !self.zero)
    }
}

/// The ranges of expressions that were evaluated in one context.
pub type Memo = FxHashMap<ExprId, Range>;

/// Evaluates the expressions of one pool; remembers what each is made of.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    below: FxHashMap<ExprId, Rc<[ExprId]>>,
}

impl Evaluator {
    /// The range of an expression, given the values of what it reads.
    pub fn range(
        &mut self,
        aig: &mut Aig,
        (exprs, root): (&Exprs, ExprId),
        memo: &mut Memo,
        read: &dyn Fn(Read) -> Lit,
        budget: &Budget,
    ) -> Result<Range, Stop> {
        if let Some(&known) = memo.get(&root) {
            return Ok(known);
        }
        let below = self.below.entry(root).or_insert_with(|| exprs.below(root).into());
        for &id in below.iter() {
            if !memo.contains_key(&id) {
                budget.spend(1)?;
                let range = combine(aig, exprs.node(id), memo, read);
                memo.insert(id, range);
            }
        }
        Ok(memo[&root])
    }
}

/// The range of an operator whose operands are known.
fn combine(aig: &mut Aig, node: Node, memo: &Memo, read: &dyn Fn(Read) -> Lit) -> Range {
    let of = |id: ExprId| memo[&id];
    match node {
        Node::Const(value) => Range::fixed(Lit::constant(value)),
        Node::Choice => Range { one: Lit::TRUE, zero: Lit::TRUE },
        Node::Read(it) => Range::fixed(read(it)),
        Node::Not(a) => of(a).not(),
        Node::And(a, b) => and(aig, of(a), of(b)),
        Node::Or(a, b) => and(aig, of(a).not(), of(b).not()).not(),
        Node::Implies(a, b) => and(aig, of(a), of(b).not()).not(),
        Node::Xor(a, b) => xor(aig, of(a), of(b)),
        Node::Equal(a, b) => xor(aig, of(a), of(b)).not(),
        // 1 if a, else 0 if b, else either.
        Node::Choose(a, b) => {
            let (a, b) = (of(a), of(b));
            let open = aig.and(a.zero, b.zero);
            Range { one: aig.or(a.one, open), zero: a.zero }
        }
        Node::Ite(a, b, c) => ite(aig, of(a), of(b), of(c)),
    }
}

fn and(aig: &mut Aig, a: Range, b: Range) -> Range {
    let one = aig.and(a.one, b.one);
    if a.is_fixed() && b.is_fixed() { Range::fixed(one) } else { Range { one, zero: aig.or(a.zero, b.zero) } }
}

fn xor(aig: &mut Aig, a: Range, b: Range) -> Range {
    if a.is_fixed() && b.is_fixed() {
        return Range::fixed(aig.xor(a.one, b.one));
    }
    let differ = [aig.and(a.one, b.zero), aig.and(a.zero, b.one)];
    let agree = [aig.and(a.one, b.one), aig.and(a.zero, b.zero)];
    Range { one: aig.or_all(differ), zero: aig.or_all(agree) }
}

fn ite(aig: &mut Aig, a: Range, b: Range, c: Range) -> Range {
    if a.is_fixed() && b.is_fixed() && c.is_fixed() {
        return Range::fixed(aig.ite(a.one, b.one, c.one));
    }
    let ones = [aig.and(a.one, b.one), aig.and(a.zero, c.one)];
    let zeros = [aig.and(a.one, b.zero), aig.and(a.zero, c.zero)];
    Range { one: aig.or_all(ones), zero: aig.or_all(zeros) }
}

/// The formula of a variable in a vector with one formula per variable.
pub fn at<I: Id>(formulas: &[Lit], id: I) -> Lit {
    formulas[id.index()]
}
