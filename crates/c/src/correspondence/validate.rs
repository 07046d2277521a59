//! Whether a correspondence is about two programs at all: its pairs are control locations of them, its facts
//! about values that are there. Whether they hold is for `check::c::passes` to say.

use super::{Correspondence, Fact, OldValue, Pair};
use crate::effects::Control;
use crate::expr::{ExprId, Node};
use crate::program::{Loc, LocalScope, Program};
use crate::types::ObjectScope;
use base::Id;

impl Correspondence {
    /// What is wrong with it, if something is.
    pub fn validate(&self, old: &Program, new: &Program) -> Result<(), &'static str> {
        for pair in &self.pairs {
            if !pair.is_of(old, new) {
                return Err("a pair is not about locations of the programs");
            }
            if !pair.facts.iter().all(|fact| self.is_fact(old, new, pair, fact)) {
                return Err("a fact is about what is not there");
            }
        }
        // What a return leaves alone belongs to the thread: no frame is the same on both sides of it.
        let thread = Pair { stack: vec![], new: None, facts: vec![] };
        let lasts = |fact: &Fact| match *fact {
            Fact::New { value, .. } => self.is_fact(old, new, &thread, fact) && self.has_no_address(value),
            Fact::Outside => true,
            Fact::Old { .. } | Fact::Alive { .. } | Fact::Exists { .. } => false,
        };
        if self.returns.iter().all(lasts) {
            Ok(())
        } else {
            Err("a fact about returns is not one of the thread")
        }
    }

    fn is_fact(&self, old: &Program, new: &Program, pair: &Pair, fact: &Fact) -> bool {
        match *fact {
            Fact::New { local, value } => {
                let scope = new.locals().get(local).map(|it| it.scope);
                let own = pair.new.map(|at| LocalScope::Procedure(new.at(at).procedure));
                let known = scope == Some(LocalScope::Thread) || scope.is_some() && scope == own;
                known && self.is_expression(old, pair, value)
            }
            Fact::Old { value, equals } => pair.has(old, value) && self.is_expression(old, pair, equals),
            Fact::Alive { frame, object } => {
                self.promoted.contains(&object) && pair.has(old, OldValue::Cell { frame, object, offset: 0 })
            }
            Fact::Exists { object } => {
                let own = pair.new.map(|at| ObjectScope::Procedure(new.at(at).procedure));
                own.is_some() && new.objects().get(object).map(|it| it.scope) == own
            }
            Fact::Outside => true,
        }
    }

    fn is_expression(&self, old: &Program, pair: &Pair, e: ExprId) -> bool {
        let has = |number| self.value(number).is_some_and(|value| pair.has(old, value));
        e.index() < self.exprs.len() && self.exprs.locals(e).into_iter().all(has)
    }

    fn has_no_address(&self, e: ExprId) -> bool {
        self.exprs.below(e).into_iter().all(|it| !matches!(self.exprs.node(it), Node::Address(_)))
    }
}

impl Pair {
    /// Whether its locations are those of the programs: each of the stack but the last calls the procedure of
    /// the next.
    fn is_of(&self, old: &Program, new: &Program) -> bool {
        let known = |loc: Loc| old.locations().get(loc).is_some();
        let calls = |it: &[Loc]| old.effects(it[0]).control == Control::Call(old.at(it[1]).procedure);
        !self.stack.is_empty()
            && self.stack.iter().all(|&loc| known(loc))
            && self.stack.windows(2).all(calls)
            && self.new.is_none_or(|at| new.locations().get(at).is_some())
    }

    /// Whether a frame of it has the value.
    pub fn has(&self, old: &Program, value: OldValue) -> bool {
        let procedure = |frame: u32| self.stack.get(frame as usize).map(|&loc| old.at(loc).procedure);
        match value {
            OldValue::Register { frame, local } => old.locals().get(local).is_some_and(|it| match it.scope {
                LocalScope::Thread => frame == 0,
                LocalScope::Procedure(it) => procedure(frame) == Some(it),
            }),
            OldValue::Cell { frame, object, .. } => {
                old.objects().get(object).is_some_and(|it| match it.scope {
                    ObjectScope::Thread => frame == 0,
                    ObjectScope::Procedure(it) => procedure(frame) == Some(it),
                    ObjectScope::Static => false,
                })
            }
        }
    }
}
