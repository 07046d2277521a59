//! The built-in functions of gcc that look like calls. Those that take types are the parser's business.

use base::Span;

use super::super::constructs::builtins;
use super::super::hir::{BinaryOp, Builtin, ExprId, ExprKind};
use super::super::types::{FloatKind, IntKind, Type, TypeId};
use super::scopes::Entity;
use super::{Checker, Operand};

impl Checker {
    /// Whether a name is a built-in's, whatever is declared.
    pub fn is_builtin(name: &str) -> bool {
        ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_", "__selvedge_assert"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    }

    /// A call of a built-in.
    pub fn builtin(&mut self, name: &str, arguments: &[Operand], span: Span) -> Operand {
        if let Some(done) = self.atomic(name, arguments, span) {
            return done;
        }
        if let Some(done) = self.compile_time(name, arguments, span) {
            return done;
        }
        if let Some(done) = self.bits(name, arguments, span) {
            return done;
        }
        if let Some(done) = self.overflow(name, arguments, span) {
            return done;
        }
        self.other_builtin(name, arguments, span)
    }

    /// Built-ins that are decided by the reader.
    fn compile_time(&mut self, name: &str, arguments: &[Operand], span: Span) -> Option<Operand> {
        let int = self.basic.int;
        let first = arguments.first().copied();
        let value = match name {
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                let value = self.rvalue(first?);
                return Some(self.cast_to(Operand::Value(value), self.basic.long, span));
            }
            "__builtin_constant_p" => {
                let value = self.rvalue(first?);
                self.integer(i128::from(self.is_constant(value)), int, span)
            }
            "__builtin_assume_aligned" => {
                let value = self.rvalue(first?);
                self.cast(value, self.basic.void_pointer)
            }
            // What the optimiser knows is not known here.
            "__builtin_object_size" | "__builtin_dynamic_object_size" => {
                self.refused(&format!("the built-in `{name}`"), self.basic.size, span)
            }
            "__builtin_huge_val" | "__builtin_inf" | "__builtin_infl" => {
                self.float(f64::INFINITY, FloatKind::Double, span)
            }
            "__builtin_huge_valf" | "__builtin_inff" => self.float(f64::INFINITY, FloatKind::Float, span),
            "__builtin_nan" | "__builtin_nans" => self.float(f64::NAN, FloatKind::Double, span),
            "__builtin_nanf" | "__builtin_nansf" => self.float(f64::NAN, FloatKind::Float, span),
            "__atomic_always_lock_free" | "__atomic_is_lock_free" | "__c11_atomic_is_lock_free" => {
                self.integer(1, self.basic.bool, span)
            }
            "__builtin_classify_type" => {
                let ty = self.operand_type(first?).ty;
                let class = match self.ty(ty) {
                    Type::Int(_) | Type::Enum(_) => 1,
                    Type::Pointer(_) | Type::Array { .. } => 5,
                    Type::Float(_) => 8,
                    Type::Complex(_) => 9,
                    Type::Record(record) if self.program.types.records[*record].union => 13,
                    Type::Record(_) => 12,
                    Type::Function(_) => 5,
                    _ => 0,
                };
                self.integer(class, int, span)
            }
            "__builtin_isgreater"
            | "__builtin_isgreaterequal"
            | "__builtin_isless"
            | "__builtin_islessequal" => {
                let op = match name {
                    "__builtin_isgreater" => BinaryOp::Greater,
                    "__builtin_isgreaterequal" => BinaryOp::GreaterEqual,
                    "__builtin_isless" => BinaryOp::Less,
                    _ => BinaryOp::LessEqual,
                };
                return Some(self.binary(op, first?, *arguments.get(1)?, span));
            }
            _ => return None,
        };
        Some(Operand::Value(value))
    }

    fn float(&mut self, value: f64, kind: FloatKind, span: Span) -> ExprId {
        let ty = self.program.types.intern(Type::Float(kind));
        self.expr(ExprKind::Float(value), ty, span)
    }

