//! Boolean expressions, simplified as they are made; equal ones are one.

use ir::bp::{ExprId, Exprs, Node, Read, Var, When, Whose};

/// A pool of expressions.
#[derive(Debug)]
pub struct Gates {
    pub pool: Exprs,
    zero: ExprId,
    one: ExprId,
}

impl Gates {
    pub fn new() -> Self {
        let mut pool = Exprs::new();
        let (zero, one) = (pool.constant(false), pool.constant(true));
        Self { pool, zero, one }
    }

    pub fn zero(&self) -> ExprId {
        self.zero
    }

    pub fn one(&self) -> ExprId {
        self.one
    }

    pub fn constant(&self, value: bool) -> ExprId {
        if value { self.one } else { self.zero }
    }

    pub fn known(&self, e: ExprId) -> Option<bool> {
        if e == self.zero { Some(false) } else { (e == self.one).then_some(true) }
    }

    pub fn choice(&mut self) -> ExprId {
        self.pool.choice()
    }

    pub fn var(&mut self, var: Var) -> ExprId {
        self.pool.var(var)
    }

    /// The value of a variable after the step.
    pub fn next(&mut self, var: Var) -> ExprId {
        self.pool.add(Node::Read(Read { var, whose: Whose::Own, when: When::Next }))
    }

    /// A passive thread's variable.
    pub fn passive(&mut self, var: Var) -> ExprId {
        self.pool.add(Node::Read(Read { var, whose: Whose::Passive, when: When::Now }))
    }

    /// Whether one is the other's negation. `*` is no value: two of them are not the same.
    fn opposite(&self, a: ExprId, b: ExprId) -> bool {
        self.pool.node(a) == Node::Not(b) || self.pool.node(b) == Node::Not(a)
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        match (self.known(a), self.pool.node(a)) {
            (Some(value), _) => self.constant(!value),
            (_, Node::Not(b)) => b,
            (_, Node::Choice) => a,
            _ => self.pool.not(a),
        }
    }

    /// Whether an expression may be simplified by its being equal to another: a choice is made anew at each
    /// occurrence, and leaving one out only leaves out runs that no C run stands for.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.known(a), self.known(b)) {
            (Some(false), _) | (_, Some(false)) => self.zero,
            (Some(true), _) => b,
            (_, Some(true)) => a,
            _ if a == b => a,
            _ if self.opposite(a, b) && !self.pool.has_choice(a) => self.zero,
            _ => self.pool.and(a.min(b), a.max(b)),
        }
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.known(a), self.known(b)) {
            (Some(true), _) | (_, Some(true)) => self.one,
            (Some(false), _) => b,
            (_, Some(false)) => a,
            _ if a == b => a,
            _ if self.opposite(a, b) && !self.pool.has_choice(a) => self.one,
            _ => self.pool.or(a.min(b), a.max(b)),
        }
    }

    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.known(a), self.known(b)) {
            (Some(x), _) => {
                if x {
                    self.not(b)
                } else {
                    b
                }
            }
            (_, Some(y)) => {
                if y {
                    self.not(a)
                } else {
                    a
                }
            }
            _ if a == b && !self.pool.has_choice(a) => self.zero,
            _ if self.opposite(a, b) && !self.pool.has_choice(a) => self.one,
            _ => self.pool.add(Node::Xor(a.min(b), a.max(b))),
        }
    }

    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match (self.known(c), self.known(a), self.known(b)) {
            (Some(true), ..) => a,
            (Some(false), ..) => b,
            _ if a == b => a,
            (_, Some(true), Some(false)) => c,
            (_, Some(false), Some(true)) => self.not(c),
            (_, Some(true), _) => self.or(c, b),
            (_, _, Some(false)) => self.and(c, a),
            (_, Some(false), _) => {
                let not = self.not(c);
                self.and(not, b)
            }
            (_, _, Some(true)) => {
                let not = self.not(c);
                self.or(not, a)
            }
            _ => self.pool.add(Node::Ite(c, a, b)),
        }
    }

    pub fn any(&mut self, list: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut any = self.zero;
        for e in list {
            any = self.or(any, e);
        }
        any
    }
}
