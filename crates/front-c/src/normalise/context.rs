//! The state of a translation: what was made of the program so far, and the procedure that is being written.

use ir::Class;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use ::c::{
    Builder, ExprId, LocalId, LocalScope, ObjectId, Op, ProcId, PropertyId, PropertySite, Type as Scalar,
};
use base::{Budget, Diagnostic, Diagnostics, Id, Span, Stop};

use super::super::hir::{FunctionId, LabelId, Program, StmtId, StringId, VarId};
use super::super::types::{TypeId, Types};
use super::checks::Unasked;
use super::code::{Code, Flow, Label};
use super::facts::Facts;
use super::instances::{Entered, Instance};
use super::procedures::Work;
use super::shapes::{Shape, Shapes, pointer_bits, scalar};
use super::{Options, Problem, Translation};

/// Assumptions about how a text is to be understood.
const OF_THE_TEXT: [&str; 2] = ["evaluation order", "sequential consistency"];

/// What a variable is in the code that is being written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// A register.
    Register(LocalId),
    /// An object.
    Object(ObjectId),
    /// A constant that stands for a variable which is never assigned.
    Value(ExprId),
    /// An object whose address is in a register: a variable-length array.
    Pointed(LocalId),
}

/// A block that was entered.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The block.
    pub block: Option<StmtId>,
    /// Its variables.
    pub variables: Vec<VarId>,
}

/// Where `break` or `continue` goes.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// The label.
    pub label: Label,
    /// How many scopes stay open there.
    pub scopes: usize,
}

/// What `return` does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnTo {
    /// A procedure of its own.
    Procedure,
    /// The thread ends.
    Thread,
    /// The program ends.
    Program,
}

/// A handler between `pthread_cleanup_push` and `pthread_cleanup_pop`.
#[derive(Clone, Copy, Debug)]
pub struct Cleanup {
    /// The function.
    pub function: ExprId,
    /// Its argument.
    pub argument: ExprId,
    /// How many scopes were open when it was pushed.
    pub scopes: usize,
}

/// The function that is being translated.
#[derive(Debug)]
pub struct Frame {
    /// The function; `None` for a statement that runs as a thread.
    pub function: Option<FunctionId>,
    /// Its variables.
    pub env: HashMap<VarId, Binding>,
    /// Its labels.
    pub labels: HashMap<LabelId, Label>,
    /// Its variable-length arrays in the order of their declarations.
    pub arrays: Vec<VarId>,
    /// The labels that were placed, each with how many of those arrays were declared before it.
    pub placed: HashMap<LabelId, usize>,
    /// The blocks that are open.
    pub scopes: Vec<Scope>,
    /// Where `break` goes.
    pub breaks: Vec<Jump>,
    /// Where `continue` goes.
    pub continues: Vec<Jump>,
    /// What `return` does.
    pub returns: ReturnTo,
    /// Where the result goes.
    pub result: Option<Binding>,
    /// The register with the address of the arguments beyond the parameters.
    pub varargs: Option<LocalId>,
    /// What an allocation is used as, if the caller knows.
    pub allocates: Option<TypeId>,
    /// In a function of the library: what the caller's pointers point to, by parameter.
    pub pointees: BTreeMap<VarId, TypeId>,
    /// Whether nobody looks at the result.
    pub dropped: bool,
    /// In a function that the library calls for its own use, if it is a procedure: what the program called.
    pub entered: Option<Entered>,
}

impl Frame {
    /// A frame for a function.
    pub fn new(function: Option<FunctionId>, returns: ReturnTo) -> Frame {
        Frame {
            function,
            env: HashMap::new(),
            labels: HashMap::new(),
            arrays: vec![],
            placed: HashMap::new(),
            scopes: vec![],
            breaks: vec![],
            continues: vec![],
            returns,
            result: None,
            varargs: None,
            allocates: None,
            pointees: BTreeMap::new(),
            dropped: false,
            entered: None,
        }
    }
}

/// The registers for intermediate results: those of a statement are used again by the next one.
#[derive(Debug, Default)]
struct Temporaries {
    free: HashMap<Scalar, Vec<LocalId>>,
    used: Vec<LocalId>,
}

/// A label that looks like one of an error.
#[derive(Clone, Copy, Debug)]
pub struct SuspectLabel {
    /// The label.
    pub label: LabelId,
    /// The step that it stands at.
    pub position: usize,
}

/// The procedure that is being written.
#[derive(Debug)]
pub struct Current {
    /// The procedure.
    pub procedure: ProcId,
    /// Its steps.
    pub code: Code,
    /// The function that it is written for.
    pub frame: Frame,
    /// The register of each variable: a function that is not recursive has one activation at a time.
    pub registers: HashMap<VarId, LocalId>,
    /// The handlers that are pushed.
    pub cleanups: Vec<Cleanup>,
    /// Whether the handlers and destructors of a thread that ends are being written.
    pub ending: bool,
    /// The labels that look like those of errors, and that nobody has named.
    pub suspects: Vec<SuspectLabel>,
    temporaries: Temporaries,
    names: HashSet<String>,
}

