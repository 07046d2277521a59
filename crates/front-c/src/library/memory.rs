//! Allocation: what memory is made of, and how it grows.

use std::collections::BTreeSet;

use ::c::{Binary, Cell, ExprId, Layout, LocalId, Node, Op, TRUTH, Type as Scalar, mask};

use super::super::hir;
use super::super::normalise::{Normaliser, Shape, Spot};
use super::super::types::{ArrayLength, Type, TypeId};
use super::copies::Byte;

/// How an allocation begins and ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// From `malloc` to `free`.
    Heap,
    /// The same, all zeros first.
    Zeroed,
    /// Until the function returns (`alloca`).
    Block,
}

const ENOMEM: i128 = 12;
const EINVAL: i128 = 22;
/// Allocations of more bytes are bytes if they are no whole elements.
const MOST_ODD_BYTES: u64 = 4_096;
/// Allocations of more bytes with a flexible array are bytes.
const MOST_FLEXIBLE_BYTES: u64 = 1 << 20;
/// This many elements of a flexible array of computed size are told apart.
const MOST_CASES: u64 = 8;

impl Normaliser<'_> {
    /// Functions on memory.
    pub(super) fn memory_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("malloc" | "valloc", [size]) => Some(self.allocate(*size, Life::Heap)),
            ("alloca", [size]) => Some(self.allocate(*size, Life::Block)),
            ("aligned_alloc" | "memalign", [_, size]) => Some(self.allocate(*size, Life::Heap)),
            ("calloc", [count, size]) => Some(self.calloc(*count, *size)),
            ("realloc", [old, size]) if super::super::normalise::is_null(self.hir, *old) => {
                Some(self.allocate(*size, Life::Heap))
            }
            ("realloc", [old, size]) => Some(self.realloc(*old, *size)),
            ("reallocarray", [old, count, size]) => Some(self.reallocarray(*old, *count, *size)),
            ("posix_memalign", [to, alignment, size]) => Some(self.posix_memalign(*to, *alignment, *size)),
            ("free" | "cfree", [pointer]) => {
                let pointer = self.value(*pointer);
                self.emit(Op::Free { pointer, automatic: false });
                Some(self.nothing())
            }
            ("memset", [to, value, size]) => Some(self.memset(*to, *value, *size)),
            ("bzero" | "explicit_bzero", [to, size]) => Some(self.set_memory(*to, Byte::Zero, *size)),
            ("bcopy", [from, to, size]) => Some(self.memcpy("memmove", *to, *from, *size)),
            ("memcpy" | "memmove" | "mempcpy", [to, from, size]) => {
                Some(self.memcpy(name, *to, *from, *size))
            }
            _ => None,
        }
    }

    /// Evaluates an expression that may allocate something that is used as a type.
    pub fn with_allocation_hint(&mut self, ty: TypeId, inner: hir::ExprId) -> ExprId {
        let before = self.frame().allocates;
        let bytes = matches!(self.types().get(ty), Type::Int(kind) if kind.size(self.types().model) == 1);
        let usable = self.types().size(ty).is_some() && !(bytes && before.is_some());
        if usable {
            self.frame().allocates = Some(ty);
        }
        let value = self.value(inner);
        self.frame().allocates = before;
        value
    }

    /// `malloc(size)`: cells by the type that the result is used as.
    pub fn allocate(&mut self, size: hir::ExprId, life: Life) -> ExprId {
        let size = self.value(size);
        let size = self.resize(size, self.word(), false);
        self.allocate_bytes(size, life)
    }

    fn calloc(&mut self, count: hir::ExprId, size: hir::ExprId) -> ExprId {
        let (count, size) = self.operands(count, size);
        let word = self.word();
        let (count, size) = (self.resize(count, word, false), self.resize(size, word, false));
        let (count, size) = (self.keep(count), self.keep(size));
        self.refuse_overflow(count, size);
        let bytes = self.binary(Binary::Mul, count, size);
        self.allocate_bytes(bytes, Life::Zeroed)
    }

    /// `realloc`: a new object with as much of the old one as fits; the old one ends.
    /// Null as a size ends it and gives null, as glibc does.
    fn realloc(&mut self, old: hir::ExprId, size: hir::ExprId) -> ExprId {
        let ty = self.pointee_type(old);
        let (old, size) = self.operands(old, size);
        let size = self.resize(size, self.word(), false);
        self.grow(old, size, ty)
    }

    fn reallocarray(&mut self, old: hir::ExprId, count: hir::ExprId, size: hir::ExprId) -> ExprId {
        let ty = self.pointee_type(old);
        let old = self.value(old);
        let old = self.keep(old);
        let (count, size) = self.operands(count, size);
        let word = self.word();
        let (count, size) = (self.resize(count, word, false), self.resize(size, word, false));
        let (count, size) = (self.keep(count), self.keep(size));
        self.refuse_overflow(count, size);
        let bytes = self.binary(Binary::Mul, count, size);
        self.grow(old, bytes, ty)
    }

    fn grow(&mut self, old: ExprId, size: ExprId, ty: TypeId) -> ExprId {
        let hint = self.frame().allocates;
        let sized = |ty: &TypeId| self.types().size(*ty).is_some();
        let ty = hint.or(Some(ty).filter(sized));
        self.frame().allocates = ty;
        let (old, size) = (self.keep(old), self.keep(size));
        let result = self.temporary(Scalar::Pointer);
        let (fresh, end) = (self.label(), self.label());
        let given = self.is_true(old);
        self.jump_if_true(given, fresh, false);
        let null = self.number(Scalar::Pointer, 0);
        self.emit(Op::Assign { local: result, value: null });
        let (some, ending) = (self.is_true(size), self.label());
        self.jump_if_true(some, ending, false);
        let new = self.allocate_bytes(size, Life::Heap);
        self.emit(Op::Assign { local: result, value: new });
        let (new, made) = (self.pool.read(result), self.pool.read(result));
        let made = self.is_true(made);
        self.jump_if_true(made, end, false);
        self.copy_object(new, old, size, ty);
        self.place_label(ending);
        self.emit(Op::Free { pointer: old, automatic: false });
        self.goto(end);
        self.place_label(fresh);
        let new = self.allocate_bytes(size, Life::Heap);
        self.emit(Op::Assign { local: result, value: new });
        self.place_label(end);
        self.frame().allocates = hint;
        self.pool.read(result)
    }

    /// Copies the first bytes of an object, all of it if it has fewer.
    fn copy_object(&mut self, to: ExprId, from: ExprId, most: ExprId, ty: Option<TypeId>) {
        let word = self.word();
        let Some(ty) = ty else { return self.refuse("`realloc` of an object of unknown type") };
        let local = self.temporary(word);
        self.emit(Op::Size { local, pointer: from });
        let size = self.pool.read(local);
        let fewer = self.binary(Binary::LtU, size, most);
        let bytes = self.pool.exprs().add(Node::Ite(fewer, size, most));
        self.emit(Op::Assign { local, value: bytes });
        let bytes = self.pool.read(local);
        let (target, source) = (self.pointed(to, ty), self.pointed(from, ty));
        self.copy_cells(target, source, bytes);
    }

    /// `posix_memalign`: cells by what the pointer that is stored points to.
    fn posix_memalign(&mut self, to: hir::ExprId, alignment: hir::ExprId, size: hir::ExprId) -> ExprId {
        let mut spot = self.target(to);
        self.keep_spot(&mut spot);
        let (alignment, size) = self.operands(alignment, size);
        let word = self.word();
        let (alignment, size) = (self.resize(alignment, word, false), self.resize(size, word, false));
        let size = self.keep(size);
        let code = self.temporary(Scalar::Bits(32));
        let value = self.int(EINVAL);
        self.emit(Op::Assign { local: code, value });
        let end = self.label();
        let (one, least) =
            (self.number(word, 1), self.number(word, u128::from(self.types().model.pointer_size())));
        let below = self.binary(Binary::Sub, alignment, one);
        let shared = self.binary(Binary::And, alignment, below);
        let several = self.is_true(shared);
        self.jump_if_true(several, end, true);
        let small = self.binary(Binary::LtU, alignment, least);
        self.jump_if_true(small, end, true);
        let before = self.frame().allocates;
        let pointee = self.types().pointee(spot.ty).map(|to| to.ty);
        self.frame().allocates = pointee.filter(|&ty| self.types().size(ty).is_some());
        let new = self.allocate_bytes(size, Life::Heap);
        self.frame().allocates = before;
        let new = self.keep(new);
        let value = self.int(ENOMEM);
        self.emit(Op::Assign { local: code, value });
        let made = self.is_true(new);
        self.jump_if_true(made, end, false);
        self.store_cell(spot, new);
        let value = self.int(0);
        self.emit(Op::Assign { local: code, value });
        self.place_label(end);
        self.pool.read(code)
    }

    /// Refuses a product that wraps: `calloc` gives null there, which is no allocation that succeeds.
    fn refuse_overflow(&mut self, count: ExprId, size: ExprId) {
        let (a, b) = (self.constant(count), self.constant(size));
        let (factor, other) = match (a, b) {
            (_, Some(size)) => (size, count),
            (Some(count), None) => (count, size),
            (None, None) => return self.refuse_product(count, size),
        };
        let word = self.word();
        let most = mask(self.pool.exprs().pointer_bits()).checked_div(factor);
        let Some(most) = most.filter(|_| !is_narrow(self.pool.exprs(), other, factor)) else { return };
        if self.constant(other).is_some_and(|other| other <= most) {
            return;
        }
        let limit = self.number(word, most);
        let fits = self.binary(Binary::LeU, other, limit);
        let fine = self.label();
        self.jump_if_true(fits, fine, true);
        self.refuse("an allocation that is too large");
        self.place_label(fine);
    }

    /// The same for two numbers that are not known.
    fn refuse_product(&mut self, count: ExprId, size: ExprId) {
        let word = self.word();
        let fine = self.label();
        let some = self.is_true(count);
        self.jump_if_true(some, fine, false);
        let most = self.number(word, mask(self.pool.draft().pointer_bits()));
        let limit = self.binary(Binary::DivU, most, count);
        let limit = self.settled(limit);
        let fits = self.binary(Binary::LeU, size, limit);
        self.jump_if_true(fits, fine, true);
        self.refuse("an allocation that is too large");
        self.place_label(fine);
    }

    fn allocate_bytes(&mut self, bytes: ExprId, life: Life) -> ExprId {
        let hint = self.frame().allocates;
        // What is never used as another type is bytes.
        let bytes_only =
            Shape { layout: Layout::scalar(Scalar::Bits(8), self.pool.exprs().pointer_bits()), count: 1 };
        let shape = hint.map_or(Ok(bytes_only), |ty| self.shape(ty));
        let shape = match shape {
            Ok(shape) => shape,
            Err(construct) => {
                self.refuse(construct);
                return self.number(Scalar::Pointer, 0);
            }
        };
        let local = self.temporary(Scalar::Pointer);
        let total = self.constant(bytes);
        match (hint.and_then(|ty| self.flexible(ty, &shape, total)), total) {
            (Some(flexible), _) => self.allocate_flexible(local, &flexible, bytes, life),
            (None, Some(total)) => {
                let (layout, count) = self.fixed_elements(&shape, total);
                self.allocate_into(local, layout, count, life);
            }
            (None, None) => self.allocate_elements(local, &shape, bytes, life),
        }
        self.pool.read(local)
    }

    fn allocate_into(&mut self, local: LocalId, layout: Layout, count: ExprId, life: Life) {
        let layout = self.pool.layout(layout);
        let (zeroed, automatic) = (life == Life::Zeroed, life == Life::Block);
        let alloc = Op::Alloc { local, layout, count, zeroed, automatic };
        if !self.options.malloc_may_fail || automatic {
            self.assume_silently("allocation succeeds");
            return self.emit(alloc);
        }
        let end = self.label();
        let null = self.number(Scalar::Pointer, 0);
        self.emit(Op::Assign { local, value: null });
        let done = self.label();
        let fails = self.any_input("malloc", TRUTH, None);
        self.jump_if_true(fails, done, false);
        let error = self.int(ENOMEM);
        self.set_errno(error);
        self.goto(end);
        self.place_label(done);
        self.emit(alloc);
        self.place_label(end);
    }

    /// The elements of a known number of bytes. Fewer bytes than an element: the cells that fit.
    fn fixed_elements(&mut self, shape: &Shape, total: u128) -> (Layout, ExprId) {
        let stride = u128::from(shape.layout.stride);
        if total.is_multiple_of(stride) {
            return (shape.layout.clone(), self.number(self.word(), total / stride));
        }
        if total > stride {
            return self.with_rest(shape, total);
        }
        let bits = self.pool.exprs().pointer_bits();
        let fits = |cell: &&Cell| u128::from(cell.offset + cell.ty.bytes(bits)) <= total;
        let cells = shape.layout.cells.iter().filter(fits).cloned().collect();
        (Layout { stride: total as u64, cells }, self.number(self.word(), 1))
    }

    /// Elements and some bytes after them.
    fn with_rest(&mut self, shape: &Shape, total: u128) -> (Layout, ExprId) {
        let one = self.number(self.word(), 1);
        let stride = shape.layout.stride;
        if total > u128::from(MOST_ODD_BYTES) {
            return (self.byte_layout(), self.number(self.word(), total));
        }
        let total = total as u64;
        let count = total / stride;
        let whole = Shape { layout: shape.layout.clone(), count };
        let mut cells: Vec<Cell> = vec![];
        for element in 0..count {
            let moved = |cell: &Cell| Cell { offset: element * stride + cell.offset, ..cell.clone() };
            cells.extend(whole.layout.cells.iter().map(moved));
        }
        let byte = self.byte_layout();
        for offset in count * stride..total {
            cells.extend(byte.cells.iter().map(|cell| Cell { offset, ..cell.clone() }));
        }
        (Layout { stride: total, cells }, one)
    }

    pub(super) fn byte_layout(&mut self) -> Layout {
        Layout::scalar(Scalar::Bits(8), self.pool.exprs().pointer_bits())
    }

    /// The shape of a struct up to its flexible array member, and that of an element.
    fn flexible(&mut self, ty: TypeId, shape: &Shape, total: Option<u128>) -> Option<Flexible> {
        let record = self.types().record(ty)?;
        let last = self.types().records[record].fields.as_ref()?.last()?.clone();
        let Type::Array { element, length } = *self.types().get(last.ty.ty) else { return None };
        let size = shape.layout.stride;
        // Where the array has one element there may be many structs.
        let fits = match length {
            ArrayLength::Unknown | ArrayLength::Known(0) => total.is_none_or(|it| it > u128::from(size)),
            ArrayLength::Known(1) => {
                total.is_some_and(|it| it > u128::from(size) && it % u128::from(size) != 0)
            }
            _ => false,
        };
        if !fits {
            return None;
        }
        let before = |cell: &&Cell| cell.offset < last.offset;
        let cells = shape.layout.cells.iter().filter(before).cloned().collect();
        Some(Flexible { cells, start: last.offset, size, element: self.shape(element.ty).ok()? })
    }

    /// A struct with as many elements of its last member as the bytes say: where the number is not
    /// known, a case for each small one, and bytes otherwise.
    fn allocate_flexible(&mut self, local: LocalId, flexible: &Flexible, bytes: ExprId, life: Life) {
        let word = self.word();
        let stride = flexible.element.layout.stride * flexible.element.count;
        if let Some(total) = self.constant(bytes) {
            let few = u64::try_from(total).ok().filter(|&total| total <= MOST_FLEXIBLE_BYTES);
            let (layout, count) = match few {
                Some(total) => (flexible.layout(total), 1),
                None => (self.byte_layout(), total),
            };
            let count = self.number(word, count);
            return self.allocate_into(local, layout, count, life);
        }
        let bytes = self.keep(bytes);
        let (one, done) = (self.number(word, 1), self.label());
        let Flexible { start, size, .. } = *flexible;
        let sizes = (0..=MOST_CASES).flat_map(|number| [start + number * stride, size + number * stride]);
        for size in sizes.filter(|&size| size > 0).collect::<BTreeSet<u64>>() {
            let next = self.label();
            let wanted = self.number(word, u128::from(size));
            let equal = self.binary(Binary::Eq, bytes, wanted);
            self.jump_if_true(equal, next, false);
            self.allocate_into(local, flexible.layout(size), one, life);
            self.goto(done);
            self.place_label(next);
        }
        let layout = self.byte_layout();
        self.allocate_into(local, layout, bytes, life);
        self.place_label(done);
    }

    /// A number of bytes that is not known: whole elements, or else bytes. A power of two that divides a
    /// factor divides what wraps, too.
    fn allocate_elements(&mut self, local: LocalId, shape: &Shape, bytes: ExprId, life: Life) {
        let stride = shape.layout.stride;
        if stride == 1 {
            return self.allocate_into(local, shape.layout.clone(), bytes, life);
        }
        if let Some(count) = self.whole_elements(bytes, stride) {
            return self.allocate_into(local, shape.layout.clone(), count, life);
        }
        let word = self.word();
        let bytes = self.keep(bytes);
        let size = self.number(word, u128::from(stride));
        let rest = self.binary(Binary::RemU, bytes, size);
        let odd = self.is_true(rest);
        let (fine, done) = (self.label(), self.label());
        self.jump_if_true(odd, fine, false);
        let layout = self.byte_layout();
        self.allocate_into(local, layout, bytes, life);
        self.goto(done);
        self.place_label(fine);
        let count = self.binary(Binary::DivU, bytes, size);
        self.allocate_into(local, shape.layout.clone(), count, life);
        self.place_label(done);
    }

    /// The number of elements in some bytes, if they are certainly whole.
    fn whole_elements(&mut self, bytes: ExprId, stride: u64) -> Option<ExprId> {
        let word = self.word();
        let exprs = self.pool.exprs();
        let Node::Binary(Binary::Mul, a, b) = exprs.node(bytes) else { return None };
        for (number, other) in [(a, b), (b, a)] {
            // A product that does not wrap.
            if let Some(factor) = exprs.constant(number)
                && factor % u128::from(stride) == 0
                && is_narrow(exprs, other, factor)
            {
                let factor = self.number(word, factor / u128::from(stride));
                return Some(self.binary(Binary::Mul, other, factor));
            }
        }
        let divides = |it| exprs.constant(it).is_some_and(|it| it % u128::from(stride) == 0);
        let whole = stride.is_power_of_two() && (divides(a) || divides(b));
        whole.then(|| {
            let size = self.number(word, u128::from(stride));
            self.binary(Binary::DivU, bytes, size)
        })
    }

    /// A variable-length array is declared.
    pub fn allocate_variable_array(&mut self, local: LocalId, ty: TypeId) {
        let word = self.word();
        let mut count = self.number(word, 1);
        let mut element = ty;
        while let Type::Array { element: inner, length } = *self.types().get(element) {
            let length = match length {
                ArrayLength::Known(length) => self.number(word, u128::from(length)),
                ArrayLength::Variable(variable) => {
                    let base = self.variable(variable);
                    let ty = self.hir.variables[variable].ty.ty;
                    let length = self.load(Spot::new(base, ty));
                    self.resize(length, word, false)
                }
                ArrayLength::Unknown => return self.refuse("an array of unknown size"),
            };
            count = self.binary(Binary::Mul, count, length);
            element = inner.ty;
        }
        let Some(shape) = self.shape_or_refuse(element) else { return };
        let inner = self.number(word, u128::from(shape.count));
        let count = self.binary(Binary::Mul, count, inner);
        let layout = self.pool.layout(shape.layout);
        self.emit(Op::Alloc { local, layout, count, zeroed: false, automatic: true });
    }
}

