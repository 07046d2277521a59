//! A parsed file. Nothing here is nested: statements are a flat list with markers for `if` and `while`,
//! expressions are in postfix form, and lists live in pools. So the depth of a program is bounded by memory
//! alone, and a large file stays small.

use std::collections::HashMap;

/// Bytes of the file, from the first to behind the last.
pub type Bytes = (u32, u32);

/// A name, as a small number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

/// All names of a file.
#[derive(Default)]
pub struct Symbols<'s> {
    texts: Vec<&'s str>,
    index: HashMap<&'s str, Symbol>,
}

impl<'s> Symbols<'s> {
    /// The symbol of a name.
    pub fn add(&mut self, text: &'s str) -> Symbol {
        *self.index.entry(text).or_insert_with(|| {
            self.texts.push(text);
            Symbol(self.texts.len() as u32 - 1)
        })
    }

    /// The symbol of a name that occurs in the file.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.index.get(text).copied()
    }

    /// The name.
    pub fn text(&self, symbol: Symbol) -> &'s str {
        self.texts[symbol.0 as usize]
    }
}

/// A name somewhere in the file.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// Which.
    pub symbol: Symbol,
    /// Where.
    pub bytes: Bytes,
}

/// A part of a pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct List {
    /// The first element.
    pub start: u32,
    /// The one behind the last.
    pub end: u32,
}

impl List {
    /// The part as indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One sign of an expression in postfix form.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// 0 or 1.
    Const(bool),
    /// `*`
    Choice,
    /// A variable.
    Read(Reading),
    /// `!`
    Not,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^` and `!=`
    Xor,
    /// `=`
    Equal,
    /// `=>`
    Implies,
    /// `schoose[.,.]`
    Choose,
    /// `. ? . : .`
    Ite,
}

/// A variable in an expression or on a left side.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Its name.
    pub name: Name,
    /// `'x`
    pub ticked: bool,
    /// `[x]`
    pub bracketed: bool,
}

/// An expression: a part of the pool of items.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Its items.
    pub items: List,
    /// Where it stands.
    pub bytes: Bytes,
}

/// What a statement does.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Nothing, not even a step: it carries labels.
    Nothing,
    /// `skip`
    Skip,
    /// `goto a, b`
    Goto(List),
    /// `targets := values [constrain e]`
    Assign {
        /// Left sides, in the pool of readings.
        targets: List,
        /// Right sides, in the pool of expressions.
        values: List,
        /// The condition.
        constrain: Option<Expr>,
    },
    /// `constrain(e)` on its own.
    Constrain(Expr),
    /// `assume(e)`
    Assume(Expr),
    /// `assert(e)`
    Assert(Expr),
    /// `abortif e`
    AbortIf(Expr),
    /// `enforce e` for the whole procedure.
    Enforce(Expr),
    /// `dead x, y`, in the pool of names.
    Dead(List),
    /// `targets := f(values)` or `f(values)`
    Call {
        /// The procedure.
        procedure: Name,
        /// Left sides, in the pool of readings.
        targets: List,
        /// Arguments, in the pool of expressions.
        values: List,
    },
    /// `return values`
    Return(List),
    /// `start_thread goto L`
    StartAt(Name),
    /// `start_thread f(values)`
    StartCall {
        /// The procedure.
        procedure: Name,
        /// Arguments, in the pool of expressions.
        values: List,
    },
    /// `end_thread`
    EndThread,
    /// `atomic_begin`
    AtomicBegin,
    /// `atomic_end`
    AtomicEnd,
    /// `lock l`
    Lock(Name),
    /// `unlock l`
    Unlock(Name),
    /// `if e then`
    If(Expr),
    /// `elsif e then`
    Elsif(Expr),
    /// `else`
    Else,
    /// `fi`
    Fi,
    /// `while e do`
    While(Expr),
    /// `od`
    Od,
}

/// A statement or a marker of structure.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// Its labels, in the pool of names.
    pub labels: List,
    /// `enforce e:` before it: a condition for this place alone.
    pub enforce: Option<Expr>,
    /// What it does.
    pub action: Action,
    /// Where it stands.
    pub bytes: Bytes,
}

/// The first value of a variable.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// Not given.
    Open,
    /// `:= 0` or `:= 1`
    Fixed(bool),
    /// `:= *`
    Any,
}

/// A declared variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Its first value.
    pub first: First,
}

/// A declaration outside procedures.
#[derive(Clone, Copy, Debug)]
pub enum Global {
    /// `decl x` or `shared x`
    Shared(Variable),
    /// `thread_local x`
    ThreadLocal(Variable),
    /// `lock l`
    Lock(Name),
}

/// How many threads `start f ...` asks for.
#[derive(Clone, Copy, Debug)]
pub enum Population {
    /// `start init f`
    Init,
    /// `start f N`
    Exactly(u32),
    /// `start f any`, `some`, `at_least N`
    AtLeast(u32),
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name; none for the statements of a file with sections.
    pub name: Name,
    /// How many values it returns.
    pub results: usize,
    /// Its parameters.
    pub params: Vec<Name>,
    /// Its variables.
    pub locals: Vec<Variable>,
    /// Its statements, in the pool of statements.
    pub body: List,
    /// Where its end stands.
    pub end: Bytes,
}

/// A whole file.
#[derive(Default)]
pub struct Unit<'s> {
    /// All names.
    pub symbols: Symbols<'s>,
    /// Declarations outside procedures, in order.
    pub globals: Vec<Global>,
    /// `start` items.
    pub starts: Vec<(Name, Population)>,
    /// `atomic_variable` items.
    pub atomic_variables: Vec<Name>,
    /// `error_label` items.
    pub error_labels: Vec<Name>,
    /// The procedures, in order.
    pub procedures: Vec<Procedure>,
    /// Whether the file has sections instead of procedures.
    pub sections: bool,
    /// The pool of statements.
    pub statements: Vec<Statement>,
    /// The pool of expressions.
    pub exprs: Vec<Expr>,
    /// The pool of items.
    pub items: Vec<Item>,
    /// The pool of names.
    pub names: Vec<Name>,
    /// The pool of left sides.
    pub targets: Vec<Reading>,
}
