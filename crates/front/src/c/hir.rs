//! The typed and linked form of a C program, as the reader hands it to normalisation. Expressions, lvalues and statements live in arenas of
//! the program, so that nothing recurses when they are built or dropped. No tree is deeper than [`MAX_DEPTH`].
//!
//! What holds:
//! - **Conversions are explicit.** The operands of an arithmetic [`ExprKind::Binary`] have the type of the result (shifts: each its own promoted type);
//!   those of a comparison have the same type, and the result is `int`. An assignment's value and a call's arguments have the types of where they go. A [`ExprKind::Load`] turns an lvalue
//!   into a value, [`ExprKind::Decay`] an array into a pointer.
//! - **Constants are folded**: an integer constant expression is an [`ExprKind::Integer`], reduced to its type; a pointer type holds the constant's bits (0 is null).
//!   `sizeof`, `_Alignof`, `offsetof`, `_Generic` and the like are gone, except for the sizes of variable-length arrays, which are loads of hidden locals.
//! - **Names are gone**: lvalues name a [`VarId`] and calls a [`FunctionId`]; units are linked. Names may be equal where ids differ (`static`, shadowing).
//! - What the reader takes but nobody can translate is a node ([`ExprKind::Refused`], [`StmtKind::Refused`]), to be refused where it is reached.

use base::{Arena, Span, define_id};

use super::types::{BitRange, Qualified, RecordId, TypeId, Types};

/// No expression or statement has more nodes than this on a path from its root: deeper ones get a diagnostic.
pub const MAX_DEPTH: u32 = 2_000;

define_id!(
    /// A value.
    pub struct ExprId = "e"
);
define_id!(
    /// An lvalue.
    pub struct PlaceId = "p"
);
define_id!(
    /// A statement.
    pub struct StmtId = "s"
);
define_id!(
    /// A variable: global, static, local, parameter, compound literal.
    pub struct VarId = "v"
);
define_id!(
    /// A function.
    pub struct FunctionId = "f"
);
define_id!(
    /// A label of a function, `case` and `default` included.
    pub struct LabelId = "label"
);
define_id!(
    /// A string literal.
    pub struct StringId = "string"
);

/// A linked program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The types.
    pub types: Types,
    /// The variables of all functions and units.
    pub variables: Arena<VarId, Variable>,
    /// The functions, defined or only declared.
    pub functions: Arena<FunctionId, Function>,
    /// The string literals: one object each.
    pub strings: Arena<StringId, StringLiteral>,
    /// The values.
    pub exprs: Arena<ExprId, Expr>,
    /// The lvalues.
    pub places: Arena<PlaceId, Place>,
    /// The statements.
    pub stmts: Arena<StmtId, Stmt>,
    /// The labels.
    pub labels: Arena<LabelId, Label>,
    /// `main`, if it is defined.
    pub main: Option<FunctionId>,
    /// The variables with static storage duration, in the order of their declaration.
    pub statics: Vec<VarId>,
    /// Assembler at file scope, which the machine cannot follow.
    pub file_scope_asm: Vec<Span>,
    /// How many units were linked.
    pub units: u32,
}

/// How long a variable lives and who sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// At file scope with external linkage.
    Global,
    /// `static`, at file scope or in a function: lives as long as the program.
    Static,
    /// A local of an activation.
    Local,
    /// A parameter.
    Parameter,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name as written; empty for compound literals and the hidden sizes of variable-length arrays.
    pub name: String,
    /// The type; complete, unless the variable is only declared.
    pub ty: Qualified,
    /// How long it lives.
    pub storage: Storage,
    /// `__thread`, `_Thread_local`: one for each thread (then `storage` is `Global` or `Static`).
    pub thread_local: bool,
    /// Whether a declaration other than `extern` was seen: else it is an unknown external object.
    pub defined: bool,
    /// The initialiser. Without one, an object of static storage is zero and a local has any value.
    pub init: Option<Init>,
    /// The function in which it is declared.
    pub function: Option<FunctionId>,
    /// Whether its address is taken: by `&`, by the decay of an array, or as a captured operand.
    pub address_taken: bool,
    /// An alignment asked for by `_Alignas` or an attribute, or 0.
    pub align: u64,
    /// `__attribute__((cleanup(f)))`: f is called with the address when the block is left.
    pub cleanup: Option<FunctionId>,
    /// The declaration, at the name.
    pub span: Span,
}

