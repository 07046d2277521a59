//! Declaration specifiers: storage classes, qualifiers and the many ways to write a type.

use base::Span;

use super::super::check::Operand;
use super::super::check::declare::StorageClass;
use super::super::types::{FloatKind, IntKind, Qualified, Qualifiers, Type, TypeId, Unsupported};
use super::attributes::Attributes;
use super::{Kind, Parsed, Parser};

/// What specifiers said.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// The storage class.
    pub class: Option<StorageClass>,
    /// `_Thread_local`.
    pub thread_local: bool,
    /// `inline`.
    pub inline: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// The type.
    pub ty: Qualified,
    /// `__auto_type`: the type is that of the initialiser.
    pub auto_type: bool,
    /// Whether a type was written, rather than left to be `int`.
    pub explicit: bool,
    /// The attributes.
    pub attributes: Attributes,
}

/// The words of a type so far.
#[derive(Default)]
struct Words {
    counts: [u8; WORDS.len()],
    other: Option<Qualified>,
}

const WORDS: [&str; 18] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "_Complex",
    "__int128",
    "__float128",
    "__float80",
    "_Float32",
    "_Float64",
    "_Float32x",
    "_Float64x",
];

impl Words {
    fn has(&self, word: &str) -> bool {
        WORDS.iter().position(|other| *other == word).is_some_and(|index| self.counts[index] > 0)
    }

    fn longs(&self) -> u8 {
        self.counts[4]
    }

    fn any(&self) -> bool {
        self.other.is_some() || self.counts.iter().any(|count| *count > 0)
    }

    fn is_complex_integer(&self) -> bool {
        let integers = ["char", "short", "int", "long", "signed", "unsigned", "_Bool", "__int128"];
        let floating = ["float", "double"].iter().any(|word| self.has(word));
        self.has("_Complex") && !floating && integers.iter().any(|word| self.has(word))
    }

    /// The built-in type that the words name.
    fn ty(&self) -> Type {
        let complex = |kind| if self.has("_Complex") { Type::Complex(kind) } else { Type::Float(kind) };
        if self.has("void") {
            return Type::Void;
        }
        if self.has("_Bool") {
            return Type::Int(IntKind::Bool);
        }
        if self.has("float") || self.has("_Float32") {
            return complex(FloatKind::Float);
        }
        if self.has("__float128") {
            return complex(FloatKind::Float128);
        }
        if self.has("__float80") || self.has("_Float64x") || self.has("double") && self.longs() > 0 {
            return complex(FloatKind::LongDouble);
        }
        if self.has("double") || self.has("_Complex") || self.has("_Float64") || self.has("_Float32x") {
            return complex(FloatKind::Double);
        }
        let kind = match () {
            () if self.has("char") && self.has("signed") => IntKind::SignedChar,
            () if self.has("char") => IntKind::Char,
            () if self.has("short") => IntKind::Short,
            () if self.has("__int128") => IntKind::Int128,
            () if self.longs() >= 2 => IntKind::LongLong,
            () if self.longs() == 1 => IntKind::Long,
            () => IntKind::Int,
        };
        Type::Int(if self.has("unsigned") { kind.to_unsigned() } else { kind })
    }
}

