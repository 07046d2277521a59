//! Translation to Promela and NuSMV, against brute force. The tests run Spin (with a C compiler) and NuSMV
//! where they are installed and say so where they are not.

use base::{Budget, Random, SourceMap};
use front::ReadOptions;
use front::dialects::tts::read_tts;
use ir::{Model, Net, Program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use testing::bp::{self as random, Profile};
use verify::translate::{Target, translate};

const MOST: usize = 20_000;

fn run(directory: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(directory).output().ok()?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some(text)
}

/// A directory of its own for each test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("selvedge-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("the temporary directory can be written");
    path
}

/// Whether Spin finds an assertion violated.
fn spin(directory: &Path, text: &str) -> bool {
    std::fs::write(directory.join("m.pml"), text).expect("the temporary directory can be written");
    let made = run(directory, "spin", &["-a", "m.pml"]).expect("spin is there");
    run(directory, "cc", &["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"])
        .expect("cc is there");
    let output = run(directory, "./pan", &["-m1000000"]).unwrap_or_else(|| panic!("{made}\n{text}"));
    let found = output.contains("assertion violated");
    assert!(found || output.contains("errors: 0"), "{made}\n{output}\n{text}");
    assert!(found || !output.contains("search depth too small"), "{output}");
    let _ = std::fs::remove_file(directory.join("pan"));
    found
}

/// Whether NuSMV finds the invariant false.
fn nusmv(directory: &Path, text: &str) -> bool {
    std::fs::write(directory.join("m.smv"), text).expect("the temporary directory can be written");
    let output = run(directory, "NuSMV", &["-dcx", "m.smv"]).expect("NuSMV is there");
    let (yes, no) = (output.contains("is true"), output.contains("is false"));
    assert!(yes != no, "{output}\n{text}");
    no
}

fn is_installed(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("-h").output().is_err());
    if let Some(tool) = missing {
        println!("skipped: {tool} is not installed");
    }
    missing.is_none()
}

fn program_fails(program: &Program, bound: u32) -> Option<bool> {
    let machine = ir::bp::machine::Machine::new(program, Some(bound));
    let all = machine.reachable(MOST)?;
    Some(all.iter().any(|state| machine.failure(state).is_some()))
}

fn net_fails(net: &Net, bound: u32) -> Option<bool> {
    let machine = ir::net::Machine::new(net, Some(bound));
    let all = machine.reachable(MOST)?;
    Some(all.iter().any(|marking| machine.at_target(marking)))
}

/// A program with every construct but recursion.
fn random_program(seed: u64) -> Program {
    let profiles = [Profile::ALL, Profile::BROADCASTS, Profile::SPAWNING];
    let profile = profiles[seed as usize % profiles.len()];
    random::program(seed, &Profile { statements: 5, passive_conditions: 40, ..profile })
}

/// A net with every kind of rule.
fn random_net(seed: u64) -> Net {
    let mut random = Random::new(seed);
    let mut text = "vars x y z w\nrules\n".to_string();
    for _ in 0..2 + random.below(4) {
        let guard = random.pick(&["true", "x >= 1", "y >= 2, x = 0", "z in [1,2]", "w >= 1, y >= 1"]);
        let update = random.pick(&[
            "x' = x + 1",
            "x' = x - 1, y' = y + 1",
            "y' = y - 2, z' = z + 1, w' = w + 1",
            "x' = x + y, y' = 0",
            "w' = 0",
            "z' = w + 1, w' = z",
            "x' = 0, z' = z + x",
        ]);
        text += &format!("  {guard} -> {update};\n");
    }
    text += &format!(
        "init x {}, y = {}, z = 0, w in [0,1]\n",
        random.pick(&[">= 0", "= 1", ">= 1"]),
        random.below(2)
    );
    text += *random.pick(&[
        "target z >= 2\n",
        "target w >= 1, x >= 2\n z >= 1, y >= 1\n",
        "target y = 0, w >= 2\n",
    ]);
    let mut map = SourceMap::new();
    let file = map.add("random.spec", text);
    front::dialects::spec::read_spec(&map, file).expect("a good file").0
}

