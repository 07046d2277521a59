//! Normalised C: procedures, each a range of locations, one step a location; registers, declared objects and
//! their shapes. `main` is the first thread; every other begins in the procedure that a `Create` names: its
//! template. Calls are steps only where a procedure is recursive; all others were inlined.

use super::builder::Builder;
use super::expr::{Exprs, Node};
use super::op::Op;
use super::origin::{ChoiceOrigin, OriginId};
use super::types::{CellType, Constant, Layout, Object, ObjectScope, Type};
use base::class::Class;
use base::{Arena, Id, Span, define_id};

define_id!(
    /// A register; numbered through the whole program.
    pub struct LocalId = "v"
);
define_id!(
    /// A declared object.
    pub struct ObjectId = "o"
);
define_id!(
    /// The shape of an element of an object.
    pub struct LayoutId = "y"
);
define_id!(
    /// A procedure; a template if threads begin in it.
    pub struct ProcId = "p"
);
define_id!(
    /// A location: a value of the program counter.
    pub struct Loc = "l"
);
define_id!(
    /// Something that must not go wrong: one assertion or error call of the source.
    pub struct PropertyId = "q"
);

/// Where a register lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LocalScope {
    /// One per thread, seen by all procedures: thread-local storage whose address is not taken.
    Thread,
    /// One per activation of the procedure.
    Procedure(ProcId),
}

/// A register: a scalar of a thread or an activation that nothing points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name; unique in its procedure, and among those of threads.
    pub name: String,
    /// Where it lives.
    pub scope: LocalScope,
    /// What it holds.
    pub ty: Type,
    /// Whether messages show it as a signed number.
    pub signed: bool,
    /// Whether the normaliser made it for an intermediate result; messages leave it out.
    pub temporary: bool,
    /// Its value at the start of the thread or activation, unless it is a parameter. "Any value" takes a
    /// `Choose`.
    pub init: Constant,
    /// Its place among the registers of its scope; set by [`Builder::local`].
    pub slot: u32,
}

/// A procedure: the range of locations from `entry` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name; unique.
    pub name: String,
    /// Its parameters, in order: registers of the procedure.
    pub params: Vec<LocalId>,
    /// What it returns.
    pub result: Option<Type>,
    /// Its first location, where it starts.
    pub entry: Loc,
    /// The location after its last.
    pub end: Loc,
    /// The number of registers of an activation.
    pub registers: u32,
}

/// What an assertion or error call says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertySite {
    /// Whether it is an assertion, a call or a label.
    pub class: Class,
    /// The function and the condition as written, such as `assert(x == 1)`; of a label its name.
    pub text: String,
    /// Where it stands.
    pub span: Option<Span>,
}

impl PropertySite {
    /// What it says, in words.
    pub fn says(&self) -> String {
        match self.class {
            Class::ERROR_LABEL => format!("label {}", self.text),
            _ => self.text.clone(),
        }
    }
}

/// A location with its step.
#[derive(Clone, Debug)]
pub struct Location {
    /// The step.
    pub op: Op,
    /// Where control goes on.
    pub next: Loc,
    /// The procedure that it belongs to.
    pub procedure: ProcId,
    /// The source that it stems from.
    pub span: Option<Span>,
    /// Whether the access can only reach what no other thread can: engines may merge the step with its
    /// neighbours.
    pub private: bool,
}

/// A scalar cell of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Bytes from the object's start.
    pub offset: i64,
    /// Its type.
    pub ty: Type,
    /// Its number in the object.
    pub number: u64,
}

/// A closed, validated program. Only [`Builder::finish`] makes one.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) exprs: Exprs,
    pub(super) locals: Arena<LocalId, Local>,
    pub(super) layouts: Arena<LayoutId, Layout>,
    pub(super) objects: Arena<ObjectId, Object>,
    pub(super) procedures: Arena<ProcId, Procedure>,
    pub(super) locations: Arena<Loc, Location>,
    pub(super) properties: Arena<PropertyId, PropertySite>,
    pub(super) origins: Arena<OriginId, ChoiceOrigin>,
    pub(super) main: ProcId,
    pub(super) thread_registers: u32,
}

impl Program {
    /// The expression pool.
    pub fn exprs(&self) -> &Exprs {
        &self.exprs
    }

    /// The width of a pointer: 64, or 32.
    pub fn pointer_bits(&self) -> u8 {
        self.exprs.pointer_bits()
    }

    /// The registers.
    pub fn locals(&self) -> &Arena<LocalId, Local> {
        &self.locals
    }

    /// The shapes of elements.
    pub fn layouts(&self) -> &Arena<LayoutId, Layout> {
        &self.layouts
    }

    /// The declared objects.
    pub fn objects(&self) -> &Arena<ObjectId, Object> {
        &self.objects
    }

    /// The procedures.
    pub fn procedures(&self) -> &Arena<ProcId, Procedure> {
        &self.procedures
    }

    /// The locations.
    pub fn locations(&self) -> &Arena<Loc, Location> {
        &self.locations
    }

