//! The type checker of C: the parser calls it for each construct, and it builds the typed form (`hir`), with
//! all conversions made explicit and constants folded. It takes what gcc takes, warnings included, and says
//! what gcc would refuse.

pub mod annotated;
pub mod assign;
pub mod atomics;
pub mod builtins;
pub mod calls;
pub mod compare;
pub mod convert;
pub mod declare;
pub mod fold;
pub mod init;
pub mod labels;
pub mod library;
pub mod link;
pub mod literals;
pub mod nodes;
pub mod opaque;
pub mod operators;
pub mod overlap;
pub mod places;
pub mod records;
pub mod refuse;
pub mod scopes;
pub mod show;
pub mod symbols;

use std::collections::HashMap;

use base::{Arena, Span};

use super::hir::{ExprId, FunctionId, PlaceId, Program, VarId};
use super::report::Report;
use super::types::{DataModel, FloatKind, IntKind, Qualified, Qualifiers, Type, TypeId, Types};
use labels::FunctionState;
use scopes::{Entity, Scope};

/// An operand while an expression is built: what it becomes depends on where it stands.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// An lvalue.
    Place(PlaceId),
    /// A value.
    Value(ExprId),
    /// A function that is named.
    Function(FunctionId, Span),
}

/// The types that the checker itself needs.
#[derive(Clone, Copy, Debug)]
pub struct Basic {
    /// `void`.
    pub void: TypeId,
    /// `void *`.
    pub void_pointer: TypeId,
    /// `_Bool`.
    pub bool: TypeId,
    /// `char`.
    pub char: TypeId,
    /// `int`.
    pub int: TypeId,
    /// `unsigned int`.
    pub unsigned: TypeId,
    /// `long`.
    pub long: TypeId,
    /// `size_t`.
    pub size: TypeId,
    /// `ptrdiff_t`.
    pub difference: TypeId,
    /// `float`.
    pub float: TypeId,
    /// `double`.
    pub double: TypeId,
    /// `__builtin_va_list`.
    pub va_list: TypeId,
    /// The type of what was refused.
    pub error: TypeId,
}

/// The checker's memory: the program so far, and what the names mean.
pub struct Checker {
    /// The program so far.
    pub program: Program,
    /// What is wrong with it.
    pub report: Report,
    /// The types that the checker needs.
    pub basic: Basic,
    /// The scopes, that of the file first.
    pub scopes: Vec<Scope>,
    /// What has external linkage, over all units.
    externals: HashMap<String, Entity>,
    /// The function being defined.
    pub function: Option<FunctionState>,
    /// The hidden sizes of variable-length arrays that were declared since the last statement.
    pub pending: Vec<VarId>,
    /// Whether the parameters of a function are being declared, and how deep.
    pub in_parameters: u32,
    /// Whether an initialiser of static storage is being read: gcc takes constant objects there.
    pub in_static_initialiser: bool,
    /// The number of the unit.
    unit: u32,
    /// What pragmas of this unit say about names.
    names: Vec<symbols::Named>,
    /// The functions that this unit declares weak: another unit's definition may be none.
    weak_here: std::collections::HashSet<FunctionId>,
    /// The definitions of functions so far.
    definitions: HashMap<FunctionId, declare::Definition>,
    /// The units that define a variable.
    definers: HashMap<VarId, std::collections::BTreeSet<u32>>,
    /// Whether a node that is too deep was told already.
    depth_reported: bool,
    /// Whether the unit is one of the library's own.
    pub in_library: bool,
}

