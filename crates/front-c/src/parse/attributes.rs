//! `__attribute__` and `[[…]]`, by the table of those that are known (`constructs::attributes`).

use base::{Diagnostic, Span};

use super::super::constructs::attributes::{self, On};
use super::super::constructs::functions::is_running_section;
use super::super::constructs::pragmas::only_levels;
use super::super::constructs::{Treatment, plain_name};
use super::super::types::Unsupported;
use super::{Kind, Parsed, Parser};

/// The priority of a constructor or destructor that names none: after all that do.
pub const NO_PRIORITY: u32 = 65_536;

/// What attributes said.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// `packed`.
    pub packed: bool,
    /// `aligned(n)`, or 0.
    pub align: u64,
    /// `mode(M)`.
    pub mode: Option<String>,
    /// `noreturn`.
    pub noreturn: bool,
    /// `transparent_union`.
    pub transparent: bool,
    /// `constructor(n)`.
    pub constructor: Option<u32>,
    /// `destructor(n)`.
    pub destructor: Option<u32>,
    /// `alias("name")`.
    pub alias: Option<String>,
    /// `cleanup(f)`.
    pub cleanup: Option<(String, Span)>,
    /// `weak`.
    pub weak: bool,
    /// `gnu_inline`.
    pub gnu_inline: bool,
    /// `vector_size(n)`: the bytes of a vector.
    pub vector: Option<u64>,
    /// Those that are refused, where what they stand on is used.
    pub refused: Option<&'static str>,
    /// Put where it runs without being called.
    pub runs: Option<Span>,
}

impl Attributes {
    /// Both.
    pub fn merge(&mut self, other: Attributes) {
        self.packed |= other.packed;
        self.align = self.align.max(other.align);
        self.mode = other.mode.or(self.mode.take());
        self.noreturn |= other.noreturn;
        self.transparent |= other.transparent;
        self.constructor = other.constructor.or(self.constructor);
        self.destructor = other.destructor.or(self.destructor);
        self.alias = other.alias.or(self.alias.take());
        self.cleanup = other.cleanup.or(self.cleanup.take());
        self.weak |= other.weak;
        self.gnu_inline |= other.gnu_inline;
        self.vector = other.vector.or(self.vector);
        self.refused = other.refused.or(self.refused);
        self.runs = other.runs.or(self.runs);
    }
}

