//! The models of the C library: over random arguments the machine computes what the compiled functions
//! compute.

mod search;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;

use ::c::{Machine, Options, Value};
use base::Id;
use base::Random;
use front_c::TranslateOptions;
use search::translated;

/// This many programs are compared, with this many results each.
const PROGRAMS: u64 = 150;
const RESULTS: usize = 30;
const STEPS: u64 = 2_000_000;

/// What both sides read.
const HEAD: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <alloca.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <getopt.h>
#include <signal.h>
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
const unsigned short **__ctype_b_loc(void);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
size_t strlcpy(char *, const char *, size_t);
size_t strlcat(char *, const char *, size_t);
static int say(const char *f, ...) { va_list a; va_start(a, f); int n = vprintf(f, a); va_end(a); return n; }
static int say_to(FILE *out, const char *f, ...) { va_list a; va_start(a, f); int n = vfprintf(out, f, a); va_end(a); return n; }
static int put(char *b, size_t n, const char *f, ...) { va_list a; va_start(a, f); int r = vsnprintf(b, n, f, a); va_end(a); return r; }
static int written(char *b, const char *f, ...) { va_list a; va_start(a, f); int r = vsprintf(b, f, a); va_end(a); return r; }
static int made(char **b, const char *f, ...) { va_list a; va_start(a, f); int r = vasprintf(b, f, a); va_end(a); return r; }
static int scan(const char *s, const char *f, ...) { va_list a; va_start(a, f); int r = vsscanf(s, f, a); va_end(a); return r; }
static long long sign(int n) { return n < 0 ? -1 : n > 0; }
static long long at(const void *p, const void *s) { return p ? (const char *)p - (const char *)s : -1; }
static long long digest(const char *s, int n) {
    long long sum = 7;
    for (int i = 0; i < n; i++) sum = sum * 31 + s[i];
    return sum;
}
static int up(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return x < y ? -1 : x > y; }
struct pair { int key; short value; };
static int down(const void *a, const void *b) { return ((const struct pair *)b)->key - ((const struct pair *)a)->key; }
"#;

/// For the compiler alone.
const BSD: &str = r#"
static size_t copied(char *to, const char *from, size_t size) { return (size_t)snprintf(to, size, "%s", from); }
static size_t appended(char *to, const char *from, size_t size)
{
    size_t length = strnlen(to, size);
    return length + (length < size ? copied(to + length, from, size - length) : strlen(from));
}
#define strlcpy copied
#define strlcat appended
"#;

#[test]
fn models_compute_what_the_library_computes() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: nothing is compared");
        return;
    }
    let bodies: BTreeMap<u64, String> = (0..PROGRAMS).map(|seed| (seed, body(seed))).collect();
    let theirs = compiled(&bodies);
    let mut wrong = vec![];
    let texts: Vec<(u64, &String)> = bodies.iter().map(|(seed, text)| (*seed, text)).collect();
    let ours = testing::in_parallel(&texts, |(_, text)| computed(text));
    for ((seed, text), ours) in texts.iter().zip(ours) {
        if ours.as_ref().ok() != theirs.get(seed) {
            wrong.push(format!("seed {seed}: {ours:?}, compiled {:?}\n{text}", theirs.get(seed)));
        }
    }
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
}

/// What is compared with nothing here, and where it is looked at; `*` stands for the rest of a name.
const NOT_COMPARED: &[(&str, &str)] = &[
    (
        "needs several threads: `c_schedules`, `tests/c`",
        "pthread_* thrd_* mtx_* cnd_* sem_* tss_* call_once _pthread_* __selvedge_* sched_* mlockall",
    ),
    (
        "ends the run, an assumption or a section: `c_schedules`, `tests/c`",
        "reach_error *assert* *error *assume* assume_abort_if_not *_atomic_* __goblint_check exit _exit _Exit \
         quick_exit abort atexit err errx verr verrx",
    ),
    ("does nothing", "__CPROVER_fence __VERIFIER_print __goblint_split_* __sync_synchronize _mm_pause"),
    (
        "does nothing that shows",
        "flockfile funlockfile srand srandom srand48 clearerr rewind sleep usleep alarm",
    ),
    ("any value: `library_*` of `tests/c`", "__VERIFIER_nondet* nondet* __SMACK_nondet* rand_r nanosleep"),
    ("a clock: `library_clock*` of `tests/c`", "time clock gettimeofday clock_* timespec_get"),
    ("the system's: `library_*` of `tests/c`", "getpid getppid gettid sysconf getpagesize getenv"),
    (
        "files: `library_*` of `tests/c`",
        "dprintf syslog vdprintf vsyslog *scanf perror fflush getchar getc fgetc getchar_unlocked getc_unlocked \
         _IO_getc fgets gets fread fseek setvbuf setbuf fopen fdopen tmpfile fclose open close read pread recv \
         write pwrite send dup pipe fsync poll select access chdir isatty remove rename rmdir unlink ungetc",
    ),
    ("glibc does not have it any more", "cfree"),
    ("as the function without `_chk`", "__sprintf_chk __snprintf_chk __vsprintf_chk __vsnprintf_chk"),
    (
        "signals and calls by number: `library_*` of `tests/c`",
        "signal sigaction sigprocmask syscall mmap munmap",
    ),
    ("what `errno` becomes", "__errno_location"),
];

