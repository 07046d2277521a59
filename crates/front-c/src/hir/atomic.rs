//! Atomic operations and built-in functions of the compiler.

use super::super::types::TypeId;
use super::ExprId;

/// An atomic operation: one access to `*pointer`, of type `value`.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// What is done.
    pub op: AtomicOp,
    /// The type of the object.
    pub value: TypeId,
    /// The object; `None` for a fence.
    pub pointer: Option<ExprId>,
    /// The operands: `Store`, `Exchange`, `Fetch`: the value, of type `value`. `CompareExchange`: the
    /// expected value (by `expected`), the desired value. `Load`, `Fence`, `TestAndSet`, `Clear`: none.
    pub operands: Vec<ExprId>,
    /// The memory orders, to be evaluated and forgotten (empty for `__sync_`, which is sequentially
    /// consistent).
    pub orders: Vec<ExprId>,
    /// `__atomic_load`, `__atomic_exchange` in their generic form: the pointer through which the result is
    /// stored (the expression then is `void`).
    pub result: Option<ExprId>,
    /// The name of the function, for messages.
    pub name: String,
}

/// What an atomic operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicOp {
    /// Reads.
    Load,
    /// Writes operand 0.
    Store,
    /// Writes operand 0, gives the old value.
    Exchange,
    /// Compares with operand 0 and, if equal, writes operand 1.
    CompareExchange {
        /// Whether it may fail although the values are equal (also taken so where no constant decides it).
        weak: bool,
        /// How operand 0 gives the expected value.
        expected: Expected,
    },
    /// Reads, computes with operand 0, writes.
    Fetch {
        /// The computation.
        op: FetchOp,
        /// Whether the result is the new value.
        new: bool,
    },
    /// Sets the byte to 1; the result is whether it was set.
    TestAndSet,
    /// Sets the byte to 0.
    Clear,
    /// A memory fence: nothing under sequential consistency.
    Fence,
}

/// How the expected value of a compare-exchange is given, and what is returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Through a pointer, which gets the value seen on failure; the result is whether it succeeded.
    Pointer,
    /// As a value; the result is whether it succeeded (`__sync_bool_compare_and_swap`).
    ValueGivesSuccess,
    /// As a value; the result is the value seen (`__sync_val_compare_and_swap`).
    ValueGivesOld,
}

/// The computation of an atomic read-modify-write. On a pointer, `Add` and `Subtract` count bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FetchOp {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Nand,
}

/// Built-in functions of the compiler that are not calls of library functions (`__builtin_memcpy` is a call
/// of `memcpy`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `__builtin_unreachable()`.
    Unreachable,
    /// `__builtin_trap()`.
    Trap,
    /// `__builtin_clz`: undefined for 0. The width is that of the argument's type.
    LeadingZeros,
    /// `__builtin_ctz`: undefined for 0.
    TrailingZeros,
    /// `__builtin_clrsb`.
    RedundantSigns,
    /// `__builtin_popcount`.
    PopCount,
    /// `__builtin_parity`.
    Parity,
    /// `__builtin_ffs`: 1 + the index of the least bit, 0 for 0.
    FirstSet,
    /// `__builtin_bswap16/32/64`.
    ByteSwap,
    /// `__builtin_add_overflow(a, b, p)` and its typed forms: `*p` gets the result wrapped to its type, the
    /// value says whether it does not fit.
    AddOverflow,
    /// `__builtin_sub_overflow`.
    SubtractOverflow,
    /// `__builtin_mul_overflow`.
    MultiplyOverflow,
    /// `va_start(list, last)`: argument 0 is the address of the list.
    VaStart,
    /// `va_end(list)`: argument 0 is the address of the list.
    VaEnd,
    /// `va_copy(to, from)`: the arguments are the addresses of the lists.
    VaCopy,
    /// `__builtin_alloca(size)`.
    Alloca,
    /// After a call of what does not return, by its declaration: the thread stands still.
    NeverReturns,
    /// After a call of a function of the program that is declared not to return: undefined behaviour.
    ReturnsAnyway,
    /// The assertion of an annotation `//@ assert E;`: argument 0 is a scalar.
    AnnotatedAssert,
}
