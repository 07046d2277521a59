//! The types of C, interned: equal types have equal ids, whatever typedef they were written with. Records and
//! enums are named by id and may be completed later. Sizes and alignments are those of the System V ABI
//! (`layout.rs`).

use std::collections::HashMap;

use base::{Arena, Span, define_id};

use super::hir::VarId;

define_id!(
    /// An interned type.
    pub struct TypeId = "t"
);
define_id!(
    /// A struct or union.
    pub struct RecordId = "record"
);
define_id!(
    /// An enumeration.
    pub struct EnumId = "enum"
);

/// The data model: how wide `long` and pointers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

impl DataModel {
    /// The bytes of a pointer, which are those of `long` and `size_t`.
    pub fn pointer_size(self) -> u64 {
        match self {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        }
    }
}

/// The integer types. `char` is a type of its own, signed or (`-funsigned-char`) unsigned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntKind {
    Bool,
    Char,
    PlainUnsignedChar,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

impl IntKind {
    /// Whether negative numbers are among the values.
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128)
    }

    /// The bytes of an object.
    pub fn size(self, model: DataModel) -> u64 {
        use IntKind::*;
        match self {
            Bool | Char | PlainUnsignedChar | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 4,
            Long | UnsignedLong => model.pointer_size(),
            LongLong | UnsignedLongLong => 8,
            Int128 | UnsignedInt128 => 16,
        }
    }

    /// The bits of a value: 1 for `_Bool`.
    pub fn width(self, model: DataModel) -> u32 {
        if self == IntKind::Bool { 1 } else { self.size(model) as u32 * 8 }
    }

    /// The conversion rank: the greater absorbs the smaller.
    pub fn rank(self) -> u32 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | PlainUnsignedChar | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | PlainUnsignedChar | SignedChar => UnsignedChar,
            Short => UnsignedShort,
            Int => UnsignedInt,
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            Int128 => UnsignedInt128,
            other => other,
        }
    }

    /// The value reduced to what the type holds: modulo 2^width, two's complement; for `_Bool`, whether it is
    /// not 0.
    pub fn wrap(self, value: i128, model: DataModel) -> i128 {
        if self == IntKind::Bool {
            return i128::from(value != 0);
        }
        let unused = 128 - self.width(model);
        if self.is_signed() {
            (value << unused) >> unused
        } else {
            (((value as u128) << unused) >> unused) as i128
        }
    }

    /// The name in C.
    pub fn name(self) -> &'static str {
        use IntKind::*;
        match self {
            Bool => "_Bool",
            Char | PlainUnsignedChar => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Int128 => "__int128",
            UnsignedInt128 => "unsigned __int128",
        }
    }
}

/// The floating types. Only the first two are computed with; the others can be declared and passed around.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
    Float128,
}

/// Qualifiers of a type, as a set of bits. `restrict` is read and forgotten. An alignment that a typedef asks
/// for is kept here as well: it goes where the name of the type goes, and says nothing about values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Qualifiers(u16);

impl Qualifiers {
    /// No qualifier.
    pub const NONE: Qualifiers = Qualifiers(0);
    /// `const`.
    pub const CONST: Qualifiers = Qualifiers(1);
    /// `volatile`.
    pub const VOLATILE: Qualifiers = Qualifiers(2);
    /// `_Atomic`.
    pub const ATOMIC: Qualifiers = Qualifiers(4);
    /// `__seg_fs`, `__seg_gs`: another address space.
    pub const SEGMENT: Qualifiers = Qualifiers(8);
    /// The bits above say the alignment: one more than its logarithm.
    const ALIGNMENT: u32 = 8;

    /// Both sets; of two alignments, that of the other.
    pub fn union(self, other: Qualifiers) -> Qualifiers {
        let align = if other.align() > 0 { other } else { self };
        Qualifiers(
            (self.0 | other.0) & ((1 << Self::ALIGNMENT) - 1) | align.0 >> Self::ALIGNMENT << Self::ALIGNMENT,
        )
    }

    /// The alignment that a typedef asked for, or 0.
    pub fn align(self) -> u64 {
        match self.0 >> Self::ALIGNMENT {
            0 => 0,
            logarithm => 1 << (logarithm - 1).min(62),
        }
    }

    /// The same with an alignment: a power of two, or 0 for that of the type.
    pub fn aligned(self, align: u64) -> Qualifiers {
        let logarithm = if align == 0 { 0 } else { align.trailing_zeros() as u16 + 1 };
        Qualifiers(self.0 & ((1 << Self::ALIGNMENT) - 1) | logarithm << Self::ALIGNMENT)
    }

    /// Whether they say the same about accesses.
    pub fn same(self, other: Qualifiers) -> bool {
        self.aligned(0) == other.aligned(0)
    }

    /// Whether `other` is among them.
    pub fn has(self, other: Qualifiers) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether accesses are atomic operations.
    pub fn is_atomic(self) -> bool {
        self.has(Self::ATOMIC)
    }
}

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Qualified {
    /// The type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
}

impl Qualified {
    /// The type without qualifiers.
    pub fn plain(ty: TypeId) -> Self {
        Self { ty, qualifiers: Qualifiers::NONE }
    }

