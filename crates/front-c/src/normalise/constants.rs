//! Objects that live as long as the program: variables with their first values, string literals, functions
//! whose address is taken.

use ::c::{
    Cell, CellType, Constant, Layout, LocalScope, Object, ObjectId, ObjectScope, Type as Scalar, mask,
};
use base::Id;

use super::super::hir::{self, CastKind, ExprKind, FunctionId, Init, PlaceId, PlaceKind, StringId, VarId};
use super::super::library::STREAMS;
use super::super::types::{FloatKind, Qualified, Qualifiers, Type, TypeId};
use super::Normaliser;
use super::context::Binding;
use super::places::Base;
use super::shapes::{Shape, sync_kind};

/// Strings that nobody knows, such as `argv`, span this many bytes.
const UNKNOWN_BYTES: u64 = 1 << 30;
/// Variables that the library defines and changes: what is in them is not known.
const LIBRARY_VARIABLES: &[&str] = &[
    "environ",
    "__environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "tzname",
    "timezone",
    "daylight",
    "signgam",
    "program_invocation_name",
    "program_invocation_short_name",
];

impl Normaliser<'_> {
    /// A variable that was not bound yet: one of static storage, or one that is used outside its block (a
    /// captured local).
    pub fn late_variable(&mut self, variable: VarId) -> Base {
        let declared = &self.hir.variables[variable];
        match declared.storage {
            hir::Storage::Global | hir::Storage::Static => self.static_variable(variable),
            hir::Storage::Local | hir::Storage::Parameter => {
                let binding = self.bind_local(variable);
                match binding {
                    Binding::Register(local) => Base::Register(local),
                    Binding::Object(object) => Base::Object(object),
                    Binding::Value(value) => Base::Value(value),
                    Binding::Pointed(local) => Base::Pointer(self.pool.read(local)),
                }
            }
        }
    }

    /// The object or register of a variable with static storage, made when it is first used.
    fn static_variable(&mut self, variable: VarId) -> Base {
        let declared = &self.hir.variables[variable];
        let of_library = !declared.defined && LIBRARY_VARIABLES.contains(&declared.name.as_str());
        if !declared.defined && STREAMS.contains(&declared.name.as_str()) {
            return self.standard_variable(variable);
        }
        if !declared.defined && !of_library {
            let text = format!(
                "`{}` is declared, but defined nowhere: its value at the start is taken as zero",
                declared.name
            );
            self.assume_silently(text);
        }
        if declared.thread_local
            && !declared.address_taken
            && let Some(ty) = self.scalar_of(declared.ty.ty)
        {
            return self.thread_register(variable, ty);
        }
        let mut wrong = None;
        let shape = match self.shape(declared.ty.ty) {
            Ok(shape) => shape,
            Err(construct) => {
                wrong = Some(construct);
                unknown_shape()
            }
        };
        let scope = if declared.thread_local { ObjectScope::Thread } else { ObjectScope::Static };
        let layout = self.pool.layout(shape.layout.clone());
        let name = self.object_name(&declared.name);
        let constant = scope == ObjectScope::Static && declared.defined && self.is_constant(declared.ty);
        let object = Object { name, scope, layout, count: shape.count, init: vec![], constant };
        let object = self.pool.object(object);
        let binding = Binding::Object(object);
        self.statics.insert(variable, binding);
        if of_library {
            wrong = Some("a variable that the library sets");
        }
        let init = self.initial(binding, |this| match wrong {
            Some(construct) => {
                this.cannot_translate(construct);
                vec![]
            }
            None => this.first_values(&shape, declared.init.as_ref()),
        });
        self.pool.object_mut(object).init = init;
        Base::Object(object)
    }

    /// A stream that is open from the start.
    fn standard_variable(&mut self, variable: VarId) -> Base {
        let stream = self.standard_stream(&self.hir.variables[variable].name);
        self.statics.insert(variable, Binding::Value(stream));
        Base::Value(stream)
    }

    /// Whether an object of this type is a constant, so that no write to it has a meaning.
    fn is_constant(&self, ty: Qualified) -> bool {
        match self.types().get(ty.ty) {
            _ if ty.qualifiers.has(Qualifiers::CONST) => true,
            Type::Array { element, .. } => self.is_constant(*element),
            _ => false,
        }
    }

    /// Reads an initialiser. If something in it cannot be translated, every use of the variable is refused.
    fn initial<T>(&mut self, binding: Binding, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.untranslated.take();
        let value = read(self);
        if let Some(why) = std::mem::replace(&mut self.untranslated, outer) {
            self.unknown_values.insert(binding, why);
        }
        value
    }

    fn cannot_translate(&mut self, why: &str) {
        self.untranslated.get_or_insert_with(|| why.to_string());
    }

    /// Refuses the use of a static variable whose first value, or that of an object which its first value
    /// leads to, is not known.
    pub fn check_first_value(&mut self, binding: Binding) {
        if self.unknown_values.is_empty() {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        let mut work = vec![binding];
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            if let Some(why) = self.unknown_values.get(&at) {
                return self.refuse(why.clone());
            }
            let first: Vec<Constant> = match at {
                Binding::Object(object) => {
                    self.pool.draft().objects()[object].init.iter().map(|(_, value)| *value).collect()
                }
                Binding::Register(local) => vec![self.pool.draft().locals()[local].init],
                _ => vec![],
            };
            work.extend(first.into_iter().filter_map(|value| match value {
                Constant::Address(object, _) => Some(Binding::Object(object)),
                Constant::Bits(_) => None,
            }));
        }
    }

    fn thread_register(&mut self, variable: VarId, ty: Scalar) -> Base {
        let declared = &self.hir.variables[variable];
        let name = self.object_name(&declared.name);
        let local = self.pool.local(name, LocalScope::Thread, ty);
        self.pool.local_mut(local).signed = self.is_signed(declared.ty.ty);
        let binding = Binding::Register(local);
        self.statics.insert(variable, binding);
        if let Some(cell) = declared.init.as_ref().and_then(|init| init.cells.last()) {
            let value = self.initial(binding, |this| {
                let value = this.constant_value(cell.value);
                if value.is_none() {
                    this.cannot_translate("a static initialiser that is no constant");
                }
                value
            });
            self.pool.local_mut(local).init = value.unwrap_or(Constant::Bits(0));
        }
        Base::Register(local)
    }

    /// The first values of an object, by cell number.
    fn first_values(&mut self, shape: &Shape, init: Option<&Init>) -> Vec<(u64, Constant)> {
        let mut values = std::collections::BTreeMap::new();
        for cell in init.iter().flat_map(|init| &init.cells) {
            self.first_value(shape, cell, &mut values);
        }
        values.into_iter().filter(|(_, value)| *value != Constant::Bits(0)).collect()
    }

    fn first_value(
        &mut self,
        shape: &Shape,
        cell: &hir::InitCell,
        values: &mut std::collections::BTreeMap<u64, Constant>,
    ) {
        let Some(value) = self.constant_value(cell.value) else {
            return self.cannot_translate("a static initialiser that is no constant");
        };
        let width = self.pool.exprs().pointer_bits();
        let size = self.types().size(cell.ty).unwrap_or(0);
        match (cell_at(shape, cell.offset), self.types().get(cell.ty)) {
            (Some((number, CellType::Sync(..))), Type::Opaque(opaque, _)) if sync_kind(*opaque).is_some() => {
                let kind = if let Constant::Bits(kind) = value { kind } else { 0 };
                // Above the bit that says that the mutex is taken.
                values.insert(number, Constant::Bits(kind << 1));
            }
            _ if self.is_record(cell.ty) && self.types().record(cell.ty).is_some() => {
                self.cannot_translate("a static initialiser that is no constant");
            }
            (Some((number, CellType::Scalar(ty))), _)
                if cell.bits.is_none()
                    && value.fits(ty, width)
                    && CellType::Scalar(ty).bytes(width) == size =>
            {
                values.insert(number, value);
            }
            _ => {
                let (first, bits) = match cell.bits {
                    Some(bits) => (cell.offset * 8 + u64::from(bits.start), u64::from(bits.width)),
                    None => (cell.offset * 8, size * 8),
                };
                let Constant::Bits(number) = value else {
                    return self.cannot_translate("an address in a part of a scalar");
                };
                if patch(shape, width, first..first + bits, number, values).is_none() {
                    self.cannot_translate("an initialiser of what has no place in its object");
                }
            }
        }
    }

    /// The value of a constant expression, addresses included.
    pub fn constant_value(&mut self, id: hir::ExprId) -> Option<Constant> {
        let expr = &self.hir.exprs[id];
        match &expr.kind {
            ExprKind::Integer(value) => {
                let bits = self.scalar_of(expr.ty)?.bits(self.pool.exprs().pointer_bits());
                Some(Constant::Bits(*value as u128 & mask(bits)))
            }
            ExprKind::Float(value) => Some(Constant::Bits(match self.types().float_kind(expr.ty) {
                Some(FloatKind::Float) => u128::from((*value as f32).to_bits()),
                _ => u128::from(value.to_bits()),
            })),
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => self.constant_place(*place),
            ExprKind::FunctionAddress(function) => {
                Some(Constant::Address(self.function_object(*function), 0))
            }
            ExprKind::LabelAddress(label) => Some(Constant::Bits(self.label_constant(*label))),
            ExprKind::Cast(CastKind::Bool, inner) => {
                let value = self.constant_value(*inner)?;
                Some(Constant::Bits(u128::from(value != Constant::Bits(0))))
            }
            ExprKind::Cast(
                CastKind::Same | CastKind::Pointer | CastKind::IntegerToPointer | CastKind::PointerToInteger,
                inner,
            ) => self.constant_value(*inner),
            ExprKind::Cast(CastKind::Integer, inner) => match self.constant_value(*inner)? {
                address @ Constant::Address(..) => Some(address),
                Constant::Bits(_) => None,
            },
            ExprKind::PointerAdd { pointer, index, subtract, element } => {
                let start = self.constant_value(*pointer)?;
                let (Constant::Bits(index), Constant::Bits(element)) =
                    (self.constant_value(*index)?, self.constant_value(*element)?)
                else {
                    return None;
                };
                let bytes = (index as i64).wrapping_mul(element as i64);
                let bytes = if *subtract { bytes.wrapping_neg() } else { bytes };
                match start {
                    Constant::Address(object, offset) => {
                        Some(Constant::Address(object, offset.wrapping_add(bytes)))
                    }
                    Constant::Bits(bits) => {
                        Some(Constant::Bits(bits.wrapping_add(bytes as u128) & u128::from(u64::MAX)))
                    }
                }
            }
            _ => None,
        }
    }

    fn constant_place(&mut self, id: PlaceId) -> Option<Constant> {
        let place = &self.hir.places[id];
        match &place.kind {
            PlaceKind::Variable(variable) | PlaceKind::CompoundLiteral(variable) => {
                let declared = &self.hir.variables[*variable];
                if !matches!(declared.storage, hir::Storage::Global | hir::Storage::Static)
                    || declared.thread_local
                {
                    return None;
                }
                match self.statics.get(variable).copied() {
                    Some(Binding::Object(object)) => Some(Constant::Address(object, 0)),
                    Some(_) => None,
                    None => match self.static_variable(*variable) {
                        Base::Object(object) => Some(Constant::Address(object, 0)),
                        _ => None,
                    },
                }
            }
            PlaceKind::String(string) => Some(Constant::Address(self.string_object(*string), 0)),
            PlaceKind::Deref(pointer) => self.constant_value(*pointer),
            PlaceKind::Index { array, index } => {
                let size = self.types().size(place.ty.ty)? as i64;
                let Constant::Bits(index) = self.constant_value(*index)? else { return None };
                moved(self.constant_place(*array)?, (index as i64).wrapping_mul(size))
            }
            PlaceKind::Member { base, record, field } => {
                let fields = self.types().records[*record].fields.as_ref()?;
                moved(self.constant_place(*base)?, fields.get(*field as usize)?.offset as i64)
            }
            PlaceKind::Temporary(_) => None,
        }
    }

    /// The object of a string literal.
    pub fn string_object(&mut self, string: StringId) -> ObjectId {
        if let Some(&object) = self.strings.get(&string) {
            return object;
        }
        let literal = &self.hir.strings[string];
        let element = match self.types().get(literal.ty) {
            Type::Array { element, .. } => self.scalar_of(element.ty),
            _ => None,
        };
        let layout = Layout::scalar(element.unwrap_or(Scalar::Bits(8)), self.pool.exprs().pointer_bits());
        let layout = self.pool.layout(layout);
        let values = literal.elements.iter().enumerate().filter(|(_, value)| **value != 0);
        let init = values.map(|(at, &value)| (at as u64, Constant::Bits(u128::from(value)))).collect();
        let name = self.object_name(&format!("string_{}", string.index()));
        let count = literal.elements.len() as u64;
        let object = self.pool.object(Object {
            name,
            scope: ObjectScope::Static,
            layout,
            count,
            init,
            constant: true,
        });
        self.strings.insert(string, object);
        object
    }

    /// The object that stands for a function in pointers.
    pub fn function_object(&mut self, function: FunctionId) -> ObjectId {
        let function = super::facts::definition(self.hir, function);
        if let Some(&object) = self.functions.get(&function) {
            return object;
        }
        let layout = self.pool.layout(Layout { stride: 1, cells: vec![] });
        let name = self.object_name(&self.hir.functions[function].name);
        let object = self.pool.object(Object {
            name,
            scope: ObjectScope::Static,
            layout,
            count: 1,
            init: vec![],
            constant: true,
        });
        self.functions.insert(function, object);
        object
    }

    /// An object that the library needs, of `count` scalars for each thread or for all.
    pub fn special(&mut self, name: &'static str, ty: Scalar, count: u64, per_thread: bool) -> ObjectId {
        if let Some(&object) = self.specials.get(name) {
            return object;
        }
        let layout = self.pool.layout(Layout::scalar(ty, self.pool.draft().pointer_bits()));
        let scope = if per_thread { ObjectScope::Thread } else { ObjectScope::Static };
        let unique = self.object_name(name);
        let object =
            self.pool.object(Object { name: unique, scope, layout, count, init: vec![], constant: false });
        self.specials.insert(name, object);
        object
    }

    /// An object of which nothing is known: reading it is refused.
    pub fn unknown_object(&mut self, name: &str) -> ObjectId {
        let shape = unknown_shape();
        let layout = self.pool.layout(shape.layout);
        let name = self.object_name(name);
        self.pool.object(Object {
            name,
            scope: ObjectScope::Static,
            layout,
            count: 1,
            init: vec![],
            constant: false,
        })
    }

    /// An object of the current activation.
    pub fn local_object(&mut self, name: &str, ty: TypeId) -> Option<ObjectId> {
        let shape = self.shape_or_refuse(ty)?;
        let layout = self.pool.layout(shape.layout);
        let scope = ObjectScope::Procedure(self.current.procedure);
        let name = self.object_name(name);
        Some(self.pool.object(Object {
            name,
            scope,
            layout,
            count: shape.count,
            init: vec![],
            constant: false,
        }))
    }
}