impl Parser<'_> {
    /// Attributes and `__extension__`, as many as there are.
    pub fn attributes(&mut self) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        loop {
            if self.eat("__extension__") {
                continue;
            }
            if self.at_standard_attribute() {
                self.bump();
                self.bump();
                self.attribute_list(&mut found, "]")?;
                self.expect("]")?;
                self.expect("]")?;
            } else if self.eat("__attribute__") {
                self.expect("(")?;
                self.expect("(")?;
                self.attribute_list(&mut found, ")")?;
                self.expect(")")?;
                self.expect(")")?;
            } else {
                return Ok(found);
            }
        }
    }

    /// Whether `[[` of a standard attribute stands here: no index and no length begins so.
    pub fn at_standard_attribute(&self) -> bool {
        self.at("[")
            && Self::is(self.ahead(1), "[")
            && matches!(self.ahead(2).kind, Kind::Name | Kind::Fixed(_))
    }

    fn attribute_list(&mut self, found: &mut Attributes, end: &str) -> Parsed<()> {
        while !self.at(end) {
            if !self.at(",") {
                self.attribute(found)?;
            }
            if !self.eat(",") {
                break;
            }
        }
        Ok(())
    }

    fn attribute(&mut self, found: &mut Attributes) -> Parsed<()> {
        let token = self.bump();
        let mut name = plain_name(self.text_of(token)).to_string();
        if self.at(":") && Self::is(self.ahead(1), ":") {
            self.bump();
            self.bump();
            let inner = self.bump();
            let inner = plain_name(self.text_of(inner));
            name = if name == "gnu" { inner.to_string() } else { format!("{name}::{inner}") };
        }
        if !attributes::is_known(&name) {
            self.warn_unknown_attribute(&name, token.span);
            return self.skip_arguments();
        }
        if !self.at("(") {
            self.bare_attribute(&name, found);
            return Ok(());
        }
        self.attribute_with_arguments(&name, token.span, found)
    }

    fn skip_arguments(&mut self) -> Parsed<()> {
        if self.at("(") { self.skip_balanced() } else { Ok(()) }
    }

    /// The compiler ignores what it does not know, with a warning.
    fn warn_unknown_attribute(&mut self, name: &str, span: Span) {
        let message = format!("the attribute `{name}` is not known and ignored");
        let help = "remove it, or check its spelling: gcc ignores it too";
        self.check.report.push(Diagnostic::warning("W1409", span, message).help(help));
    }

    fn bare_attribute(&mut self, name: &str, found: &mut Attributes) {
        match name {
            "packed" => found.packed = true,
            "aligned" => found.align = found.align.max(16),
            "noreturn" | "_Noreturn" => found.noreturn = true,
            "transparent_union" => found.transparent = true,
            "constructor" => found.constructor = Some(NO_PRIORITY),
            "destructor" => found.destructor = Some(NO_PRIORITY),
            "weak" => found.weak = true,
            "gnu_inline" => found.gnu_inline = true,
            _ => note_refused(name, found),
        }
    }

    fn attribute_with_arguments(&mut self, name: &str, span: Span, found: &mut Attributes) -> Parsed<()> {
        match name {
            "aligned" | "vector_size" | "constructor" | "destructor" => {
                self.bump();
                let value = self.constant_expression()?;
                let value = u64::try_from(value).unwrap_or(0);
                match name {
                    "aligned" if value.is_power_of_two() => found.align = found.align.max(value),
                    "aligned" => self.wrong_alignment(span),
                    "vector_size" => found.vector = Some(value),
                    "constructor" => found.constructor = Some(value.min(u64::from(NO_PRIORITY)) as u32),
                    _ => found.destructor = Some(value.min(u64::from(NO_PRIORITY)) as u32),
                }
                self.expect(")")
            }
            "mode" | "alias" | "cleanup" | "section" | "optimize" | "scalar_storage_order" => {
                let first = self.ahead(1);
                let arguments = self.argument_texts()?;
                let argument = arguments.join("");
                match name {
                    "mode" => found.mode = Some(plain_name(&argument).to_string()),
                    "alias" => found.alias = Some(argument),
                    "cleanup" => found.cleanup = Some((argument, first.span)),
                    "section" if is_running_section(&argument) => found.runs = Some(span),
                    "section" => {}
                    "optimize" if only_levels(&[&argument]) => {}
                    "scalar_storage_order" if argument == "little-endian" => {}
                    _ => {
                        found.refused =
                            attributes::ATTRIBUTES.iter().map(|row| row.name).find(|it| *it == name)
                    }
                }
                Ok(())
            }
            _ => {
                note_refused(name, found);
                self.skip_balanced()
            }
        }
    }

    /// Says that an attribute does nothing where it stands, as the compiler does.
    pub(super) fn warn_ignored(&mut self, name: &str, why: &str, span: Span) {
        let message = format!("the attribute `{name}` is ignored here: {why}");
        let help = "remove it: gcc ignores it too";
        self.check.report.push(Diagnostic::warning("W1409", span, message).help(help));
    }

    pub(super) fn wrong_alignment(&mut self, span: Span) {
        self.check.error("E1118", span, "an alignment must be a power of two", "use 1, 2, 4, 8, …");
    }

    /// The texts of what stands between parentheses, strings without their quotes.
    fn argument_texts(&mut self) -> Parsed<Vec<String>> {
        let start = self.at;
        if !self.at("(") {
            return Err(self.unexpected("`(`"));
        }
        self.skip_balanced()?;
        let inside = &self.tokens[start + 1..self.at - 1];
        Ok(inside.iter().map(|token| self.text_of(*token).trim_matches('"').to_string()).collect())
    }

    /// `asm("name")` after a declarator: the name that the linker sees.
    pub fn asm_label(&mut self) -> Parsed<Option<String>> {
        if !self.eat("asm") {
            return Ok(None);
        }
        let texts = self.argument_texts()?;
        Ok(Some(texts.concat()))
    }

    /// The type of a vector, whatever its elements. More than 16 bytes are not aligned to more without
    /// options for wider registers.
    pub fn vector(&self, bytes: u64) -> Unsupported {
        let align = bytes.min(16).next_power_of_two().max(1);
        Unsupported { what: "a vector type", size: bytes, align }
    }
}

fn note_refused(name: &str, found: &mut Attributes) {
    let row = attributes::ATTRIBUTES.iter().find(|row| row.name == name);
    if let Some(row) = row.filter(|row| row.treatment == Treatment::Refused) {
        found.refused = Some(row.name);
    }
}

/// What an attribute that is refused stands on, for the message.
pub fn refusal(name: &str, on: On) -> String {
    let what = if on == On::FUNCTION {
        "a function"
    } else if on == On::TYPE {
        "a type"
    } else {
        "a variable"
    };
    format!("{what} with the attribute `{name}`")
}
