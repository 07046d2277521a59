//! Initialisers: designators, brace elision, strings, library types; laid out as cells (C11 6.7.9).

use base::Span;

use std::collections::BTreeMap;

use super::super::hir::{ExprKind, Init, InitCell, PlaceKind};
use super::super::types::{ArrayLength, BitRange, Qualified, RecordId, Type, TypeId};
use super::{Checker, Operand};

/// The most cells that one initialiser may have.
const MOST_CELLS: usize = 4_000_000;

/// An initialiser as it is written.
#[derive(Clone, Debug)]
pub enum Tree {
    /// An expression.
    Value(Operand, Span),
    /// A list in braces.
    List(Vec<Item>, Span),
}

/// An element of a list.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where it goes.
    pub designators: Vec<Designator>,
    /// What.
    pub tree: Tree,
}

/// A part of a designation.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `[i]`, `[low ... high]`.
    Index(u64, u64, Span),
    /// `.name`.
    Member(String, Span),
    /// A member by its number.
    Field(u32, Span),
}

/// The items of a list that are still to come.
struct Items<'a> {
    items: &'a [Item],
    at: usize,
}

impl<'a> Items<'a> {
    fn peek(&self) -> Option<&'a Item> {
        self.items.get(self.at)
    }
}

/// A subobject: where, and of what type.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) ty: TypeId,
    pub(super) offset: u64,
    pub(super) bits: Option<BitRange>,
}

/// What has been laid out so far.
#[derive(Default)]
pub(super) struct Filler {
    pub(super) cells: Vec<InitCell>,
    /// Which bits they are, by the first one: the bit after the last, and the number of the cell.
    pub(super) taken: BTreeMap<u64, (u64, usize)>,
    /// One more than the greatest index of the outermost array.
    length: u64,
    full: bool,
}

impl Checker {
    /// Lays out an initialiser for an object of some type, and gives the type with the length of an array
    /// that had none.
    pub fn layout_init(&mut self, ty: TypeId, tree: &Tree) -> (Init, TypeId) {
        let mut filler = Filler::default();
        let target = Target { ty, offset: 0, bits: None };
        self.init_object(target, tree, &mut filler, true);
        let whole = matches!(tree, Tree::Value(..)) && !matches!(self.ty(ty), Type::Array { .. });
        let ty = match *self.ty(ty) {
            Type::Array { element, length: ArrayLength::Unknown } => {
                let length = ArrayLength::Known(filler.length);
                self.program.types.intern(Type::Array { element, length })
            }
            _ => ty,
        };
        (Init { zero: !whole, cells: filler.cells }, ty)
    }

    fn init_object(&mut self, target: Target, tree: &Tree, filler: &mut Filler, outermost: bool) {
        match tree {
            Tree::Value(operand, span) => self.init_value(target, *operand, *span, filler, outermost),
            Tree::List(items, span) => {
                if let Type::Opaque(_, inner) = *self.ty(target.ty) {
                    let mut inside = Filler::default();
                    self.init_object(Target { ty: inner, offset: 0, bits: None }, tree, &mut inside, false);
                    return self.opaque_cell(target, &inside, *span, filler);
                }
                match (self.ty(target.ty), &items[..]) {
                    (Type::Array { .. }, [Item { designators, tree: Tree::Value(operand, span) }])
                        if designators.is_empty() && self.string_fits(target.ty, *operand) =>
                    {
                        self.init_value(target, *operand, *span, filler, outermost);
                    }
                    (Type::Array { .. } | Type::Record(_), _) => {
                        let mut items = Items { items, at: 0 };
                        self.fill(target, 0, &mut items, filler, Mode { braced: true, outermost });
                    }
                    (_, [first, ..]) => self.init_object(target, &first.tree, filler, false),
                    (_, []) => {}
                }
            }
        }
    }

