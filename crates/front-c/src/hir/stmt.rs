//! Statements of the typed form.

use base::Span;

use super::{ExprId, LabelId, PlaceId, StmtId, VarId};

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
    /// A declaration is reached: the variable gets its `Variable::init`, or any value. Not made for statics,
    /// which are initialised before the program starts.
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
    /// `return`; the value has the function's type. In a function that returns `void` there is none (an
    /// expression becomes a statement before it).
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