/// A struct whose last member is an array without a length of its own.
struct Flexible {
    /// The cells before it.
    cells: Vec<Cell>,
    /// Where it starts.
    start: u64,
    /// Its element.
    element: Shape,
    /// The size of the struct without elements.
    size: u64,
}

impl Flexible {
    /// The struct in this many bytes, with as many elements as fit.
    fn layout(&self, total: u64) -> Layout {
        let stride = self.element.layout.stride * self.element.count;
        let mut cells = self.cells.clone();
        let mut at = self.start;
        while stride > 0 && at + stride <= total {
            let moved = |(offset, ty)| Cell { offset: at + offset, ty, name: String::new() };
            cells.extend(self.element.cells().map(moved));
            at += stride;
        }
        Layout { stride: total, cells }
    }
}

/// Whether a number is extended from one with so few bits that its product with a factor does not wrap.
fn is_narrow(exprs: &::c::Exprs, number: ExprId, factor: u128) -> bool {
    let bits = exprs.ty(number).bits(exprs.pointer_bits());
    match exprs.node(number) {
        // A negative number is too large either way.
        Node::Convert(::c::Convert::ZeroExtend | ::c::Convert::SignExtend, _, inner) => {
            let inner = exprs.ty(inner).bits(exprs.pointer_bits());
            mask(inner).checked_mul(factor).is_some_and(|most| most <= mask(bits))
        }
        _ => false,
    }
}
