//! Random sequential programs: what the machine of normalised C computes is what the compiled program prints,
//! without and with optimisation.

mod search;

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::Command;

use ::c::{Machine, Options, Program, Value};
use base::Id;
use front_c::TranslateOptions;
use search::translated;

/// This many programs are compared; an even multiple of a batch.
const PROGRAMS: u64 = 2_000;
/// This many programs are compiled at once: starting the compiler costs more than compiling.
const BATCH: u64 = 200;
/// No program takes more steps.
const STEPS: u64 = 2_000_000;

/// How many temporary folders there are.
static FOLDERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// Makes the program with a seed.
type Made = fn(u64) -> String;

#[test]
fn random_programs_compute_what_the_compiler_says() {
    compare(testing::c::sequential, 0..PROGRAMS / 2, "-O0");
}

/// The other half: a test of its own, so that both halves run at the same time.
#[test]
fn more_random_programs_compute_what_the_compiler_says() {
    compare(testing::c::sequential, PROGRAMS / 2..PROGRAMS, "-O0");
}

/// Optimising takes several times as long as everything else: a part is enough to see that both agree.
#[test]
fn random_programs_compute_what_the_optimising_compiler_says() {
    compare(testing::c::sequential, 0..BATCH, "-O2");
}

/// How many programs about bytes are compared: `SELVEDGE_C_BYTES` says it, else a few hundred.
fn programs_about_bytes() -> u64 {
    std::env::var("SELVEDGE_C_BYTES").ok().and_then(|number| number.parse().ok()).unwrap_or(BATCH)
}

#[test]
fn programs_about_bytes_compute_what_the_compiler_says() {
    compare(testing::c::bytes, 0..programs_about_bytes(), "-O0");
}

#[test]
fn programs_about_bytes_compute_what_the_optimising_compiler_says() {
    compare(testing::c::bytes, 0..programs_about_bytes(), "-O2");
}

/// Compares the programs with these seeds, counted from the first, with what the compiler makes of them.
fn compare(made: Made, seeds: Range<u64>, level: &str) {
    let options = &TranslateOptions::default();
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: nothing is compared");
        return;
    }
    let number = FOLDERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("selvedge-compiler-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let first: u64 = std::env::var("SELVEDGE_C_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let (mut wrong, mut compared) = (vec![], 0);
    for start in (first + seeds.start..first + seeds.end).step_by(BATCH as usize) {
        let texts: BTreeMap<u64, String> = (start..start + BATCH).map(|seed| (seed, made(seed))).collect();
        let printed = compiled(&folder, &texts, level);
        for (seed, text) in &texts {
            let Some(theirs) = printed.get(seed) else { continue };
            let ours = computed(*seed, text, options);
            compared += 1;
            if ours.as_ref().ok() != Some(theirs) {
                wrong.push(format!("seed {seed}: {ours:?}, compiled {theirs:?}"));
            }
        }
    }
    // The compiler may crash on a program, but not on many.
    let all = seeds.end - seeds.start;
    assert!(compared + all / 100 >= all, "only {compared} comparisons were made");
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}

/// What the programs print, compiled as one.
fn compiled(folder: &std::path::Path, texts: &BTreeMap<u64, String>, level: &str) -> BTreeMap<u64, Vec<i64>> {
    let mut source = String::from("#include <stdio.h>\n");
    let mut main = String::from("int main(void) {\n");
    for (seed, text) in texts {
        source.push_str(&renamed(text, *seed));
        main.push_str(&format!("printf(\"program %d\\n\", {seed}); main_{seed}();\n"));
    }
    source.push_str(&main);
    source.push_str("return 0; }\n");
    let (file, binary) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&file, source).expect("a temporary file can be written");
    let compilation = Command::new("gcc")
        .args(["-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing", level, "-o"])
        .arg(&binary)
        .arg(&file)
        .output();
    let compilation = compilation.expect("gcc runs");
    if !compilation.status.success() {
        let errors = String::from_utf8_lossy(&compilation.stderr);
        assert!(errors.contains("internal compiler error"), "the random programs compile: {errors}");
        return halves(folder, texts, level);
    }
    let output = Command::new(&binary).output().expect("the compiled programs run");
    let mut printed: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    let mut current = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.strip_prefix("program ") {
            Some(seed) => {
                current = seed.parse().expect("a seed is a number");
                printed.insert(current, vec![]);
            }
            None => printed.entry(current).or_default().push(line.parse().expect("values are numbers")),
        }
    }
    printed
}