    /// Fills the parts of an array or record from number `from` on. Without braces of its own it stops when
    /// it is full or a designator comes.
    fn fill(&mut self, target: Target, from: u64, items: &mut Items<'_>, filler: &mut Filler, mode: Mode) {
        let mut index = from;
        while let Some(item) = items.peek() {
            if filler.full {
                return;
            }
            if !item.designators.is_empty() {
                if !mode.braced {
                    return;
                }
                items.at += 1;
                let designation =
                    Designation { designators: &item.designators, item, outermost: mode.outermost };
                index = self.designate(target, &designation, items, filler);
                continue;
            }
            let full = index > 0 && self.is_union(target.ty);
            let Some(part) = self.part(target, index).filter(|_| !full) else {
                if mode.braced {
                    // gcc warns about excess elements and drops them.
                    items.at += 1;
                    continue;
                }
                return;
            };
            self.note_index(target, index, filler, mode.outermost);
            self.next_item(part, items, filler);
            index += 1;
        }
    }

    fn note_index(&self, target: Target, index: u64, filler: &mut Filler, outermost: bool) {
        if outermost && matches!(self.ty(target.ty), Type::Array { .. }) {
            filler.length = filler.length.max(index.saturating_add(1));
        }
    }

    /// Takes what the next items say about one part.
    fn next_item(&mut self, part: Target, items: &mut Items<'_>, filler: &mut Filler) {
        let Some(item) = items.peek() else { return };
        let aggregate = self.aggregate(part.ty);
        let whole = match &item.tree {
            Tree::List(..) => true,
            Tree::Value(operand, _) => aggregate.is_none() || self.takes_whole(part.ty, *operand),
        };
        match aggregate {
            Some(inner) if !whole => {
                if let Type::Opaque(..) = *self.ty(part.ty) {
                    let mut inside = Filler::default();
                    let target = Target { ty: inner, offset: 0, bits: None };
                    self.fill(target, 0, items, &mut inside, Mode { braced: false, outermost: false });
                    let span = Span { ..tree_span(&item.tree) };
                    return self.opaque_cell(part, &inside, span, filler);
                }
                let before = items.at;
                self.fill(part, 0, items, filler, Mode { braced: false, outermost: false });
                // An empty struct takes nothing.
                debug_assert!(items.at >= before, "items are only ever taken");
            }
            _ => {
                items.at += 1;
                self.init_object(part, &item.tree, filler, false);
            }
        }
    }

    /// The array or record type behind a type.
    fn aggregate(&self, ty: TypeId) -> Option<TypeId> {
        match *self.ty(ty) {
            Type::Array { .. } | Type::Record(_) => Some(ty),
            Type::Opaque(_, inner) => self.aggregate(inner),
            _ => None,
        }
    }

    /// Whether an expression initialises all of an array or record.
    fn takes_whole(&self, ty: TypeId, operand: Operand) -> bool {
        let from = self.operand_type(operand).ty;
        self.string_fits(ty, operand)
            || self.compatible(from, ty) && !matches!(self.ty(from), Type::Array { .. })
            || self.is_error(from)
    }

    /// Whether an operand is a string literal for an array of characters of its width.
    fn string_fits(&self, ty: TypeId, operand: Operand) -> bool {
        let (Type::Array { element, .. }, Operand::Place(place)) = (self.ty(ty), operand) else {
            return false;
        };
        let PlaceKind::String(string) = self.program.places[place].kind else { return false };
        let Type::Array { element: from, .. } = self.ty(self.program.strings[string].ty) else {
            return false;
        };
        let types = &self.program.types;
        types.int_kind(element.ty).is_some() && types.size(element.ty) == types.size(from.ty)
    }

    /// Follows a designation; gives the number of the part after the one that it names first.
    fn designate(
        &mut self,
        target: Target,
        designation: &Designation<'_>,
        items: &mut Items<'_>,
        filler: &mut Filler,
    ) -> u64 {
        let Some((first, rest)) = designation.designators.split_first() else { return u64::MAX };
        let path = self.resolve(target.ty, first);
        let Some((low, high, deeper)) = path else { return u64::MAX };
        let rest: Vec<Designator> = deeper.into_iter().chain(rest.iter().cloned()).collect();
        for index in low..=high {
            if filler.full {
                break;
            }
            let Some(part) = self.part(target, index) else {
                let span = designator_span(first);
                self.error(
                    "E1130",
                    span,
                    "this designator is out of bounds",
                    "use an index below the array's length",
                );
                return high.saturating_add(1);
            };
            self.note_index(target, index, filler, designation.outermost);
            match rest.is_empty() {
                true => self.designated(part, designation.item, items, index == high, filler),
                false => {
                    let inner = Designation { designators: &rest, item: designation.item, outermost: false };
                    let after = self.designate(part, &inner, items, filler);
                    if index == high {
                        self.fill(part, after, items, filler, Mode { braced: false, outermost: false });
                    }
                }
            }
        }
        high.saturating_add(1)
    }