    /// One location.
    pub fn at(&self, loc: Loc) -> &Location {
        &self.locations[loc]
    }

    /// The assertions and error calls.
    pub fn properties(&self) -> &Arena<PropertyId, PropertySite> {
        &self.properties
    }

    /// The functions on whose behalf values are chosen.
    pub fn origins(&self) -> &Arena<OriginId, ChoiceOrigin> {
        &self.origins
    }

    /// The procedure of the first thread; it has no parameters (its `argc` and `argv` are chosen by its first
    /// steps).
    pub fn main(&self) -> ProcId {
        self.main
    }

    /// The number of registers that each thread has beside those of its activations.
    pub fn thread_registers(&self) -> u32 {
        self.thread_registers
    }

    /// The locations of a procedure.
    pub fn locations_of(&self, procedure: ProcId) -> impl DoubleEndedIterator<Item = Loc> + use<> {
        let procedure = &self.procedures[procedure];
        (procedure.entry.index()..procedure.end.index()).map(Loc::from_index)
    }

    /// The locations that control may go to from `loc` inside the same activation (after the call, for a
    /// call).
    pub fn successors(&self, loc: Loc) -> Vec<Loc> {
        let location = self.at(loc);
        match &location.op {
            Op::Branch { target, .. } => vec![*target, location.next],
            op if !op.goes_on() => vec![],
            _ => vec![location.next],
        }
    }

    /// The procedures that threads begin in: `main` first, then those of creations in the order of their
    /// numbers.
    pub fn templates(&self) -> Vec<ProcId> {
        let mut created: Vec<ProcId> = self
            .locations
            .iter()
            .filter_map(|location| match &location.op {
                Op::Create { template, .. } if *template != self.main => Some(*template),
                _ => None,
            })
            .collect();
        created.sort();
        created.dedup();
        std::iter::once(self.main).chain(created).collect()
    }

    /// Whether no procedure is called: each thread stays in the procedure that it began in.
    pub fn is_flat(&self) -> bool {
        self.locations.iter().all(|location| !matches!(location.op, Op::Call { .. }))
    }

    /// Whether objects come and go: allocations, objects of activations or of threads.
    pub fn has_dynamic_objects(&self) -> bool {
        self.objects.iter().any(|object| object.scope != ObjectScope::Static)
            || self.locations.iter().any(|location| matches!(location.op, Op::Alloc { .. }))
            || self.has_external_functions()
    }

    /// Whether functions that nobody defines work on memory.
    pub fn has_external_functions(&self) -> bool {
        self.locations.iter().any(|location| matches!(location.op, Op::Reach(_)))
    }

    /// Whether functions that nobody defines may access memory of the program.
    pub fn external_functions_access(&self) -> bool {
        let accesses = |op: &Op| matches!(op, Op::Reach(reach) if reach.leads_anywhere());
        self.locations.iter().any(|location| accesses(&location.op))
    }

    /// By object: whether the program mentions its address, so that a pointer may lead to it.
    pub fn addressed(&self) -> Vec<bool> {
        let mut found = vec![false; self.objects.len()];
        for id in self.exprs.ids() {
            if let Node::Address(object) = self.exprs.node(id) {
                found[object.index()] = true;
            }
        }
        let cells = self.objects.iter().flat_map(|object| object.init.iter().map(|(_, value)| *value));
        for value in cells.chain(self.locals.iter().map(|local| local.init)) {
            if let Constant::Address(object, _) = value {
                found[object.index()] = true;
            }
        }
        found
    }

    /// The scalar cells of an object.
    pub fn scalars(&self, object: ObjectId) -> Vec<Scalar> {
        let declared = &self.objects[object];
        let layout = &self.layouts[declared.layout];
        let mut found = vec![];
        for element in 0..declared.count {
            for (position, cell) in layout.cells.iter().enumerate() {
                if let CellType::Scalar(ty) = cell.ty {
                    let number = element * layout.cells.len() as u64 + position as u64;
                    found.push(Scalar { offset: (element * layout.stride + cell.offset) as i64, ty, number });
                }
            }
        }
        found
    }

    /// The same program, open for changes.
    pub fn edit(&self) -> Builder {
        Builder::from_program(self.clone())
    }
}

/// Two programs are equal if they say the same: source places do not count.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        let nodes =
            |program: &Program| -> Vec<_> { program.exprs.ids().map(|id| program.exprs.node(id)).collect() };
        let texts = |program: &Program| -> Vec<String> {
            program.properties.iter().map(|property| property.text.clone()).collect()
        };
        self.pointer_bits() == other.pointer_bits()
            && self.locals == other.locals
            && self.layouts == other.layouts
            && self.objects == other.objects
            && self.procedures == other.procedures
            && self.locations == other.locations
            && self.origins == other.origins
            && self.main == other.main
            && texts(self) == texts(other)
            && nodes(self) == nodes(other)
    }
}

/// Source places do not count.
impl PartialEq for Location {
    fn eq(&self, other: &Self) -> bool {
        (&self.op, self.next, self.procedure, self.private)
            == (&other.op, other.next, other.procedure, other.private)
    }
}
