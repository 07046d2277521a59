//! One program, written twice. Its lines have marks where the two texts differ: `«r x»` reads shared memory,
//! which is `x` in the plain text and a step of the scheduler before it in the judge's. Marks nest.
//!
//! | mark | plain | judge |
//! |---|---|---|
//! | `«r L»` | `L` | reads shared memory |
//! | `«w L¦E»` | `L = E` | writes it |
//! | `«m L¦+¦E»` | `L += E` | reads it, then writes it |
//! | `«rs L»`, `«ws L¦E»` | `L`, `L = E` | a struct with the members `a` and `b` |
//! | `«am L¦+=¦E»` | `L += E` | one step on an atomic |
//! | `«a1 F¦P»`, `«a2 F¦P¦E»`, `«a3 F¦P¦E¦E»` | `F(P, …)` | one step on what `P` is the address of |
//! | `«o2 F¦P»`, `«o3 F¦P¦E»` | `F(P, …, __ATOMIC_SEQ_CST)` | the same |
//! | `«weak P¦E¦E»` | `atomic_compare_exchange_weak(P, E, E)` | the same, and it may fail |
//! | `«rp P»`, `«wp P¦E»` | `*P`, `*P = E` | memory that is used again; the thread stops if it is dead |
//! | `«br S¦F»`, `«bw S¦F¦E»` | `S.F`, `S.F = E` | a bit-field, of which a store reads first |
//! | `«call F¦A¦B»` | `F(A, B)` | with the arguments from left to right |
//! | `«div A¦B»` | `(A / B)` | the thread stops if B is 0 |
//! | `«g»` | nothing | data of the program |
//! | `«c P name»`, `«d P name»` | the attribute `constructor(P)`, `destructor(P)` | called by the start function |
//! | `«? T¦U»` | `T` | `U` |

use std::fmt::Write;

/// The judge's part of a file that is compiled: the scheduler, before all programs.
pub const RUNTIME: &str = include_str!("runtime.c");

/// What every plain program includes.
pub const HEADERS: &[&str] = &[
    "alloca.h",
    "assert.h",
    "ctype.h",
    "errno.h",
    "inttypes.h",
    "malloc.h",
    "math.h",
    "pthread.h",
    "sched.h",
    "semaphore.h",
    "stdatomic.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "sys/time.h",
    "threads.h",
    "time.h",
    "unistd.h",
];

const DECLARATIONS: &str = "extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long);
extern void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
extern int getchar_unlocked(void);
extern int getc_unlocked(FILE *);
extern int sem_clockwait(sem_t *, int, const struct timespec *);
extern int pthread_mutex_clocklock(pthread_mutex_t *, int, const struct timespec *);
extern void __VERIFIER_error(void);
extern void __SMACK_error(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
extern void __assert(const char *, const char *, int);
extern void __assert_rtn(const char *, const char *, int, const char *);
extern void __assert_perror_fail(int, const char *, unsigned, const char *);
extern void __VERIFIER_assert(int);
extern void __CPROVER_assert(int, const char *);
extern void __ESBMC_assert(int, const char *);
extern void __goblint_assert(int);
extern void __goblint_check(int);
extern void __goblint_split_begin(int);
extern void __goblint_split_end(int);
extern void __CPROVER_assume(int);
extern void __ESBMC_assume(int);
extern void __SMACK_assume(int);
extern void __goblint_assume(int);
extern void assume_abort_if_not(int);
extern void assume(int);
extern void __CPROVER_atomic_begin(void);
extern void __CPROVER_atomic_end(void);
extern void __ESBMC_atomic_begin(void);
extern void __ESBMC_atomic_end(void);
extern void __SMACK_atomic_begin(void);
extern void __SMACK_atomic_end(void);
extern void __CPROVER_fence(char *, ...);
extern void __VERIFIER_print(int);
extern void _mm_pause(void);
extern void *valloc(size_t);
extern void *memalign(size_t, size_t);
extern void cfree(void *);
extern size_t strlcpy(char *, const char *, size_t);
extern size_t strlcat(char *, const char *, size_t);
extern const unsigned short **__ctype_b_loc(void);
extern int *__errno_location(void);
extern int __isoc99_scanf(const char *, ...);
extern int __isoc99_fscanf(FILE *, const char *, ...);
extern int _IO_getc(FILE *);
extern FILE *fdopen(int, const char *);
extern int open(const char *, int, ...);
extern ssize_t pread(int, void *, size_t, long);
extern ssize_t pwrite(int, const void *, size_t, long);
extern ssize_t recv(int, void *, size_t, int);
extern ssize_t send(int, const void *, size_t, int);
extern int poll(void *, unsigned long, int);
extern int select(int, long *, long *, long *, long *);
extern void syslog(int, const char *, ...);
extern void vsyslog(int, const char *, __builtin_va_list);
extern int vdprintf(int, const char *, __builtin_va_list);
extern int __printf_chk(int, const char *, ...);
extern int __fprintf_chk(FILE *, int, const char *, ...);
extern int mlockall(int);
extern int pthread_setschedprio(pthread_t, int);
extern int pthread_mutexattr_setrobust_np(pthread_mutexattr_t *, int);
extern int pthread_attr_setaffinity_np(pthread_attr_t *, size_t, const cpu_set_t *);
extern int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, int, const struct timespec *);
";

