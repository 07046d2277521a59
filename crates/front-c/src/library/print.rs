//! The `printf` family: what it reads through its arguments (`%s`), what it writes (`%n`), and its result.

use ::c::{Binary, ExprId, Node, Op, Place, Range, TRUTH, Type as Scalar};

use super::super::hir::{self, StringId};
use super::super::normalise::{Argument, Binding, Normaliser};
use super::super::types::{Type, TypeId};
use super::format::{Conversion, Format, Kind, Number, parse};
use super::models::Variant;

/// The functions that print: where the format is, and whether the values come in a list.
const PRINTING: &[(&str, usize, bool)] = &[
    ("printf", 0, false),
    ("fprintf", 1, false),
    ("dprintf", 1, false),
    ("syslog", 1, false),
    ("__printf_chk", 1, false),
    ("__fprintf_chk", 2, false),
    ("vprintf", 0, true),
    ("vfprintf", 1, true),
    ("vdprintf", 1, true),
    ("vsyslog", 1, true),
];
/// A format in a variable may be one of this many literals.
const MOST_FORMATS: usize = 200;
/// `EIO`, which any of them may meet.
const EIO: i128 = 5;

/// A call that prints.
struct Printed<'a> {
    name: &'a str,
    /// Whether the values come in a list.
    list: bool,
    given: &'a [Argument],
}

