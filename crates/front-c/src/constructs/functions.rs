//! Functions without a body that are no ordinary calls, under the names that the headers of C libraries give
//! them.

/// Functions that return more than once, unwind the stack or switch it, and those that glibc's headers make
/// of them.
const REFUSED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "__sigsetjmp_cancel",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "getcontext",
    "setcontext",
    "makecontext",
    "swapcontext",
    "vfork",
    "__pthread_register_cancel",
    "__pthread_unregister_cancel",
    "__pthread_unwind_next",
    "__pthread_register_cancel_defer",
    "__pthread_unregister_cancel_restore",
];

/// Whether a call of a function that nobody defines is refused whatever its declaration says.
pub fn is_refused(name: &str) -> bool {
    REFUSED.contains(&name)
}

/// Sections whose contents run without being called.
const RUNNING: &[&str] = &[".init", ".fini", ".preinit", ".ctors", ".dtors"];

/// Whether what is put into a section may run by itself.
pub fn is_running_section(name: &str) -> bool {
    RUNNING.iter().any(|start| name.starts_with(start))
}

/// Whether an asm label of a function that nobody defines only chooses a variant of the library function of
/// that name, as headers do.
pub fn is_variant(name: &str, label: &str) -> bool {
    let wrapped =
        [("__isoc99_", ""), ("__isoc23_", ""), ("__xpg_", ""), ("__posix_", ""), ("", "64"), ("__", "64")];
    let wrapped = wrapped.iter().any(|(before, after)| label == format!("{before}{name}{after}"));
    wrapped || label == name || label == format!("__{name}_time64") || label == format!("__{name}64_time64")
}

/// Objects that the linker makes.
pub fn is_made_by_linker(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "etext",
        "_etext",
        "edata",
        "_edata",
        "end",
        "_end",
        "__bss_start",
        "__executable_start",
        "__dso_handle",
    ];
    name.starts_with("__start_") || name.starts_with("__stop_") || NAMES.contains(&name)
}

/// Functions that are the error whatever the program says they do.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error", "__assert_fail"];

/// Functions whose own meaning is that they do not return.
const ENDING: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "pthread_exit",
    "thrd_exit",
    "__assert",
    "__assert_rtn",
    "__assert_perror_fail",
    "_assert",
];

/// Whether a function does not return whatever is declared of it; of those of the program only the error
/// itself.
pub fn ends_by_itself(name: &str, defined: bool) -> bool {
    ERRORS.contains(&name) || !defined && ENDING.contains(&name)
}
