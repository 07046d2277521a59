//! Reading the canonical text gives the program back: for golden files, and for random programs over every
//! construct.

mod common;

use base::Id;
use common::{canonical, is_unsafe, program, program_with};
use front::ReadOptions;
use ir::bp::{Builder, Count, Init, Loc, LocalId, LocalScope, Node, Op, ProcId, Program, Spawn, Var, print};
use testing::bp::{self as random, Profile};

/// The reader drops `enforce 1`, which says nothing.
fn without_idle_enforce(program: &Program) -> Program {
    let mut builder = program.edit();
    for loc in program.locations().ids() {
        let says = |e| program.exprs().node(e) != Node::Const(true);
        builder.at(loc).enforce = program.at(loc).enforce.filter(|&e| says(e));
    }
    builder.finish().expect("it stays valid")
}

#[test]
fn random_programs_come_back_equal() {
    for seed in 0..2000 {
        let profile = if seed % 2 == 0 { Profile::ALL } else { Profile::RECURSIVE };
        let made = without_idle_enforce(&random::program(seed, &profile));
        let text = print::program(&made);
        let read = program(&text);
        assert!(read == made, "seed {seed}:\n{text}\n{}", print::program(&read));
    }
}

/// A golden file has its options in `// read:` and its canonical text, line by line, in `// = ` comments.
#[test]
fn golden_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<_> = files.map(|file| file.expect("it can be listed").path()).collect();
    names.retain(|name| name.extension().is_some_and(|extension| extension == "bp"));
    names.sort();
    assert!(names.len() >= 6, "golden files are missing");
    for name in names {
        let text = std::fs::read_to_string(&name).expect("it can be read");
        let comment = |start: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(start).map(str::trim_end));
            lines.collect::<Vec<_>>().join("\n")
        };
        let read = program_with(&text, &golden_options(&comment("// read:")));
        assert_eq!(canonical(&read), comment("// = "), "{}", name.display());
        assert!(program(&print::program(&read)) == read, "{}", name.display());
    }
}

fn golden_options(words: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    let mut words = words.split_whitespace();
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        match option {
            "--dialect" => options.dialect = Some(value.parse().expect("a dialect")),
            "--entry" => options.entry = Some(value.to_string()),
            "--error-label" => options.error_labels.push(value.to_string()),
            _ => panic!("golden files know no {option}"),
        }
    }
    options
}

/// What only passes make is written in other words that mean the same.
#[test]
fn hidden_jumps_are_written_out() {
    let mut builder = program("decl a; void main() begin a := 1; assert(!a); a := 0; end").edit();
    builder.at(Loc::from_index(0)).next = Loc::from_index(2);
    let changed = builder.finish().expect("it is valid");
    let text = canonical(&changed);
    assert!(text.contains("a := 1;\ngoto L2;\nassert(!a);\nL2: a := 0;"), "{text}");
    let read = program(&print::program(&changed));
    assert!(!is_unsafe(&changed, 1) && !is_unsafe(&read, 1));
}

/// As inlining `f` would leave it: its local is used in `main`, and a thread begins inside it.
#[test]
fn inlined_procedures() {
    let text = "void f() begin decl v := 1; L: assert(v); end void main() begin decl v; skip; skip; end";
    let original = program(text);
    let (f, main) = (ProcId::from_index(0), ProcId::from_index(1));
    let entry = |procedure| original.procedures()[procedure].entry;
    let mut builder = original.edit();
    let zero = builder.exprs().constant(false);
    let first = builder.at(entry(main));
    first.active = vec![f];
    first.op = Op::assign(Var::Local(LocalId::from_index(0)), zero);
    let second = builder.at(Loc::from_index(entry(main).index() + 1));
    second.active = vec![f];
    second.op = Op::Start(Spawn::Clone(entry(f)));
    let changed = builder.finish().expect("it is valid");
    let text = canonical(&changed);
    assert!(text.contains("thread_local v := 1;") && text.contains("start_thread goto L3;"), "{text}");
    let read = program(&text);
    for threads in 1..=2 {
        assert_eq!(is_unsafe(&changed, threads), threads == 2);
        assert_eq!(is_unsafe(&read, threads), threads == 2);
    }
}

#[test]
fn names_that_meet_are_told_apart() {
    let mut builder = Builder::new();
    let shared = builder.shared("x", Init::Fixed(false));
    let main = builder.declare("main", 0);
    let locals: Vec<_> =
        (0..2).map(|_| builder.local("x", LocalScope::Procedure(main), Init::Fixed(true))).collect();
    builder.begin(main);
    let one = builder.exprs().constant(true);
    let (a, b, c) = (Var::Shared(shared), Var::Local(locals[0]), Var::Local(locals[1]));
    let targets = vec![(a, one), (b, one), (c, one)];
    builder.push(main, Op::Assign { targets, broadcast: vec![], constrain: None }, None);
    builder.end(main, None);
    builder.template(main, Count::Exactly(1));
    let text = canonical(&builder.finish().expect("it is valid"));
    assert!(text.contains("x, x_2, x_3 := 1, 1, 1;"), "{text}");
    program(&text);
}

#[test]
fn statements_for_traces() {
    let read = program("decl a; void main() begin decl v; top: v$ := a; if a then goto top; fi; end");
    let line = |at| print::statement(&read, Loc::from_index(at));
    assert_eq!([line(0), line(1), line(2)], ["v$ := a", "if a then goto top; fi", "return"]);
}