/// Whether a name is one of a list, in which `*` stands for any text.
fn is_listed(name: &str, list: &str) -> bool {
    list.split_whitespace().any(|pattern| {
        let inner = pattern.trim_matches('*');
        match (pattern.starts_with('*'), pattern.ends_with('*')) {
            (false, false) => name == inner,
            (false, true) => name.starts_with(inner),
            (true, false) => name.ends_with(inner),
            (true, true) => name.contains(inner),
        }
    })
}

#[test]
fn every_function_is_compared_or_looked_at_elsewhere() {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let bodies: Vec<String> = (0..PROGRAMS).map(body).collect();
    let called: BTreeSet<&str> = bodies.iter().flat_map(|it| it.split(|c| !is_part(c))).collect();
    // The functions that take a list of arguments are called by others of the head.
    let called = |name: &str| called.contains(name) || name.starts_with('v') && HEAD.contains(name);
    let table = include_str!("../library/functions.txt").lines().map(|line| line.split(" | "));
    let known = table.map(Iterator::collect::<Vec<_>>).filter(|row| matches!(row[2], "exact" | "input"));
    let names = known.flat_map(|row| row[0].split(' '));
    let missing: Vec<&str> = names
        .filter(|name| !called(name) && !NOT_COMPARED.iter().any(|(_, list)| is_listed(name, list)))
        .collect();
    assert!(missing.is_empty(), "nobody compares {missing:?}");
}

/// Statements that store results of calls with random arguments.
fn body(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for index in 0..RESULTS {
        let call = call(&mut random);
        let _ = writeln!(text, "    {{ {} }}", call.replace('$', &format!("observed[{index}]")));
    }
    text
}

fn pick<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// A short string of characters that matter to many of the functions.
fn string(random: &mut Random) -> String {
    let length = random.below(7);
    let letters: String = (0..length)
        .map(|_| pick(random, &["a", "b", "A", "B", ",", " ", "0", "x", "7", "-", "\\xe4"]))
        .collect();
    // A hexadecimal escape goes on as long as digits follow.
    format!("\"{}\"", letters.replace("\\xe4", "\\344"))
}

fn number(random: &mut Random) -> String {
    let digits = pick(
        random,
        &[
            "0",
            "7",
            "12",
            "0x1f",
            "-0X1F",
            "077",
            "+9",
            "  -42rest",
            "\\t5",
            "-",
            "",
            "x1",
            "0x",
            "0xg",
            "zz",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "2147483648",
            "-99999999999999999999",
        ],
    );
    format!("\"{digits}\"")
}

fn call(random: &mut Random) -> String {
    match random.below(12) {
        9..12 => texts::call(random),
        8 => printed(random),
        6 => memory(random),
        7 => allocated(random),
        0 => comparison(random),
        1 => search(random),
        2 => copy(random),
        3 => conversion(random),
        4 => class(random),
        _ => sorted(random),
    }
}

fn comparison(random: &mut Random) -> String {
    let (s, t, n) = (string(random), string(random), random.below(8));
    match random.below(7) {
        0 => format!("$ = strlen({s});"),
        1 => format!("$ = strnlen({s}, {n});"),
        2 => format!("$ = sign(strcmp({s}, {t}));"),
        3 => format!("$ = sign(strncmp({s}, {t}, {n}));"),
        4 => format!("$ = sign(strcasecmp({s}, {t}));"),
        5 => format!("$ = sign(strncasecmp({s}, {t}, {n}));"),
        _ => format!("char a[8] = {s}, b[8] = {t}; $ = sign(memcmp(a, b, {n}));"),
    }
}