    /// The type with more qualifiers. The alignment stays: that of a struct or array is not one of its parts.
    pub fn with(self, qualifiers: Qualifiers) -> Self {
        Self { qualifiers: self.qualifiers.union(qualifiers.aligned(0)), ..self }
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLength {
    /// This many.
    Known(u64),
    /// Not said: `int a[]` as an incomplete type or a flexible array member.
    Unknown,
    /// A variable-length array: the value of a hidden local of type `size_t`, set where the type is declared.
    Variable(VarId),
}

/// Library types that are known by name, whatever the headers say they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Opaque {
    /// `pthread_mutex_t`, `mtx_t`. The kind of an initialiser: 0 normal, 1 recursive, 2 errorcheck.
    Mutex,
    /// `pthread_spinlock_t`.
    SpinLock,
    /// `pthread_rwlock_t`.
    RwLock,
    /// `pthread_cond_t`, `cnd_t`.
    Condition,
    /// `pthread_barrier_t`.
    Barrier,
    /// `sem_t`.
    Semaphore,
    /// `pthread_once_t`, `once_flag`.
    Once,
    /// `pthread_attr_t` and the other `pthread_*attr_t` except that of mutexes.
    Attributes,
    /// `pthread_mutexattr_t`.
    MutexAttributes,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// What it returns.
    pub result: TypeId,
    /// The parameters, after adjustment (arrays and functions are pointers).
    pub parameters: Vec<Qualified>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether the parameters are declared: `f()` says nothing about them.
    pub prototype: bool,
    /// Whether a call does not return.
    pub noreturn: bool,
}

/// A type that has a size and no values that could be computed with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unsupported {
    /// What it is, for the user.
    pub what: &'static str,
    /// The bytes of an object.
    pub size: u64,
    /// The alignment.
    pub align: u64,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer type, `_Bool` and `char` included.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// A complex type: can be declared, not computed with.
    Complex(FloatKind),
    /// A pointer.
    Pointer(Qualified),
    /// An array.
    Array {
        /// The type of the elements.
        element: Qualified,
        /// How many.
        length: ArrayLength,
    },
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// A library type known by name, and what the headers say it is (its size counts).
    Opaque(Opaque, TypeId),
    /// `__builtin_va_list`.
    VaList,
    /// A type that can be declared and whose size is known, but not used.
    Unsupported(Unsupported),
    /// Stands for a type that was refused with a diagnostic; it goes with everything, so that one mistake is
    /// told once.
    Error,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name; `None` for an anonymous struct or union, whose members count as members of the whole.
    /// Unnamed bit-fields are left out.
    pub name: Option<String>,
    /// The type.
    pub ty: Qualified,
    /// The byte where it starts; for a bit-field, that of the unit of its declared type that holds it.
    pub offset: u64,
    /// Where in its unit a bit-field is.
    pub bits: Option<BitRange>,
    /// The declaration.
    pub span: Span,
}

/// The bits of a bit-field, counted from the least significant bit of the unit of its declared type at
/// `Field::offset`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    /// The first bit.
    pub start: u32,
    /// How many.
    pub width: u32,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The tag.
    pub tag: Option<String>,
    /// Whether it is a union.
    pub union: bool,
    /// The members, once it is complete.
    pub fields: Option<Vec<Field>>,
    /// The size in bytes; 0 while incomplete.
    pub size: u64,
    /// The alignment in bytes; 1 while incomplete.
    pub align: u64,
    /// `__attribute__((transparent_union))`: an argument may be any member.
    pub transparent: bool,
    /// Why objects of this type are refused where they are used.
    pub refused: Option<String>,
    /// The unit that declares it.
    pub unit: u32,
    /// The declaration.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// The tag.
    pub tag: Option<String>,
    /// The integer type that holds its values.
    pub kind: IntKind,
    /// Whether the enumerators are known.
    pub complete: bool,
    /// The unit that declares it.
    pub unit: u32,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// The data model.
    pub model: DataModel,
    types: Arena<TypeId, Type>,
    ids: HashMap<Type, TypeId>,
    /// The structs and unions.
    pub records: Arena<RecordId, Record>,
    /// The enumerations.
    pub enums: Arena<EnumId, Enum>,
}

impl Types {
    /// The types that every program has.
    pub fn new(model: DataModel) -> Self {
        Self { model, types: Arena::new(), ids: HashMap::new(), records: Arena::new(), enums: Arena::new() }
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// A type by its id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The integer kind of an integer or enumeration type.
    pub fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match *self.get(id) {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => Some(self.enums[id].kind),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<Qualified> {
        match *self.get(id) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The kind of a real floating type.
    pub fn float_kind(&self, id: TypeId) -> Option<FloatKind> {
        match *self.get(id) {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// The function type that a type is or points to.
    pub fn function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.get(id) {
            Type::Function(function) => Some(function),
            Type::Pointer(to) => match self.get(to.ty) {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    /// The record that a type is.
    pub fn record(&self, id: TypeId) -> Option<RecordId> {
        match *self.get(id) {
            Type::Record(record) => Some(record),
            Type::Opaque(_, inner) => self.record(inner),
            _ => None,
        }
    }
}
