//! What the models in C are made of: choices, errors, and access to memory whose shape only the caller knows.
//! Nobody else can call these.

use ::c::{Binary, CellType, ChoiceOrigin, ExprId, Node, Op, OriginKind, Range, TRUTH, Type as Scalar};

use super::super::hir;
use super::super::normalise::{Normaliser, Spot};
use super::copies::shifted;
use super::models::modelled;

/// What an intrinsic works in.
const WIDE: Scalar = Scalar::Bits(64);
/// The greatest error number of Linux.
const LAST_ERROR: i128 = 133;
/// The streams that are open when the program starts.
pub const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

impl Normaliser<'_> {
    /// An intrinsic, if a function of the library calls it.
    pub(super) fn intrinsic_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        let name = name.strip_prefix("__selvedge_")?;
        if !self.frame().function.is_some_and(|function| self.hir.is_model(function)) {
            return None;
        }
        match (name, arguments) {
            ("input", [low, high]) => {
                let range = self.bounds(*low, *high)?;
                let model = self.model();
                Some(self.any_input(&model, WIDE, Some(range)))
            }
            ("approximation", [low, high]) => {
                let range = self.bounds(*low, *high)?;
                let model = self.model();
                Some(self.any_approximation(&model, WIDE, Some(range)))
            }
            ("choice", []) => {
                let model = self.model();
                let choice = self.any_input(&model, TRUTH, None);
                Some(self.resize(choice, Scalar::Bits(32), false))
            }
            ("fails", errors) => Some(self.fails(errors)),
            ("set_errno", [error]) => {
                let error = self.value(*error);
                self.set_errno(error);
                Some(self.nothing())
            }
            ("calls", names) => {
                let names: Vec<String> = names.iter().filter_map(|&name| self.text_of(name)).collect();
                let called = names.iter().any(|name| self.facts.called_names.contains(name));
                Some(self.int(i128::from(called)))
            }
            ("wanted", []) => {
                let wanted = self.is_wanted();
                Some(self.int(i128::from(wanted)))
            }
            ("standard", [number]) => {
                let number = self.value(*number);
                let number = self.constant(number).and_then(|number| usize::try_from(number).ok())?;
                Some(self.standard_stream(STREAMS.get(number)?))
            }
            ("unknown", []) => {
                let object = self.unknown_object(&self.model());
                Some(self.pool.address(object))
            }
            _ => self.value_intrinsic(name, arguments).or_else(|| self.statement_intrinsic(name, arguments)),
        }
    }

    /// Intrinsics that look at what is there: what the user gives, a list of arguments, an object.
    fn value_intrinsic(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("given", []) => {
                let length = self.options.environment.input.as_ref().map(|it| it.len() as i128);
                Some(self.number(WIDE, length.unwrap_or(-1) as u128))
            }
            ("given_text", []) => {
                // Nobody gets here where nothing is given.
                Some(match self.given_input() {
                    Some(object) => self.pool.address(object),
                    None => self.number(Scalar::Pointer, 0),
                })
            }
            ("given_position", []) => {
                let object = self.special("standard_input_position", WIDE, 2, false);
                Some(self.pool.address(object))
            }
            ("integer", [list, bytes]) => self.any_integer_argument(*list, *bytes),
            ("approximate_double", []) => {
                let model = self.model();
                Some(self.any_approximation(&model, Scalar::Double, None))
            }
            ("size", [pointer]) => {
                let pointer = self.value(*pointer);
                let local = self.temporary(self.word());
                self.emit(Op::Size { local, pointer });
                Some(self.pool.read(local))
            }
            ("waiting", []) => Some(self.int(i128::from(self.options.waits))),
            _ => None,
        }
    }

    /// The stream that a variable of the library points to; the first use makes it.
    pub fn standard_stream(&mut self, name: &str) -> ExprId {
        let name = STREAMS.into_iter().find(|known| *known == name).unwrap_or(STREAMS[0]);
        let object = self.special(name, Scalar::Bits(8), 1, false);
        self.pool.address(object)
    }

    fn statement_intrinsic(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("assume", [condition]) => {
                let cond = self.condition(*condition);
                self.emit(Op::Assume(cond));
            }
            ("cancelled", []) => {
                let result = self.number(Scalar::Pointer, u128::MAX);
                self.end_thread(Some(result), true);
            }
            ("undefined", [why]) => {
                let why = self.text_of(*why)?;
                self.emit(Op::Undefined(why));
            }
            ("refuse", [why]) => {
                let why = self.text_of(*why)?;
                self.refuse(why);
            }
            ("assumption", [text]) => {
                let text = self.text_of(*text)?;
                self.assume_silently(text);
            }
            ("text", [string]) => {
                let string = self.value(*string);
                self.read_text(string, None);
            }
            ("fill", [to, bytes]) => {
                let model = self.model();
                self.fill(&model, *to, *bytes);
            }
            ("read", [from, bytes]) => self.read_bytes(*from, *bytes),
            ("swap", [base, first, second, bytes]) => self.swap(*base, [*first, *second], *bytes),
            _ => return None,
        }
        Some(self.nothing())
    }

    /// The function of the library that the user called.
    fn model(&self) -> String {
        let name = self.entered().map_or("", |it| &self.hir.functions[it.function].name);
        modelled(name).to_string()
    }

    /// Whether somebody looks at the result of the call, or at `errno` after it.
    fn is_wanted(&self) -> bool {
        self.observes_errno() || !self.entered().is_some_and(|it| it.dropped)
    }

    fn bounds(&mut self, low: hir::ExprId, high: hir::ExprId) -> Option<Range> {
        let (low, high) = (self.value(low), self.value(high));
        let number = |this: &mut Self, e: ExprId| this.constant(e).map(|it| ::c::signed(it, 64));
        Some(Range { low: number(self, low)?, high: number(self, high)?, signed: true })
    }

    /// Whether the function fails, with one of its errors in `errno`.
    fn fails(&mut self, errors: &[hir::ExprId]) -> ExprId {
        let model = self.model();
        let failed = self.any_from(&ChoiceOrigin::new(OriginKind::Failure, &model), TRUTH, None);
        if self.observes_errno() {
            let end = self.label();
            self.jump_if_true(failed, end, false);
            let last = errors.len() as i128;
            let which =
                self.any_input(&model, Scalar::Bits(32), Some(Range { low: 0, high: last, signed: true }));
            let mut error = self.int(0);
            for (position, &number) in errors.iter().enumerate() {
                let number = self.value(number);
                let position = self.int(position as i128);
                let hit = self.binary(Binary::Eq, which, position);
                error = self.pool.exprs().add(Node::Ite(hit, number, error));
            }
            // Implementations may give other errors than those that are written down.
            let other = self.label();
            let count = self.int(last);
            let listed = self.binary(Binary::LtU, which, count);
            self.jump_if_true(listed, other, false);
            self.set_errno(error);
            self.goto(end);
            self.place_label(other);
            let range = Range { low: 1, high: LAST_ERROR, signed: true };
            let error = self.any_approximation(&model, Scalar::Bits(32), Some(range));
            self.set_errno(error);
            self.place_label(end);
        }
        self.resize(failed, Scalar::Bits(32), false)
    }

    /// Any values in the first bytes of what a pointer points to. A scalar that is written in part only has a
    /// value that is computed from both parts: that is an approximation.
    pub(super) fn fill(&mut self, name: &str, to: hir::ExprId, bytes: hir::ExprId) {
        let Some((spot, bytes)) = self.bytes_of(to, bytes) else { return };
        self.touch_cells(spot, bytes, |this, target, cell, whole| {
            let CellType::Scalar(ty) = cell else {
                return this.refuse("bytes written over a synchronisation object");
            };
            let value = this.temporary(ty);
            let (part, end) = (this.label(), this.label());
            this.jump_if_true(whole, part, false);
            let input = this.any_input(name, ty, None);
            this.emit(Op::Assign { local: value, value: input });
            this.goto(end);
            this.place_label(part);
            let mixed = this.any_approximation(name, ty, None);
            this.emit(Op::Assign { local: value, value: mixed });
            this.place_label(end);
            let value = this.pool.read(value);
            this.store_cell(target, value);
        });
    }

    /// Reads the first bytes of what a pointer points to.
    fn read_bytes(&mut self, from: hir::ExprId, bytes: hir::ExprId) {
        let Some((spot, bytes)) = self.bytes_of(from, bytes) else { return };
        self.touch_cells(spot, bytes, |this, target, cell, _| {
            if let (CellType::Scalar(ty), Some(place)) = (cell, this.memory_place(target)) {
                let local = this.temporary(ty);
                this.emit(Op::Load { local, place, atomic: false });
            }
        });
    }

    fn bytes_of(&mut self, pointer: hir::ExprId, bytes: hir::ExprId) -> Option<(Spot, ExprId)> {
        let mut spot = self.target(pointer);
        self.keep_spot(&mut spot);
        let bytes = self.value(bytes);
        let bytes = self.resize(bytes, self.word(), false);
        let bytes = self.keep(bytes);
        if self.types().size(spot.ty).is_none() {
            let some = self.is_true(bytes);
            let end = self.label();
            self.jump_if_true(some, end, false);
            self.refuse("bytes of an object of unknown type");
            self.place_label(end);
            return None;
        }
        Some((spot, bytes))
    }

    /// Does something for each cell that begins in the first bytes at a spot; the last argument says whether
    /// it ends there too.
    fn touch_cells(
        &mut self,
        spot: Spot,
        bytes: ExprId,
        mut each: impl FnMut(&mut Self, Spot, CellType, ExprId),
    ) {
        let Some(shape) = self.shape_or_refuse(spot.ty) else { return };
        let (word, bits) = (self.word(), self.pool.exprs().pointer_bits());
        self.for_each_element(bytes, shape.layout.stride, |this, index| {
            for cell in &shape.layout.cells {
                let mark = this.mark();
                let within = this.number(word, u128::from(cell.offset));
                let start = this.binary(Binary::Add, index, within);
                let size = this.number(word, u128::from(cell.ty.bytes(bits)));
                let end_of_cell = this.binary(Binary::Add, start, size);
                let begins = this.binary(Binary::LtU, start, bytes);
                let whole = this.binary(Binary::LeU, end_of_cell, bytes);
                let past = this.label();
                this.jump_if_true(begins, past, false);
                let target = shifted(this, spot, start);
                each(this, target, cell.ty, whole);
                this.place_label(past);
                this.release(mark);
            }
        });
    }

    /// Exchanges two elements of an array, this many bytes from its start.
    fn swap(&mut self, base: hir::ExprId, [first, second]: [hir::ExprId; 2], bytes: hir::ExprId) {
        let mut spot = self.target(base);
        self.keep_spot(&mut spot);
        let (first, second) = (self.value(first), self.value(second));
        let (first, second) = (self.keep(first), self.keep(second));
        let bytes = self.value(bytes);
        if self.types().size(spot.ty).is_none() {
            return self.refuse("sorting of elements of unknown type");
        }
        let (first, second) = (shifted(self, spot, first), shifted(self, spot, second));
        self.cell_by_cell(first, bytes, |this, offset, cell| {
            let (Some(a), Some(b)) =
                (this.copied_cell(first, offset, cell), this.copied_cell(second, offset, cell))
            else {
                return;
            };
            let (to_first, to_second) = (shifted(this, first, offset), shifted(this, second, offset));
            this.store_cell(to_first, b);
            this.store_cell(to_second, a);
        });
    }
}