/// A program in both forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// Its lines, with marks.
    pub lines: Vec<String>,
    /// The names at file scope, which differ in the judge's file from program to program.
    pub names: Vec<String>,
}

/// Which of the two texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Plain,
    Judge,
}

impl Twin {
    /// What is included before the plain text.
    pub fn prologue() -> String {
        let mut text = "#define _GNU_SOURCE\n".to_string();
        for header in HEADERS {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "#include <{header}>");
        }
        text + DECLARATIONS
    }

    /// The plain text without what it includes.
    pub fn body(&self) -> String {
        self.text(Side::Plain)
    }

    /// The plain text.
    pub fn plain(&self) -> String {
        Twin::prologue() + &self.body()
    }

    /// The judge's text, for the program with this number in its file.
    fn judged(&self, number: usize) -> String {
        let mut text = format!("#define SV_DATA __attribute__((section(\"sv{number}\")))\n");
        let names = || self.names.iter().map(String::as_str).chain(["main"]);
        for name in names() {
            let _ = writeln!(text, "#define {name} p{number}_{name}");
        }
        let _ = writeln!(text, "static void p{number}_finish(void);");
        let _ = writeln!(text, "#define exit(code) (p{number}_finish(), sv_exit())");
        let _ = writeln!(text, "static char p{number}_data SV_DATA __attribute__((used));");
        text.push_str(&self.text(Side::Judge));
        let calls = |kind| self.ordered(kind).iter().map(|name| format!(" {name}();")).collect::<String>();
        let _ = writeln!(text, "static void p{number}_finish(void) {{ sv_finish();{} }}", calls("d"));
        let begin = calls("c");
        let _ = writeln!(
            text,
            "static int p{number}_start(void) {{{begin} main(); p{number}_finish(); return 0; }}"
        );
        let _ = writeln!(text, "#undef SV_DATA\n#undef exit");
        for name in names() {
            let _ = writeln!(text, "#undef {name}");
        }
        text
    }

    /// Constructors or destructors in the order in which they are called.
    fn ordered(&self, kind: &str) -> Vec<String> {
        let begin = format!("«{kind} ");
        let mark = |line: &String| {
            let (_, rest) = line.split_once(&begin)?;
            let (priority, rest) = rest.split_once(' ')?;
            Some((priority.parse::<u32>().ok()?, rest.split_once('»')?.0.to_string()))
        };
        let mut found: Vec<(u32, String)> = self.lines.iter().filter_map(mark).collect();
        found.sort_by_key(|it| it.0);
        if kind == "d" {
            found.reverse();
        }
        found.into_iter().map(|it| it.1).collect()
    }

    fn text(&self, side: Side) -> String {
        self.lines.iter().map(|line| render(line, side) + "\n").collect()
    }
}

/// A file for the compiler with the scheduler and all the programs; it prints a line for each.
pub fn judge_file(programs: &[Twin]) -> String {
    let mut text = RUNTIME.to_string();
    for (number, program) in programs.iter().enumerate() {
        text.push_str(&program.judged(number));
    }
    for number in 0..programs.len() {
        let _ = writeln!(text, "extern char __start_sv{number}[], __stop_sv{number}[];");
    }
    text.push_str("int main(int argc, char **argv)\n{\n    sv_program programs[] = {\n");
    for number in 0..programs.len() {
        let _ = writeln!(
            text,
            "        {{\"{number}\", p{number}_start, __start_sv{number}, __stop_sv{number}}},"
        );
    }
    let length = programs.len();
    let _ = writeln!(text, "    }};\n    return sv_judge_all(programs, {length}, argc, argv);\n}}");
    text
}

