//! Strings, character by character.

use ir::c::{Binary, ExprId, LocalId, Node, Op, Type as Scalar};

use super::super::hir;
use super::super::normalise::Normaliser;
use super::super::types::TypeId;

const CHAR: Scalar = Scalar::Bits(8);

/// How two strings are compared.
struct Comparison {
    /// At most so many characters.
    limit: Option<ExprId>,
    /// Whether a zero ends them.
    strings: bool,
}

impl Normaliser<'_> {
    /// Functions on strings.
    pub(super) fn string_call(
        &mut self,
        name: &str,
        arguments: &[hir::ExprId],
        ty: TypeId,
    ) -> Option<ExprId> {
        let values: fn(&mut Self, &[hir::ExprId]) -> Vec<ExprId> = |this, arguments| {
            arguments
                .iter()
                .map(|&argument| {
                    let value = this.value(argument);
                    this.keep(value)
                })
                .collect()
        };
        let count = match name {
            "strlen" => 1,
            "strcmp" | "strcpy" | "strcat" | "strchr" | "strrchr" | "strnlen" => 2,
            "strncmp" | "memcmp" | "bcmp" | "strncpy" => 3,
            _ => return None,
        };
        if arguments.len() != count {
            return None;
        }
        let values = values(self, arguments);
        Some(match name {
            "strlen" => self.length(values[0], None),
            "strnlen" => self.length(values[0], Some(values[1])),
            "strcmp" => self.compare(&values, &Comparison { limit: None, strings: true }),
            "strncmp" => self.compare(&values, &Comparison { limit: Some(values[2]), strings: true }),
            "memcmp" | "bcmp" => {
                self.compare(&values, &Comparison { limit: Some(values[2]), strings: false })
            }
            "strcpy" => {
                let zero = self.number(self.word(), 0);
                self.copy_string(values[0], zero, values[1]);
                values[0]
            }
            "strcat" => {
                let end = self.length(values[0], None);
                let end = self.keep(end);
                self.copy_string(values[0], end, values[1]);
                values[0]
            }
            "strncpy" => self.copy_padded(&values),
            _ => self.find(values[0], values[1], name == "strrchr", ty),
        })
    }

    /// The character at an index of a string.
    fn character(&mut self, string: ExprId, index: ExprId) -> ExprId {
        let local = self.temporary(CHAR);
        let pointer = self.binary(Binary::Add, string, index);
        self.emit(Op::Load { local, place: ir::c::Place::Pointer { pointer, offset: 0 } });
        self.pool.read(local)
    }

    fn put(&mut self, string: ExprId, index: ExprId, value: ExprId) {
        let pointer = self.binary(Binary::Add, string, index);
        self.emit(Op::Store { place: ir::c::Place::Pointer { pointer, offset: 0 }, value });
    }

    fn counter(&mut self) -> LocalId {
        let local = self.temporary(self.word());
        let zero = self.number(self.word(), 0);
        self.emit(Op::Assign { local, value: zero });
        local
    }

    fn count_up(&mut self, counter: LocalId) {
        let one = self.number(self.word(), 1);
        let at = self.pool.read(counter);
        let value = self.binary(Binary::Add, at, one);
        self.emit(Op::Assign { local: counter, value });
    }

    fn is_zero(&mut self, character: ExprId) -> ExprId {
        let zero = self.number(CHAR, 0);
        self.binary(Binary::Eq, character, zero)
    }

    fn length(&mut self, string: ExprId, limit: Option<ExprId>) -> ExprId {
        let counter = self.counter();
        let (top, end) = (self.label(), self.label());
        self.place_label(top);
        let at = self.pool.read(counter);
        if let Some(limit) = limit {
            let limit = self.resize(limit, self.word(), false);
            let inside = self.binary(Binary::LtU, at, limit);
            self.jump_if_true(inside, end, false);
        }
        let character = self.character(string, at);
        let last = self.is_zero(character);
        self.jump_if_true(last, end, true);
        self.count_up(counter);
        self.goto(top);
        self.place_label(end);
        self.pool.read(counter)
    }

    fn compare(&mut self, values: &[ExprId], how: &Comparison) -> ExprId {
        let int = Scalar::Bits(32);
        let result = self.temporary(int);
        let zero = self.int(0);
        self.emit(Op::Assign { local: result, value: zero });
        let counter = self.counter();
        let (top, end, differ) = (self.label(), self.label(), self.label());
        self.place_label(top);
        let at = self.pool.read(counter);
        if let Some(limit) = how.limit {
            let limit = self.resize(limit, self.word(), false);
            let inside = self.binary(Binary::LtU, at, limit);
            self.jump_if_true(inside, end, false);
        }
        let a = self.character(values[0], at);
        let b = self.character(values[1], at);
        let equal = self.binary(Binary::Eq, a, b);
        self.jump_if_true(equal, differ, false);
        if how.strings {
            let last = self.is_zero(a);
            self.jump_if_true(last, end, true);
        }
        self.count_up(counter);
        self.goto(top);
        self.place_label(differ);
        // Only the sign counts; characters are compared as unsigned.
        let less = self.binary(Binary::LtU, a, b);
        let (minus, plus) = (self.int(-1), self.int(1));
        let value = self.pool.exprs().add(Node::Ite(less, minus, plus));
        self.emit(Op::Assign { local: result, value });
        self.place_label(end);
        self.pool.read(result)
    }

    /// Copies a string with its zero to an index of another.
    fn copy_string(&mut self, to: ExprId, start: ExprId, from: ExprId) {
        let counter = self.counter();
        let (top, end) = (self.label(), self.label());
        self.place_label(top);
        let at = self.pool.read(counter);
        let character = self.character(from, at);
        let target = self.binary(Binary::Add, at, start);
        self.put(to, target, character);
        let last = self.is_zero(character);
        self.jump_if_true(last, end, true);
        self.count_up(counter);
        self.goto(top);
        self.place_label(end);
    }

    /// `strncpy`: zeros after the end of the string.
    fn copy_padded(&mut self, values: &[ExprId]) -> ExprId {
        let limit = self.resize(values[2], self.word(), false);
        let ended = self.temporary(ir::c::TRUTH);
        let no = self.truth(false);
        self.emit(Op::Assign { local: ended, value: no });
        let character = self.temporary(CHAR);
        let done = self.pool.read(ended);
        self.for_each_element(limit, 1, |this, at| {
            let put = this.label();
            let zero = this.number(CHAR, 0);
            this.emit(Op::Assign { local: character, value: zero });
            this.jump_if_true(done, put, true);
            let read = this.character(values[1], at);
            this.emit(Op::Assign { local: character, value: read });
            let last = this.is_zero(read);
            this.emit(Op::Assign { local: ended, value: last });
            this.place_label(put);
            let value = this.pool.read(character);
            this.put(values[0], at, value);
        });
        values[0]
    }

    /// `strchr` and `strrchr`.
    fn find(&mut self, string: ExprId, wanted: ExprId, last: bool, ty: TypeId) -> ExprId {
        let wanted = self.resize(wanted, CHAR, false);
        let scalar = self.scalar(ty);
        let result = self.temporary(scalar);
        let null = self.number(scalar, 0);
        self.emit(Op::Assign { local: result, value: null });
        let counter = self.counter();
        let (top, end, past) = (self.label(), self.label(), self.label());
        self.place_label(top);
        let at = self.pool.read(counter);
        let character = self.character(string, at);
        let hit = self.binary(Binary::Eq, character, wanted);
        self.jump_if_true(hit, past, false);
        let value = self.binary(Binary::Add, string, at);
        self.emit(Op::Assign { local: result, value });
        if !last {
            self.goto(end);
        }
        self.place_label(past);
        let zero = self.is_zero(character);
        self.jump_if_true(zero, end, true);
        self.count_up(counter);
        self.goto(top);
        self.place_label(end);
        self.pool.read(result)
    }
}
