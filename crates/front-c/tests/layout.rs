//! Sizes, alignments and offsets are those of the compiler: random structs and unions with bit-fields,
//! packing and alignments.

mod support;

use std::fmt::Write;
use std::process::Command;

use base::Random;
use front_c::hir::Program;
use front_c::types::Field;
use support::{good, good_ilp32};

/// This many structs are compared in each data model.
const STRUCTS: usize = 600;

const TYPES: &[&str] = &[
    "char",
    "short",
    "int",
    "long",
    "long long",
    "_Bool",
    "unsigned char",
    "unsigned short",
    "unsigned",
    "unsigned long",
    "float",
    "double",
    "void *",
    "enum small",
    "enum plain",
    "aligned_int",
    "loose_int",
    "aligned_char",
    "_Atomic int",
    "_Atomic long long",
    "_Atomic(struct pair)",
    "__int128",
    "long double",
];

const BIT_TYPES: &[&str] = &[
    "char",
    "short",
    "int",
    "long",
    "long long",
    "_Bool",
    "unsigned char",
    "unsigned",
    "enum plain",
    "unsigned long long",
    "loose_int",
];

const PRELUDE: &str = "enum __attribute__((packed)) small { SMALL }; enum plain { PLAIN };\n\
    typedef int aligned_int __attribute__((aligned(16))); typedef int loose_int __attribute__((aligned(2)));\n\
    typedef char aligned_char __attribute__((aligned(4))); struct pair { short a, b; };\n";

struct Made {
    text: String,
    /// The names of the members, and whether they are bit-fields.
    members: Vec<(String, bool)>,
}

fn choice<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

fn attribute(random: &mut Random) -> String {
    match random.below(14) {
        0 => " __attribute__((packed))".into(),
        1 => format!(" __attribute__((aligned({})))", 1 << random.below(6)),
        2 => format!(" __attribute__((packed, aligned({})))", 1 << random.below(4)),
        _ => String::new(),
    }
}

fn width_of(ty: &str, wide: usize) -> usize {
    match ty {
        "_Bool" => 1,
        "char" | "unsigned char" => 8,
        "short" | "unsigned short" => 16,
        "long" => wide,
        "long long" | "unsigned long long" => 64,
        _ => 32,
    }
}

/// A member; 128-bit integers are for 64-bit machines only.
fn member(random: &mut Random, number: usize, at: usize, wide: usize, made: &mut Made) {
    let name = format!("m{at}");
    match random.below(10) {
        0..=3 => {
            let ty = choice(random, BIT_TYPES);
            let width = random.below(width_of(ty, wide) + 1);
            if width == 0 || random.below(8) == 0 {
                writeln!(made.text, "  {ty} : {width};").expect("a string takes all");
            } else {
                let attribute = attribute(random);
                writeln!(made.text, "  {ty} {name} : {width}{attribute};").expect("a string takes all");
                made.members.push((name, true));
            }
        }
        4 if number > 0 => {
            let inner = random.below(number);
            let attribute = attribute(random);
            writeln!(made.text, "  struct s{inner} {name}{attribute};").expect("a string takes all");
            made.members.push((name, false));
        }
        5 => {
            let ty = TYPES[random.below(10)];
            let attribute = attribute(random);
            writeln!(made.text, "  {ty} {name}[{}]{attribute};", random.below(4))
                .expect("a string takes all");
            made.members.push((name, false));
        }
        6 => {
            let word = choice(random, &["struct", "union"]);
            let (one, other) = (choice(random, &TYPES[..10]), choice(random, &TYPES[..10]));
            let packed = if random.below(3) == 0 { " __attribute__((packed))" } else { "" };
            writeln!(made.text, "  {word} {{ {one} a; {other} b; }}{packed} {name};")
                .expect("a string takes all");
            made.members.push((name, false));
        }
        _ => {
            let ty = match choice(random, TYPES) {
                // Of atomic words of 64 bits gcc itself says that their alignment changes from version to
                // version.
                "__int128" | "_Atomic long long" if wide == 32 => "int",
                ty => ty,
            };
            let attribute = attribute(random);
            let before = if random.below(12) == 0 { "_Alignas(16) " } else { "" };
            writeln!(made.text, "  {before}{ty} {name}{attribute};").expect("a string takes all");
            made.members.push((name, false));
        }
    }
}

fn structure(random: &mut Random, number: usize, wide: usize) -> Made {
    let mut made = Made { text: String::new(), members: vec![] };
    let pack = match random.below(6) {
        0 => Some(1 << random.below(5)),
        _ => None,
    };
    if let Some(pack) = pack {
        writeln!(made.text, "#pragma pack(push, {pack})").expect("a string takes all");
    }
    // Unions are structs with a tag of their own kind: only the keyword differs.
    let union = random.below(5) == 0;
    let open =
        if union { format!("struct s{number} {{ union {{\n") } else { format!("struct s{number} {{\n") };
    made.text.push_str(&open);
    for at in 0..1 + random.below(6) {
        member(random, number, at, wide, &mut made);
    }
    let end = if union { "}; }" } else { "}" };
    let attribute = attribute(random);
    writeln!(made.text, "{end}{attribute};").expect("a string takes all");
    if pack.is_some() {
        made.text.push_str("#pragma pack(pop)\n");
    }
    made
}

fn structures(seed: usize, wide: usize) -> Vec<Made> {
    let mut random = Random::new(seed as u64);
    (0..STRUCTS).map(|number| structure(&mut random, number, wide)).collect()
}

