//! The values of expressions. Each expression of a step is laid out once as a list of operations, operands
//! first, so that an evaluation is one walk over the list and nothing recurses.

pub mod addresses;
mod numbers;

use super::expr::{Binary, Convert, ExprId, Exprs, Node, Unary};
use super::program::{LocalScope, ObjectId, Program};
use super::state::Thread;
use super::types::{InstanceId, ObjectScope, Type};
use super::value::{Fault, Trouble, Value};
use base::Id;
use std::collections::HashMap;

/// An operation of a list; operands are positions in the list.
#[derive(Clone, Copy, Debug)]
enum Code {
    Number(u128),
    ThreadRegister(u32),
    Register(u32),
    Address(ObjectId, ObjectScope),
    Unary(Unary, Type, u32),
    Binary(Binary, Type, [u32; 2]),
    Convert(Convert, Type, Type, u32),
    Ite([u32; 3]),
}

/// The lists of all expressions that steps use.
#[derive(Clone, Debug)]
pub struct Evaluator {
    pointer_bits: u8,
    /// By object whether it is static: the number of its one instance is its own.
    statics: Vec<bool>,
    code: Vec<Code>,
    /// By expression: the first and one past the last operation; equal if no step uses it on its own.
    range: Vec<(u32, u32)>,
}

/// Lists up to this length are evaluated without asking for memory.
const SMALL: usize = 8;

impl Evaluator {
    /// Lays out the expressions of a program.
    pub fn new(program: &Program) -> Self {
        let mut made = Self {
            pointer_bits: program.pointer_bits(),
            statics: program.objects().iter().map(|it| it.scope == ObjectScope::Static).collect(),
            code: vec![],
            range: vec![(0, 0); program.exprs().len()],
        };
        for root in program.locations().iter().flat_map(|location| location.op.exprs()) {
            if made.range[root.index()] == (0, 0) {
                made.lay_out(program, root);
            }
        }
        made
    }

    fn lay_out(&mut self, program: &Program, root: ExprId) {
        let first = self.code.len();
        let exprs: &Exprs = program.exprs();
        let mut position: HashMap<ExprId, u32> = HashMap::new();
        for (at, id) in exprs.below(root).into_iter().enumerate() {
            position.insert(id, at as u32);
            self.code.push(match exprs.node(id) {
                Node::Const(_, value) => Code::Number(value),
                Node::Local(local, _) => {
                    let local = &program.locals()[local];
                    match local.scope {
                        LocalScope::Thread => Code::ThreadRegister(local.slot),
                        LocalScope::Procedure(_) => Code::Register(local.slot),
                    }
                }
                Node::Address(object) => Code::Address(object, program.objects()[object].scope),
                Node::Unary(op, a) => Code::Unary(op, exprs.ty(a), position[&a]),
                Node::Binary(op, a, b) => Code::Binary(op, exprs.ty(a), [position[&a], position[&b]]),
                Node::Convert(op, to, a) => Code::Convert(op, exprs.ty(a), to, position[&a]),
                Node::Ite(a, b, c) => Code::Ite([position[&a], position[&b], position[&c]]),
            });
        }
        self.range[root.index()] = (first as u32, self.code.len() as u32);
    }

    /// The value of an expression of a step, where the thread stands.
    pub fn value(&self, thread: &Thread, e: ExprId) -> Result<Value, Trouble> {
        let (first, end) = self.range[e.index()];
        let code = &self.code[first as usize..end as usize];
        if let [only] = code {
            return self.step(thread, *only, &[]);
        }
        if code.len() <= SMALL {
            let mut done = [const { Ok(Value::ZERO) }; SMALL];
            self.run(thread, code, &mut done[..code.len()])
        } else {
            self.run(thread, code, &mut vec![Ok(Value::ZERO); code.len()])
        }
    }

    /// The value of a condition.
    pub fn holds(&self, thread: &Thread, e: ExprId) -> Result<bool, Trouble> {
        match self.value(thread, e)? {
            Value::Bits(bits) => Ok(bits != 0),
            _ => Err(Trouble::Unsupported("a condition is not a number")),
        }
    }

    fn run(
        &self,
        thread: &Thread,
        code: &[Code],
        done: &mut [Result<Value, Trouble>],
    ) -> Result<Value, Trouble> {
        for (at, &code) in code.iter().enumerate() {
            let value = self.step(thread, code, &done[..at]);
            done[at] = value;
        }
        done.last().cloned().unwrap_or(Ok(Value::ZERO))
    }

    fn step(&self, thread: &Thread, code: Code, done: &[Result<Value, Trouble>]) -> Result<Value, Trouble> {
        let get = |at: u32| done[at as usize].clone();
        match code {
            Code::Number(value) => Ok(Value::Bits(value)),
            Code::ThreadRegister(slot) => Ok(thread.registers[slot as usize]),
            Code::Register(slot) => Ok(thread.top().registers[slot as usize]),
            Code::Address(object, scope) => {
                let instance = find(thread, object, scope).ok_or(Fault::DeadObject)?;
                Ok(Value::Address { instance, offset: 0 })
            }
            Code::Unary(op, ty, a) => self.unary(op, ty, get(a)?),
            Code::Binary(op, ty, [a, b]) => self.binary(op, ty, get(a)?, get(b)?),
            Code::Convert(op, from, to, a) => self.convert(op, from, to, get(a)?),
            Code::Ite([a, b, c]) => match get(a)? {
                Value::Bits(0) => get(c),
                Value::Bits(_) => get(b),
                _ => Err(Trouble::Unsupported("a condition is not a number")),
            },
        }
    }

    /// An operator on one value of type `ty`.
    pub fn unary(&self, op: Unary, ty: Type, a: Value) -> Result<Value, Trouble> {
        match a {
            Value::Bits(a) => Ok(Value::Bits(numbers::unary(op, ty, self.pointer_bits, a))),
            _ => Err(Trouble::Unsupported("arithmetic on an address or a handle")),
        }
    }

    /// An operator on two values, the first of type `ty`.
    pub fn binary(&self, op: Binary, ty: Type, a: Value, b: Value) -> Result<Value, Trouble> {
        let bits = ty.bits(self.pointer_bits);
        match (a, b) {
            (Value::Bits(a), Value::Bits(b)) if ty.is_float() => numbers::float(op, ty, a, b),
            (Value::Bits(a), Value::Bits(b)) => numbers::binary(op, bits, a, b),
            _ => {
                let pointers = addresses::Pointers { typed: ty == Type::Pointer, statics: &self.statics };
                addresses::binary(op, pointers, bits, [a, b])
            }
        }
    }

    /// A conversion of a value.
    pub fn convert(&self, op: Convert, from: Type, to: Type, a: Value) -> Result<Value, Trouble> {
        match a {
            Value::Bits(a) => numbers::convert(op, from, to, self.pointer_bits, a),
            _ => addresses::convert(op, [from, to], self.pointer_bits, a),
        }
    }
}

/// The object in a state that a name stands for in the thread's current activation.
pub(super) fn find(thread: &Thread, object: ObjectId, scope: ObjectScope) -> Option<InstanceId> {
    let own = match scope {
        ObjectScope::Static => return Some(InstanceId::from_index(object.index())),
        ObjectScope::Thread => &thread.objects,
        ObjectScope::Procedure(_) => &thread.top().objects,
    };
    own.iter().find(|(id, _)| *id == object).map(|&(_, instance)| instance)
}