/// An initialiser, laid out: each cell that is mentioned, in the order of evaluation. A later cell wins over an earlier one at the same place.
#[derive(Clone, Debug, Default)]
pub struct Init {
    /// Whether everything else is zero (an initialiser in braces, or of static storage). A lone expression covers the whole object.
    pub zero: bool,
    /// The cells.
    pub cells: Vec<InitCell>,
}

/// One initialised cell.
#[derive(Clone, Debug)]
pub struct InitCell {
    /// The byte where it starts.
    pub offset: u64,
    /// The bits of a bit-field in the unit of type `ty` at `offset`.
    pub bits: Option<BitRange>,
    /// The type: a scalar; a record or union for `struct S x = e;`; a library type ([`super::types::Type::Opaque`]), whose value is then an integer
    /// constant, the kind of its static initialiser (mutex: 0 normal, 1 recursive, 2 errorcheck; others 0).
    pub ty: TypeId,
    /// The value, of type `ty` (of type `int` for a library type).
    pub value: ExprId,
}

/// A string literal.
#[derive(Clone, Debug)]
pub struct StringLiteral {
    /// The elements with the final zero, each reduced to the element type.
    pub elements: Vec<u32>,
    /// The type: an array of `char`, `wchar_t`, `char16_t` or `char32_t`.
    pub ty: TypeId,
    /// The place.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name as written.
    pub name: String,
    /// Its type, always a `Type::Function`.
    pub ty: TypeId,
    /// Whether it is `static`.
    pub internal: bool,
    /// The definition, if there is one.
    pub body: Option<Body>,
    /// Whether it never returns (`_Noreturn`, attribute).
    pub noreturn: bool,
    /// Whether its address is taken other than to call it at once.
    pub address_taken: bool,
    /// Whether it was never declared, only called.
    pub implicit: bool,
    /// `__attribute__((alias("name")))`.
    pub alias: Option<String>,
    /// `__attribute__((constructor))`: it runs before `main`.
    pub constructor: bool,
    /// The unit that defines it, or else declares it first.
    pub unit: u32,
    /// The definition or first declaration, at the name.
    pub span: Span,
}

/// A function's definition.
#[derive(Clone, Debug)]
pub struct Body {
    /// The parameters, in order.
    pub parameters: Vec<VarId>,
    /// All other variables declared inside, statics included.
    pub locals: Vec<VarId>,
    /// The labels, `case` and `default` included.
    pub labels: Vec<LabelId>,
    /// The labels whose address is taken (`&&label`).
    pub taken_labels: Vec<LabelId>,
    /// The block.
    pub block: StmtId,
    /// The closing brace.
    pub end: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// The name; `None` for `case` and `default`.
    pub name: Option<String>,
    /// The function.
    pub function: FunctionId,
    /// The place.
    pub span: Span,
}

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
    /// `(T){…}`: the variable is initialised, each time this is evaluated, by its `init` (at file scope: once, before the program starts).
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
        /// The size of an element: a constant of type `size_t`, unless it is a variable-length array. Of `void` and functions it is 1.
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
    /// `value ?: otherwise`: the value, evaluated once, if it is not 0. Both are of the type of the result, except that the test is on `value` before the conversion `cast`.
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
    /// `place = value`; the result is the value of the place's type.
    Assign {
        /// Where.
        place: PlaceId,
        /// What, of the place's type.
        value: ExprId,
    },
    /// `place op= value` on arithmetic types: the place's value is converted to `computation`, the operator applied, the result converted back.
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
    /// A call. Arguments to declared parameters have the parameters' types, others are promoted.
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
        /// The statements but the last, if that is an expression: a `StmtKind::Block`. Its variables live until `value` is known.
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