impl Parser<'_> {
    /// Whether a type or a declaration specifier starts here.
    pub fn at_type(&self) -> bool {
        self.starts_type(0)
    }

    /// Whether a type or a declaration specifier starts at a token further on.
    pub fn starts_type(&self, ahead: usize) -> bool {
        let token = self.ahead(ahead);
        match token.kind {
            Kind::Name => self.check.typedef(self.text_of(token)).is_some(),
            Kind::Fixed(index) => {
                let word = super::spelling(index);
                let attribute = word == "[" && Self::is(self.ahead(ahead + 1), "[");
                attribute
                    || WORDS.contains(&word)
                    || matches!(
                        word,
                        "typedef"
                            | "extern"
                            | "static"
                            | "auto"
                            | "register"
                            | "_Thread_local"
                            | "const"
                            | "volatile"
                            | "restrict"
                            | "inline"
                            | "_Noreturn"
                            | "_Alignas"
                            | "_Atomic"
                            | "struct"
                            | "union"
                            | "enum"
                            | "typeof"
                            | "__auto_type"
                            | "__attribute__"
                            | "_Imaginary"
                            | "_Float16"
                            | "_Decimal32"
                            | "_Decimal64"
                            | "_Decimal128"
                            | "__seg_fs"
                            | "__seg_gs"
                    )
            }
            _ => false,
        }
    }

    /// Reads specifiers. At least one must be there unless a plain declarator may stand alone.
    pub fn specifiers(&mut self) -> Parsed<Specifiers> {
        let void = self.check.basic.void;
        let mut found = Specifiers {
            class: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            ty: Qualified::plain(void),
            auto_type: false,
            explicit: false,
            attributes: Attributes::default(),
        };
        let mut words = Words::default();
        let mut qualifiers = Qualifiers::NONE;
        while let Some(more) = self.specifier(&mut found, &mut words)? {
            qualifiers = qualifiers.union(more);
        }
        found.noreturn |= found.attributes.noreturn;
        found.explicit = words.any();
        let ty = match words.other {
            // The parts of a complex number may be integers in GNU C.
            None if words.is_complex_integer() => Qualified::plain(self.unsupported("_Complex")),
            Some(ty) => ty,
            None => match words.ty() {
                Type::Int(IntKind::Char) => Qualified::plain(self.check.basic.char),
                ty => Qualified::plain(self.check.program.types.intern(ty)),
            },
        };
        let plain = self.apply_mode(ty.ty, &found.attributes);
        found.ty = Qualified { ty: plain, ..ty }.with(qualifiers);
        Ok(found)
    }

    /// One specifier: `None` if there is no more, else the qualifiers that it adds.
    fn specifier(&mut self, found: &mut Specifiers, words: &mut Words) -> Parsed<Option<Qualifiers>> {
        let token = self.token();
        if token.kind == Kind::Name {
            let ty = self.check.typedef(self.text_of(token)).filter(|_| !words.any());
            let Some(ty) = ty else { return Ok(None) };
            self.bump();
            words.other = Some(ty);
            return Ok(Some(Qualifiers::NONE));
        }
        let Some(word) = self.fixed() else { return Ok(None) };
        if let Some(index) = WORDS.iter().position(|other| *other == word) {
            self.bump();
            words.counts[index] = words.counts[index].saturating_add(1);
            return Ok(Some(Qualifiers::NONE));
        }
        let mut added = Qualifiers::NONE;
        match word {
            "typedef" => self.storage(found, StorageClass::Typedef),
            "extern" => self.storage(found, StorageClass::Extern),
            "static" => self.storage(found, StorageClass::Static),
            "auto" => self.storage(found, StorageClass::Auto),
            "register" => self.storage(found, StorageClass::Register),
            "_Thread_local" => found.thread_local = true,
            "const" => added = Qualifiers::CONST,
            "volatile" => added = Qualifiers::VOLATILE,
            "inline" => found.inline = true,
            "__seg_fs" | "__seg_gs" => added = Qualifiers::SEGMENT,
            "restrict" | "__extension__" => {}
            "_Noreturn" => found.noreturn = true,
            "__auto_type" => {
                found.auto_type = true;
                words.other = Some(Qualified::plain(self.check.basic.int));
            }
            "_Float16" | "_Decimal32" | "_Decimal64" | "_Decimal128" | "_Imaginary" => {
                words.other = Some(Qualified::plain(self.unsupported(word)));
            }
            "_Atomic" if Self::is(self.ahead(1), "(") => {
                self.bump();
                self.bump();
                let (ty, _) = self.type_name()?;
                self.expect(")")?;
                words.other = Some(ty.with(Qualifiers::ATOMIC));
                return Ok(Some(Qualifiers::NONE));
            }
            "_Atomic" => added = Qualifiers::ATOMIC,
            _ => return self.long_specifier(word, found, words),
        }
        self.bump();
        Ok(Some(added))
    }

    /// A type that can be declared and not used.
    fn unsupported(&mut self, word: &str) -> TypeId {
        let (what, size) = match word {
            "_Float16" => ("_Float16", 2),
            "_Decimal32" => ("decimal floating types", 4),
            "_Decimal64" => ("decimal floating types", 8),
            "_Decimal128" => ("decimal floating types", 16),
            _ => ("complex integers and imaginary numbers", 8),
        };
        self.check.program.types.intern(Type::Unsupported(Unsupported { what, size, align: size }))
    }

    fn storage(&mut self, found: &mut Specifiers, class: StorageClass) {
        if let Some(before) = found.class
            && before != class
        {
            let span = self.span();
            self.check.error("E1106", span, "two storage classes in one declaration", "keep one of them");
        }
        found.class = Some(class);
    }

    /// Specifiers that go over several tokens.
    fn long_specifier(
        &mut self,
        word: &str,
        found: &mut Specifiers,
        words: &mut Words,
    ) -> Parsed<Option<Qualifiers>> {
        match word {
            "__attribute__" | "[" if word != "[" || self.at_standard_attribute() => {
                let more = self.attributes()?;
                found.attributes.merge(more);
            }
            "struct" | "union" => {
                let ty = self.deeper(|parser| parser.record_specifier())?;
                words.other = Some(Qualified::plain(ty));
            }
            "enum" => {
                let ty = self.deeper(|parser| parser.enum_specifier())?;
                words.other = Some(Qualified::plain(ty));
            }
            "typeof" => words.other = Some(self.type_of_specifier()?),
            "_Alignas" => {
                self.bump();
                self.expect("(")?;
                let start = self.span();
                let align = if self.at_type() {
                    let (ty, _) = self.type_name()?;
                    self.check.program.types.qualified_align(ty)
                } else {
                    u64::try_from(self.constant_expression()?).unwrap_or(0)
                };
                self.expect(")")?;
                if align != 0 && !align.is_power_of_two() {
                    self.wrong_alignment(start);
                }
                found.attributes.align = found.attributes.align.max(align);
            }
            _ => return Ok(None),
        }
        Ok(Some(Qualifiers::NONE))
    }

    /// `typeof(e)` and `typeof(T)`.
    fn type_of_specifier(&mut self) -> Parsed<Qualified> {
        self.bump();
        self.expect("(")?;
        let ty = if self.at_type() {
            self.type_name()?.0
        } else {
            let operand = self.expression()?;
            match operand {
                Operand::Place(_) | Operand::Function(..) => self.check.operand_type(operand),
                Operand::Value(value) => Qualified::plain(self.check.type_of(value)),
            }
        };
        self.expect(")")?;
        Ok(ty)
    }

    /// A type name, as in a cast; gives the type and its place.
    pub fn type_name(&mut self) -> Parsed<(Qualified, Span)> {
        let start = self.span();
        if !self.at_type() && !self.at("__extension__") {
            return Err(self.unexpected("a type"));
        }
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(specifiers.ty)?;
        let mut ty = self.apply_declarator_mode(declarator.ty, &specifiers.attributes);
        if specifiers.attributes.align > 0 && declarator.ty == specifiers.ty {
            ty.qualifiers = ty.qualifiers.aligned(specifiers.attributes.align);
        }
        Ok((ty, self.from(start)))
    }
}