fn unknown_shape() -> Shape {
    Shape { layout: Layout { stride: UNKNOWN_BYTES, cells: vec![] }, count: 1 }
}

fn moved(constant: Constant, bytes: i64) -> Option<Constant> {
    match constant {
        Constant::Address(object, offset) => Some(Constant::Address(object, offset.wrapping_add(bytes))),
        Constant::Bits(bits) => Some(Constant::Bits(bits.wrapping_add(bytes as u128) & u128::from(u64::MAX))),
    }
}

/// Sets bits of an object's first value, in whatever cells they lie.
fn patch(
    shape: &Shape,
    pointer_bits: u8,
    range: std::ops::Range<u64>,
    number: u128,
    values: &mut std::collections::BTreeMap<u64, Constant>,
) -> Option<()> {
    let mut at = range.start;
    while at < range.end {
        let (element, within) = (at / 8 / shape.layout.stride, at / 8 % shape.layout.stride);
        let position = shape.layout.cells.partition_point(|cell| cell.offset <= within).checked_sub(1)?;
        let cell = &shape.layout.cells[position];
        let start = 8 * (element * shape.layout.stride + cell.offset);
        let end = start + 8 * cell.ty.bytes(pointer_bits);
        if !matches!(cell.ty, CellType::Scalar(_)) || at >= end || element >= shape.count {
            return None;
        }
        let key = element * shape.layout.cells.len() as u64 + position as u64;
        let Constant::Bits(before) = values.get(&key).copied().unwrap_or(Constant::Bits(0)) else {
            return None;
        };
        let bits = range.end.min(end) - at;
        let field = mask(bits as u8) << (at - start);
        let new = number.checked_shr((at - range.start) as u32).unwrap_or(0) << (at - start);
        values.insert(key, Constant::Bits(before & !field | new & field));
        at += bits;
    }
    Some(())
}

/// The number and type of the cell that starts at a byte.
fn cell_at(shape: &Shape, offset: u64) -> Option<(u64, CellType)> {
    let (element, within) = (offset / shape.layout.stride, offset % shape.layout.stride);
    let position = shape.layout.cells.iter().position(|cell: &Cell| cell.offset == within)?;
    let number = element * shape.layout.cells.len() as u64 + position as u64;
    (element < shape.count).then(|| (number, shape.layout.cells[position].ty))
}
