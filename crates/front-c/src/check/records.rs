//! Structs, unions and enumerations: declaring, completing, and finding members.

use base::Span;

use super::super::hir::{Init, InitCell, PlaceKind};
use super::super::layout::{Member, Shape};
use super::super::types::{Enum, EnumId, IntKind, Qualified, Record, RecordId, Type, TypeId};
use super::scopes::{Entity, Tag};
use super::{Checker, Operand};

/// Levels of anonymous members that are looked through.
const DEEPEST: usize = 64;

impl Checker {
    /// The record that `struct tag` or `union tag` names; declared if need be. With `defining`, one of an
    /// outer scope does not count.
    pub fn record(&mut self, tag: Option<&str>, union: bool, defining: bool, span: Span) -> RecordId {
        if let Some(tag) = tag {
            match self.lookup_tag(tag, defining) {
                Some(Tag::Record(id)) if self.program.types.records[id].union == union => return id,
                Some(_) => self.error(
                    "E1101",
                    span,
                    format!("`{tag}` was declared as another kind of tag"),
                    "use one keyword for it: struct, union or enum",
                ),
                None => {}
            }
        }
        let record = Record {
            tag: tag.map(str::to_string),
            union,
            fields: None,
            size: 0,
            align: 1,
            transparent: false,
            refused: None,
            unit: self.unit,
            span,
        };
        let id = self.program.types.records.push(record);
        if let Some(tag) = tag {
            self.scope().tags.insert(tag.to_string(), Tag::Record(id));
        }
        id
    }

    /// Completes a record.
    pub fn complete_record(&mut self, id: RecordId, mut members: Vec<Member>, shape: Shape, span: Span) {
        if self.program.types.records[id].fields.is_some() {
            let tag = self.program.types.records[id].tag.clone().unwrap_or_default();
            self.error("E1102", span, format!("`{tag}` is defined twice"), "remove one of the definitions");
            return;
        }
        self.check_members(&mut members);
        let layout = self.program.types.lay_out(members, shape);
        let record = &mut self.program.types.records[id];
        record.fields = Some(layout.fields);
        record.size = layout.size;
        record.align = layout.align;
    }

    fn check_members(&mut self, members: &mut [Member]) {
        let mut names = std::collections::HashSet::new();
        for member in members {
            if let Some(name) = &member.name
                && !names.insert(name.clone())
            {
                self.error(
                    "E1103",
                    member.span,
                    format!("the member `{name}` is declared twice"),
                    "rename one of them",
                );
            }
            let ty = member.ty.ty;
            // A flexible array member has no length.
            if !self.is_complete(ty) && !matches!(self.ty(ty), Type::Array { .. }) {
                let message = format!("a member of the incomplete type `{}`", self.show(ty));
                self.error("E1104", member.span, message, "define the type first, or use a pointer to it");
                // Or the record, complete in a moment, might contain itself.
                member.ty.ty = self.int(IntKind::Int);
            }
        }
    }

    /// The enumeration that `enum tag` names.
    pub fn enumeration(&mut self, tag: Option<&str>, defining: bool, span: Span) -> EnumId {
        if let Some(tag) = tag {
            match self.lookup_tag(tag, defining) {
                Some(Tag::Enum(id)) => return id,
                Some(_) => self.error(
                    "E1101",
                    span,
                    format!("`{tag}` was declared as another kind of tag"),
                    "use one keyword for it: struct, union or enum",
                ),
                None => {}
            }
        }
        let new = Enum {
            tag: tag.map(str::to_string),
            kind: IntKind::UnsignedInt,
            complete: false,
            unit: self.unit,
        };
        let id = self.program.types.enums.push(new);
        if let Some(tag) = tag {
            self.scope().tags.insert(tag.to_string(), Tag::Enum(id));
        }
        id
    }