/// Copies and sets of memory of several types.
fn memory(random: &mut Random) -> String {
    let (ty, size) = [("char", 1), ("short", 2), ("int", 4), ("long long", 8)][random.below(4)];
    let (to, from) = (random.below(3), random.below(3));
    let (count, byte) = (random.below(3), random.below(300));
    let bytes = count * size;
    // What overlaps is for `memmove` and `bcopy` only.
    let calls = [
        format!("p = memset(a + {to}, {byte}, {bytes})"),
        format!("bzero(a + {to}, {bytes})"),
        format!("explicit_bzero(a + {to}, {bytes})"),
        format!("p = memcpy(a + {to}, b + {from}, {bytes})"),
        format!("p = mempcpy(a + {to}, b + {from}, {bytes})"),
        format!("p = memmove(a + {to}, a + {from}, {bytes})"),
        format!("bcopy(a + {from}, a + {to}, {bytes})"),
    ];
    let call = &calls[random.below(calls.len())];
    format!(
        "{ty} a[5] = {{1, 2, 3, 4, 5}}, b[5] = {{6, 7, 8, 9, 10}}, *p = a; {call}; \
         $ = (p - a) * 7 + a[0] + a[1] * 3 + a[2] * 5 + a[3] * 11 + a[4] * 13;"
    )
}

/// What is printed is counted, and the count is the result, unless printing fails: for formats that say how
/// long what is printed is. Inputs lie in their range.
fn printed(random: &mut Random) -> String {
    let width = 1 + random.below(9);
    let (format, arguments, length) = match random.below(3) {
        0 => ("%c-%c".to_string(), "'x', 'y'", 3),
        1 => (format!("%%%{width}c|"), "'x'", width + 2),
        _ => (format!("a%-{width}c%c"), "'x', 'y'", width + 2),
    };
    let call = match random.below(8) {
        // Where a list is given, nothing is written through it.
        kind @ 0..2 => {
            let function = ["say(", "say_to(stdout, "][kind];
            return format!("int r = {function}\"{format}\", {arguments}); $ = r < 0 || r == {length};");
        }
        2 => {
            let call = pick(random, &["printf(", "fprintf(stdout, "]);
            format!("{call}\"{format}%n\", {arguments}, &n)")
        }
        3 => format!("__printf_chk(0, \"{format}%n\", {arguments}, &n)"),
        4 => format!("__fprintf_chk(stdout, 0, \"{format}%n\", {arguments}, &n)"),
        5 => {
            let call = pick(
                random,
                &["putchar('x')", "putc('x', stdout)", "fputc('x', stdout)", "*\"x\" + 0 * puts(\"a\")"],
            );
            return format!("int r = {call}; $ = r < 0 || r == 'x';");
        }
        6 => {
            let call = pick(random, &["fputs(\"ab\", stdout)", "(int)fwrite(\"ab\", 1, 2, stdout)"]);
            return format!("int r = {call}; $ = r >= -1;");
        }
        _ => {
            let (call, low) =
                *[("rand()", 0), ("random()", 0), ("lrand48()", 0), ("mrand48()", -0x8000_0000_i64)]
                    .get(random.below(4))
                    .expect("there are four");
            return format!("long r = {call}; $ = r >= {low}L && r <= 0x7fffffffL;");
        }
    };
    format!("int n = -5, r = {call}; $ = n * 2 + (r == n || r < 0);")
}

/// Copies that are allocated, and searches that write nothing.
fn allocated(random: &mut Random) -> String {
    let (s, t, n) = (string(random), string(random), random.below(8));
    let (a, b) = (random.below(2_000) as i64 - 1_000, random.below(90) as i64 + 1);
    match random.below(14) {
        8 => format!("int *p = malloc(8); p[0] = {a}; p[1] = {b}; $ = p[0] * 3 + p[1]; free(p);"),
        9 => format!("short *p = alloca(4); p[0] = {b}; p[1] = p[0] + {n}; $ = p[1];"),
        10 => {
            let call = pick(random, &["valloc(8)", "memalign(8, 8)", "aligned_alloc(8, 8)"]);
            format!("long *p = {call}; *p = {a}; $ = *p; free(p);")
        }
        11 => format!("char b[16] = {s}; $ = strlcpy(b, {t}, {n}); $ = $ * 7 + digest(b, 16);"),
        12 => format!("char b[16] = {s}; $ = strlcat(b, {t}, {n}); $ = $ * 7 + digest(b, 16);"),
        0 => format!("char *p = strdup({s}); $ = digest(p, strlen(p) + 1); free(p);"),
        1 => format!("char *p = strndup({s}, {n}); $ = digest(p, strlen(p) + 1); free(p);"),
        2 => format!("int *p = calloc({n} + 1, sizeof *p); p[0] += {a}; $ = p[0] + p[{n}]; free(p);"),
        3 => format!("$ = sign(strcoll({s}, {t}));"),
        4 => format!("char a[8] = {s}, b[8] = {t}; $ = !!bcmp(a, b, {n});"),
        5 => format!("ldiv_t d = ldiv({a}, {b}); $ = d.quot * 1000LL + d.rem;"),
        6 => format!("$ = imaxabs({a}) + strtoumax({}, 0, 0);", number(random)),
        7 => format!("$ = (long long)difftime({a}, {b});"),
        _ => format!(
            "int a[] = {{1, 2, 3, 4}}, key = {n}; size_t n = 4; \
             int *p = lfind(&key, a, &n, sizeof *a, up); $ = p ? p - a : -1;"
        ),
    }
}

