//! The models of the C library: over random arguments the machine computes what the compiled functions
//! compute.

mod search;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use ::c::{Machine, Options, Value};
use base::Id;
use base::Random;
use front_c::TranslateOptions;
use search::translated;

/// This many programs are compared, with this many results each.
const PROGRAMS: u64 = 150;
const RESULTS: usize = 24;
const STEPS: u64 = 2_000_000;

/// What both sides read.
const HEAD: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
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

#[test]
fn models_compute_what_the_library_computes() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: nothing is compared");
        return;
    }
    let bodies: BTreeMap<u64, String> = (0..PROGRAMS).map(|seed| (seed, body(seed))).collect();
    let theirs = compiled(&bodies);
    let mut wrong = vec![];
    for (seed, text) in &bodies {
        let ours = computed(text);
        if ours.as_ref().ok() != theirs.get(seed) {
            wrong.push(format!("seed {seed}: {ours:?}, compiled {:?}\n{text}", theirs.get(seed)));
        }
    }
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
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
    match random.below(8) {
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

/// Copies that are allocated, and searches that write nothing.
fn allocated(random: &mut Random) -> String {
    let (s, t, n) = (string(random), string(random), random.below(8));
    let (a, b) = (random.below(2_000) as i64 - 1_000, random.below(90) as i64 + 1);
    match random.below(9) {
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
    match random.below(3) {
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
    let mut source = format!("{HEAD}#include <stdio.h>\nstatic long long observed[{RESULTS}];\n");
    for (seed, text) in bodies {
        let _ = writeln!(source, "static void body_{seed}(void) {{\n{text}}}");
    }
    source.push_str("int main(void) {\n");
    for seed in bodies.keys() {
        let _ = writeln!(
            source,
            "body_{seed}(); for (int i = 0; i < {RESULTS}; i++) printf(\"{seed} %lld\\n\", observed[i]);"
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
    for line in String::from_utf8_lossy(&output.stdout).lines() {
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
