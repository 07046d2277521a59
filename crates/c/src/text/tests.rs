//! Reading what was written gives the same program back.

use super::{parse, print};
use crate::{Machine, Options, Program};
use base::{Random, SourceMap};

fn read(text: &str) -> Program {
    let file = SourceMap::new().add("test.cir", text);
    parse(text, file).unwrap_or_else(|found| panic!("{:?}", found.into_sorted()))
}

fn errors(text: &str) -> Vec<String> {
    let file = SourceMap::new().add("test.cir", text);
    match parse(text, file) {
        Ok(_) => vec![],
        Err(found) => {
            found.into_sorted().into_iter().map(|it| format!("{} {}", it.code, it.message)).collect()
        }
    }
}

/// Every kind of declaration, expression and step.
const ALL: &str = r#"
pointer 64
layout 0 stride 4 { 0 b32 "" }
layout 1 stride 64 { 0 mutex 40 ".m" 40 ptr ".next" 48 f64 ".d" 56 b1 ".flag" }
layout 2 stride 56 { 0 rwlock 56 "" }
layout 3 stride 48 { 0 cond 48 "" }
layout 4 stride 32 { 0 barrier 32 "" }
layout 5 stride 32 { 0 semaphore 32 "" }
layout 6 stride 4 { 0 once 4 "" }
procedure main
procedure "odd $name" => ptr
procedure f => b32
main main
object x static 0 * 1
object array static 0 * 10 constant
object node static 1 * 2
object rw static 2 * 1
object c static 3 * 1
object bar static 4 * 1
object sem static 5 * 1
object once static 6 * 1
object mine thread 1 * 1
object own of main 0 * 1
init array 3 = 7
init node 0 = 2
init node 1 = &array 12
local @tls b32 signed = 5
local main::a b32 signed temporary = 0
local main::b b32 = 0
local main::p ptr = &array 4
local main::t b1 = 0
local main::h b64 = 0
local main::d f64 = 0
local main::e f32 = 0
local f::n b32 = 0
local f::r b32 = 0
local "odd $name"::arg ptr = 0
property "assert(a == \"b\")"
property "reach_error()"
origin input "rand"
origin external "probe"
origin external "probe" stores
origin approximation "odd $name"
body main () {
  start: skip
  a := any
  b := any -3..17 signed
  b := any 0..5 unsigned
  a := any from 1
  b := any 0..5 signed from 0
  a := (add b (mul b -1:b32)) private
  t := (eq (sub p &array) (sext b64 (shl b 3:b8)))
  d := (floats f64 (neg a))
  e := (floatf f32 (divf d 4607182418800017408:f64))
  b := (ite (ltf d d) (bitss b32 d) (not b))
  a := load [x 0]
  a := load atomic [x 0]
  store atomic [x 0] := a
  a := sizeof (add p 4:b64)
  a := load [array at (zext b64 (shl (trunc b16 a) 2:b32))]
  store [*p 8] := (xor a b)
  a := rmw [x 0] := (add a 1:b32)
  a := rmw [x 0] := b if (eq a 5:b32) success b weak
  loop: branch (lts a b) then loop
  assume (not t)
  assert (and t t) property 0
  p := alloc 1 * (zext b64 a) zeroed
  p := alloc 1 * 3:b64
  free p
  enter own
  store [own 0] := @tls
  leave own
  create "odd $name"((add p 8:b64)) handle h
  create "odd $name"(0:ptr)
  join h result p code a
  h := me
  section begin
  section end
  sync init mutex recursive [node 0] code a
  sync init barrier (add a a) [bar 0]
  sync init semaphore 3:b32 [sem 0]
  sync init rwlock [rw 0]
  sync init once [once 0]
  sync lock [node 0]
  sync trylock [node 0] code a
  sync timedlock [*p 0] code a
  sync wait [node 0] [c 0]
  sync timedwait [node 0] [c 0] code b
  sync unlock [node 0]
  sync signal [c 0]
  sync broadcast [c 0]
  sync arrive [bar 0] code a
  sync semwait [sem 0]
  sync post [sem 0]
  sync semvalue [sem 0] code a
  sync rdlock [rw 0]
  sync trywrlock [rw 0] code a
  sync rwunlock [rw 0]
  sync oncebegin [once 0] code a
  sync onceend [once 0]
  sync destroymutex [node 0]
  call f((add a b)) result a
  call f(a) => other
  error 1
  undefined "unreachable"
  refuse "asm"
  exit
  exit with p
  other: store [x 0] := (add a b)
  halt
}
body f (n) {
  branch (eq n 0:b32) then zero
  call f((sub n 1:b32)) result r
  return with (add n r)
  zero: return with 0:b32
}
body "odd $name" (arg) {
  return
}
"#;

#[test]
fn print_and_parse_are_inverse() {
    let program = read(ALL);
    let text = print(&program);
    let again = read(&text);
    assert!(again == program, "{text}\n{}", print(&again));
    assert_eq!(print(&again), text);
    // The comparison can fail.
    let other = read(&text.replace("(sub n 1:b32)", "(sub n 2:b32)"));
    assert!(other != program);
}

#[test]
fn shared_expressions_are_written_once() {
    let mut body =
        String::from("pointer 64\nprocedure main\nmain main\nlocal main::x b32 = 0\nexpr 0 = main::x\n");
    for n in 1..200 {
        body += &format!("expr {n} = (add ={} ={})\n", n - 1, n - 1);
    }
    body += "body main () { x := =199 halt }";
    let program = read(&body);
    let text = print(&program);
    assert!(text.len() < 20_000);
    assert!(read(&text) == program);
}

