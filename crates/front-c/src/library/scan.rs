//! `scanf` of what nobody knows: what is read goes where the arguments point to, conversion by conversion,
//! until one fails. Texts that are there are read by `library/scan.c`.

use ::c::{Binary, ExprId, LocalId, Node, Op, Place, TRUTH, Type as Scalar};

use super::super::hir;
use super::super::normalise::{Argument, Normaliser};
use super::super::types::TypeId;
use super::format::{Conversion, Kind, Number, parse};

const CHAR: Scalar = Scalar::Bits(8);

/// On whose behalf values are chosen, and whether each can really come.
#[derive(Clone, Copy, Debug)]
struct Source<'a> {
    name: &'a str,
    world: bool,
}

impl Normaliser<'_> {
    /// `scanf` and its like.
    pub(super) fn scan_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        let position = match name.strip_prefix("__isoc99_").unwrap_or(name) {
            "scanf" => 0,
            "fscanf" => 1,
            _ => return None,
        };
        let values = self.arguments(arguments);
        let Some(Argument::Value(format, _)) = values.get(position).copied() else { return None };
        let long = self.types().model.pointer_size();
        let Some(format) = self.known_text(format).and_then(|text| parse(&text, long, true)) else {
            self.refuse(format!("`{name}` with a format that is not known"));
            return Some(self.any_constant(ty));
        };
        let result = self.temporary(Scalar::Bits(32));
        let source = Source { name, world: true };
        self.scan_values(source, &format.conversions, &values[position + 1..], result);
        let scalar = self.scalar_of(ty)?;
        let count = self.pool.read(result);
        Some(self.resize(count, scalar, true))
    }

    /// Each conversion may be the first that fails; the result is how many values were stored, or -1 if the
    /// input ended before the first.
    fn scan_values(
        &mut self,
        source: Source<'_>,
        conversions: &[Conversion],
        given: &[Argument],
        result: LocalId,
    ) {
        let mut left = given.iter().copied();
        let end = self.label();
        let ended = self.chosen(source, TRUTH);
        let (minus, zero) = (self.int(-1), self.int(0));
        let value = self.pool.exprs().add(Node::Ite(ended, minus, zero));
        self.emit(Op::Assign { local: result, value });
        let mut count = 0;
        for conversion in conversions {
            if !matches!(conversion.kind, Kind::Count(_)) {
                let fails = self.chosen(source, TRUTH);
                self.jump_if_true(fails, end, true);
            }
            if conversion.dropped {
                continue;
            }
            let Some(Argument::Value(pointer, _)) = left.next() else {
                self.emit(Op::Undefined("too few arguments for the format".into()));
                break;
            };
            let pointer = self.keep(pointer);
            self.scan_value(source, conversion, pointer);
            if !matches!(conversion.kind, Kind::Count(_)) {
                count += 1;
                let value = self.int(count);
                self.emit(Op::Assign { local: result, value });
            }
        }
        self.place_label(end);
    }

    fn chosen(&mut self, source: Source<'_>, ty: Scalar) -> ExprId {
        if source.world {
            self.any_input(source.name, ty, None)
        } else {
            self.any_approximation(source.name, ty, None)
        }
    }

    fn scan_value(&mut self, source: Source<'_>, conversion: &Conversion, pointer: ExprId) {
        let ty = match conversion.kind {
            Kind::Integer(bytes) | Kind::Count(bytes) => Scalar::Bits(bytes as u8 * 8),
            Kind::Float(4) => Scalar::Float,
            Kind::Float(8) => Scalar::Double,
            Kind::Float(_) => return self.refuse("a long double"),
            Kind::Pointer => Scalar::Pointer,
            Kind::Character | Kind::Text => return self.scan_text(source, conversion, pointer),
        };
        // A width bounds the number, and a count is the number of characters so far: neither is computed.
        let bounded = conversion.width != Number::None || matches!(conversion.kind, Kind::Count(_));
        let value = self.chosen(Source { world: source.world && !bounded, ..source }, ty);
        self.emit(Op::Store { place: Place::Pointer { pointer, offset: 0 }, value, atomic: false });
    }

    /// `%c`: this many characters. `%s`: characters that are no white space, at least one, as many as come,
    /// and a zero.
    fn scan_text(&mut self, source: Source<'_>, conversion: &Conversion, pointer: ExprId) {
        let text = conversion.kind == Kind::Text;
        let word = self.word();
        let counter = self.temporary(word);
        let zero = self.number(word, 0);
        self.emit(Op::Assign { local: counter, value: zero });
        let (top, end) = (self.label(), self.label());
        self.place_label(top);
        let at = self.pool.read(counter);
        let limit = match conversion.width {
            Number::Fixed(limit) => Some(limit),
            _ if text => None,
            _ => Some(1),
        };
        if let Some(limit) = limit {
            let limit = self.number(word, u128::from(limit));
            let inside = self.binary(Binary::LtU, at, limit);
            self.jump_if_true(inside, end, false);
        }
        if text {
            let stops = self.chosen(source, TRUTH);
            let some = self.is_true(at);
            let stops = self.binary(Binary::And, stops, some);
            self.jump_if_true(stops, end, true);
        }
        let mut character = self.chosen(source, CHAR);
        if text {
            character = self.not_white(character);
        }
        let to = self.binary(Binary::Add, pointer, at);
        self.emit(Op::Store {
            place: Place::Pointer { pointer: to, offset: 0 },
            value: character,
            atomic: false,
        });
        let one = self.number(word, 1);
        let value = self.binary(Binary::Add, at, one);
        self.emit(Op::Assign { local: counter, value });
        self.goto(top);
        self.place_label(end);
        if text {
            let at = self.pool.read(counter);
            let to = self.binary(Binary::Add, pointer, at);
            let zero = self.number(CHAR, 0);
            self.emit(Op::Store {
                place: Place::Pointer { pointer: to, offset: 0 },
                value: zero,
                atomic: false,
            });
        }
    }

    /// The character, another one if it is white space.
    fn not_white(&mut self, character: ExprId) -> ExprId {
        let number = |this: &mut Self, c: char| this.number(CHAR, u128::from(c as u32));
        let (space, tab, other) = (number(self, ' '), number(self, '\t'), number(self, 'a'));
        let five = self.number(CHAR, 5);
        let is_space = self.binary(Binary::Eq, character, space);
        let above = self.binary(Binary::Sub, character, tab);
        let is_control = self.binary(Binary::LtU, above, five);
        let white = self.binary(Binary::Or, is_space, is_control);
        self.pool.exprs().add(Node::Ite(white, other, character))
    }
}