    /// Built-ins on the bits of a number.
    fn bits(&mut self, name: &str, arguments: &[Operand], span: Span) -> Option<Operand> {
        let stem = name.strip_prefix("__builtin_")?;
        if let Some(width) = stem.strip_prefix("bswap") {
            let kind = match width {
                "16" => IntKind::UnsignedShort,
                "32" => IntKind::UnsignedInt,
                "64" => IntKind::UnsignedLongLong,
                "128" => IntKind::UnsignedInt128,
                _ => return None,
            };
            let ty = self.int(kind);
            return self.bit_builtin(Builtin::ByteSwap, arguments, ty, ty, span);
        }
        let known = [
            ("clz", Builtin::LeadingZeros),
            ("ctz", Builtin::TrailingZeros),
            ("clrsb", Builtin::RedundantSigns),
            ("popcount", Builtin::PopCount),
            ("parity", Builtin::Parity),
            ("ffs", Builtin::FirstSet),
        ];
        let (suffix, builtin) =
            known.iter().find_map(|(prefix, builtin)| Some((stem.strip_prefix(prefix)?, *builtin)))?;
        let kind = match suffix {
            "" => IntKind::UnsignedInt,
            "l" => IntKind::UnsignedLong,
            "ll" => IntKind::UnsignedLongLong,
            _ => return None,
        };
        let signed = builtin == Builtin::RedundantSigns;
        let kind = match kind {
            IntKind::UnsignedInt if signed => IntKind::Int,
            IntKind::UnsignedLong if signed => IntKind::Long,
            _ if signed => IntKind::LongLong,
            kind => kind,
        };
        let ty = self.int(kind);
        self.bit_builtin(builtin, arguments, ty, self.basic.int, span)
    }

    fn bit_builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[Operand],
        ty: TypeId,
        result: TypeId,
        span: Span,
    ) -> Option<Operand> {
        let value = self.convert(*arguments.first()?, ty, span);
        let width = self.program.types.int_kind(ty)?.width(self.model());
        let folded = self.constant(value).and_then(|value| fold_bits(builtin, value as u128, width));
        Some(Operand::Value(match folded {
            Some(number) => self.integer(number, result, span),
            None => self.expr(ExprKind::Builtin { builtin, arguments: vec![value] }, result, span),
        }))
    }

    /// `__builtin_add_overflow` and its typed forms.
    fn overflow(&mut self, name: &str, arguments: &[Operand], span: Span) -> Option<Operand> {
        let stem = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
        let (first, second, result) = match arguments {
            [first, second, result] => (*first, *second, *result),
            _ => return None,
        };
        let typed = stem.trim_start_matches(['s', 'u']).len() < stem.len() && stem != "sub";
        let signed = stem.starts_with('s');
        let operation = if typed { &stem[1..] } else { stem };
        let builtin = match operation.trim_end_matches('l') {
            "add" => Builtin::AddOverflow,
            "sub" => Builtin::SubtractOverflow,
            "mu" | "mul" => Builtin::MultiplyOverflow,
            _ => return None,
        };
        let (mut first, mut second) = (self.rvalue(first), self.rvalue(second));
        if typed {
            let longs = operation.strip_prefix("mul").unwrap_or(operation).matches('l').count();
            let kind = [IntKind::Int, IntKind::Long, IntKind::LongLong][longs.min(2)];
            let ty = self.int(if signed { kind } else { kind.to_unsigned() });
            first = self.convert(Operand::Value(first), ty, span);
            second = self.convert(Operand::Value(second), ty, span);
        }
        let result = self.rvalue(result);
        let arguments = vec![first, second, result];
        Some(Operand::Value(self.expr(ExprKind::Builtin { builtin, arguments }, self.basic.bool, span)))
    }

    fn other_builtin(&mut self, name: &str, arguments: &[Operand], span: Span) -> Operand {
        let void = self.basic.void;
        let simple = match name {
            "__builtin_unreachable" => Some((Builtin::Unreachable, void)),
            "__builtin_trap" => Some((Builtin::Trap, void)),
            "__builtin_alloca" | "__builtin_alloca_with_align" => {
                Some((Builtin::Alloca, self.basic.void_pointer))
            }
            "__selvedge_assert" => Some((Builtin::AnnotatedAssert, void)),
            _ => None,
        };
        if let Some((builtin, ty)) = simple {
            let first = arguments.first().map(|argument| match builtin {
                Builtin::Alloca => self.convert(*argument, self.basic.size, span),
                _ => self.condition(*argument, span),
            });
            if builtin == Builtin::AnnotatedAssert && !first.is_some_and(|it| self.means_the_same(it)) {
                let reason = "an annotation: its condition may mean something else in C";
                return Operand::Value(self.refused(reason, ty, span));
            }
            let kind = ExprKind::Builtin { builtin, arguments: first.into_iter().collect() };
            return Operand::Value(self.expr(kind, ty, span));
        }
        match name {
            "__builtin_va_start" | "__builtin_c23_va_start" => {
                self.va_builtin(Builtin::VaStart, &arguments[..arguments.len().min(1)], span)
            }
            "__builtin_va_end" => self.va_builtin(Builtin::VaEnd, arguments, span),
            "__builtin_va_copy" => self.va_builtin(Builtin::VaCopy, arguments, span),
            "__builtin_prefetch" | "__builtin_ia32_pause" | "__builtin___clear_cache" => {
                let mut done = Operand::Value(self.integer(0, self.basic.int, span));
                for argument in arguments {
                    done = self.comma(done, *argument, span);
                }
                let value = self.rvalue(done);
                Operand::Value(self.cast(value, void))
            }
            _ => self.library_builtin(name, arguments, span),
        }
    }

    /// Built-ins on lists of arguments take the list's address.
    fn va_builtin(&mut self, builtin: Builtin, arguments: &[Operand], span: Span) -> Operand {
        let mut lists = vec![];
        for argument in arguments {
            let list = match *argument {
                Operand::Place(_) => self.address_of(*argument, span),
                other => other,
            };
            lists.push(self.rvalue(list));
        }
        let kind = ExprKind::Builtin { builtin, arguments: lists };
        Operand::Value(self.expr(kind, self.basic.void, span))
    }

    /// `__builtin_memcpy` is `memcpy`; `__builtin___memcpy_chk` is `memcpy` with the size of the object,
    /// which is dropped. What is no library function of the compiler's is refused: its name is not that of a
    /// function.
    fn library_builtin(&mut self, name: &str, arguments: &[Operand], span: Span) -> Operand {
        let stem = name.strip_prefix("__builtin_").unwrap_or_default();
        let (stem, arguments) = match stem.strip_prefix("__").and_then(|stem| stem.strip_suffix("_chk")) {
            Some(stem) => (stem, without_checks(stem, arguments)),
            None => (stem, arguments.to_vec()),
        };
        let known = builtins::signature(stem).is_some() || builtins::is_classification(stem);
        let callee = match self.scopes.first().and_then(|scope| scope.names.get(stem)) {
            _ if !known => None,
            // The compiler may make its own code of the built-in, or call the program's function.
            Some(Entity::Function(id)) if self.program.functions[*id].body.is_some() => None,
            Some(Entity::Function(id)) => Some(*id),
            Some(_) => None,
            None => Some(self.implicit_function(stem, span)),
        };
        let Some(callee) = callee else {
            let ty = self.known_type(stem).map_or(self.basic.int, |function| function.result);
            return Operand::Value(self.refused(&format!("the built-in `{name}`"), ty, span));
        };
        self.call(Operand::Function(callee, span), arguments, span)
    }
}

