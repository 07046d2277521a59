//! The functions that the library knows, what each means, and how well. What is not here and has no body is external. `docs/c.md` shows
//! this table, and a test compares the two.

/// How well a function is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// The machine does neither more nor less.
    Exact,
    /// Any value within the stated range can really come.
    Input,
    /// A function of its arguments that is not computed: any value, which never carries an error.
    Approximation,
    /// Refused where it is reached.
    Refused,
}

use Knowledge::{Approximation, Exact, Input, Refused};

/// A row: names with spaces between them (`*` at the end stands for any rest), what they mean, how well.
type Row = (&'static str, &'static str, Knowledge);

/// The table.
pub(super) const TABLE: &[Row] = &[
    (
        "pthread_create thrd_create",
        "a thread; succeeds (`--create-may-fail`: or returns an error). Where threads ask for their own handle, it is stored before the thread runs",
        Exact,
    ),
    ("pthread_join thrd_join", "waits, stores the result, `EDEADLK` on oneself", Exact),
    ("pthread_exit thrd_exit", "runs cleanup handlers and destructors of keys, ends the thread", Exact),
    ("pthread_self pthread_equal thrd_current thrd_equal", "handles are numbers", Exact),
    (
        "pthread_detach thrd_detach pthread_setconcurrency pthread_setname_np pthread_testcancel pthread_yield thrd_yield",
        "nothing; 0",
        Exact,
    ),
    ("pthread_setcancelstate pthread_setcanceltype", "a setting of the thread; the old one is stored", Exact),
    (
        "pthread_setschedparam pthread_setschedprio pthread_setaffinity_np sched_setscheduler sched_setaffinity mlockall",
        "nothing; 0 or an error",
        Input,
    ),
    (
        "pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock pthread_mutex_unlock mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock mtx_unlock pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock pthread_spin_unlock pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_timedrdlock pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_timedwrlock pthread_rwlock_unlock",
        "one step on the object, as `ir::c` defines it; kinds of mutexes by attribute or initialiser; a timed one may give up",
        Exact,
    ),
    (
        "pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_cond_signal pthread_cond_broadcast cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal cnd_broadcast pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait sem_init sem_destroy sem_wait sem_trywait sem_timedwait sem_clockwait sem_post sem_getvalue",
        "one step on the object, as `ir::c` defines it; semaphores set `errno`",
        Exact,
    ),
    (
        "pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype pthread_mutexattr_gettype pthread_mutexattr_setpshared pthread_attr_init pthread_attr_destroy pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize pthread_attr_setinheritsched pthread_attr_setschedparam pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setstack pthread_attr_setstacksize pthread_barrierattr_init pthread_barrierattr_destroy pthread_barrierattr_setpshared pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock pthread_condattr_setpshared pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_setpshared",
        "the kind of a mutex is kept, other attributes change nothing here; 0",
        Exact,
    ),
    (
        "pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np pthread_mutexattr_setprotocol pthread_rwlockattr_setkind_np",
        "refused where the value is not the default one (inheritance of priorities changes nothing)",
        Exact,
    ),
    ("pthread_once call_once", "the first runs the function, others wait for its end", Exact),
    (
        "pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific tss_create tss_delete tss_get tss_set",
        "an array of the thread; as many keys as there are places that make one, more are refused; destructors in up to four rounds",
        Exact,
    ),
    (
        "pthread_cleanup_push pthread_cleanup_pop _pthread_cleanup_push _pthread_cleanup_pop __selvedge_cleanup_push __selvedge_cleanup_pop",
        "a list known at every place of the source",
        Exact,
    ),
    ("reach_error __VERIFIER_error __assert_fail", "the error, even if the program defines them", Exact),
    (
        "assert __assert __assert_rtn __assert_perror_fail _assert __VERIFIER_assert __CPROVER_assert __ESBMC_assert __goblint_assert __goblint_check __SMACK_error",
        "the error, if the condition does not hold; a body in the program wins",
        Exact,
    ),
    (
        "__VERIFIER_assume __CPROVER_assume __ESBMC_assume __SMACK_assume __goblint_assume assume assume_abort_if_not",
        "waits for ever if false",
        Exact,
    ),
    (
        "__VERIFIER_atomic_begin __VERIFIER_atomic_end __CPROVER_atomic_begin __CPROVER_atomic_end __ESBMC_atomic_begin __ESBMC_atomic_end __SMACK_atomic_begin __SMACK_atomic_end",
        "atomic sections that do not nest; functions called `__VERIFIER_atomic_…` are sections too",
        Exact,
    ),
    ("exit _exit _Exit quick_exit abort", "ends the program", Exact),
    ("atexit at_quick_exit on_exit", "refused", Refused),
    (
        "__VERIFIER_nondet* nondet* __SMACK_nondet*",
        "any value of the type; a pointer: any integer. One that is given a pointer is external, but `__VERIFIER_nondet_memory` writes any bytes",
        Input,
    ),
    (
        "__CPROVER_fence __VERIFIER_print __goblint_split_begin __goblint_split_end __sync_synchronize _mm_pause flockfile funlockfile sched_yield srand srandom srand48 clearerr rewind",
        "nothing: arguments are evaluated",
        Exact,
    ),
    (
        "malloc calloc valloc aligned_alloc memalign alloca free cfree",
        "cells by the type of use; `calloc` zeros; succeeds (`--malloc-may-fail`: or gives null with `ENOMEM`); `free` ends the object",
        Exact,
    ),
    ("realloc", "of null: `malloc`; otherwise refused", Refused),
    ("reallocarray posix_memalign", "refused", Refused),
    (
        "memset bzero explicit_bzero memcpy mempcpy memmove bcopy",
        "cell by cell; a part of a scalar is refused; `memmove` of more than 64 cells or an unknown number is refused",
        Exact,
    ),
    (
        "strlen strnlen strcpy stpcpy strncpy stpncpy strcat strncat strlcpy strlcat memccpy strdup strndup",
        "character by character",
        Exact,
    ),
    (
        "strcmp strncmp strcoll strcasecmp strncasecmp memcmp bcmp",
        "character by character; what is not 0 is the difference or only its sign, by choice",
        Input,
    ),
    (
        "strchr strrchr strchrnul index rindex memchr memrchr rawmemchr strstr strcasestr memmem strpbrk strspn strcspn strtok strtok_r strsep",
        "character by character; what is found lies in the argument",
        Exact,
    ),
    (
        "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit",
        "the C locale; true is 1 or the bit of glibc's table, by choice; undefined behaviour for what is no character",
        Input,
    ),
    ("isascii toascii tolower toupper __ctype_b_loc", "the C locale", Exact),
    ("abs labs llabs imaxabs ffs ffsl ffsll div ldiv lldiv", "computed", Exact),
    (
        "atoi atol atoll strtol strtoll strtoul strtoull strtoimax strtoumax",
        "computed, with `ERANGE` and `EINVAL` in `errno`; `atoi` cuts off as glibc does",
        Exact,
    ),
    (
        "qsort bsearch lfind",
        "sorting by insertion and halving, which `assumptions` says; the comparison is called; equal elements come in any order",
        Input,
    ),
    (
        "acos acosf acosh asin asinf asinh atan atan2 atan2f atanf atanh atof cbrt ceil ceilf copysign cos cosf cosh drand48 erf exp exp2 expf expm1 fabs fabsf fdim floor floorf fma fmax fmaxf fmin fminf fmod fmodf hypot ldexp lgamma llround log log10 log1p log2 logf lrint lround nearbyint pow powf rint round roundf sin sinf sinh sqrt sqrtf tan tanf tanh tgamma trunc truncf",
        "any value",
        Approximation,
    ),
    ("rand random lrand48 mrand48", "any value of its range", Input),
    ("rand_r", "any value, and any seed", Approximation),
    (
        "time clock gettimeofday clock_gettime timespec_get",
        "a clock that does not go backwards, stored where the argument points to",
        Input,
    ),
    ("difftime", "computed", Exact),
    (
        "sleep usleep nanosleep clock_nanosleep thrd_sleep alarm",
        "nothing; a sleep may end early, with what is left and `EINTR`",
        Input,
    ),
    ("getpid getppid", "any number; `getpid` always the same one", Input),
    ("gettid sysconf getpagesize", "any number", Approximation),
    ("getenv", "null, or a text that is refused where it is looked at", Input),
    (
        "asctime ctime strerror strsignal",
        "a text that is refused where it is looked at; printing it is fine",
        Approximation,
    ),
    (
        "printf fprintf dprintf syslog __printf_chk __fprintf_chk vprintf vfprintf vdprintf vsyslog",
        "strings are read (`%s`), counts written (`%n`); the result is −1 or the number of characters, an approximation where the format alone does not say it. A format that is no literal is refused, strings in a `va_list` too; arguments that are missing or of another class are undefined behaviour",
        Input,
    ),
    ("sprintf snprintf vsprintf vsnprintf asprintf vasprintf", "refused", Refused),
    (
        "scanf fscanf __isoc99_scanf __isoc99_fscanf",
        "any values where the arguments point to, until a conversion fails; `%s` writes as many characters as come",
        Input,
    ),
    ("sscanf __isoc99_sscanf", "as `scanf`", Approximation),
    ("vscanf vfscanf vsscanf", "refused", Refused),
    (
        "puts fputs perror putchar putc fputc ungetc fflush",
        "strings are read; the result, or `EOF` with `errno`",
        Input,
    ),
    (
        "getchar getc fgetc getchar_unlocked getc_unlocked _IO_getc fgets gets fread",
        "any characters, as far as the size says, or the end of the file or an error",
        Input,
    ),
    (
        "fwrite feof ferror fileno fseek ftell setvbuf setbuf",
        "what is written is read from memory; any result, errors with `errno`",
        Input,
    ),
    (
        "fopen fdopen tmpfile fclose",
        "a stream is an object that `fclose` ends; null or `EOF` with `errno`",
        Input,
    ),
    (
        "open close read pread recv write pwrite send dup pipe fsync poll select",
        "any bytes as far as the size says; −1 with `errno`",
        Input,
    ),
    ("access chdir isatty remove rename rmdir unlink", "the name is read; 0, or −1 with `errno`", Input),
    ("__errno_location", "a number of the thread", Exact),
];

