//! Expressions, hash-consed into one pool per program. Children come before parents, so that nothing here
//! recurses: an expression may be nested as deeply as the memory holds.

use super::program::{LocalId, SharedId};
use super::values::Values;
use base::{Arena, Id, define_id};
use std::collections::HashMap;

define_id!(
    /// An expression of a program's pool.
    pub struct ExprId = "e"
);

/// A variable as a statement of a thread sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Var {
    /// One for all threads.
    Shared(SharedId),
    /// One for each thread, or for each activation of a procedure.
    Local(LocalId),
}

/// Before the step or after it (`'x`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum When {
    /// The old value.
    Now,
    /// The new value: only in `constrain`.
    Next,
}

/// The active thread's variable or the passive thread's copy (`[x]`, `x$`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Whose {
    /// The thread that steps.
    Own,
    /// A passive thread: only locals, only in broadcasts, `constrain` and `assume`.
    Passive,
}

/// One reading of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Read {
    /// Which variable.
    pub var: Var,
    /// Whose copy.
    pub whose: Whose,
    /// Old or new value.
    pub when: When,
}

impl Read {
    /// The old value of the active thread's `var`.
    pub fn now(var: Var) -> Read {
        Read { var, whose: Whose::Own, when: When::Now }
    }
}

/// An operator applied to smaller expressions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// 0 or 1.
    Const(bool),
    /// `*`: either value, chosen anew at each evaluation and for each occurrence.
    Choice,
    /// A variable.
    Read(Read),
    /// `!a`
    Not(ExprId),
    /// `a & b`
    And(ExprId, ExprId),
    /// `a | b`
    Or(ExprId, ExprId),
    /// `a ^ b`, also `a != b`
    Xor(ExprId, ExprId),
    /// `a = b`
    Equal(ExprId, ExprId),
    /// `a => b`
    Implies(ExprId, ExprId),
    /// `schoose[a, b]`: 1 if a, else 0 if b, else either value.
    Choose(ExprId, ExprId),
    /// `a ? b : c`
    Ite(ExprId, ExprId, ExprId),
}

impl Node {
    /// The operands, in order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = ExprId> {
        let list = match self {
            Node::Const(_) | Node::Choice | Node::Read(_) => [None; 3],
            Node::Not(a) => [Some(a), None, None],
            Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b)
            | Node::Equal(a, b)
            | Node::Implies(a, b)
            | Node::Choose(a, b) => [Some(a), Some(b), None],
            Node::Ite(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// The same operator on other operands.
    pub fn map_children(self, mut f: impl FnMut(ExprId) -> ExprId) -> Node {
        match self {
            Node::Const(_) | Node::Choice | Node::Read(_) => self,
            Node::Not(a) => Node::Not(f(a)),
            Node::And(a, b) => Node::And(f(a), f(b)),
            Node::Or(a, b) => Node::Or(f(a), f(b)),
            Node::Xor(a, b) => Node::Xor(f(a), f(b)),
            Node::Equal(a, b) => Node::Equal(f(a), f(b)),
            Node::Implies(a, b) => Node::Implies(f(a), f(b)),
            Node::Choose(a, b) => Node::Choose(f(a), f(b)),
            Node::Ite(a, b, c) => Node::Ite(f(a), f(b), f(c)),
        }
    }

    /// The values of the operator, given the values of its operands in order.
    pub fn values(self, operand: &[Values], read: impl FnOnce(Read) -> Values) -> Values {
        match self {
            Node::Const(value) => Values::only(value),
            Node::Choice => Values::ANY,
            Node::Read(it) => read(it),
            Node::Not(_) => operand[0].map(|a| !a),
            Node::And(..) => operand[0].map2(operand[1], |a, b| a & b),
            Node::Or(..) => operand[0].map2(operand[1], |a, b| a | b),
            Node::Xor(..) => operand[0].map2(operand[1], |a, b| a ^ b),
            Node::Equal(..) => operand[0].map2(operand[1], |a, b| a == b),
            Node::Implies(..) => operand[0].map2(operand[1], |a, b| !a | b),
            Node::Choose(..) => operand[0].flat_map(|a| {
                if a {
                    Values::TRUE
                } else {
                    operand[1].flat_map(|b| if b { Values::FALSE } else { Values::ANY })
                }
            }),
            Node::Ite(..) => operand[0].flat_map(|a| if a { operand[1] } else { operand[2] }),
        }
    }
}

/// Expressions are evaluated occurrence by occurrence up to this many visits: faster for small ones.
const LONG: usize = 512;

/// The pool of a program's expressions.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Arena<ExprId, Node>,
    index: HashMap<Node, ExprId>,
}