fn record<'a>(program: &'a Program, tag: &str) -> &'a front_c::types::Record {
    program.types.records.iter().find(|it| it.tag.as_deref() == Some(tag)).expect("the struct is declared")
}

/// The member of a name, in the struct or in its anonymous union.
fn field<'a>(program: &'a Program, record: &'a front_c::types::Record, name: &str) -> &'a Field {
    let fields = record.fields.as_deref().expect("it is complete");
    let direct = fields.iter().find(|it| it.name.as_deref() == Some(name));
    direct.unwrap_or_else(|| {
        let inner = fields.iter().find(|it| it.name.is_none()).expect("there is an anonymous union");
        let inner = program.types.record(inner.ty.ty).expect("it is a union");
        field(program, &program.types.records[inner], name)
    })
}

/// What our layout says, as static assertions.
fn assertions(program: &Program, all: &[Made]) -> String {
    let mut text = String::new();
    for (number, made) in all.iter().enumerate() {
        let record = record(program, &format!("s{number}"));
        let (size, align) = (record.size, record.align);
        writeln!(text, "_Static_assert(sizeof(struct s{number}) == {size}, \"size of s{number}\");")
            .expect("a string takes all");
        writeln!(text, "_Static_assert(_Alignof(struct s{number}) == {align}, \"align of s{number}\");")
            .expect("a string takes all");
        for (name, _) in made.members.iter().filter(|(_, bits)| !bits) {
            let offset = field(program, record, name).offset;
            writeln!(
                text,
                "_Static_assert(__builtin_offsetof(struct s{number}, {name}) == {offset}, \"s{number} {name}\");"
            )
            .expect("a string takes all");
        }
    }
    text
}

/// Runs gcc on a text and gives what it says about errors; `None` without gcc.
fn gcc(name: &str, text: &str, arguments: &[&str]) -> Option<String> {
    let folder = std::env::temp_dir().join(format!("selvedge-layout-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let file = folder.join("layout.c");
    std::fs::write(&file, text).expect("a temporary file can be written");
    let binary = folder.join("layout");
    let output = Command::new("gcc").args(arguments).arg("-w").arg(&file).arg("-o").arg(&binary).output();
    let messages = output.ok().map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    let run = if binary.exists() { Command::new(&binary).output().ok() } else { None };
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    let printed = run.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    messages.map(|messages| messages + &printed)
}

fn compare(model: &str, wide: usize, read: fn(&str) -> Program) {
    for seed in 0..2 {
        let all = structures(seed, wide);
        let text: String = PRELUDE.to_string() + &all.iter().map(|it| it.text.as_str()).collect::<String>();
        let program = read(&text);
        let whole = format!("{text}{}", assertions(&program, &all));
        let Some(messages) = gcc(&format!("{wide}-{seed}"), &whole, &[model, "-fsyntax-only"]) else {
            eprintln!("no gcc: nothing is compared");
            return;
        };
        let wrong: Vec<&str> = messages.lines().filter(|line| line.contains("error")).take(8).collect();
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}\n{}", shown(&all, &wrong));
    }
}

/// The struct that the first message speaks of.
fn shown(all: &[Made], wrong: &[&str]) -> String {
    let words = wrong.first().into_iter().flat_map(|line| line.split(['"', ' ']));
    let mut numbers = words.filter_map(|word| word.strip_prefix('s')?.parse::<usize>().ok());
    let made = numbers.next_back().and_then(|number| all.get(number));
    made.map_or(String::new(), |made| made.text.clone())
}

#[test]
fn structs_are_laid_out_as_by_the_compiler() {
    compare("-m64", 64, good);
}

#[test]
fn structs_are_laid_out_as_by_the_compiler_for_32_bits() {
    compare("-m32", 32, good_ilp32);
}

/// Where bit-fields are shows when a program sets all their bits.
#[test]
fn bit_fields_lie_where_the_compiler_puts_them() {
    let all = structures(7, 64);
    let text: String = PRELUDE.to_string() + &all.iter().map(|it| it.text.as_str()).collect::<String>();
    let program = good(&text);
    let (mut calls, mut expected) = (String::new(), vec![]);
    for (number, made) in all.iter().enumerate() {
        let record = record(&program, &format!("s{number}"));
        for (name, _) in made.members.iter().filter(|(_, bits)| *bits) {
            let field = field(&program, record, name);
            let bits = field.bits.expect("it is a bit-field");
            let start = field.offset * 8 + u64::from(bits.start);
            expected.push(format!("s{number}.{name} {start} {}", start + u64::from(bits.width)));
            writeln!(
                calls,
                "{{ struct s{number} x; memset(&x, 0, sizeof x); x.{name} = -1; show(\"s{number}.{name}\", &x, sizeof x); }}"
            )
            .expect("a string takes all");
        }
    }
    let show = "static void show(const char *n, const void *p, size_t s) {\n\
        const unsigned char *b = p; long from = -1, to = -1;\n\
        for (size_t i = 0; i < s * 8; i++) if (b[i / 8] >> i % 8 & 1) { if (from < 0) from = i; to = i + 1; }\n\
        printf(\"%s %ld %ld\\n\", n, from, to); }\n";
    let whole =
        format!("#include <stdio.h>\n#include <string.h>\n{text}{show}int main(void) {{\n{calls}}}\n");
    let Some(messages) = gcc("bits", &whole, &["-O0", "-Wno-packed-bitfield-compat"]) else {
        return;
    };
    let theirs: Vec<&str> = messages.lines().collect();
    assert!(expected.len() > 100, "there are bit-fields to compare");
    assert_eq!(expected, theirs);
}