impl Checker {
    /// An empty program; `char` is this kind of integer.
    pub fn new(model: DataModel, char: IntKind) -> Self {
        let mut types = Types::new(model);
        let basic = basic_types(&mut types, char);
        let program = Program {
            types,
            variables: Arena::new(),
            functions: Arena::new(),
            strings: Arena::new(),
            exprs: Arena::new(),
            overflowed: Default::default(),
            places: Arena::new(),
            stmts: Arena::new(),
            labels: Arena::new(),
            main: None,
            statics: vec![],
            file_scope_asm: vec![],
            refused: vec![],
            units: 0,
            models: HashMap::new(),
        };
        let scopes = vec![];
        Self {
            program,
            report: Report::default(),
            basic,
            scopes,
            externals: HashMap::new(),
            function: None,
            pending: vec![],
            in_parameters: 0,
            in_static_initialiser: false,
            unit: 0,
            names: vec![],
            weak_here: std::collections::HashSet::new(),
            definitions: HashMap::new(),
            definers: HashMap::new(),
            depth_reported: false,
            in_library: false,
        }
    }

    /// Starts a unit: an empty file scope with the names that the compiler itself knows.
    pub fn start_unit(&mut self) {
        self.unit = self.program.units;
        self.program.units += 1;
        self.function = None;
        self.pending.clear();
        self.in_static_initialiser = false;
        self.weak_here.clear();
        self.scopes = vec![Scope::default()];
        let signed = self.int(IntKind::Int128);
        let unsigned = self.int(IntKind::UnsignedInt128);
        let known =
            [("__builtin_va_list", self.basic.va_list), ("__int128_t", signed), ("__uint128_t", unsigned)];
        for (name, ty) in known {
            self.scopes[0].names.insert(name.to_string(), Entity::Typedef(Qualified::plain(ty)));
        }
    }

    /// An error.
    pub fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report.error(code, span, message, help);
    }

    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.program.types.intern(Type::Int(kind))
    }

    /// A pointer type.
    pub fn pointer_to(&mut self, to: Qualified) -> TypeId {
        self.program.types.intern(Type::Pointer(to))
    }

    /// The data model.
    pub fn model(&self) -> DataModel {
        self.program.types.model
    }

    /// A type by its id.
    pub fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    /// Whether a type is an integer or an enumeration.
    pub fn is_integer(&self, id: TypeId) -> bool {
        self.program.types.int_kind(id).is_some()
    }

    /// Whether a type can be computed with.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Complex(_))
    }

    /// Whether a type is a pointer.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Pointer(_))
    }

    /// Whether a type can be tested against 0.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || self.is_pointer(id)
    }

    /// Whether a type stands for what was refused already, or is refused where it is used: one may do
    /// anything with it here.
    pub fn is_error(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Error | Type::Unsupported(_))
    }

    /// Whether objects of this type can be made.
    pub fn is_complete(&self, id: TypeId) -> bool {
        match *self.ty(id) {
            Type::Array { element, length } => {
                length != super::types::ArrayLength::Unknown && self.is_complete(element.ty)
            }
            Type::Void | Type::Function(_) => false,
            Type::Record(record) => self.program.types.records[record].fields.is_some(),
            // An enumeration that is only declared has the size of an unsigned int in GNU C.
            _ => true,
        }
    }
}

fn basic_types(types: &mut Types, char: IntKind) -> Basic {
    let void = types.intern(Type::Void);
    let model = types.model;
    let size = match model {
        DataModel::Lp64 => IntKind::UnsignedLong,
        DataModel::Ilp32 => IntKind::UnsignedInt,
    };
    let difference = match model {
        DataModel::Lp64 => IntKind::Long,
        DataModel::Ilp32 => IntKind::Int,
    };
    Basic {
        void,
        void_pointer: types.intern(Type::Pointer(Qualified { ty: void, qualifiers: Qualifiers::NONE })),
        bool: types.intern(Type::Int(IntKind::Bool)),
        char: types.intern(Type::Int(char)),
        int: types.intern(Type::Int(IntKind::Int)),
        unsigned: types.intern(Type::Int(IntKind::UnsignedInt)),
        long: types.intern(Type::Int(IntKind::Long)),
        size: types.intern(Type::Int(size)),
        difference: types.intern(Type::Int(difference)),
        float: types.intern(Type::Float(FloatKind::Float)),
        double: types.intern(Type::Float(FloatKind::Double)),
        va_list: types.intern(Type::VaList),
        error: types.intern(Type::Error),
    }
}