impl Exprs {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// The expression with this operator, made if it is new.
    pub fn add(&mut self, node: Node) -> ExprId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        debug_assert!(node.children().all(|child| child.index() < self.nodes.len()), "operands come first");
        let id = self.nodes.push(node);
        self.index.insert(node, id);
        id
    }

    /// The constant.
    pub fn constant(&mut self, value: bool) -> ExprId {
        self.add(Node::Const(value))
    }

    /// `*`
    pub fn choice(&mut self) -> ExprId {
        self.add(Node::Choice)
    }

    /// The old value of the active thread's `var`.
    pub fn var(&mut self, var: Var) -> ExprId {
        self.add(Node::Read(Read::now(var)))
    }

    /// `!e`
    pub fn not(&mut self, e: ExprId) -> ExprId {
        self.add(Node::Not(e))
    }

    /// `a & b`
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.add(Node::And(a, b))
    }

    /// `a | b`
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.add(Node::Or(a, b))
    }

    /// The operator of an expression.
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id]
    }

    /// The number of different expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the pool is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The expressions below `root` and itself, each once, operands first.
    pub fn below(&self, root: ExprId) -> Vec<ExprId> {
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.node(id).children());
            }
        }
        let mut all: Vec<ExprId> = seen.into_iter().collect();
        all.sort();
        all
    }

    /// The readings in an expression, each once, in order.
    pub fn reads(&self, root: ExprId) -> Vec<Read> {
        let nodes = self.below(root).into_iter().map(|id| self.node(id));
        let mut reads: Vec<Read> =
            nodes.filter_map(|node| if let Node::Read(read) = node { Some(read) } else { None }).collect();
        reads.sort();
        reads
    }

    /// Whether the value depends on a choice.
    pub fn has_choice(&self, root: ExprId) -> bool {
        self.below(root).into_iter().any(|id| matches!(self.node(id), Node::Choice | Node::Choose(..)))
    }

    /// Whether a passive copy is mentioned.
    pub fn mentions_passive(&self, root: ExprId) -> bool {
        self.reads(root).iter().any(|read| read.whose == Whose::Passive)
    }

    /// What the expression may evaluate to. Each occurrence of `*` is chosen on its own, so that the values
    /// of the operands can be combined freely: the set is exact.
    pub fn values(&self, root: ExprId, read: impl Fn(Read) -> Values) -> Values {
        enum Work {
            Visit(ExprId),
            /// The first operand of a conjunction or disjunction is known, the second is needed only if that
            /// does not decide it.
            Second(Node, ExprId),
            Combine(Node, usize),
        }
        let mut work = vec![Work::Visit(root)];
        let mut done: Vec<Values> = Vec::new();
        let mut visits = 0;
        while let Some(item) = work.pop() {
            visits += 1;
            if visits > LONG {
                return self.values_once(root, read);
            }
            match item {
                Work::Visit(id) => {
                    let node = self.node(id);
                    if let Node::And(a, b) | Node::Or(a, b) = node {
                        work.extend([Work::Second(node, b), Work::Visit(a)]);
                        continue;
                    }
                    let operands = node.children().count();
                    work.push(Work::Combine(node, operands));
                    work.extend(node.children().rev().map(Work::Visit));
                }
                Work::Second(node, b) => {
                    let decisive = Values::only(matches!(node, Node::Or(..)));
                    if done.last() != Some(&decisive) {
                        work.extend([Work::Combine(node, 2), Work::Visit(b)]);
                    }
                }
                Work::Combine(node, operands) => {
                    let values = node.values(&done[done.len() - operands..], &read);
                    done.truncate(done.len() - operands);
                    done.push(values);
                }
            }
        }
        done.pop().expect("the root was visited")
    }

    /// The same, with each expression evaluated once however often it occurs: its set does not depend on
    /// where.
    fn values_once(&self, root: ExprId, read: impl Fn(Read) -> Values) -> Values {
        let mut done: HashMap<ExprId, Values> = HashMap::new();
        for id in self.below(root) {
            let operands: Vec<Values> = self.node(id).children().map(|child| done[&child]).collect();
            done.insert(id, self.node(id).values(&operands, &read));
        }
        done[&root]
    }

    /// The expression with every reading replaced.
    pub fn map_reads(&mut self, root: ExprId, mut f: impl FnMut(Read) -> Read) -> ExprId {
        let mut renamed: HashMap<ExprId, ExprId> = HashMap::new();
        for id in self.below(root) {
            let node = match self.node(id) {
                Node::Read(read) => Node::Read(f(read)),
                node => node.map_children(|child| renamed[&child]),
            };
            renamed.insert(id, self.add(node));
        }
        renamed[&root]
    }

    /// Copies an expression of another pool, with every reading replaced.
    pub fn import(&mut self, other: &Exprs, root: ExprId, mut f: impl FnMut(Read) -> Read) -> ExprId {
        let mut copied: HashMap<ExprId, ExprId> = HashMap::new();
        for id in other.below(root) {
            let node = match other.node(id) {
                Node::Read(read) => Node::Read(f(read)),
                node => node.map_children(|child| copied[&child]),
            };
            copied.insert(id, self.add(node));
        }
        copied[&root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_independent() {
        let mut pool = Exprs::new();
        let star = pool.choice();
        let not = pool.not(star);
        let both = pool.and(star, not);
        assert_eq!(pool.values(both, |_| Values::NONE), Values::ANY);
        let truth = pool.constant(true);
        let (f, t) = (pool.constant(false), truth);
        let choose = |pool: &mut Exprs, a, b| pool.add(Node::Choose(a, b));
        for (a, b, expected) in
            [(t, t, Values::TRUE), (f, t, Values::FALSE), (f, f, Values::ANY), (t, f, Values::TRUE)]
        {
            let e = choose(&mut pool, a, b);
            assert_eq!(pool.values(e, |_| Values::NONE), expected);
        }
    }

    #[test]
    fn deep_expressions_do_not_overflow_the_stack() {
        let mut pool = Exprs::new();
        let mut e = pool.choice();
        for _ in 0..1_000_000 {
            e = pool.add(Node::Not(e));
        }
        assert_eq!(pool.values(e, |_| Values::NONE), Values::ANY);
        assert!(pool.has_choice(e));
    }
}