fn search(random: &mut Random) -> String {
    let (s, t, n) = (string(random), string(random), random.below(8));
    let c = pick(random, &["'a'", "','", "0", "'x'", "0xe4"]);
    let by_text = ["strstr", "strpbrk", "strcasestr"];
    let by_character = ["strchr", "strrchr", "strchrnul", "index", "rindex"];
    match random.below(6) {
        0 => format!("const char *s = {s}; $ = at({}(s, {t}), s);", pick(random, &by_text)),
        1 => format!("const char *s = {s}; $ = at({}(s, {c}), s);", pick(random, &by_character)),
        2 => format!("$ = {}({s}, {t});", pick(random, &["strspn", "strcspn"])),
        3 => format!("char b[8] = {s}; $ = at({}(b, {c}, {n}), b);", pick(random, &["memchr", "memrchr"])),
        4 => format!("const char *s = {s}, *t = {t}; $ = at(memmem(s, strlen(s), t, strlen(t)), s);"),
        _ => format!("char b[8] = {s}; $ = at(rawmemchr(b, 0), b);"),
    }
}

fn copy(random: &mut Random) -> String {
    let (s, t, n) = (string(random), string(random), random.below(8));
    let calls = [
        format!("strcpy(b, {t})"),
        format!("strcat(b, {t})"),
        format!("strncat(b, {t}, {n})"),
        format!("strncpy(b, {t}, {n})"),
        format!("stpcpy(b, {t})"),
        format!("stpncpy(b, {t}, {n})"),
        format!("memccpy(b, {t}, ',', strlen({t}))"),
        "strtok(b, \", \"), strtok(0, \" -\")".to_string(),
        "(rest = b, strsep(&rest, \"x,\"), strsep(&rest, \"a\"))".to_string(),
        "strtok_r(b, \"a\", &rest), strtok_r(0, \"b\", &rest)".to_string(),
    ];
    let call = &calls[random.below(calls.len())];
    format!("char b[16] = {s}, *rest = 0, *p = ({call}); $ = digest(b, 16) + at(p, b) * 3 + at(rest, b);")
}

fn conversion(random: &mut Random) -> String {
    let s = number(random);
    let signed = [
        ("strtol", "long"),
        ("strtoll", "long"),
        ("strtoul", "long"),
        ("strtoull", "long"),
        ("strtoimax", "long"),
    ];
    let base = pick(random, &["0", "10", "16", "8", "2", "36", "1", "37"]);
    let (a, b) = (random.below(2_000) as i64 - 1_000, random.below(90) as i64 + 1);
    match random.below(6) {
        0 => format!("$ = {}({s});", pick(random, &["atoi", "atol", "atoll"])),
        1 | 2 => {
            let function = signed[random.below(signed.len())].0;
            format!(
                "const char *s = {s}; char *e = (char *)s; errno = 0; long long n = {function}(s, &e, {base}); \
                 $ = n * 5 + at(e, s) * 3 + errno;"
            )
        }
        3 => format!(
            "$ = {}({a}) * 100 + {}({a});",
            pick(random, &["ffs", "ffsl", "ffsll"]),
            pick(random, &["abs", "labs", "llabs"])
        ),
        4 => format!("div_t d = div({a}, {b}); $ = d.quot * 1000LL + d.rem;"),
        _ => format!("lldiv_t d = lldiv({a}00000000LL, {b}); $ = d.quot + d.rem * 7;"),
    }
}

