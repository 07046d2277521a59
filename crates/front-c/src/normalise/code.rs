//! The steps of a procedure while it is written: a list in which a step goes on to the one after it, or to a
//! label.

use ::c::{Loc, Op};
use base::{Id, Span};

/// Why the step behind the last one is undefined behaviour.
pub const END: &str = "the end of a function was reached";

/// A place in the code that may not be known yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(usize);

/// A step.
#[derive(Clone, Debug)]
struct Line {
    op: Op,
    /// Where a branch goes.
    target: Option<Label>,
    /// Where control goes on, if not to the next line.
    next: Option<Label>,
    span: Option<Span>,
}

/// The steps of a procedure in the making.
#[derive(Clone, Debug, Default)]
pub struct Code {
    lines: Vec<Line>,
    labels: Vec<Option<usize>>,
}

/// A step with its successors as positions in a list; a branch has its target in the operation.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The step.
    pub op: Op,
    /// Where control goes on.
    pub next: usize,
    /// The source.
    pub span: Option<Span>,
    /// Whether no other thread can see the access.
    pub private: bool,
}

impl Code {
    /// A label without a place.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Gives a label its place: the next step.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.lines.len());
    }

    /// Adds a step.
    pub fn push(&mut self, op: Op, span: Option<Span>) {
        self.lines.push(Line { op, target: None, next: None, span });
    }

    /// Adds a branch to a label.
    pub fn branch(&mut self, cond: ::c::ExprId, target: Label, span: Option<Span>) {
        let op = Op::Branch { cond, target: Loc::from_index(0) };
        self.lines.push(Line { op, target: Some(target), next: None, span });
    }

    /// Goes to a label.
    pub fn goto(&mut self, label: Label, span: Option<Span>) {
        self.lines.push(Line { op: Op::Skip, target: None, next: Some(label), span });
    }

    /// The operation of a step.
    pub fn op(&self, position: usize) -> Option<&Op> {
        self.lines.get(position).map(|line| &line.op)
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// All labels replaced by positions. A label without a place and the end of the list stand for what is
    /// never reached.
    pub fn resolve(mut self) -> Vec<Flow> {
        let end = self.lines.len();
        let stop = Op::Undefined(END.into());
        self.lines.push(Line { op: stop, target: None, next: None, span: None });
        let labels = &self.labels;
        let position = |label: Label| labels[label.0].unwrap_or(end);
        let lines = self.lines.into_iter().enumerate();
        let resolved = lines.map(|(at, line)| {
            let mut op = line.op;
            if let (Op::Branch { target, .. }, Some(label)) = (&mut op, line.target) {
                *target = Loc::from_index(position(label));
            }
            let next = line.next.map_or((at + 1).min(end), position);
            Flow { op, next, span: line.span, private: false }
        });
        resolved.collect()
    }
}