#[test]
fn deep_expressions_need_no_stack() {
    let depth = 200_000;
    let expr = format!("{}x{}", "(not ".repeat(depth), ")".repeat(depth));
    let text = format!(
        "pointer 64 procedure main main main local main::x b32 = 0 body main () {{ x := {expr} halt }}"
    );
    let program = read(&text);
    assert!(read(&print(&program)) == program);
}

#[test]
fn what_is_wrong_is_said() {
    let with = |body: &str| {
        errors(&format!(
            "pointer 64 layout 0 stride 4 {{ 0 b32 \"\" }} procedure main procedure f main main object g static 0 * 1
             object o of f 0 * 1 local main::x b32 = 0 local main::t b1 = 0 local f::y b32 = 0 property \"p\"
             body main () {{ {body} }} body f (y) {{ return }}"
        ))
    };
    assert_eq!(with("halt"), [""; 0]);
    for (body, code) in [
        ("x := (add x x)", "E1911"),
        ("x := (add x t) halt", "E1913"),
        ("t := x halt", "E1914"),
        ("enter o halt", "E1912"),
        ("x := f::y halt", "E1912"),
        ("error 7", "E1912"),
        ("x := any from 3 halt", "E1912"),
        ("call f() halt", "E1914"),
        ("store [*x 0] := x halt", "E1914"),
        ("x := any 5..3 signed halt", "E1914"),
        ("return with x", "E1914"),
        ("frobnicate", "E1920"),
        ("skip => nowhere halt", "E1920"),
        ("x := 1:b32 ) halt", "E1920"),
        ("x := (add x) halt", "E1920"),
        ("x := \"", "E1920"),
    ] {
        let found = with(body);
        assert!(found.iter().any(|it| it.starts_with(code)), "{body}: {found:?}");
    }
    for (text, code) in [
        ("pointer 63", "E1901"),
        ("pointer 64", "E1910"),
        ("layout 0 stride 4 { 0 b32 \"\" 2 b16 \"\" }", "E1902"),
        ("layout 0 stride 2 { 0 b32 \"\" }", "E1902"),
        ("layout 0 stride 20 { 0 b129 \"\" }", "E1902"),
        ("object g static 4 * 1", "E1903"),
        ("layout 0 stride 4 { 0 b32 \"\" } object g static 0 * 100000000", "E1904"),
        ("layout 0 stride 4 { 0 b32 \"\" } object g static 0 * 1 init g 1 = 0", "E1905"),
        ("layout 0 stride 4 { 0 b32 \"\" } object g thread 0 * 1 init g 0 = &g 0", "E1906"),
        (
            "procedure p procedure q local p::x b1 local q::x b1 object o static 0 * 1 object o static 0 * 1",
            "E1907",
        ),
        ("layout 0 stride 4 { 0 b32 \"\" } object g static 0 * 1 init g 0 = 4294967296", "E1906"),
        ("layout 0 stride 4 { 0 b32 \"\" } object g static 0 * 1 init g 0 = &g 0", "E1906"),
        ("layout 0 stride 4 { 0 once 4 \"\" } object g static 0 * 1 init g 0 = 2", "E1905"),
        ("procedure p local p::x b1 = 2", "E1906"),
        ("procedure p", "E1908"),
        ("procedure p local p::x b1 main p body p (x) { halt }", "E1910"),
        ("procedure p local p::x b1 local p::x b1", "E1907"),
    ] {
        let found = errors(text);
        assert!(found.iter().any(|it| it.starts_with(code)), "{text}: {found:?}");
    }
}

#[test]
fn the_example_of_the_page_is_a_program() {
    let page = include_str!("../../../../docs/formats/c-ir.md");
    let example =
        page.split("```").find(|block| block.trim_start().starts_with("pointer")).expect("there is one");
    let program = read(example);
    assert!(read(&print(&program)) == program);
}

/// Texts with words or lines taken away, doubled or exchanged are refused or make programs that can be
/// written, read and run.
#[test]
fn mutated_texts_are_refused_or_run() {
    let mut random = Random::new(1);
    let units: [Vec<&str>; 2] = [ALL.split_inclusive(' ').collect(), ALL.split_inclusive('\n').collect()];
    let mut valid = 0;
    for _ in 0..1_000 {
        let mut words = random.pick(&units).clone();
        for _ in 0..random.below(3) + 1 {
            let (one, other) = (random.below(words.len()), random.below(words.len()));
            match random.below(4) {
                0 => drop(words.remove(one)),
                1 => words.insert(one, words[other]),
                2 => words[one] = words[other],
                _ => words.swap(one, other),
            }
        }
        let text = words.concat();
        let file = SourceMap::new().add("test.cir", text.as_str());
        let Ok(program) = parse(&text, file) else { continue };
        valid += 1;
        assert!(read(&print(&program)) == program, "{text}");
        run(&program, &mut random);
    }
    assert!(valid > 50, "only {valid} texts were valid");
}

/// Runs a program for a while; where a step cannot be taken, as if it were not there.
fn run(program: &Program, random: &mut Random) {
    let options = Options {
        faults: if random.percent(50) { crate::Faults::ALL } else { crate::Faults::NONE },
        spurious_wakeups: random.percent(50),
        threads: Some(4),
        ..Options::default()
    };
    let machine = Machine::new(program, options);
    let mut state = machine.start();
    for _ in 0..120 {
        let next = machine.successors(&state, &[0, 1, 3]);
        if !next.is_empty() {
            state = random.pick(&next).1.canonical(program);
        } else if let Some(thread) = state.threads.values_mut().find(|thread| !thread.halted) {
            let loc = thread.loc();
            thread.wait = None;
            thread.top_mut().loc = program.at(loc).next;
        }
    }
}
