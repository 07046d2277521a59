//! Expressions compiled to straight-line code over bit vectors.
//!
//! An expression evaluates to a set of Booleans, because each `*` in it is chosen on its own. The choices of
//! two operands never depend on each other, so that the set of an operator follows from the sets of its
//! operands and is exact; for the same reason a node that occurs several times is evaluated once.

use base::Id;
use ir::bp::{ExprId, Exprs, Node, Read, Values, Var, When, Whose};
use std::collections::HashMap;

/// A compiled expression: a range of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    first: u32,
    end: u32,
}

/// The instructions of many expressions.
#[derive(Clone, Debug, Default)]
pub struct Code {
    instructions: Vec<Instruction>,
    compiled: HashMap<ExprId, Formula>,
}

/// What an evaluation reads: bit vectors of the old state and of the new one. Those that no formula reads may
/// be empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Env<'a> {
    /// The shared variables, old and new.
    pub shared: [&'a [u32]; 2],
    /// The active thread's locals, old and new.
    pub own: [&'a [u32]; 2],
    /// The passive thread's locals, old and new.
    pub passive: [&'a [u32]; 2],
}

/// Operands count from the first instruction of the formula. A set is two bits: 1 if it holds 0, 2 if it
/// holds 1.
#[derive(Clone, Copy, Debug)]
enum Instruction {
    Constant(u8),
    Read { space: ReadFrom, when: u8, index: u32 },
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Xor(u32, u32),
    Equal(u32, u32),
    Implies(u32, u32),
    Choose(u32, u32),
    Ite(u32, u32, u32),
}

#[derive(Clone, Copy, Debug)]
enum ReadFrom {
    Shared,
    Own,
    Passive,
}

impl Code {
    /// No expressions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiles an expression, once.
    pub fn compile(&mut self, exprs: &Exprs, root: ExprId) -> Formula {
        if let Some(&formula) = self.compiled.get(&root) {
            return formula;
        }
        let first = self.instructions.len();
        let mut slot: HashMap<ExprId, u32> = HashMap::new();
        for (index, id) in (0u32..).zip(exprs.below(root)) {
            let instruction = translate(exprs.node(id), |child| slot[&child]);
            self.instructions.push(instruction);
            slot.insert(id, index);
        }
        let narrow = |n: usize| u32::try_from(n).expect("expressions fit into memory, and so into 32 bits");
        let formula = Formula { first: narrow(first), end: narrow(self.instructions.len()) };
        self.compiled.insert(root, formula);
        formula
    }

    /// What the formula may evaluate to; `scratch` is overwritten.
    pub fn values(&self, formula: Formula, env: &Env<'_>, scratch: &mut Vec<u8>) -> Values {
        scratch.clear();
        for &instruction in &self.instructions[formula.first as usize..formula.end as usize] {
            let set = evaluate(instruction, env, scratch);
            scratch.push(set);
        }
        match scratch.last() {
            Some(1) => Values::FALSE,
            Some(2) => Values::TRUE,
            Some(3) => Values::ANY,
            _ => Values::NONE,
        }
    }
}

fn translate(node: Node, slot: impl Fn(ExprId) -> u32) -> Instruction {
    match node {
        Node::Const(value) => Instruction::Constant(if value { 2 } else { 1 }),
        Node::Choice => Instruction::Constant(3),
        Node::Read(read) => translate_read(read),
        Node::Not(a) => Instruction::Not(slot(a)),
        Node::And(a, b) => Instruction::And(slot(a), slot(b)),
        Node::Or(a, b) => Instruction::Or(slot(a), slot(b)),
        Node::Xor(a, b) => Instruction::Xor(slot(a), slot(b)),
        Node::Equal(a, b) => Instruction::Equal(slot(a), slot(b)),
        Node::Implies(a, b) => Instruction::Implies(slot(a), slot(b)),
        Node::Choose(a, b) => Instruction::Choose(slot(a), slot(b)),
        Node::Ite(a, b, c) => Instruction::Ite(slot(a), slot(b), slot(c)),
    }
}

fn translate_read(read: Read) -> Instruction {
    let (space, index) = match (read.var, read.whose) {
        (Var::Shared(id), _) => (ReadFrom::Shared, id.index()),
        (Var::Local(id), Whose::Own) => (ReadFrom::Own, id.index()),
        (Var::Local(id), Whose::Passive) => (ReadFrom::Passive, id.index()),
    };
    let when = u8::from(read.when == When::Next);
    Instruction::Read { space, when, index: index as u32 }
}

fn evaluate(instruction: Instruction, env: &Env<'_>, done: &[u8]) -> u8 {
    let at = |slot: u32| done[slot as usize];
    let not = |set: u8| set >> 1 | (set & 1) << 1;
    // 0 if an operand may be 0, 1 if both may be 1.
    let and = |a: u8, b: u8| (a | b) & 1 | a & b & 2;
    let xor = |a: u8, b: u8| and(a, not(b)) & 2 | and(not(a), b) & 2 | (a & b & 1) | (a & b & 2) >> 1;
    match instruction {
        Instruction::Constant(set) => set,
        Instruction::Read { space, when, index } => {
            let words = match space {
                ReadFrom::Shared => env.shared,
                ReadFrom::Own => env.own,
                ReadFrom::Passive => env.passive,
            };
            1 << u8::from(crate::bits::get(words[usize::from(when)], index as usize))
        }
        Instruction::Not(a) => not(at(a)),
        Instruction::And(a, b) => and(at(a), at(b)),
        Instruction::Or(a, b) => not(and(not(at(a)), not(at(b)))),
        Instruction::Xor(a, b) => xor(at(a), at(b)),
        Instruction::Equal(a, b) => not(xor(at(a), at(b))),
        Instruction::Implies(a, b) => not(and(at(a), not(at(b)))),
        Instruction::Choose(a, b) => {
            let otherwise = match at(b) {
                2 => 1,
                _ => 3,
            };
            at(a) & 2 | if at(a) & 1 != 0 { otherwise } else { 0 }
        }
        Instruction::Ite(a, b, c) => {
            (if at(a) & 2 != 0 { at(b) } else { 0 }) | if at(a) & 1 != 0 { at(c) } else { 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use ir::bp::{LocalId, SharedId};

    fn random_node(random: &mut Random, made: &[ExprId]) -> Node {
        let id = |index: usize| LocalId::from_index(index);
        let read = |var, whose, when| Node::Read(Read { var, whose, when });
        let (a, b, c) = (*random.pick(made), *random.pick(made), *random.pick(made));
        let when = if random.percent(50) { When::Now } else { When::Next };
        match random.below(12) {
            0 => read(Var::Shared(SharedId::from_index(random.below(3))), Whose::Own, when),
            1 => read(Var::Local(id(random.below(3))), Whose::Own, when),
            2 => read(Var::Local(id(random.below(3))), Whose::Passive, when),
            3 => Node::Choice,
            4 => Node::Not(a),
            5 => Node::And(a, b),
            6 => Node::Or(a, b),
            7 => Node::Xor(a, b),
            8 => Node::Equal(a, b),
            9 => Node::Implies(a, b),
            10 => Node::Choose(a, b),
            _ => Node::Ite(a, b, c),
        }
    }

    #[test]
    fn code_agrees_with_the_pool() {
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let mut pool = Exprs::new();
            let mut made = vec![pool.constant(false), pool.constant(true)];
            for _ in 0..10 {
                let node = random_node(&mut random, &made);
                made.push(pool.add(node));
            }
            let root = *made.last().expect("some were made");
            let rows: Vec<[u32; 1]> = (0..6).map(|_| [random.below(8) as u32]).collect();
            let pair = |i: usize| [&rows[i][..], &rows[i + 1][..]];
            let env = Env { shared: pair(0), own: pair(2), passive: pair(4) };
            let expected = pool.values(root, |read| {
                let (space, index) = match read.var {
                    Var::Shared(id) => (0, id.index()),
                    Var::Local(id) => (if read.whose == Whose::Own { 2 } else { 4 }, id.index()),
                };
                Values::only(crate::bits::get(&rows[space + usize::from(read.when == When::Next)], index))
            });
            let mut code = Code::new();
            let formula = code.compile(&pool, root);
            assert_eq!(code.values(formula, &env, &mut vec![]), expected);
        }
    }
}
