//! Types as the user writes them, for messages.

use super::super::types::{ArrayLength, FloatKind, Opaque, Qualified, Qualifiers, Type, TypeId};
use super::Checker;

/// Levels of a type that a message shows: more is of no help.
const DEEPEST: usize = 12;

impl Checker {
    /// The type in C, cut off where it is very deep.
    pub fn show(&self, id: TypeId) -> String {
        self.show_around(Qualified::plain(id), String::new(), DEEPEST)
    }

    fn show_around(&self, ty: Qualified, inside: String, depth: usize) -> String {
        if depth == 0 {
            return "…".into();
        }
        let join = |name: &str| if inside.is_empty() { name.to_string() } else { format!("{name} {inside}") };
        let text = match self.ty(ty.ty) {
            Type::Void => join("void"),
            Type::Int(kind) => join(kind.name()),
            Type::Float(kind) => join(float_name(*kind)),
            Type::Complex(kind) => join(&format!("_Complex {}", float_name(*kind))),
            Type::Pointer(to) => {
                let needs = matches!(self.ty(to.ty), Type::Array { .. } | Type::Function(_));
                let inside = if needs { format!("(*{inside})") } else { format!("*{inside}") };
                self.show_around(*to, inside, depth - 1)
            }
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Known(length) => length.to_string(),
                    ArrayLength::Unknown => String::new(),
                    ArrayLength::Variable(_) => "*".into(),
                };
                self.show_around(*element, format!("{inside}[{length}]"), depth - 1)
            }
            Type::Function(function) => {
                let parameters: Vec<String> = function
                    .parameters
                    .iter()
                    .map(|parameter| self.show_around(*parameter, String::new(), (depth - 1).min(2)))
                    .collect();
                let parameters = parameters.join(", ");
                self.show_around(
                    Qualified::plain(function.result),
                    format!("{inside}({parameters})"),
                    depth - 1,
                )
            }
            Type::Record(record) => {
                let record = &self.program.types.records[*record];
                let keyword = if record.union { "union" } else { "struct" };
                join(&format!("{keyword} {}", record.tag.as_deref().unwrap_or("(no tag)")))
            }
            Type::Enum(id) => {
                let tag = self.program.types.enums[*id].tag.as_deref();
                join(&format!("enum {}", tag.unwrap_or("(no tag)")))
            }
            Type::Opaque(kind, _) => join(opaque_name(*kind)),
            Type::VaList => join("va_list"),
            Type::Unsupported(it) => join(it.what),
            Type::Error => join("(wrong type)"),
        };
        if ty.qualifiers.has(Qualifiers::CONST) { format!("const {text}") } else { text }
    }
}

fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float128 => "_Float128",
    }
}

fn opaque_name(kind: Opaque) -> &'static str {
    match kind {
        Opaque::Mutex => "pthread_mutex_t",
        Opaque::SpinLock => "pthread_spinlock_t",
        Opaque::RwLock => "pthread_rwlock_t",
        Opaque::Condition => "pthread_cond_t",
        Opaque::Barrier => "pthread_barrier_t",
        Opaque::Semaphore => "sem_t",
        Opaque::Once => "pthread_once_t",
        Opaque::Attributes => "pthread_attr_t",
        Opaque::MutexAttributes => "pthread_mutexattr_t",
    }
}
