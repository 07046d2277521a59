//! The atomic built-ins of gcc and clang: `__sync_*`, `__atomic_*`, `__c11_atomic_*`.

use base::Span;

use super::super::hir::{Atomic, AtomicOp, Expected, ExprId, ExprKind, FetchOp};
use super::super::types::{Type, TypeId};
use super::{Checker, Operand};

/// What a built-in's name says.
struct Shape<'a> {
    name: &'a str,
    op: AtomicOp,
    /// Operands by value or, in the generic forms, by pointer.
    generic: bool,
    /// `__sync_*`: no memory orders; what follows is ignored.
    sync: bool,
}

/// What an operation works on.
#[derive(Clone, Copy)]
struct Object {
    pointer: ExprId,
    /// The type of the value.
    value: TypeId,
}

impl Checker {
    /// A call of an atomic built-in; `None` if the name is another.
    pub fn atomic(&mut self, name: &str, arguments: &[Operand], span: Span) -> Option<Operand> {
        let shape = shape(name)?;
        if matches!(shape.op, AtomicOp::Fence) {
            let orders = arguments.iter().map(|argument| self.rvalue(*argument)).collect();
            let value = self.basic.void;
            let atomic = self.node(name, AtomicOp::Fence, value, orders);
            return Some(Operand::Value(self.expr(ExprKind::Atomic(Box::new(atomic)), value, span)));
        }
        let wanted = operand_count(shape.op) + usize::from(result_pointer(&shape));
        let Some((&object, rest)) = arguments.split_first().filter(|(_, rest)| rest.len() >= wanted) else {
            let message = format!("`{name}` needs {} arguments", wanted + 1);
            self.error("E1251", span, message, "see the compiler's manual on atomic built-ins");
            return Some(self.error_operand(span));
        };
        let pointer = self.rvalue(object);
        let Some(to) = self.program.types.pointee(self.type_of(pointer)) else {
            if !self.is_error(self.type_of(pointer)) {
                self.error(
                    "E1253",
                    span,
                    format!("the first argument of `{name}` is no pointer"),
                    "pass the address of the object",
                );
            }
            return Some(self.error_operand(span));
        };
        if let Some(size) = size_in_name(name)
            && self.program.types.size(to.ty) != Some(size)
        {
            let reason = format!("`{name}` on an object of another size");
            return Some(Operand::Value(self.refused(&reason, self.basic.int, span)));
        }
        if self.is_counted_otherwise(&shape, to.ty) {
            let reason =
                "`atomic_fetch_add` or its like on a pointer, which C11 counts in elements and gcc in bytes";
            return Some(Operand::Value(self.refused(reason, to.ty, span)));
        }
        if shape.sync && shape.op == AtomicOp::Clear {
            // `__sync_lock_release` writes 0 to the whole object.
            let zero = Operand::Value(self.integer(0, self.basic.int, span));
            let store = Shape { op: AtomicOp::Store, ..shape };
            return Some(self.atomic_access(&store, Object { pointer, value: to.ty }, &[zero], span));
        }
        let value =
            if matches!(shape.op, AtomicOp::TestAndSet | AtomicOp::Clear) { self.basic.bool } else { to.ty };
        Some(self.atomic_access(&shape, Object { pointer, value }, rest, span))
    }

    fn node(&self, name: &str, op: AtomicOp, value: TypeId, orders: Vec<ExprId>) -> Atomic {
        Atomic { op, value, pointer: None, operands: vec![], orders, result: None, name: name.to_string() }
    }

    fn atomic_access(&mut self, shape: &Shape<'_>, object: Object, rest: &[Operand], span: Span) -> Operand {
        let (name, Object { pointer, value }) = (shape.name, object);
        let count = operand_count(shape.op);
        let mut operands = vec![];
        for (index, &operand) in rest[..count].iter().enumerate() {
            operands.push(self.atomic_operand(shape, index, operand, value, span));
        }
        let mut after = &rest[count..];
        let result = if result_pointer(shape) {
            let result = after.first().map(|operand| self.rvalue(*operand));
            after = after.get(1..).unwrap_or_default();
            result
        } else {
            None
        };
        let mut op = shape.op;
        // __atomic_compare_exchange(p, expected, desired, weak, success, failure); the C11 forms of clang
        // have no `weak`.
        if let AtomicOp::CompareExchange { weak, expected: Expected::Pointer } = &mut op
            && name.starts_with("__atomic_")
            && let Some((first, others)) = after.split_first()
        {
            let value = self.rvalue(*first);
            *weak = self.truth(value) != Some(false);
            after = others;
        }
        let orders =
            if shape.sync { vec![] } else { after.iter().map(|order| self.rvalue(*order)).collect() };
        let ty = self.atomic_type(op, value, result.is_some());
        let atomic =
            Atomic { pointer: Some(pointer), operands, result, ..self.node(name, op, value, orders) };
        Operand::Value(self.expr(ExprKind::Atomic(Box::new(atomic)), ty, span))
    }

    /// An operand: converted to the object's type; in the generic forms read through the pointer that is
    /// given.
    fn atomic_operand(
        &mut self,
        shape: &Shape<'_>,
        index: usize,
        operand: Operand,
        value: TypeId,
        span: Span,
    ) -> ExprId {
        let by_pointer =
            matches!(shape.op, AtomicOp::CompareExchange { expected: Expected::Pointer, .. }) && index == 0;
        if by_pointer {
            return self.rvalue(operand);
        }
        let operand = if shape.generic { self.deref(operand, span) } else { operand };
        if let (Type::Pointer(_), AtomicOp::Fetch { .. }) = (self.ty(value), shape.op) {
            // Pointers are counted in bytes.
            return self.convert(operand, self.basic.difference, span);
        }
        self.convert(operand, value, span)
    }

