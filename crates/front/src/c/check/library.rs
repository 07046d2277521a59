//! Names of the C library that the reader must know: types that are opaque by name, and functions that compilers know undeclared.

use super::super::types::Opaque;

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

/// What a function returns that is called without a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Implicit {
    Int,
    Pointer,
    Size,
    Double,
    Void,
}

const POINTERS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "alloca",
    "aligned_alloc",
    "memcpy",
    "memmove",
    "memset",
    "memchr",
    "mempcpy",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strchr",
    "strrchr",
    "strstr",
    "strdup",
    "strndup",
    "strpbrk",
    "stpcpy",
    "index",
    "rindex",
];

const SIZES: &[&str] = &["strlen", "strspn", "strcspn", "strnlen"];

const DOUBLES: &[&str] = &[
    "sqrt", "sin", "cos", "tan", "exp", "log", "pow", "fabs", "floor", "ceil", "fmod", "atan", "atan2",
    "round", "trunc", "asin", "acos", "log10", "log2", "cbrt", "hypot", "fmin", "fmax",
];

const VOIDS: &[&str] = &["abort", "exit", "_exit", "_Exit", "free"];

const INTS: &[&str] = &[
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "vprintf",
    "vsprintf",
    "vsnprintf",
    "scanf",
    "sscanf",
    "puts",
    "putchar",
    "memcmp",
    "strcmp",
    "strncmp",
    "abs",
    "isalpha",
    "isdigit",
    "isspace",
    "tolower",
    "toupper",
    "ffs",
    "fputs",
    "fputc",
    "strcasecmp",
    "strncasecmp",
    "isalnum",
    "isupper",
    "islower",
    "isprint",
    "isxdigit",
];

/// What an undeclared function returns: gcc knows the usual ones.
pub fn implicit_result(name: &str) -> Implicit {
    if POINTERS.contains(&name) {
        Implicit::Pointer
    } else if SIZES.contains(&name) {
        Implicit::Size
    } else if DOUBLES.contains(&name) {
        Implicit::Double
    } else if VOIDS.contains(&name) {
        Implicit::Void
    } else {
        Implicit::Int
    }
}

/// Whether the compiler knows a function by its name, so that declarations that differ are only warned about.
pub fn is_builtin_name(name: &str) -> bool {
    implicit_result(name) != Implicit::Int || INTS.contains(&name)
}