impl Normaliser<'_> {
    /// `printf` and its like.
    pub(super) fn print_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        let &(_, position, list) = PRINTING.iter().find(|(known, ..)| *known == name)?;
        self.note_shown_texts(arguments);
        let values = self.arguments(arguments);
        let Some(Argument::Value(format, _)) = values.get(position).copied() else { return None };
        if let (1, Some(Argument::Value(stream, ty))) = (position, values.first().copied())
            && self.types().pointee(ty).is_some()
        {
            self.use_stream(stream);
        }
        let printed = Printed { name, list, given: values.get(position + 1..).unwrap_or_default() };
        let text = self.known_text(format);
        let plain = text.as_deref().is_some_and(|text| !self.follows_pointers(text));
        let result = match text {
            _ if list && !plain => self.print_list(name, &values[position..])?,
            Some(text) => self.print(&printed, &text),
            None => self.print_one_of(&printed, format),
        };
        let Some(scalar) = self.scalar_of(ty) else { return Some(self.nothing()) };
        Some(self.resize(result, scalar, true))
    }

    /// Prints what a format says; gives the number of characters.
    fn print(&mut self, printed: &Printed<'_>, text: &str) -> ExprId {
        let long = self.types().model.pointer_size();
        let Some(format) = parse(text, long, false) else {
            self.refuse(format!("`{}` with a format that is not known", printed.name));
            return self.int(0);
        };
        // Values in a list are not looked at.
        if !printed.list {
            self.print_values(printed.name, &format, printed.given);
        }
        let length = self.printed_length(printed.name, &format);
        self.or_failure(printed.name, length)
    }

    /// A format in a variable: one of the literals of the program.
    fn print_one_of(&mut self, printed: &Printed<'_>, format: ExprId) -> ExprId {
        let result = self.temporary(Scalar::Bits(32));
        let format = self.keep(format);
        let end = self.label();
        let literals = self.hir.strings.ids().filter(|&it| self.is_text(it));
        for string in literals.take(MOST_FORMATS).collect::<Vec<_>>() {
            let object = self.string_object(string);
            let address = self.pool.address(object);
            let hit = self.binary(Binary::Eq, format, address);
            let past = self.label();
            self.jump_if_true(hit, past, false);
            let mark = self.mark();
            let text = self.known_text(address).unwrap_or_default();
            let value = self.print(printed, &text);
            self.emit(Op::Assign { local: result, value });
            self.release(mark);
            self.goto(end);
            self.place_label(past);
        }
        self.refuse(format!("`{}` with a format that is not known", printed.name));
        self.place_label(end);
        self.pool.read(result)
    }

    /// Whether a literal is one of `char`.
    fn is_text(&self, string: StringId) -> bool {
        match self.types().get(self.hir.strings[string].ty) {
            Type::Array { element, .. } => self.types().size(element.ty) == Some(1),
            _ => false,
        }
    }

    /// Writing to a null or closed stream is undefined behaviour; those that are open from the start need no
    /// look.
    fn use_stream(&mut self, stream: ExprId) {
        if !matches!(self.pool.exprs().node(stream), Node::Address(_)) {
            let local = self.temporary(Scalar::Bits(8));
            self.emit(Op::Load { local, place: Place::Pointer { pointer: stream, offset: 0 }, atomic: true });
        }
    }

    /// The text that a pointer points to the start of, if that is a string literal.
    pub(super) fn known_text(&mut self, pointer: ExprId) -> Option<String> {
        let Node::Address(object) = self.pool.exprs().node(pointer) else { return None };
        let (&string, _) = self.strings.iter().find(|(_, it)| **it == object)?;
        let elements = self.hir.strings[string].elements.iter();
        elements.take_while(|&&element| element != 0).map(|&it| char::from_u32(it & 0xff)).collect()
    }

    /// Whether printing reads or writes through arguments.
    fn follows_pointers(&self, text: &str) -> bool {
        let format = parse(text, self.types().model.pointer_size(), false);
        let follows = |it: &Conversion| matches!(it.kind, Kind::Text | Kind::Count(_));
        format.is_none_or(|format| format.conversions.iter().any(follows))
    }

    /// Values in a list, with a format that follows pointers or is in a variable: the library's own function
    /// goes through both.
    fn print_list(&mut self, name: &str, values: &[Argument]) -> Option<ExprId> {
        let int = Scalar::Bits(32);
        let function = self.hir.models.get(&Variant::Listed.name(name)).copied()?;
        let length = self.temporary(int);
        self.call_function(function, values.to_vec(), Some(Binding::Register(length)));
        let length = self.pool.read(length);
        Some(self.or_failure(name, length))
    }

    /// Notes the arguments that are calls of functions which give a text: it is printed and nothing else.
    fn note_shown_texts(&mut self, arguments: &[hir::ExprId]) {
        for &argument in arguments {
            let mut e = argument;
            while let hir::ExprKind::Cast(_, inner) = self.hir.exprs[e].kind {
                e = inner;
            }
            self.shown.insert(e);
        }
    }

    fn print_values(&mut self, name: &str, format: &Format, given: &[Argument]) {
        let mut left = given.iter().copied();
        let mut known = Some(0);
        for conversion in &format.conversions {
            let mut limit = None;
            for number in [conversion.width, conversion.precision] {
                limit = None;
                if number == Number::Argument {
                    match left.next() {
                        Some(Argument::Value(value, _)) => limit = Some(value),
                        _ => return self.misprint("too few arguments for the format"),
                    }
                }
            }
            let Some(argument) = left.next() else {
                return self.misprint("too few arguments for the format");
            };
            let Some(value) = self.printable(argument, conversion.kind) else {
                return self.misprint("an argument that does not fit the format");
            };
            if let Number::Fixed(number) = conversion.precision {
                limit = Some(self.number(Scalar::Bits(32), u128::from(number)));
            }
            match conversion.kind {
                Kind::Text => self.read_text(value, limit),
                Kind::Count(bytes) => {
                    let length = self.length_so_far(name, known.map(|known: u64| known + conversion.before));
                    let length = self.resize(length, Scalar::Bits(bytes as u8 * 8), false);
                    self.emit(Op::Store {
                        place: Place::Pointer { pointer: value, offset: 0 },
                        value: length,
                        atomic: false,
                    });
                }
                _ => {}
            }
            known = known.and_then(|known| exact(conversion).map(|more| known + more));
        }
    }

    fn misprint(&mut self, why: &str) {
        self.emit(Op::Undefined(why.to_string()));
    }

    /// The argument as a value, if it is of the class that the conversion wants. Integers of another size are
    /// taken as every platform does.
    fn printable(&self, argument: Argument, kind: Kind) -> Option<ExprId> {
        let Argument::Value(value, ty) = argument else { return None };
        let pointer = matches!(self.types().get(ty), Type::Pointer(_));
        let float = self.types().float_kind(ty).is_some();
        let fits = match kind {
            Kind::Integer(bytes) => !float && (!pointer || bytes == self.types().model.pointer_size()),
            Kind::Character => !float && !pointer,
            Kind::Float(_) => float,
            Kind::Text | Kind::Count(_) => pointer,
            Kind::Pointer => !float,
        };
        fits.then_some(value)
    }

    fn length_so_far(&mut self, name: &str, known: Option<u64>) -> ExprId {
        match known {
            Some(known) => self.number(Scalar::Bits(64), u128::from(known)),
            None => self.any_approximation(name, Scalar::Bits(64), None),
        }
    }

    /// Whether a pointer points to an object of which nothing is known, such as what `strerror` gives.
    fn is_unknown(&mut self, pointer: ExprId) -> bool {
        let Node::Address(object) = self.pool.exprs().node(pointer) else { return false };
        let layout = self.pool.draft().objects()[object].layout;
        self.pool.draft().layouts()[layout].cells.is_empty()
    }

    /// Reads a string up to its zero, or up to this many characters. The text of a literal has its zero.
    pub(super) fn read_text(&mut self, string: ExprId, limit: Option<ExprId>) {
        if self.known_text(string).is_some() || self.is_unknown(string) {
            return;
        }
        let string = self.keep(string);
        let word = self.word();
        let limit = limit.map(|limit| self.resize(limit, word, true)).map(|limit| self.keep(limit));
        let counter = self.temporary(word);
        let zero = self.number(word, 0);
        self.emit(Op::Assign { local: counter, value: zero });
        let (top, end) = (self.label(), self.label());
        self.place_label(top);
        let at = self.pool.read(counter);
        if let Some(limit) = limit {
            // A negative precision is ignored: as an unsigned number it is no bound.
            let inside = self.binary(Binary::LtU, at, limit);
            self.jump_if_true(inside, end, false);
        }
        let character = self.temporary(Scalar::Bits(8));
        let pointer = self.binary(Binary::Add, string, at);
        self.emit(Op::Load { local: character, place: Place::Pointer { pointer, offset: 0 }, atomic: false });
        let character = self.pool.read(character);
        let more = self.is_true(character);
        self.jump_if_true(more, end, false);
        let one = self.number(word, 1);
        let value = self.binary(Binary::Add, at, one);
        self.emit(Op::Assign { local: counter, value });
        self.goto(top);
        self.place_label(end);
    }

    /// The number of characters. Only what the format itself prints is computed.
    fn printed_length(&mut self, name: &str, format: &Format) -> ExprId {
        let int = Scalar::Bits(32);
        let lengths: Vec<_> = format.conversions.iter().map(Conversion::printed).collect();
        let least = format.own + lengths.iter().map(|(least, _)| least).sum::<u64>();
        let most = lengths.iter().try_fold(format.own, |sum, (_, most)| Some(sum + (*most)?));
        let least = i128::from(least).min(i128::from(i32::MAX));
        let most = most.map_or(i128::from(i32::MAX), |most| i128::from(most).min(i128::from(i32::MAX)));
        if least == most {
            self.int(least)
        } else {
            self.any_approximation(name, int, Some(Range { low: least, high: most, signed: true }))
        }
    }

    /// The number of characters, or -1 with `errno` set.
    fn or_failure(&mut self, name: &str, length: ExprId) -> ExprId {
        let failed = self.any_input(name, TRUTH, None);
        self.errno_if(failed, EIO);
        let minus = self.int(-1);
        self.pool.exprs().add(Node::Ite(failed, minus, length))
    }

    /// Sets `errno` under a condition.
    fn errno_if(&mut self, failed: ExprId, error: i128) {
        if self.observes_errno() {
            let end = self.label();
            self.jump_if_true(failed, end, false);
            let error = self.int(error);
            self.set_errno(error);
            self.place_label(end);
        }
    }
}

/// How many characters a conversion prints, if that is always the same number.
fn exact(conversion: &Conversion) -> Option<u64> {
    let (least, most) = conversion.printed();
    (most == Some(least)).then_some(least)
}
