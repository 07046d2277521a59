//! Random loops that start and join threads: unrolled or not, they compute what the compiled program
//! computes.

mod search;

use std::process::Command;

use base::Random;
use front_c::TranslateOptions;
use search::{search, translated};

/// This many loops are tried.
const LOOPS: u64 = 150;
/// This many states are looked at for each.
const STATES: usize = 20_000;

const TYPES: &[&str] =
    &["int", "unsigned", "unsigned char", "signed char", "short", "unsigned short", "long", "_Bool"];
const FIRST: &[&str] = &["0", "1", "250", "254", "-1", "-2", "127", "65534", "(unsigned char)257", "1 - 3"];
const LIMITS: &[&str] = &["2", "3", "0", "5", "256", "257", "-1", "128", "65537", "4u", "(signed char)200"];
const CONDITIONS: &[&str] = &[
    "i < L",
    "i < L",
    "i <= L",
    "i != L",
    "i > L",
    "(unsigned char)i < L",
    "i + 1 < L",
    "!(i >= L)",
    "(i & 3) < L",
];
const STEPS: &[&str] = &[
    "i++",
    "i++",
    "++i",
    "i--",
    "i += 2",
    "i -= 1",
    "i = i + 1",
    "i += 100",
    "i = 2 * i + 1",
    "i = (char)(i + 3)",
];
/// What else the body does; `#` stands for the number of the loop.
const BODIES: &[&str] = &[
    "",
    "int *p = &a#[k# & 3]; *p += k#;",
    "int x = (int)i; n# += x;",
    "if (k# > 3) break;",
    "if (k# == 1) continue;",
    "int *p = &a#[(k# + 1) & 3]; int **q = &p; **q += 2;",
    "static int s; s++; n# += s;",
    "struct { int f; } z = { k# }; n# += z.f;",
    "if (k# == 2) goto out;",
    "for (int j = 0; j < 2; j++) { int *e = &a#[j]; pthread_create(&t, 0, w#, e); pthread_join(t, 0); }",
    "i += 0;",
    "if (k# == 2) return result#(i);",
];

/// A loop as a function `run` of its own, with a number behind every name.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let ty = *random.pick(TYPES);
    let first = *random.pick(FIRST);
    let condition = random.pick(CONDITIONS).replace('L', LIMITS[random.below(LIMITS.len())]);
    let step = *random.pick(STEPS);
    let body = *random.pick(BODIES);
    let (head, shows) = match random.below(4) {
        0 => (format!("{ty} i; for (i = {first}; {condition}; {step})"), "i"),
        1 => (format!("{ty} i = {first}; for (; {condition}; {step})"), "i"),
        2 => (format!("{ty} i = {first}, o = i = 1; (void)o; for (; {condition}; {step})"), "i"),
        _ => (format!("for ({ty} i = {first}; {condition}; {step})"), "0"),
    };
    let mut turns = format!(
        "{head} {{ if (k# > 12) return -1; k#++; {body} pthread_create(&t, 0, w#, &a#[i & 3]); pthread_join(t, 0); }}"
    );
    if shows == "0" && random.percent(20) {
        turns = format!("for (int z = 0; z < 2; z++) {{ {turns} }}");
    }
    let text = format!(
        "static int n#, k#, a#[4] = {{ 1, 2, 3, 4 }};
         static void *w#(void *p) {{ n# = (n# * 3 + *(int *)p) & 1023; ++*(int *)p; return 0; }}
         static int result#(long i) {{ return (n# + a#[0] + 7 * a#[1] + 5 * a#[2] + 3 * a#[3] + 11 * k# + 13 * i) & 0xffff; }}
         static int run#(void) {{ pthread_t t; {turns}\n out: return result#({shows}); }}\n"
    );
    text.replace('#', &seed.to_string())
}

/// What each loop gives, compiled.
fn compiled() -> Vec<i64> {
    let mut source = String::from("#include <pthread.h>\n#include <stdio.h>\n");
    (0..LOOPS).for_each(|seed| source.push_str(&program(seed)));
    source.push_str("int main(void) {\n");
    (0..LOOPS).for_each(|seed| source.push_str(&format!("printf(\"%d\\n\", run{seed}());\n")));
    source.push_str("}\n");
    let folder = std::env::temp_dir().join(format!("selvedge-unrolling-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let (file, binary) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&file, source).expect("a temporary file can be written");
    let made = Command::new("gcc").args(["-w", "-fwrapv", "-pthread", "-o"]).arg(&binary).arg(&file).status();
    assert!(made.expect("gcc can be run").success());
    let printed = Command::new(&binary).output().expect("the program can be run").stdout;
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    String::from_utf8_lossy(&printed).lines().filter_map(|line| line.parse().ok()).collect()
}

/// Whether the value can be another one than `value`, and how many steps the program has.
fn differs(seed: u64, unroll_threads: u32, compare: &str) -> Option<(bool, usize)> {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n{}int main(void) {{ int r = run{seed}(); assert(r {compare}); return 0; }}",
        program(seed)
    );
    let options = TranslateOptions { unroll_threads, ..TranslateOptions::default() };
    let (translation, _) =
        translated("loop.c", &text, &[], &options).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let found = search(&translation.program, 2, STATES);
    let decided = found.error.is_some() || !found.cut && found.unsupported.is_none();
    decided.then(|| (found.error.is_some(), translation.program.locations().len()))
}

#[test]
fn unrolled_loops_compute_what_the_compiler_says() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: nothing is compared");
        return;
    }
    let values = compiled();
    assert_eq!(values.len() as u64, LOOPS);
    let (mut unrolled, mut compared) = (0, 0);
    for (seed, value) in values.into_iter().enumerate() {
        let mut sizes = vec![];
        for most in [16, 0] {
            let equal = differs(seed as u64, most, &format!("== {value}"));
            let other = differs(seed as u64, most, &format!("!= {value}"));
            let (Some((wrong, size)), Some((right, _))) = (equal, other) else { continue };
            assert!(!wrong && right, "loop {seed}, {most} turns: not {value}\n{}", program(seed as u64));
            sizes.push(size);
            compared += 1;
        }
        unrolled += usize::from(matches!(sizes[..], [one, other] if one != other));
    }
    assert!(unrolled >= 15 && compared >= 200, "{unrolled} unrolled, {compared} compared");
}
