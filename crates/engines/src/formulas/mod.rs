//! Sets of states as formulas over choice variables (Cook, Kroening and Sharygina, SPIN 2005 and FMCAD 2006),
//! for every engine that works on them: how expressions become formulas, and canonical forms of sets.
//!
//! The paper makes a choice variable for each `*`. Here one choice variable per evaluation picks between the
//! values that [`crate::evaluate`] finds possible. Conditions, which must hold for some choice, need none at
//! all.

pub mod canonical;

use crate::evaluate::{self, Formulas, Memo, Range};
use base::Stop;
use ir::bp::{ExprId, Exprs, Read};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use std::rc::Rc;

/// Evaluates the expressions of one pool again and again; remembers what each is made of.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    below: FxHashMap<ExprId, Rc<[ExprId]>>,
}

impl Evaluator {
    /// The range of an expression.
    pub fn range<F: Fn(Read) -> Lit>(
        &mut self,
        formulas: &mut Formulas<'_, F>,
        exprs: &Exprs,
        root: ExprId,
        memo: &mut Memo<Lit>,
    ) -> Result<Range<Lit>, Stop> {
        if !memo.contains_key(&root) {
            let below = self.below.entry(root).or_insert_with(|| exprs.below(root).into());
            evaluate::extend(formulas, exprs, below, memo)?;
        }
        Ok(memo[&root])
    }
}

/// One of the possible values, chosen by a fresh variable where there is a choice.
pub fn choose(aig: &mut Aig, range: Range<Lit>) -> Lit {
    if range.is_fixed() {
        return range.one;
    }
    let input = aig.new_input();
    let choice = aig.input(input);
    aig.ite(choice, range.one, !range.zero)
}