/// One of the two texts of a line.
fn render(line: &str, side: Side) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some(at) = rest.find('«') {
        text.push_str(&rest[..at]);
        let inside = &rest[at + '«'.len_utf8()..];
        let end = mark_end(inside);
        text.push_str(&mark(&inside[..end], side));
        rest = &inside[end + '»'.len_utf8()..];
    }
    text + rest
}

/// Where the mark ends that begins before this text.
fn mark_end(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '«' => depth += 1,
            '»' if depth == 0 => return at,
            '»' => depth -= 1,
            _ => {}
        }
    }
    panic!("a mark without an end: {text}")
}

/// The operands of a mark, which may have marks themselves.
fn operands(text: &str) -> Vec<&str> {
    let (mut depth, mut begin) = (0, 0);
    let mut found = vec![];
    for (at, c) in text.char_indices() {
        match c {
            '«' => depth += 1,
            '»' => depth -= 1,
            '¦' if depth == 0 => {
                found.push(&text[begin..at]);
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    found.push(&text[begin..]);
    found
}

fn mark(inside: &str, side: Side) -> String {
    let (word, rest) = inside.split_once(' ').unwrap_or((inside, ""));
    if word == "c" || word == "d" {
        let kind = if word == "c" { "constructor" } else { "destructor" };
        let priority = rest.split(' ').next().unwrap_or_default();
        return if side == Side::Plain {
            format!("__attribute__(({kind}({priority})))")
        } else {
            String::new()
        };
    }
    let raw = operands(rest);
    if word == "?" {
        return render(raw[usize::from(side == Side::Judge)], side);
    }
    let parts: Vec<String> = raw.iter().map(|it| render(it, side)).collect();
    match side {
        Side::Plain => plain_mark(word, &parts),
        Side::Judge => judge_mark(word, &parts),
    }
}

fn plain_mark(word: &str, parts: &[String]) -> String {
    match (word, parts) {
        ("g", _) => String::new(),
        ("r" | "rs", [place]) => place.clone(),
        ("w" | "ws", [place, value]) => format!("{place} = {value}"),
        ("rp", [pointer]) => format!("*{pointer}"),
        ("wp", [pointer, value]) => format!("*{pointer} = {value}"),
        ("br", [place, field]) => format!("{place}.{field}"),
        ("bw", [place, field, value]) => format!("{place}.{field} = {value}"),
        ("m", [place, op, value]) => format!("{place} {op}= {value}"),
        ("am", [place, op, value]) => format!("{place} {op} {value}"),
        ("div", [a, b]) => format!("({a} / {b})"),
        ("a1" | "a2" | "a3" | "call", [name, arguments @ ..]) => format!("{name}({})", arguments.join(", ")),
        ("o2" | "o3", [name, arguments @ ..]) => {
            format!("{name}({}, __ATOMIC_SEQ_CST)", arguments.join(", "))
        }
        ("weak", arguments) => format!("atomic_compare_exchange_weak({})", arguments.join(", ")),
        _ => panic!("no mark: {word} {parts:?}"),
    }
}

fn judge_mark(word: &str, parts: &[String]) -> String {
    match word {
        "g" => "SV_DATA".to_string(),
        _ => format!("SV_{}({})", word.to_uppercase(), parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_two_texts() {
        let line = "if («r a[«r i»]») «w x¦«div 1¦y»»;";
        assert_eq!(render(line, Side::Plain), "if (a[i]) x = (1 / y);");
        assert_eq!(render(line, Side::Judge), "if (SV_R(a[SV_R(i)])) SV_W(x, SV_DIV(1, y));");
    }

    #[test]
    fn constructors_are_called_by_priority_and_destructors_the_other_way_round() {
        let lines = ["«c 102 f» void f(void) {}", "«c 101 g» void g(void) {}", "«d 101 h» void h(void) {}"];
        let twin = Twin { lines: lines.map(String::from).to_vec(), names: vec!["f".into()] };
        assert_eq!(twin.ordered("c"), ["g", "f"]);
        assert!(twin.body().starts_with("__attribute__((constructor(102))) void f(void) {}\n"));
        assert!(twin.judged(3).contains("#define f p3_f\n"));
    }
}
