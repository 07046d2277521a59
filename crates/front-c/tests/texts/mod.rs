//! Random calls of the functions that print into memory, read from it, take options apart or name errors.

use base::Random;

fn pick<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// A call that stores its result in `$`.
pub fn call(random: &mut Random) -> String {
    match random.below(7) {
        0 | 1 => printed(random),
        2 | 3 => scanned(random),
        4 => options(random),
        5 => grown(random),
        _ => other(random),
    }
}

/// A conversion with its argument.
fn conversion(random: &mut Random) -> (String, &'static str) {
    let kinds = [
        ("d", "-17"),
        ("d", "0"),
        ("i", "2147483647"),
        ("u", "3000000000u"),
        ("x", "0xBEEF"),
        ("X", "0"),
        ("o", "64"),
        ("c", "'q'"),
        ("s", "\"word\""),
        ("s", "\"\""),
        ("ld", "-9000000000L"),
        ("lu", "9000000000UL"),
        ("lld", "-9223372036854775807LL"),
        ("zu", "sizeof(long)"),
        ("hhd", "300"),
        ("hu", "-1"),
        ("f", "3.14159"),
        ("f", "-0.5"),
        ("f", "1e9 / 3"),
        ("f", "2.5"),
        ("lx", "~0ul"),
    ];
    let (kind, argument) = kinds[random.below(kinds.len())];
    let number = !matches!(kind, "c" | "s");
    let hexadecimal = kind.ends_with(['x', 'X', 'o']);
    let signed = kind.ends_with(['d', 'i', 'f']);
    let mut flags = String::new();
    for (flag, fits) in [("-", true), ("0", number), ("#", hexadecimal), ("+", signed), (" ", signed)] {
        if fits && random.below(5) == 0 {
            flags.push_str(flag);
        }
    }
    let width = pick(random, &["", "", "", "1", "6", "12"]);
    let precision = if kind == "c" { "" } else { pick(random, &["", "", "", ".0", ".2", ".7"]) };
    (format!("%{flags}{width}{precision}{kind}"), argument)
}

fn printed(random: &mut Random) -> String {
    let (first, a) = conversion(random);
    let (second, b) = conversion(random);
    let size = [0, 1, 5, 12, 64][random.below(5)];
    let text = pick(random, &["", "a=", "100%% ", ", "]);
    let format = format!("{text}{first}|{second}{text}");
    match random.below(7) {
        0 => format!("char b[160] = \"\"; $ = sprintf(b, \"{format}\", {a}, {b}) + 3 * digest(b, 160);"),
        1 => format!(
            "char b[80] = \"\"; const char *f = \"{format}\"; $ = snprintf(b, {size}, f, {a}, {b}) + 3 * digest(b, 80);"
        ),
        2 => format!("char b[80] = \"\"; $ = put(b, {size}, \"{format}\", {a}, {b}) + 3 * digest(b, 80);"),
        3 => format!(
            "char *b; int n = asprintf(&b, \"{format}\", {a}, {b}); $ = n + 3 * digest(b, n + 1); free(b);"
        ),
        4 => format!(
            "char b[80] = \"\"; $ = sprintf(b, \"%*d|%-*d|%.*s\", {size} % 9, 4, 5, 6, 2, \"abc\") + 3 * digest(b, 80);"
        ),
        5 => format!(
            "char *b; int n = made(&b, \"{format}\", {a}, {b}); $ = n + 3 * digest(b, n + 1); free(b);"
        ),
        _ => format!(
            "char b[160] = \"\"; int n; written(b, \"{format}%n\", {a}, {b}, &n); $ = n + 3 * digest(b, 160);"
        ),
    }
}

fn scanned(random: &mut Random) -> String {
    let text = pick(
        random,
        &[
            "12 34",
            "  -7,x",
            "0x1F rest",
            "077 8",
            "abc def",
            "",
            "   ",
            "99999999999 1",
            "-99999999999999999999 2",
            "a1b2",
            "12abc",
            "+5 -",
            "3.5e2 .25",
            "k=v;w",
            "1 2 3 4",
        ],
    );
    let read = pick(random, &["sscanf(", "scan("]);
    match random.below(7) {
        0 => {
            format!("int a = -1, b = -2; $ = {read}\"{text}\", \"%d %d\", &a, &b); $ = $ * 7 + a * 5LL + b;")
        }
        1 => format!(
            "long a = -1; int n = -1; unsigned b = 9; $ = {read}\"{text}\", \"%ld%n%u\", &a, &n, &b); $ = $ * 7 + a + n * 11 + b;"
        ),
        2 => format!(
            "char a[16] = \"\", b[16] = \"\"; $ = {read}\"{text}\", \"%7s%*c%5[a-z0-9=]\", a, b); $ = $ * 7 + digest(a, 16) + digest(b, 16) * 3;"
        ),
        3 => format!(
            "int a = -1, b = -2; $ = {read}\"{text}\", \"%i,%x\", &a, (unsigned *)&b); $ = $ * 7 + a * 5LL + b;"
        ),
        4 => format!(
            "short a = -1; signed char b = -2; $ = {read}\"{text}\", \"%3hd%hhd\", &a, &b); $ = $ * 7 + a * 5LL + b;"
        ),
        5 => {
            // Hexadecimal numbers are refused, long ones are not computed.
            let text = if text.contains('x') || text.len() > 20 { "-1.5 2" } else { text };
            format!(
                "double a = -1; float b = -2; $ = {read}\"{text}\", \"%lf%f\", &a, &b); $ = $ * 7 + (long long)(a * 1000) + (long long)(b * 8);"
            )
        }
        _ => format!(
            "char a[8] = \"\"; $ = {read}\"{text}\", \"%3c%%%[^;]\", a, a + 3); $ = $ * 7 + digest(a, 3);"
        ),
    }
}