fn class(random: &mut Random) -> String {
    let c = random.below(257) as i64 - 1;
    let classes = [
        "isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct",
        "isspace", "isupper", "isxdigit", "isascii",
    ];
    match random.below(4) {
        3 => format!("$ = (*__ctype_b_loc())[{c}];"),
        0 => format!("$ = {}({c});", pick(random, &["toupper", "tolower", "toascii"])),
        _ => format!("$ = !!{}({c}) * 2 + !!{}({c});", pick(random, &classes), pick(random, &classes)),
    }
}

fn sorted(random: &mut Random) -> String {
    let numbers: Vec<String> =
        (0..=random.below(4)).map(|_| (random.below(9) as i64 - 4).to_string()).collect();
    let (count, list, key) = (numbers.len(), numbers.join(", "), random.below(9) as i64 - 4);
    let total: String = (0..count).map(|at| format!(" + a[{at}] * {}", 10i64.pow(at as u32 + 1))).collect();
    match random.below(3) {
        0 => format!("int a[] = {{{list}}}; qsort(a, {count}, sizeof *a, up); $ = 0{total};"),
        1 => format!(
            "int a[] = {{{list}}}, key = {key}; qsort(a, {count}, sizeof *a, up); \
             int *p = bsearch(&key, a, {count}, sizeof *a, up); $ = p ? *p : 99;"
        ),
        _ => {
            let keys: Vec<String> = (0..count).map(|at| format!("{{{}, {at}}}", (at * 7 + 3) % 5)).collect();
            let total: String = (0..count).map(|at| format!(" + a[{at}].value * {}", at + 1)).collect();
            format!(
                "struct pair a[] = {{{}}}; qsort(a, {count}, sizeof *a, down); $ = 0{total};",
                keys.join(", ")
            )
        }
    }
}

/// What the programs store, compiled as one.
fn compiled(bodies: &BTreeMap<u64, String>) -> BTreeMap<u64, Vec<i64>> {
    let folder = std::env::temp_dir().join(format!("selvedge-library-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    // What the bodies print is thrown away; two functions that not every library has are as BSD has them.
    let mut source = format!("{HEAD}{BSD}static long long observed[{RESULTS}];\n");
    for (seed, text) in bodies {
        let _ = writeln!(source, "static void body_{seed}(void) {{\n{text}}}");
    }
    source.push_str("int main(void) {\n");
    for seed in bodies.keys() {
        let _ = writeln!(
            source,
            "body_{seed}(); for (int i = 0; i < {RESULTS}; i++) fprintf(stderr, \"{seed} %lld\\n\", observed[i]);"
        );
    }
    source.push_str("return 0; }\n");
    let (file, binary) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&file, source).expect("a temporary file can be written");
    let compiler =
        Command::new("gcc").args(["-std=gnu11", "-w", "-fwrapv", "-o"]).arg(&binary).arg(&file).output();
    let compiler = compiler.expect("gcc runs");
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    let output = Command::new(&binary).output().expect("the compiled programs run");
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    let mut printed: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let (seed, value) = line.split_once(' ').expect("a line is a seed and a value");
        let seed = seed.parse().expect("a seed is a number");
        printed.entry(seed).or_default().push(value.parse().expect("values are numbers"));
    }
    printed
}

/// What the machine computes.
fn computed(body: &str) -> Result<Vec<i64>, String> {
    let text = format!(
        "{HEAD}long long observed[{RESULTS}];\nint main(void) {{\n{body}    return observed[0] != 0;\n}}\n"
    );
    let (translation, _) = translated("random.c", &text, &[], &TranslateOptions::default())?;
    let program = &translation.program;
    let machine = Machine::new(program, Options::default());
    let mut state = machine.start();
    for _ in 0..STEPS {
        if state.threads.values().any(|thread| thread.halted) {
            let object = program.objects().enumerate().find(|(_, object)| object.name == "observed");
            let (id, _) = object.ok_or("there is no result")?;
            let instance =
                state.memory.get(::c::InstanceId::from_index(id.index())).ok_or("the result is dead")?;
            return instance.cells.iter().map(number_of).collect();
        }
        let step = machine.candidates(&state, &[0]).into_iter().next().ok_or("no thread can step")?;
        state = machine
            .apply(&state, &step)
            .map_err(|refusal| format!("{refusal} at {:?}", program.at(step.at).op))?;
    }
    Err("too many steps".into())
}

fn number_of(value: &Value) -> Result<i64, String> {
    match value {
        Value::Bits(bits) => Ok(*bits as u64 as i64),
        other => Err(format!("{other:?} is no number")),
    }
}
