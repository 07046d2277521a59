//! `__attribute__`: the few that change what a program means are read, the others skipped.

use super::super::types::{IntKind, Type, TypeId};
use super::{Parsed, Parser};

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
    /// `constructor`.
    pub constructor: bool,
    /// `alias("name")`.
    pub alias: Option<String>,
    /// `cleanup(f)`.
    pub cleanup: Option<String>,
    /// `vector_size(n)`: a type that is not supported.
    pub vector: bool,
}

impl Attributes {
    /// Both.
    pub fn merge(&mut self, other: Attributes) {
        self.packed |= other.packed;
        self.align = self.align.max(other.align);
        self.mode = other.mode.or(self.mode.take());
        self.noreturn |= other.noreturn;
        self.transparent |= other.transparent;
        self.constructor |= other.constructor;
        self.alias = other.alias.or(self.alias.take());
        self.cleanup = other.cleanup.or(self.cleanup.take());
        self.vector |= other.vector;
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
            if !self.at("__attribute__") {
                return Ok(found);
            }
            self.bump();
            self.expect("(")?;
            self.expect("(")?;
            while !self.at(")") {
                self.attribute(&mut found)?;
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            self.expect(")")?;
        }
    }

    fn attribute(&mut self, found: &mut Attributes) -> Parsed<()> {
        if self.at(",") || self.at(")") {
            return Ok(());
        }
        let token = self.bump();
        let name = self.text_of(token).trim_matches('_').to_string();
        if !self.at("(") {
            match name.as_str() {
                "packed" => found.packed = true,
                "aligned" => found.align = found.align.max(16),
                "noreturn" => found.noreturn = true,
                "transparent_union" => found.transparent = true,
                "constructor" => found.constructor = true,
                _ => {}
            }
            return Ok(());
        }
        match name.as_str() {
            "aligned" => {
                self.bump();
                let value = self.constant_expression()?;
                found.align = found.align.max(u64::try_from(value).unwrap_or(0));
                self.expect(")")
            }
            "mode" | "alias" | "cleanup" => {
                let argument = self.text_of(self.ahead(1)).to_string();
                match name.as_str() {
                    "mode" => found.mode = Some(argument.trim_matches('_').to_string()),
                    "alias" => found.alias = Some(argument.trim_matches('"').to_string()),
                    _ => found.cleanup = Some(argument),
                }
                self.skip_balanced()
            }
            "constructor" => {
                found.constructor = true;
                self.skip_balanced()
            }
            "vector_size" => {
                found.vector = true;
                self.skip_balanced()
            }
            _ => self.skip_balanced(),
        }
    }

    /// `asm("name")` after a declarator: the name that the linker sees, which does not matter here.
    pub fn asm_label(&mut self) -> Parsed<()> {
        if self.eat("asm") {
            self.skip_balanced()?;
        }
        Ok(())
    }

    /// The type that a mode asks for.
    pub fn apply_mode(&mut self, ty: TypeId, attributes: &Attributes) -> TypeId {
        let Some(mode) = &attributes.mode else { return ty };
        let types = &self.check.program.types;
        if let Type::Float(_) = types.get(ty) {
            return match mode.as_str() {
                "SF" => self.check.basic.float,
                "DF" => self.check.basic.double,
                _ => ty,
            };
        }
        let Some(kind) = types.int_kind(ty) else { return ty };
        let wide = match mode.as_str() {
            "QI" | "byte" => IntKind::SignedChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" => match types.model {
                super::super::types::DataModel::Lp64 => IntKind::Long,
                super::super::types::DataModel::Ilp32 => IntKind::LongLong,
            },
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" => IntKind::Long,
            _ => return ty,
        };
        self.check.int(if kind.is_signed() { wide } else { wide.to_unsigned() })
    }
}