    /// Initialises the part that a designation names. An expression without braces may be only the first
    /// element of an aggregate: then, with `last`, the next items go on there.
    fn designated(
        &mut self,
        part: Target,
        item: &Item,
        items: &mut Items<'_>,
        last: bool,
        filler: &mut Filler,
    ) {
        let whole = match &item.tree {
            Tree::List(..) => true,
            Tree::Value(operand, _) => {
                self.aggregate(part.ty).is_none() || self.takes_whole(part.ty, *operand)
            }
        };
        if whole {
            return self.init_object(part, &item.tree, filler, false);
        }
        let first = Item { designators: vec![], tree: item.tree.clone() };
        let following = if last { &items.items[items.at..] } else { &[] };
        let all: Vec<Item> = std::iter::once(&first).chain(following).cloned().collect();
        let mut inner = Items { items: &all, at: 0 };
        self.next_item(part, &mut inner, filler);
        items.at += inner.at.saturating_sub(1);
    }

    /// The numbers of the parts that a designator names, and the way on through anonymous members.
    fn resolve(&mut self, ty: TypeId, designator: &Designator) -> Option<(u64, u64, Vec<Designator>)> {
        match designator {
            Designator::Index(low, high, span) => {
                if !matches!(self.ty(ty), Type::Array { .. }) {
                    let message = format!("`{}` has no elements", self.show(ty));
                    self.error("E1131", *span, message, "use `.member` for a struct");
                    return None;
                }
                Some((*low, *high, vec![]))
            }
            Designator::Field(field, _) => Some((u64::from(*field), u64::from(*field), vec![])),
            Designator::Member(name, span) => {
                let path = self.program.types.record(ty).and_then(|record| self.find_member(record, name));
                let Some(path) = path else {
                    let message = format!("`{}` has no member `{name}`", self.show(ty));
                    self.error("E1132", *span, message, "use a member's name, or `[index]` for an array");
                    return None;
                };
                let (first, rest) = path.split_first()?;
                let rest = rest.iter().map(|field| Designator::Field(*field, *span)).collect();
                Some((u64::from(*first), u64::from(*first), rest))
            }
        }
    }

    /// Part number `index` of an array or record.
    fn part(&self, target: Target, index: u64) -> Option<Target> {
        match *self.ty(target.ty) {
            Type::Array { element, length } => {
                if let ArrayLength::Known(length) = length
                    && index >= length
                {
                    return None;
                }
                let size = self.program.types.size(element.ty)?;
                let offset = target.offset.checked_add(index.checked_mul(size)?)?;
                Some(Target { ty: element.ty, offset, bits: None })
            }
            Type::Record(record) => self.field_part(target, record, index),
            Type::Opaque(_, inner) => self.part(Target { ty: inner, ..target }, index),
            _ => None,
        }
    }

    fn is_union(&self, ty: TypeId) -> bool {
        self.program.types.record(ty).is_some_and(|record| self.program.types.records[record].union)
    }

    fn field_part(&self, target: Target, record: RecordId, index: u64) -> Option<Target> {
        let record = &self.program.types.records[record];
        let field = record.fields.as_ref()?.get(usize::try_from(index).ok()?)?;
        Some(Target { ty: field.ty.ty, offset: target.offset + field.offset, bits: field.bits })
    }