/// How well a function is known; `None` if it is not.
pub(super) fn knowledge(name: &str) -> Option<Knowledge> {
    let fits = |known: &str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == known,
    };
    TABLE.iter().find(|(names, ..)| names.split(' ').any(fits)).map(|(_, _, how)| *how)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Knowledge, TABLE, knowledge};

    fn rows() -> String {
        let word = |how: Knowledge| match how {
            Knowledge::Exact => "exact",
            Knowledge::Input => "input",
            Knowledge::Approximation => "approximation",
            Knowledge::Refused => "refused",
        };
        let row = |(names, meaning, how): &super::Row| {
            let names: Vec<_> = names.split(' ').map(|name| format!("`{name}`")).collect();
            format!("| {} | {meaning} | {} |\n", names.join(" "), word(*how))
        };
        TABLE.iter().map(row).collect()
    }

    #[test]
    fn the_documentation_shows_this_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/c.md");
        let text = std::fs::read_to_string(path).expect("docs/c.md is there");
        let (start, end) = ("| calls | meaning | how well |\n|---|---|---|\n", "\nEvery other function");
        let shown = text.split(start).nth(1).and_then(|rest| rest.split(end).next()).unwrap_or_default();
        let rows = rows();
        if std::env::var_os("SELVEDGE_BLESS").is_some() && shown != rows {
            let changed = text.replace(&format!("{start}{shown}{end}"), &format!("{start}{rows}{end}"));
            std::fs::write(path, changed).expect("docs/c.md can be written");
            return;
        }
        assert_eq!(shown, rows, "run with SELVEDGE_BLESS=1 if this is what it should be");
    }

    #[test]
    fn each_name_has_one_row() {
        let mut seen = BTreeSet::new();
        for name in TABLE.iter().flat_map(|(names, ..)| names.split(' ')) {
            assert!(seen.insert(name), "{name} is there twice");
        }
        assert_eq!(knowledge("sqrt"), Some(Knowledge::Approximation));
        assert_eq!(knowledge("__VERIFIER_nondet_int"), Some(Knowledge::Input));
        assert_eq!(knowledge("strlenx"), None);
    }

    #[test]
    fn every_model_is_in_the_table() {
        for name in super::super::models::names() {
            assert!(knowledge(name).is_some(), "{name}");
        }
    }
}