/// A translation under way.
pub struct Normaliser<'a> {
    /// The program.
    pub hir: &'a Program,
    /// What the user wants.
    pub options: &'a Options,
    budget: &'a Budget,
    /// Why the translation ends early.
    pub stopped: Option<Stop>,
    /// What is known about the program.
    pub facts: Facts,
    shapes: Shapes,
    /// The pool of expressions, registers and objects from which the program is made in the end.
    pub pool: Builder,
    /// What every static variable is.
    pub statics: HashMap<VarId, Binding>,
    /// The objects of string literals.
    pub strings: HashMap<StringId, ObjectId>,
    /// The objects that stand for functions.
    pub functions: HashMap<FunctionId, ObjectId>,
    /// Objects that the library needs, by name.
    pub specials: HashMap<&'static str, ObjectId>,
    /// Procedures that are not written yet.
    pub work: VecDeque<(ProcId, Work)>,
    /// The procedures of functions that are called, and templates.
    pub procedures: HashMap<Instance, ProcId>,
    /// The steps of the procedures that are done.
    pub done: Vec<(ProcId, Vec<Flow>)>,
    /// The procedure that is being written.
    pub current: Current,
    /// Where in the source the translation is.
    pub span: Option<Span>,
    /// The call whose result nobody looks at, if that is what is evaluated next.
    pub dropped: Option<super::super::hir::ExprId>,
    /// Calls whose result is printed and nothing else.
    pub shown: HashSet<super::super::hir::ExprId>,
    /// What the arguments of the call that comes next point to, for a function of the library.
    pub pointees: BTreeMap<VarId, TypeId>,
    /// Whether the code that is being written runs while the program ends.
    pub ending: bool,
    /// Whether arithmetic wraps, and no assertion is written about it.
    pub wrapping: bool,
    /// What is taken for granted.
    pub assumptions: BTreeSet<String>,
    /// What the user should know.
    pub warnings: Diagnostics,
    /// Calls of functions that look like checks.
    pub unasked: Unasked,
    /// What warnings were given already.
    warned: HashSet<String>,
    /// The register of how many cleanup handlers a thread has pushed, where threads keep lists of them.
    pub handlers: Option<LocalId>,
    /// The register of whether a thread ends, likewise.
    pub ends: Option<LocalId>,
    /// The register of whether a thread is the first one, where that is asked.
    pub first_thread: Option<LocalId>,
    /// Why the static initialiser that is being read cannot be translated.
    pub untranslated: Option<String>,
    /// The static objects and registers whose first values could not be translated, and why.
    pub unknown_values: HashMap<Binding, String>,
    object_names: HashSet<String>,
    procedure_names: HashSet<String>,
}

impl<'a> Normaliser<'a> {
    /// Nothing is translated yet.
    pub fn new(hir: &'a Program, options: &'a Options, budget: &'a Budget) -> Self {
        Self {
            hir,
            options,
            budget,
            stopped: None,
            facts: Facts::new(hir),
            shapes: Shapes::default(),
            pool: Builder::new(pointer_bits(&hir.types)),
            statics: HashMap::new(),
            strings: HashMap::new(),
            functions: HashMap::new(),
            specials: HashMap::new(),
            work: VecDeque::new(),
            procedures: HashMap::new(),
            done: vec![],
            current: Current::new(ProcId::from_index(0)),
            span: None,
            dropped: None,
            shown: HashSet::new(),
            pointees: BTreeMap::new(),
            ending: false,
            wrapping: false,
            assumptions: BTreeSet::new(),
            warnings: Diagnostics::new(),
            unasked: Unasked::new(),
            warned: HashSet::new(),
            handlers: None,
            ends: None,
            first_thread: None,
            untranslated: None,
            unknown_values: HashMap::new(),
            object_names: HashSet::new(),
            procedure_names: HashSet::new(),
        }
    }

    /// Translates the whole program.
    pub fn run(mut self) -> Result<Translation, Problem> {
        self.write_all()?;
        if let Some(stop) = self.stopped {
            return Err(Problem::Stop(stop));
        }
        super::finish::finish(self)
    }

