//! Random constant expressions: the reader folds them to the values that the compiler's program computes.

mod support;

use std::process::Command;

use front_c::hir::ExprKind;
use support::good;

/// Floating numbers are only compared: what a number that does not fit becomes as an integer is not defined.
const FLOATS: &[&str] = &["", "", "(float)", "(double)", "1.5 * ", "-0.25f + "];

/// A small generator of random numbers, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

const TYPES: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
    "__int128",
    "unsigned __int128",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "65535",
    "65536",
    "2147483647",
    "2147483648u",
    "4294967295",
    "0x80000000",
    "1l << 40",
    "9223372036854775807",
    "18446744073709551615u",
    "-1",
    "-128",
    "'a'",
    "'\\377'",
];

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(6) == 0 {
        let number = NUMBERS[random.below(NUMBERS.len())];
        return format!("({})({number})", TYPES[random.below(TYPES.len())]);
    }
    let a = expression(random, depth - 1);
    match random.below(9) {
        0 => format!("({})({a})", TYPES[random.below(TYPES.len())]),
        1 => format!("-({a})"),
        2 => format!("!({a})"),
        3 => format!("~(long)({a})"),
        4 => format!("(({a}) ? ({}) : ({}))", expression(random, depth - 1), expression(random, depth - 1)),
        5 => {
            // Bits of integers only, and shifts that are not too far.
            let op = ["&", "|", "^", "<<", ">>"][random.below(5)];
            let right =
                if op.len() == 2 { random.below(31).to_string() } else { expression(random, depth - 1) };
            let ty = TYPES[random.below(14)];
            let other = TYPES[random.below(14)];
            format!("(({ty})({a}) {op} ({other})({right}))")
        }
        6 => {
            let op = ["<", "<=", ">", ">=", "==", "!=", "&&", "||"][random.below(8)];
            let (one, other) = (FLOATS[random.below(FLOATS.len())], FLOATS[random.below(FLOATS.len())]);
            format!("({one}({a}) {op} {other}({}))", expression(random, depth - 1))
        }
        7 => {
            let op = ["/", "%"][random.below(2)];
            let number = ["3", "-7", "10u", "255l"][random.below(4)];
            format!("(({})({a}) {op} ({number}))", TYPES[random.below(14)])
        }
        _ => {
            let op = ["+", "-", "*"][random.below(3)];
            format!("(({a}) {op} ({}))", expression(random, depth - 1))
        }
    }
}

#[test]
fn constants_are_what_the_compiler_computes() {
    let mut random = Random(2024);
    let expressions: Vec<String> = (0..600).map(|_| expression(&mut random, 4)).collect();
    let declare =
        |(index, text): (usize, &String)| format!("long long x{index} = (long long)(__int128)({text});\n");
    let program = good(&expressions.iter().enumerate().map(declare).collect::<String>());
    let mut source = String::from("int printf(const char *, ...);\nint main(void) {\n");
    let mut folded = 0;
    for (index, text) in expressions.iter().enumerate() {
        let name = format!("x{index}");
        let variable =
            program.variables.iter().find(|variable| variable.name == name).expect("it was declared");
        let cell = &variable.init.as_ref().expect("it is initialised").cells[0];
        // What has no value is not folded.
        let ExprKind::Integer(value) = program.exprs[cell.value].kind else { continue };
        folded += 1;
        let value = if value == i128::from(i64::MIN) {
            "(-9223372036854775807ll - 1)".into()
        } else {
            format!("{value}ll")
        };
        source += &format!(
            "if ((long long)(__int128)({text}) != {value}) {{ printf(\"x{index} %lld\\n\", (long long)(__int128)({text})); }}\n"
        );
    }
    source += "return 0; }\n";
    assert!(folded > 500, "{folded}");
    let folder = std::env::temp_dir().join(format!("selvedge-random-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("r.c"), source).expect("a file can be written");
    let binary = folder.join("r");
    let compiled = Command::new("gcc")
        .args(["-w", "-fwrapv", "-O0", "-o"])
        .arg(&binary)
        .arg(folder.join("r.c"))
        .output();
    let compiled = compiled.expect("gcc can be run");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program can be run");
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
    let differences = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown: Vec<String> = differences
        .lines()
        .map(|line| {
            let index: usize =
                line[1..].split(' ').next().and_then(|index| index.parse().ok()).expect("its own output");
            format!("{line}: {}", expressions[index])
        })
        .collect();
    assert!(shown.is_empty(), "{} differ: {:#?}", shown.len(), &shown[..shown.len().min(5)]);
}
