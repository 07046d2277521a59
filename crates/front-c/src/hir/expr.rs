//! Values and lvalues of the typed form.

use base::Span;

use super::super::types::{Qualified, RecordId, TypeId};
use super::{Atomic, Builtin, ExprId, FunctionId, LabelId, PlaceId, StmtId, StringId, VarId};

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type, without qualifiers; never an array or a function.
    pub ty: TypeId,
    /// The place in the source.
    pub span: Span,
    /// One more than the deepest part.
    pub depth: u32,
}

/// An lvalue.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// The type with its qualifiers (`_Atomic` matters).
    pub ty: Qualified,
    /// The place in the source.
    pub span: Span,
    /// One more than the deepest part.
    pub depth: u32,
}

/// The lvalues.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A variable.
    Variable(VarId),
    /// `*e`; also `e[i]` on a pointer, as `*(e + i)`, and `e->m`, as a member of `*e`.
    Deref(ExprId),
    /// `a[i]` on an array lvalue; the index has the type `ptrdiff_t` or `size_t`.
    Index {
        /// The array.
        array: PlaceId,
        /// The index.
        index: ExprId,
    },
    /// A member.
    Member {
        /// The record.
        base: PlaceId,
        /// Its type.
        record: RecordId,
        /// Which of `Record::fields`. Members of anonymous members are reached through them.
        field: u32,
    },
    /// A string literal.
    String(StringId),
    /// `(T){…}`: the variable is initialised, each time this is evaluated, by its `init` (at file scope:
    /// once, before the program starts).
    CompoundLiteral(VarId),
    /// A value that is looked into: `f().m`. Never written.
    Temporary(ExprId),
}

/// Operators on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`.
    Negate,
    /// `~`.
    Complement,
}

/// Operators on two operands. The signedness is that of the operands' type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl BinaryOp {
    /// Whether the result is a truth value.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }

    /// Whether it is a shift.
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
    }
}

/// The values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, enumeration or pointer constant, reduced to its type (negative for signed types only).
    Integer(i128),
    /// A floating constant.
    Float(f64),
    /// `&lvalue`.
    AddressOf(PlaceId),
    /// A function's address: `f`, `&f`, `*f`.
    FunctionAddress(FunctionId),
    /// `&&label`.
    LabelAddress(LabelId),
    /// The value of an lvalue: a scalar, or a whole record.
    Load(PlaceId),
    /// The address of an array's first element.
    Decay(PlaceId),
    /// An operator on one operand, of the same type.
    Unary(UnaryOp, ExprId),
    /// `!e`, an `int`; the operand is a scalar.
    Not(ExprId),
    /// An operator on two operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
    },
    /// `pointer + index` or `pointer - index`, in elements.
    PointerAdd {
        /// The pointer.
        pointer: ExprId,
        /// The index, of an integer type as wide as a pointer.
        index: ExprId,
        /// Whether the index is subtracted.
        subtract: bool,
        /// The size of an element: a constant of type `size_t`, unless it is a variable-length array. Of
        /// `void` and functions it is 1.
        element: ExprId,
    },
    /// `left - right` in elements, a `ptrdiff_t`.
    PointerDifference {
        /// The minuend.
        left: ExprId,
        /// The subtrahend.
        right: ExprId,
        /// The size of an element, as in `PointerAdd`.
        element: ExprId,
    },
    /// `left && right`, an `int`; both are scalars.
    LogicalAnd(ExprId, ExprId),
    /// `left || right`, an `int`; both are scalars.
    LogicalOr(ExprId, ExprId),
    /// `condition ? then : otherwise`; both have the type of the result.
    Conditional {
        /// A scalar.
        condition: ExprId,
        /// The value if it is not 0.
        then: ExprId,
        /// The value if it is 0.
        otherwise: ExprId,
    },
    /// `value ?: otherwise`: the value, evaluated once, if it is not 0. Both are of the type of the result,
    /// except that the test is on `value` before the conversion `cast`.
    Elvis {
        /// A scalar of any type.
        value: ExprId,
        /// How the value becomes the result's type.
        cast: CastKind,
        /// The value otherwise, of the type of the result.
        otherwise: ExprId,
    },
    /// `left, right`.
    Comma(ExprId, ExprId),
    /// A conversion to the type of this expression.
    Cast(CastKind, ExprId),
    /// `place = value`; the result is the value of the place's type. A value that goes into a bit-field, here
    /// and in the other kinds of assignment and in initialisers, is cut to its width, and the result is what
    /// the bit-field then holds.
    Assign {
        /// Where.
        place: PlaceId,
        /// What, of the place's type.
        value: ExprId,
    },
    /// `place op= value` on arithmetic types: the place's value is converted to `computation`, the operator
    /// applied, the result converted back.
    AssignOp {
        /// Where.
        place: PlaceId,
        /// The operator.
        op: BinaryOp,
        /// The type of the computation (shifts: the promoted type of the place).
        computation: TypeId,
        /// The right operand, of type `computation` (shifts: of its own promoted type).
        value: ExprId,
    },
    /// `place += index` or `place -= index` on a pointer.
    AssignPointer {
        /// The pointer.
        place: PlaceId,
        /// The index, of an integer type as wide as a pointer.
        index: ExprId,
        /// Whether it is subtracted.
        subtract: bool,
        /// The size of an element, as in `PointerAdd`.
        element: ExprId,
    },
    /// `++place`, `place++`, `--place`, `place--`, on arithmetic types and pointers.
    Increment {
        /// Where.
        place: PlaceId,
        /// Whether 1 is subtracted.
        decrement: bool,
        /// Whether the result is the value before.
        postfix: bool,
        /// The size of an element if the place is a pointer, as in `PointerAdd`.
        element: Option<ExprId>,
    },
    /// A call. Arguments to declared parameters have the parameters' types, others are promoted. Where the
    /// number of arguments is that of a definition, they have the types of its parameters; a call through a
    /// declaration without parameters may pass another number.
    Call {
        /// Who is called.
        callee: Callee,
        /// The arguments.
        arguments: Vec<ExprId>,
    },
    /// An atomic operation of the `__sync_`, `__atomic_` or `__c11_atomic_` family.
    Atomic(Box<Atomic>),
    /// A built-in function of the compiler.
    Builtin {
        /// Which.
        builtin: Builtin,
        /// The arguments, converted where the built-in says so.
        arguments: Vec<ExprId>,
    },
    /// `va_arg(list, T)`: T is the type of this expression.
    VaArg(PlaceId),
    /// `({ … })`.
    Statements {
        /// The statements but the last, if that is an expression: a `StmtKind::Block`. Its variables live
        /// until `value` is known.
        block: StmtId,
        /// The value; `None` if there is none (then the type is `void`).
        value: Option<ExprId>,
    },
    /// Refused where it is reached, with a reason for the user.
    Refused(String),
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function by its name.
    Function(FunctionId),
    /// A pointer to a function.
    Pointer(ExprId),
}

/// What a conversion does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastKind {
    /// Nothing changes but the type's name (enumerations, records that are compatible, `T` to `T`).
    Same,
    /// Integer to integer: extended by the sign of the source type, or cut off.
    Integer,
    /// Any scalar to `_Bool`: whether it is not 0.
    Bool,
    /// Integer to floating.
    IntegerToFloat,
    /// Floating to integer.
    FloatToInteger,
    /// Floating to floating.
    Float,
    /// Pointer to pointer.
    Pointer,
    /// Integer to pointer.
    IntegerToPointer,
    /// Pointer to integer.
    PointerToInteger,
    /// Anything to `void`.
    Void,
}