    /// Whether an operation of C11 adds to a pointer to more than a byte: the standard counts in elements,
    /// gcc's header in bytes.
    fn is_counted_otherwise(&self, shape: &Shape<'_>, value: TypeId) -> bool {
        let element = self.program.types.pointee(value).and_then(|to| self.program.types.size(to.ty));
        shape.name.starts_with("__c11_")
            && matches!(shape.op, AtomicOp::Fetch { .. })
            && self.is_pointer(value)
            && element != Some(1)
    }

    fn atomic_type(&self, op: AtomicOp, value: TypeId, stored: bool) -> TypeId {
        match op {
            _ if stored => self.basic.void,
            AtomicOp::Store | AtomicOp::Clear | AtomicOp::Fence => self.basic.void,
            AtomicOp::TestAndSet => self.basic.bool,
            AtomicOp::CompareExchange {
                expected: Expected::Pointer | Expected::ValueGivesSuccess, ..
            } => self.basic.bool,
            _ => value,
        }
    }
}

/// The bytes that a name asks for: `__atomic_load_4`.
fn size_in_name(name: &str) -> Option<u64> {
    name.rsplit_once('_').and_then(|(_, digits)| digits.parse().ok())
}

fn operand_count(op: AtomicOp) -> usize {
    match op {
        AtomicOp::Load | AtomicOp::TestAndSet | AtomicOp::Clear | AtomicOp::Fence => 0,
        AtomicOp::Store | AtomicOp::Exchange | AtomicOp::Fetch { .. } => 1,
        AtomicOp::CompareExchange { .. } => 2,
    }
}

/// Whether the result is stored through a further pointer.
fn result_pointer(shape: &Shape<'_>) -> bool {
    shape.generic && matches!(shape.op, AtomicOp::Load | AtomicOp::Exchange)
}

fn shape(name: &str) -> Option<Shape<'_>> {
    if let Some(rest) = name.strip_prefix("__sync_") {
        // `__sync_fetch_and_add_4`: the size is that of the object.
        let rest = rest.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('_');
        return Some(Shape { name, op: sync_op(rest)?, generic: false, sync: true });
    }
    if let Some(rest) = name.strip_prefix("__c11_atomic_") {
        return Some(Shape { name, op: c11_op(rest)?, generic: false, sync: false });
    }
    let rest = name.strip_prefix("__atomic_")?;
    let sized = rest.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let by_value = rest.ends_with("_n") || sized.len() < rest.len();
    let stem = sized.strip_suffix('_').filter(|_| sized.len() < rest.len()).unwrap_or(rest);
    let stem = stem.strip_suffix("_n").unwrap_or(stem);
    let exchange = AtomicOp::CompareExchange { weak: true, expected: Expected::Pointer };
    let (op, generic) = match stem {
        "load" => (AtomicOp::Load, !by_value),
        "store" => (AtomicOp::Store, !by_value),
        "exchange" => (AtomicOp::Exchange, !by_value),
        "compare_exchange" => (exchange, !by_value),
        "test_and_set" => (AtomicOp::TestAndSet, false),
        "clear" => (AtomicOp::Clear, false),
        "thread_fence" | "signal_fence" => (AtomicOp::Fence, false),
        _ => (fetch_op(stem)?, false),
    };
    Some(Shape { name, op, generic, sync: false })
}

fn sync_op(rest: &str) -> Option<AtomicOp> {
    Some(match rest {
        "synchronize" => AtomicOp::Fence,
        "bool_compare_and_swap" => {
            AtomicOp::CompareExchange { weak: false, expected: Expected::ValueGivesSuccess }
        }
        "val_compare_and_swap" => {
            AtomicOp::CompareExchange { weak: false, expected: Expected::ValueGivesOld }
        }
        "lock_test_and_set" | "swap" => AtomicOp::Exchange,
        "lock_release" => AtomicOp::Clear,
        _ => {
            if let Some(op) = rest.strip_prefix("fetch_and_") {
                AtomicOp::Fetch { op: fetch(op)?, new: false }
            } else {
                AtomicOp::Fetch { op: fetch(rest.strip_suffix("_and_fetch")?)?, new: true }
            }
        }
    })
}

fn c11_op(rest: &str) -> Option<AtomicOp> {
    Some(match rest {
        "load" => AtomicOp::Load,
        "store" | "init" => AtomicOp::Store,
        "exchange" => AtomicOp::Exchange,
        "compare_exchange_strong" => AtomicOp::CompareExchange { weak: false, expected: Expected::Pointer },
        "compare_exchange_weak" => AtomicOp::CompareExchange { weak: true, expected: Expected::Pointer },
        "thread_fence" | "signal_fence" => AtomicOp::Fence,
        _ => fetch_op(rest)?,
    })
}

fn fetch_op(rest: &str) -> Option<AtomicOp> {
    if let Some(op) = rest.strip_prefix("fetch_") {
        return Some(AtomicOp::Fetch { op: fetch(op)?, new: false });
    }
    Some(AtomicOp::Fetch { op: fetch(rest.strip_suffix("_fetch")?)?, new: true })
}

fn fetch(name: &str) -> Option<FetchOp> {
    Some(match name {
        "add" => FetchOp::Add,
        "sub" => FetchOp::Subtract,
        "and" => FetchOp::And,
        "or" => FetchOp::Or,
        "xor" => FetchOp::Xor,
        "nand" => FetchOp::Nand,
        _ => return None,
    })
}