    /// Declares an enumeration constant. Until the enumeration is complete it is an int, or what is wide
    /// enough.
    pub fn enumerator(&mut self, name: &str, value: i128, span: Span) {
        let ty = self.enumerator_type(value);
        if let Some(Entity::Variable(_) | Entity::Function(_) | Entity::Enumerator(..)) =
            self.scope().names.get(name)
        {
            self.error(
                "E1105",
                span,
                format!("`{name}` is declared already in this scope"),
                "rename one of them",
            );
        }
        self.scope().names.insert(name.to_string(), Entity::Enumerator(value, ty));
    }

    fn enumerator_type(&mut self, value: i128) -> TypeId {
        let kind = if i32::try_from(value).is_ok() {
            IntKind::Int
        } else if u32::try_from(value).is_ok() {
            IntKind::UnsignedInt
        } else if i64::try_from(value).is_ok() {
            if self.model() == super::super::types::DataModel::Lp64 {
                IntKind::Long
            } else {
                IntKind::LongLong
            }
        } else if self.model() == super::super::types::DataModel::Lp64 {
            IntKind::UnsignedLong
        } else {
            IntKind::UnsignedLongLong
        };
        self.int(kind)
    }

    /// Completes an enumeration: gcc takes the first of unsigned int, int, unsigned long, long that holds all
    /// values.
    pub fn complete_enum(&mut self, id: EnumId, values: &[i128], packed: bool) {
        use IntKind::*;
        let model = self.model();
        let least = values.iter().min().copied().unwrap_or(0);
        let greatest = values.iter().max().copied().unwrap_or(0);
        let wide = [UnsignedInt, Int, UnsignedLong, Long, UnsignedLongLong, LongLong];
        let narrow = [UnsignedChar, SignedChar, UnsignedShort, Short];
        let candidates = narrow.iter().filter(|_| packed).chain(&wide);
        let holds =
            |kind: &&IntKind| kind.wrap(least, model) == least && kind.wrap(greatest, model) == greatest;
        let kind = candidates.into_iter().find(holds).copied().unwrap_or(LongLong);
        self.program.types.enums[id].kind = kind;
        self.program.types.enums[id].complete = true;
    }

    /// The path of fields to a member, through anonymous members.
    pub fn find_member(&self, record: RecordId, name: &str) -> Option<Vec<u32>> {
        self.find_member_to(record, name, DEEPEST)
    }

    fn find_member_to(&self, record: RecordId, name: &str, depth: usize) -> Option<Vec<u32>> {
        let fields = self.program.types.records[record].fields.as_ref()?;
        if let Some(field) = fields.iter().position(|field| field.name.as_deref() == Some(name)) {
            return Some(vec![field as u32]);
        }
        if depth == 0 {
            return None;
        }
        fields.iter().enumerate().filter(|(_, field)| field.name.is_none()).find_map(|(index, field)| {
            let inner = self.program.types.record(field.ty.ty)?;
            let mut path = self.find_member_to(inner, name, depth - 1)?;
            path.insert(0, index as u32);
            Some(path)
        })
    }

    /// A union made from a value of the type of one of its members.
    pub fn union_from_member(
        &mut self,
        value: super::super::hir::ExprId,
        to: TypeId,
        span: Span,
    ) -> Option<Operand> {
        let record = self.program.types.record(to)?;
        let from = self.type_of(value);
        let fields: Vec<TypeId> =
            self.program.types.records[record].fields.as_ref()?.iter().map(|field| field.ty.ty).collect();
        let exact = fields.iter().copied().find(|ty| self.compatible(*ty, from));
        // Null, and pointers of any kind, go into a transparent union of pointers.
        let pointer = || {
            fields
                .iter()
                .copied()
                .find(|ty| self.is_pointer(*ty) && (self.is_pointer(from) || self.constant(value) == Some(0)))
        };
        let ty = exact.or_else(pointer)?;
        let value = self.cast(value, ty);
        let init = Init { zero: true, cells: vec![InitCell { offset: 0, bits: None, ty, value }] };
        let variable = self.hidden_variable("", Qualified::plain(to), span);
        self.program.variables[variable].init = Some(init);
        Some(Operand::Place(self.place(PlaceKind::CompoundLiteral(variable), Qualified::plain(to), span)))
    }
}
