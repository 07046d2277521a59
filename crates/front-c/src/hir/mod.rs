//! The typed and linked form of a C program, as the reader hands it to normalisation. Expressions, lvalues
//! and statements live in arenas of the program, so that nothing recurses when they are built or dropped. No
//! tree is deeper than [`MAX_DEPTH`].
//!
//! What holds:
//! - **Conversions are explicit.** The operands of an arithmetic [`ExprKind::Binary`] have the type of the
//!   result (shifts: each its own promoted type); those of a comparison have the same type, and the result is
//!   `int`. An assignment's value and a call's arguments have the types of where they go. A
//!   [`ExprKind::Load`] turns an lvalue into a value, [`ExprKind::Decay`] an array into a pointer.
//! - **Constants are folded**: an integer constant expression is an [`ExprKind::Integer`], reduced to its
//!   type; a pointer type holds the constant's bits (0 is null). `sizeof`, `_Alignof`, `offsetof`, `_Generic`
//!   and the like are gone, except for the sizes of variable-length arrays, which are loads of hidden locals.
//! - **Names are gone**: lvalues name a [`VarId`] and calls a [`FunctionId`]; units are linked. Names may be
//!   equal where ids differ (`static`, shadowing).
//! - What the reader takes but nobody can translate is a node ([`ExprKind::Refused`], [`StmtKind::Refused`]),
//!   to be refused where it is reached.

use std::collections::HashMap;

use base::{Arena, Span, define_id};

use super::types::{BitRange, Qualified, TypeId, Types};

mod atomic;
mod expr;
mod stmt;

pub use atomic::{Atomic, AtomicOp, Builtin, Expected, FetchOp};
pub use expr::{BinaryOp, Callee, CastKind, Expr, ExprKind, Place, PlaceKind, UnaryOp};
pub use stmt::{Stmt, StmtKind, SwitchCase};

/// No expression or statement has more nodes than this on a path from its root: deeper ones get a diagnostic.
pub const MAX_DEPTH: u32 = 1_000;

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
    /// Constants in whose computation signed arithmetic overflowed.
    pub overflowed: HashMap<ExprId, FoldedOverflow>,
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
    /// What is refused before the program starts, and why.
    pub refused: Vec<(Span, String)>,
    /// How many units were linked.
    pub units: u32,
    /// The library's own functions, written in C, by the names that programs call them with.
    pub models: HashMap<String, FunctionId>,
}

impl Program {
    /// Whether a function is a model of the library, or called by one: its text is not the user's.
    pub fn is_model(&self, function: FunctionId) -> bool {
        self.functions[function].library
    }
}

/// How the computation of a constant overflowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FoldedOverflow {
    /// A number was shifted out of its type, or a negative one was shifted; nothing else.
    Shift,
    /// A result of another operator did not fit.
    Arithmetic,
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
    /// The call `f(&x)` for a variable x with `__attribute__((cleanup(f)))`. It belongs to a variable of its
    /// own, which has no value and stands in a block around what comes after the declaration of x: that
    /// block's ways out make the call.
    pub cleanup: Option<ExprId>,
    /// The name that the linker sees, where an asm label says so.
    pub symbol: Option<String>,
    /// `__attribute__((alias("name")))`.
    pub alias: Option<String>,
    /// Whether another definition wins over this one.
    pub weak: bool,
    /// Why it is refused where it is used.
    pub refused: Option<String>,
    /// The unit that declares it first.
    pub unit: u32,
    /// The declaration, at the name.
    pub span: Span,
}

/// An initialiser, laid out: each cell that is mentioned, in the order of evaluation. A later cell wins over
/// an earlier one at the same place.
#[derive(Clone, Debug, Default)]
pub struct Init {
    /// Whether everything else is zero (an initialiser in braces, or of static storage). A lone expression
    /// covers the whole object.
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
    /// The type: a scalar; a record or union for `struct S x = e;`; a library type
    /// ([`super::types::Type::Opaque`]), whose value is then an integer constant, the kind of its static
    /// initialiser (mutex: 0 normal, 1 recursive, 2 errorcheck; others 0), or a value of the library type.
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
    /// `__attribute__((constructor(n)))`: it runs before `main`, those with smaller numbers first.
    pub constructor: Option<u32>,
    /// `__attribute__((destructor(n)))`: it runs when the program ends normally, those with greater numbers
    /// first.
    pub destructor: Option<u32>,
    /// The name that the linker sees, where an asm label says so.
    pub symbol: Option<String>,
    /// Whether another definition wins over this one.
    pub weak: bool,
    /// Whether its `extern inline` definition is for inlining only.
    pub gnu_inline: bool,
    /// Why it is refused where it is used.
    pub refused: Option<String>,
    /// The unit that defines it, or else declares it first.
    pub unit: u32,
    /// Whether it belongs to the library that comes with the reader.
    pub library: bool,
    /// Which definition it is, counted over all units.
    pub definition_order: u32,
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