fn transfer_net() -> Net {
    let mut map = SourceMap::new();
    let file = map.add("a.tts", "2 3\n0 0 -> 1 1 1 ~> 0 1 ~> 2 0 ~> 1\n1 1 -> 0 0\n1|2,2\n");
    let options = ReadOptions { start: Some("0|0,1,1/0".into()), ..ReadOptions::default() };
    read_tts(&map, file, &options, None).expect("a good file").0
}

fn check_programs(to: Target, seeds: impl Iterator<Item = u64>, tool: impl Fn(&str) -> bool) {
    let (mut yes, mut no) = (0, 0);
    for seed in seeds {
        let program = random_program(seed);
        let bound = 1 + seed as u32 % 3;
        let Some(expected) = program_fails(&program, bound) else { continue };
        let model = Model::Program(Arc::new(program.clone()));
        let text = match translate(&model, to, Some(bound), &Budget::unlimited()) {
            Ok(text) => text,
            Err(reason) => {
                assert_eq!(reason.message, "`init` starts threads", "seed {seed}");
                continue;
            }
        };
        assert_eq!(tool(&text), expected, "seed {seed}, {bound} threads\n{program:?}\n{text}");
        *(if expected { &mut yes } else { &mut no }) += 1;
    }
    assert!(yes > 0 && no > 0, "{yes} unsafe, {no} safe: the test says little");
}

fn check_negations(to: Target, tool: impl Fn(&str) -> bool) {
    let model = Model::Program(Arc::new(negated_twice()));
    for bound in 1..=2 {
        let text = translate(&model, to, Some(bound), &Budget::unlimited()).expect("it can be written");
        assert_eq!(Some(tool(&text)), program_fails(&negated_twice(), bound), "{bound} threads\n{text}");
    }
}

fn check_nets(to: Target, seeds: impl Iterator<Item = u64>, tool: impl Fn(&str) -> bool) {
    for (net, bound) in
        seeds.map(|seed| (random_net(seed), 3)).chain([(transfer_net(), 4), (transfer_net(), 3)])
    {
        let Some(expected) = net_fails(&net, bound) else { continue };
        let model = Model::Net(Arc::new(net.clone()));
        let text =
            translate(&model, to, Some(bound), &Budget::unlimited()).expect("every net can be written");
        assert_eq!(tool(&text), expected, "{bound} tokens\n{net:?}\n{text}");
    }
}

/// A new value in a condition is replaced by what is assigned, a negation perhaps.
const NEGATED_TWICE: &str = "decl a := 1; decl b;
void main() begin
  decl m;
  a, b := !b, !a constrain !'a & (!'b | 'a != 'b);
  m := *;
  m, a := !m, * constrain !'m;
  assert(a | b);
end
";

fn negated_twice() -> Program {
    let mut map = SourceMap::new();
    let file = map.add("a.bp", NEGATED_TWICE);
    let options = front::ReadOptions::default();
    front::read_program(&map, file, &options).expect("a good file").0
}

#[test]
fn no_operator_is_made_of_two_negations() {
    let model = Model::Program(Arc::new(negated_twice()));
    for to in [Target::Promela, Target::Smv] {
        let text = translate(&model, to, Some(2), &Budget::unlimited()).expect("it can be written");
        assert!(text.contains("!(!") && !text.contains("!!"), "{text}");
    }
}

#[test]
fn spin_agrees() {
    if is_installed(&["spin", "cc"]) {
        let directory = directory("spin");
        check_programs(Target::Promela, [2, 3, 4, 11, 15, 23].into_iter(), |text| spin(&directory, text));
        check_negations(Target::Promela, |text| spin(&directory, text));
        check_nets(Target::Promela, 0..2, |text| spin(&directory, text));
        std::fs::remove_dir_all(directory).expect("made by this test");
    }
}

#[test]
fn nusmv_agrees() {
    if is_installed(&["NuSMV"]) {
        let directory = directory("nusmv");
        check_programs(Target::Smv, 0..30, |text| nusmv(&directory, text));
        check_negations(Target::Smv, |text| nusmv(&directory, text));
        check_nets(Target::Smv, 0..20, |text| nusmv(&directory, text));
        std::fs::remove_dir_all(directory).expect("made by this test");
    }
}