/// A command line, taken apart.
fn options(random: &mut Random) -> String {
    let words = [
        "-a",
        "-b",
        "-bx",
        "-c",
        "-abc",
        "--",
        "file",
        "-",
        "-z",
        "--long",
        "--level=3",
        "--lev",
        "4",
        "--flag",
        "--x",
    ];
    let given: Vec<String> =
        (0..random.below(6)).map(|_| format!("(char[]){{\"{}\"}}", pick(random, &words))).collect();
    let count = given.len() + 1;
    let list = given.iter().map(|it| format!("{it}, ")).collect::<String>();
    let wanted = pick(random, &["ab:c", ":ab:c::", "+ab:", "-ab:c", "abc"]);
    let next = if random.below(2) == 0 {
        format!("getopt({count}, argv, \"{wanted}\")")
    } else {
        format!("getopt_long({count}, argv, \"{wanted}\", longs, &at)")
    };
    format!(
        "char *argv[] = {{(char[]){{\"prog\"}}, {list}0}}; int at = -1, flag = 0, c, sum = 1; \
         struct option longs[] = {{{{\"long\", 0, 0, 'l'}}, {{\"level\", 1, 0, 'v'}}, {{\"flag\", 2, &flag, 9}}, {{0, 0, 0, 0}}}}; \
         optind = 0; opterr = 0; \
         while ((c = {next}) != -1) sum = sum * 31 + c * 7 + (optarg ? optarg[0] : 0) + (c == '?' ? optopt : 0) + at * 3 + flag; \
         for (int i = 0; i < {count}; i++) sum = sum * 31 + argv[i][0] + argv[i][1]; \
         $ = sum * 5LL + optind;"
    )
}

/// Memory that grows and shrinks.
fn grown(random: &mut Random) -> String {
    let (first, second) = (1 + random.below(5), 1 + random.below(9));
    let least = first.min(second);
    match random.below(5) {
        0 => format!(
            "int *p = malloc({first} * sizeof *p); for (int i = 0; i < {first}; i++) p[i] = i * i + 1; p = realloc(p, {second} * sizeof *p); \
             $ = 0; for (int i = 0; i < {least}; i++) $ = $ * 7 + p[i]; free(p);"
        ),
        1 => format!(
            "long *p = realloc(0, {first} * sizeof *p); for (int i = 0; i < {first}; i++) p[i] = i + 3; p = reallocarray(p, {second}, sizeof *p); \
             $ = 0; for (int i = 0; i < {least}; i++) $ = $ * 7 + p[i]; free(p);"
        ),
        2 => "int *p; int e = posix_memalign((void **)&p, 64, 3 * sizeof *p); p[2] = 5; $ = e * 9 + p[2]; free(p);".into(),
        3 => "void *p = 0; $ = posix_memalign(&p, 3, 8) * 2 + (p == 0);".into(),
        _ => format!(
            "void *(*get)(size_t) = malloc; void (*give)(void *) = free; char *p = get({first} + 1); p[{first}] = 4; $ = p[{first}]; give(p);"
        ),
    }
}

fn other(random: &mut Random) -> String {
    let number = [0, 1, 2, 11, 12, 22, 34, 41, 95, 110, 133, 134, 4000, -3][random.below(14)];
    let text = pick(
        random,
        &[
            "3.25",
            "-1e3",
            "  .5x",
            "1e",
            "12345678901234567890",
            "abc",
            "-",
            "7e-2",
            "0.1",
            "1.5e+10",
            "100000",
            "+2.",
            ".",
        ],
    );
    match random.below(4) {
        0 => format!("char *s = strerror({number}); $ = digest(s, strlen(s) + 1);"),
        1 => format!(
            "const char *s = \"{text}\"; char *e = (char *)s; double d = strtod(s, &e); \
             $ = {} * 9 + (e - s);",
            // What is rounded twice is not computed.
            if text.len() > 15 { "0" } else { "(long long)(d * 1048576)" }
        ),
        2 if random.below(2) == 0 => "float f = strtof(\"-2.75x\", 0); $ = (long long)(f * 64);".into(),
        2 => format!("$ = (long long)(atof(\"{}\") * 1024);", if text.len() > 15 { "1" } else { text }),
        _ => {
            let signal = [1, 9, 15, 31, 32, 64][random.below(6)];
            format!(
                "sigset_t s; sigemptyset(&s); sigaddset(&s, {signal}); $ = sigismember(&s, {signal}) * 2 + sigismember(&s, 2); \
                 sigdelset(&s, {signal}); $ = $ * 5 + sigismember(&s, {signal}); sigfillset(&s); $ = $ * 3 + sigismember(&s, 7);"
            )
        }
    }
}