    fn init_value(
        &mut self,
        target: Target,
        operand: Operand,
        span: Span,
        filler: &mut Filler,
        outermost: bool,
    ) {
        if self.string_fits(target.ty, operand) {
            return self.init_string(target, operand, span, filler, outermost);
        }
        if let (Type::Array { .. }, Operand::Place(place)) = (self.ty(target.ty), operand)
            && let PlaceKind::CompoundLiteral(variable) = self.program.places[place].kind
        {
            // GNU C: an array is initialised from a compound literal.
            let from = self.program.variables[variable].ty.ty;
            let cells = self.program.variables[variable].init.clone().unwrap_or_default().cells;
            filler.cells.extend(
                cells.into_iter().map(|cell| InitCell { offset: cell.offset + target.offset, ..cell }),
            );
            if let Type::Array { length: ArrayLength::Known(length), .. } = *self.ty(from) {
                filler.length = length;
            }
            return;
        }
        if matches!(self.ty(target.ty), Type::Array { .. }) {
            let message = format!("an array of type `{}` needs a list or a string", self.show(target.ty));
            return self.error("E1133", span, message, "put the elements into braces");
        }
        if let Type::Opaque(kind, inner) = *self.ty(target.ty)
            && self.is_scalar(inner)
        {
            let value = self.convert(operand, inner, span);
            let number = self.constant(value);
            return self.push_opaque(target, kind, number, span, filler);
        }
        let value = self.convert(operand, target.ty, span);
        self.push_cell(
            InitCell { offset: target.offset, bits: target.bits, ty: target.ty, value },
            span,
            filler,
        );
    }

    fn init_string(
        &mut self,
        target: Target,
        operand: Operand,
        span: Span,
        filler: &mut Filler,
        outermost: bool,
    ) {
        let Operand::Place(place) = operand else { return };
        let PlaceKind::String(string) = self.program.places[place].kind else { return };
        let Type::Array { element, length } = *self.ty(target.ty) else { return };
        let elements = self.program.strings[string].elements.clone();
        let most = match length {
            ArrayLength::Known(length) => usize::try_from(length).unwrap_or(usize::MAX),
            _ => elements.len(),
        };
        if outermost {
            filler.length = elements.len() as u64;
        }
        let size = self.program.types.size(element.ty).unwrap_or(1);
        for (index, &letter) in elements.iter().take(most).enumerate() {
            let value = self.integer(i128::from(letter), element.ty, span);
            let offset = target.offset + index as u64 * size;
            self.push_cell(InitCell { offset, bits: None, ty: element.ty, value }, span, filler);
        }
    }

    pub(super) fn push_cell(&mut self, cell: InitCell, span: Span, filler: &mut Filler) {
        if filler.cells.len() >= MOST_CELLS {
            if !filler.full {
                let message = format!("this initialiser has more than {MOST_CELLS} elements");
                self.error("E1134", span, message, "fill the array in a loop");
            }
            filler.full = true;
            return;
        }
        let cell = self.overriding(cell, span, filler);
        filler.cells.push(cell);
    }

    /// `(T){…}`.
    pub fn compound_literal(&mut self, ty: Qualified, tree: &Tree, span: Span) -> Operand {
        let (init, complete) = self.layout_init(ty.ty, tree);
        let ty = Qualified { ty: complete, ..ty };
        if !self.is_complete(ty.ty) {
            let message = format!("a literal of the incomplete type `{}`", self.show(ty.ty));
            self.error("E1124", span, message, "define the type first");
            return self.error_operand(span);
        }
        let variable = self.hidden_variable("", ty, span);
        self.program.variables[variable].init = Some(init);
        Operand::Place(self.place(PlaceKind::CompoundLiteral(variable), ty, span))
    }

    /// Whether a value is a floating or integer constant.
    pub fn is_constant(&self, id: super::super::hir::ExprId) -> bool {
        matches!(self.program.exprs[id].kind, ExprKind::Integer(_) | ExprKind::Float(_))
    }
}

/// An item and what is left of its designators.
#[derive(Clone, Copy)]
struct Designation<'a> {
    designators: &'a [Designator],
    item: &'a Item,
    outermost: bool,
}

/// How a list is being read.
#[derive(Clone, Copy)]
struct Mode {
    /// Whether the list has braces of its own.
    braced: bool,
    /// Whether it is the whole object's.
    outermost: bool,
}

fn tree_span(tree: &Tree) -> Span {
    match tree {
        Tree::Value(_, span) | Tree::List(_, span) => *span,
    }
}

fn designator_span(designator: &Designator) -> Span {
    match designator {
        Designator::Index(_, _, span) | Designator::Member(_, span) | Designator::Field(_, span) => *span,
    }
}
