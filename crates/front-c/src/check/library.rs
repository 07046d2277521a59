//! Names of the C library that the reader must know: types that are opaque by name, and functions that
//! compilers know undeclared.

use super::super::constructs::builtins::{self, Floating};
use super::super::types::{FloatKind, FunctionType, IntKind, Opaque, Qualified, Qualifiers, Type, TypeId};
use super::Checker;

/// The library type of a typedef name.
pub fn opaque(name: &str) -> Option<Opaque> {
    Some(match name {
        "pthread_mutex_t" | "mtx_t" => Opaque::Mutex,
        "pthread_spinlock_t" => Opaque::SpinLock,
        "pthread_rwlock_t" => Opaque::RwLock,
        "pthread_cond_t" | "cnd_t" => Opaque::Condition,
        "pthread_barrier_t" => Opaque::Barrier,
        "sem_t" => Opaque::Semaphore,
        "pthread_once_t" | "once_flag" => Opaque::Once,
        "pthread_mutexattr_t" => Opaque::MutexAttributes,
        "pthread_attr_t" | "pthread_condattr_t" | "pthread_rwlockattr_t" | "pthread_barrierattr_t" => {
            Opaque::Attributes
        }
        _ => return None,
    })
}

/// Thread handles are numbers.
pub fn is_handle(name: &str) -> bool {
    matches!(name, "pthread_t" | "thrd_t")
}

impl Checker {
    /// The type of a library function that the compiler knows without a declaration.
    pub fn known_type(&mut self, name: &str) -> Option<FunctionType> {
        let signature = builtins::signature(name)?;
        let variadic = signature.letters.ends_with('.');
        let types: Vec<TypeId> = signature
            .letters
            .trim_end_matches('.')
            .chars()
            .map(|it| self.letter(it, signature.floating))
            .collect();
        let (&result, parameters) = types.split_first()?;
        let parameters = parameters.iter().map(|ty| Qualified::plain(*ty)).collect();
        Some(FunctionType { result, parameters, variadic, prototype: true, noreturn: false })
    }

    fn letter(&mut self, letter: char, floating: Floating) -> TypeId {
        let kind = match floating {
            Floating::Float => FloatKind::Float,
            Floating::Double => FloatKind::Double,
            Floating::LongDouble => FloatKind::LongDouble,
        };
        let float = self.program.types.intern(Type::Float(kind));
        let constant = |ty| Qualified { ty, qualifiers: Qualifiers::CONST };
        match letter {
            'v' => self.basic.void,
            'l' => self.basic.long,
            'L' => self.int(IntKind::LongLong),
            'z' => self.basic.size,
            'p' => self.basic.void_pointer,
            'c' => self.pointer_to(constant(self.basic.void)),
            't' => self.pointer_to(Qualified::plain(self.basic.char)),
            's' => self.pointer_to(constant(self.basic.char)),
            'd' => float,
            'D' => self.pointer_to(Qualified::plain(float)),
            'I' => self.pointer_to(Qualified::plain(self.basic.int)),
            'V' => self.basic.va_list,
            _ => self.basic.int,
        }
    }
}