    /// The types of the program.
    pub fn types(&self) -> &'a Types {
        &self.hir.types
    }

    /// The type of integers as wide as a pointer.
    pub fn word(&self) -> Scalar {
        Scalar::Bits(pointer_bits(&self.hir.types))
    }

    /// Whether to go on: after the budget ended nothing more is written.
    pub fn spend(&mut self, ticks: u64) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.budget.spend(ticks).err();
        }
        self.stopped.is_none()
    }

    /// Whether to go deeper: the system may have granted a smaller stack than nesting needs.
    pub fn may_go_deeper(&mut self) -> bool {
        let is_low = base::stack::is_low();
        if is_low {
            self.stopped.get_or_insert(Stop::Memory);
        }
        !is_low
    }

    /// Adds a step.
    pub fn emit(&mut self, op: Op) {
        if self.spend(1) {
            let place = self.span;
            self.current.code.push(op, place);
        }
    }

    /// Adds a step that jumps if a condition holds.
    pub fn branch(&mut self, cond: ExprId, target: Label) {
        if self.spend(1) {
            let place = self.span;
            self.current.code.branch(cond, target, place);
        }
    }

    /// Goes to a label.
    pub fn goto(&mut self, label: Label) {
        let place = self.span;
        self.current.code.goto(label, place);
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.current.code.label()
    }

    /// Gives a label its place.
    pub fn place_label(&mut self, label: Label) {
        self.current.code.place(label);
    }

    /// Refuses what stands here.
    pub fn refuse(&mut self, construct: impl Into<String>) {
        self.emit(Op::Refuse(construct.into()));
    }

    /// The scalar of a type; what has none is refused and taken as an `int`.
    pub fn scalar(&mut self, ty: TypeId) -> Scalar {
        match scalar(self.types(), ty) {
            Ok(scalar) => scalar,
            Err(construct) => {
                self.refuse(construct);
                Scalar::Bits(32)
            }
        }
    }

    /// The scalar of a type, if it is one.
    pub fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        scalar(self.types(), ty).ok()
    }

    /// The shape of a type, or the construct to refuse.
    pub fn shape(&mut self, ty: TypeId) -> Result<Shape, &'static str> {
        self.shapes.of(&self.hir.types, &self.facts, ty)
    }

    /// The bytes of an object at which scalars of the members of its unions begin or end.
    pub fn union_borders(&self, ty: TypeId) -> std::collections::BTreeSet<u64> {
        super::shapes::Shapes::union_borders(&self.hir.types, &self.facts, ty)
    }

    /// Where the bit-fields of a record are.
    pub fn bit_fields(
        &mut self,
        record: super::super::types::RecordId,
    ) -> Vec<Option<super::shapes::BitSpot>> {
        self.shapes.bit_fields(&self.hir.types, record)
    }

    /// The function that is being translated.
    pub fn frame(&mut self) -> &mut Frame {
        &mut self.current.frame
    }

    /// A register for an intermediate result, until the end of the statement.
    pub fn temporary(&mut self, ty: Scalar) -> LocalId {
        let temporaries = &mut self.current.temporaries;
        let local = match temporaries.free.get_mut(&ty).and_then(Vec::pop) {
            Some(local) => local,
            None => self.pool.temporary(self.current.procedure, ty),
        };
        self.current.temporaries.used.push(local);
        local
    }

    /// The temporaries in use.
    pub fn mark(&self) -> usize {
        self.current.temporaries.used.len()
    }

    /// Gives back the temporaries that were taken since the mark.
    pub fn release(&mut self, mark: usize) {
        for local in self.current.temporaries.used.split_off(mark) {
            let ty = self.pool.draft().locals()[local].ty;
            self.current.temporaries.free.entry(ty).or_default().push(local);
        }
    }

    /// A register of the procedure with a name for the user.
    pub fn named_register(&mut self, name: &str, ty: Scalar, signed: bool) -> LocalId {
        let name = unique(&mut self.current.names, if name.is_empty() { "value" } else { name });
        let local = self.pool.local(name, LocalScope::Procedure(self.current.procedure), ty);
        self.pool.local_mut(local).signed = signed;
        local
    }

    /// A name that no other object has.
    pub fn object_name(&mut self, name: &str) -> String {
        unique(&mut self.object_names, if name.is_empty() { "object" } else { name })
    }

    /// A name that no other procedure has.
    pub fn procedure_name(&mut self, name: &str) -> String {
        unique(&mut self.procedure_names, name)
    }

    /// Something that must not go wrong.
    pub fn property(&mut self, class: Class, text: impl Into<String>) -> PropertyId {
        let place = self.span;
        self.pool.property(PropertySite { class, text: text.into(), span: place })
    }

    /// Notes what is taken for granted.
    pub fn assume_silently(&mut self, text: impl Into<String>) {
        let text = text.into();
        // Inside a function of the library the order of operands and of its own atomic steps is ours to say.
        let in_library = self.entered().is_some();
        let ours = in_library && OF_THE_TEXT.iter().any(|it| text.starts_with(it));
        if !ours {
            self.assumptions.insert(text);
        }
    }

    /// Warns the user, once for each text, and says what can be done.
    pub fn warn_with_help(&mut self, code: &'static str, text: String, help: &str) {
        let place = self.span;
        self.warn_once(Diagnostic::warning(code, place, text).help(help));
    }

    /// Warns the user, once for each text.
    pub fn warn_once(&mut self, found: Diagnostic) {
        if self.warned.insert(found.message.clone()) {
            self.warnings.push(found);
        }
    }
}

impl Current {
    /// A procedure without steps.
    pub fn new(procedure: ProcId) -> Current {
        Current {
            procedure,
            code: Code::default(),
            frame: Frame::new(None, ReturnTo::Procedure),
            registers: HashMap::new(),
            cleanups: vec![],
            ending: false,
            suspects: vec![],
            temporaries: Temporaries::default(),
            names: HashSet::new(),
        }
    }
}

/// The name, with a number if it is taken.
pub fn unique(names: &mut HashSet<String>, name: &str) -> String {
    let mut candidate = name.to_string();
    let mut number = 1;
    while !names.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{name}_{number}");
    }
    candidate
}