/// An atomic operation: one access to `*pointer`, of type `value`.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// What is done.
    pub op: AtomicOp,
    /// The type of the object.
    pub value: TypeId,
    /// The object; `None` for a fence.
    pub pointer: Option<ExprId>,
    /// The operands: `Store`, `Exchange`, `Fetch`: the value, of type `value`. `CompareExchange`: the expected value (by `expected`), the desired value.
    /// `Load`, `Fence`, `TestAndSet`, `Clear`: none.
    pub operands: Vec<ExprId>,
    /// The memory orders, to be evaluated and forgotten (empty for `__sync_`, which is sequentially consistent).
    pub orders: Vec<ExprId>,
    /// `__atomic_load`, `__atomic_exchange` in their generic form: the pointer through which the result is stored (the expression then is `void`).
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

/// Built-in functions of the compiler that are not calls of library functions (`__builtin_memcpy` is a call of `memcpy`).
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
    /// `__builtin_add_overflow(a, b, p)` and its typed forms: `*p` gets the result wrapped to its type, the value says whether it does not fit.
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
    /// The assertion of an annotation `//@ assert E;`: argument 0 is a scalar.
    AnnotatedAssert,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// The place in the source.
    pub span: Span,
    /// One more than the deepest part.
    pub depth: u32,
}

/// The statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`.
    Empty,
    /// `{ … }`: a scope. Its variables live from its start to its end.
    Block {
        /// The variables declared directly in it, statics left out.
        variables: Vec<VarId>,
        /// The statements.
        statements: Vec<StmtId>,
    },
    /// A declaration is reached: the variable gets its `Variable::init`, or any value. Not made for statics, which are initialised before the program starts.
    Declare(VarId),
    /// An expression whose value is dropped.
    Expr(ExprId),
    /// `if`.
    If {
        /// A scalar.
        condition: ExprId,
        /// If it is not 0.
        then: StmtId,
        /// If it is 0.
        otherwise: Option<StmtId>,
    },
    /// `switch`.
    Switch {
        /// An integer, promoted.
        value: ExprId,
        /// The cases.
        cases: Vec<SwitchCase>,
        /// `default`.
        default: Option<LabelId>,
        /// The body, in which the labels are.
        body: StmtId,
    },
    /// `while`.
    While {
        /// A scalar.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: StmtId,
        /// A scalar.
        condition: ExprId,
    },
    /// `for`; a declaration in its head is a block around it.
    For {
        /// The first expression.
        init: Option<ExprId>,
        /// A scalar; always true if it is missing.
        condition: Option<ExprId>,
        /// The third expression.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `label: statement`, `case …: statement`, `default: statement`.
    Labelled {
        /// The label.
        label: LabelId,
        /// The statement.
        body: StmtId,
    },
    /// `goto label`.
    Goto(LabelId),
    /// `goto *e`: the targets are `Body::taken_labels`.
    ComputedGoto(ExprId),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`; the value has the function's type. In a function that returns `void` there is none (an expression becomes a statement before it).
    Return(Option<ExprId>),
    /// Assembler. One without instructions only says what must not move.
    Asm {
        /// Whether it has instructions.
        empty: bool,
        /// The values it reads.
        inputs: Vec<ExprId>,
        /// The lvalues it writes.
        outputs: Vec<PlaceId>,
    },
    /// Refused where it is reached, with a reason for the user.
    Refused(String),
}

/// A case of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwitchCase {
    /// The least value, of the switch's promoted type.
    pub low: i128,
    /// The greatest value.
    pub high: i128,
    /// Where it goes.
    pub label: LabelId,
}
