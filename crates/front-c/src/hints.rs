//! What to say about a name that is not declared: the header that declares it, if the name is well known.

/// Names and the header that declares them.
const HEADERS: &[(&str, &[&str])] = &[
    (
        "pthread.h",
        &[
            "pthread_t",
            "pthread_attr_t",
            "pthread_mutex_t",
            "pthread_mutexattr_t",
            "pthread_cond_t",
            "pthread_rwlock_t",
            "pthread_barrier_t",
            "pthread_spinlock_t",
            "pthread_once_t",
            "pthread_key_t",
            "PTHREAD_MUTEX_INITIALIZER",
            "PTHREAD_COND_INITIALIZER",
            "PTHREAD_RWLOCK_INITIALIZER",
            "PTHREAD_ONCE_INIT",
        ],
    ),
    ("threads.h", &["thrd_t", "mtx_t", "cnd_t", "tss_t", "once_flag", "mtx_plain", "thrd_success"]),
    ("semaphore.h", &["sem_t"]),
    (
        "stdatomic.h",
        &["atomic_int", "atomic_uint", "atomic_bool", "atomic_flag", "atomic_long", "memory_order_relaxed"],
    ),
    ("stdbool.h", &["bool", "true", "false"]),
    (
        "stdint.h",
        &[
            "int8_t",
            "int16_t",
            "int32_t",
            "int64_t",
            "uint8_t",
            "uint16_t",
            "uint32_t",
            "uint64_t",
            "intptr_t",
            "uintptr_t",
        ],
    ),
    ("stddef.h", &["NULL", "size_t", "ptrdiff_t"]),
    ("limits.h", &["INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "CHAR_BIT"]),
    ("errno.h", &["errno", "EBUSY", "EINVAL", "EDEADLK", "ETIMEDOUT", "ENOMEM"]),
    ("stdio.h", &["FILE", "stdin", "stdout", "stderr", "EOF"]),
    ("stdlib.h", &["EXIT_SUCCESS", "EXIT_FAILURE"]),
];

/// What to do about a name that a header of the library declares.
pub fn include(name: &str) -> Option<String> {
    let (header, _) = HEADERS.iter().find(|(_, names)| names.contains(&name))?;
    Some(format!("write `#include <{header}>` at the top of the file"))
}

/// What to do about a name that should be a type.
pub fn declare_type(name: &str) -> String {
    include(name).unwrap_or_else(|| "declare the type, or include the header that does".to_string())
}