/// The compiler crashed: it is asked about fewer programs at once, and what makes it crash alone is left out.
fn halves(folder: &std::path::Path, texts: &BTreeMap<u64, String>, level: &str) -> BTreeMap<u64, Vec<i64>> {
    let mut first = texts.clone();
    let Some(&middle) = texts.keys().nth(texts.len() / 2).filter(|_| texts.len() > 1) else {
        return BTreeMap::new();
    };
    let second = first.split_off(&middle);
    let mut printed = compiled(folder, &first, level);
    printed.extend(compiled(folder, &second, level));
    printed
}

const KEPT: &[&str] = &[
    "printf",
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "int",
    "long",
    "register",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "malloc",
    "free",
    "__attribute__",
    "packed",
    "aligned",
    "_Bool",
    "__int128",
    "ll",
    "ull",
    "u",
    "l",
    "ul",
    "LL",
    "ULL",
    "U",
    "L",
    "UL",
    "lld",
    "n",
];

/// The program with its names made its own, so that many fit into one file.
fn renamed(text: &str, seed: u64) -> String {
    let mut made = String::new();
    for line in text.lines().filter(|line| !line.starts_with("#include")) {
        let mut rest = line;
        while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric() || "_\"'".contains(c)) {
            made.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(quote) = rest.chars().next().filter(|c| "\"'".contains(*c)) {
                let end = rest[1..].find(quote).map_or(rest.len(), |end| end + 2);
                made.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let word = &rest[..end];
            made.push_str(word);
            if !word.starts_with(|c: char| c.is_ascii_digit()) && !KEPT.contains(&word) {
                made.push_str(&format!("_{seed}"));
            }
            rest = &rest[end..];
        }
        made.push_str(rest);
        made.push('\n');
    }
    made
}

/// What the machine computes.
fn computed(seed: u64, text: &str, options: &TranslateOptions) -> Result<Vec<i64>, String> {
    // Nobody drops what the library leaves open.
    let text = text.replace("#include <stdio.h>", "int printf(const char *f, ...) { return 0; }");
    let (translation, _) = translated("random.i", &text, &[], options)?;
    let count = text.matches("printf(\"%lld").count();
    run(&translation.program, count).map_err(|why| format!("seed {seed}: {why}"))
}

fn run(program: &Program, count: usize) -> Result<Vec<i64>, String> {
    let machine = Machine::new(program, Options::default());
    let mut state = machine.start();
    for _ in 0..STEPS {
        if state.threads.values().any(|thread| thread.halted) {
            return results(program, &state, count);
        }
        let step = machine.candidates(&state, &[0]).into_iter().next().ok_or("no thread can step")?;
        state = machine
            .apply(&state, &step)
            .map_err(|refusal| format!("{refusal} at {:?}", program.at(step.at).op))?;
    }
    Err("too many steps".into())
}

fn results(program: &Program, state: &::c::State, count: usize) -> Result<Vec<i64>, String> {
    let object = program.objects().enumerate().find(|(_, object)| object.name == "result");
    let (id, _) = object.ok_or("there is no result")?;
    let instance = state.memory.get(::c::InstanceId::from_index(id.index())).ok_or("the result is dead")?;
    let number = |value: &Value| match value {
        Value::Bits(bits) => Ok(*bits as u64 as i64),
        other => Err(format!("{other:?} is no number")),
    };
    // Numbers of 64 bits: the cells stand as they are.
    instance.cells[..count].iter().map(number).collect()
}