/// The arguments of a checked function without what is only there for the check.
fn without_checks(stem: &str, arguments: &[Operand]) -> Vec<Operand> {
    let dropped: &[usize] = match stem {
        "sprintf" | "vsprintf" => &[1, 2],
        "snprintf" | "vsnprintf" => &[2, 3],
        "printf" | "vprintf" => &[0],
        "fprintf" | "vfprintf" => &[1],
        _ => &[arguments.len().saturating_sub(1)],
    };
    arguments
        .iter()
        .enumerate()
        .filter(|(index, _)| !dropped.contains(index))
        .map(|(_, operand)| *operand)
        .collect()
}

fn fold_bits(builtin: Builtin, value: u128, width: u32) -> Option<i128> {
    let value = if width < 128 { value & ((1 << width) - 1) } else { value };
    let number = match builtin {
        Builtin::LeadingZeros if value != 0 => value.leading_zeros() - (128 - width),
        Builtin::TrailingZeros if value != 0 => value.trailing_zeros(),
        Builtin::PopCount => value.count_ones(),
        Builtin::Parity => value.count_ones() % 2,
        Builtin::FirstSet => {
            if value == 0 {
                0
            } else {
                value.trailing_zeros() + 1
            }
        }
        Builtin::ByteSwap => return Some((value.swap_bytes() >> (128 - width)) as i128),
        _ => return None,
    };
    Some(i128::from(number))
}
