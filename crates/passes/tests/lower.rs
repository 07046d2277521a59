//! The exact way on small programs: brute force over the Boolean program and over the C machine agree, and
//! traces come back.

#[path = "lower_search/boolean.rs"]
mod boolean;
#[path = "lower_search/machine.rs"]
mod machine;

use base::{Budget, SourceMap};
use c::{Machine, Options as Rules, Program};
use ir::bp;
use ir::trace::ProgramTrace;
use machine::MOST;
use passes::lower::{Lowered, NotLifted, Options, Problem, lower};

fn program(text: &str) -> Program {
    let mut map = SourceMap::new();
    let file = map.add("test", text);
    c::text::parse(text, file).unwrap_or_else(|found| panic!("{found:?}\n{text}"))
}

fn lowered(program: &Program) -> Lowered {
    lower(program, &Options::default(), &Budget::unlimited())
        .expect("the program is small and has nothing strange")
}

/// Whether the C machine reaches an error.
fn fails(program: &Program, threads: u32) -> bool {
    let rules = Rules { threads: Some(threads), ..Rules::default() };
    machine::fails(program, rules, &(0..16).collect::<Vec<u128>>())
}

/// A shortest run of the Boolean program into an error.
fn search(program: &bp::Program, threads: u32) -> Option<ProgramTrace> {
    boolean::search(program, threads, MOST).expect("the Boolean program is small enough for brute force")
}

/// Both ways, for a program that lowers exactly.
fn agree(text: &str, threads: u32, unsafe_expected: bool) {
    let program = program(text);
    let lowered = lowered(&program);
    assert_eq!(lowered.losses, Vec::<String>::new(), "{text}");
    assert_eq!(fails(&program, threads), unsafe_expected, "the machine\n{text}");
    let found = search(&lowered.program, threads);
    assert_eq!(found.is_some(), unsafe_expected, "the Boolean program\n{text}");
    if let Some(trace) = found {
        let lifted = lowered.trace(&program, &trace).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let rules = lifted.options;
        Machine::new(&program, rules).replay(&lifted).expect("the trace was made by this machine");
    }
}

const HEAD: &str = "pointer 64\nlayout 0 stride 4 { 0 b32 \"\" }\nlayout 1 stride 40 { 0 mutex 40 \"\" }\nlayout 2 stride 8 { 0 ptr \"\" }\nlayout 3 stride 48 { 0 cond 48 \"\" }\nlayout 4 stride 32 { 0 semaphore 32 \"\" }\n";

/// Two workers add to x, `body` of them is given; main joins both and checks the sum.
fn two_adders(body: &str, sum: u32) -> String {
    format!(
        "{HEAD}procedure main\nprocedure worker => ptr\nmain main\nobject x static 0 * 1\nobject m static 1 * 1\nobject s static 4 * 1\n\
         local main::a b64 = 0\nlocal main::b b64 = 0\nlocal main::v b32 = 0\nlocal worker::t b32 = 0\nlocal worker::o b32 = 0\nlocal worker::ok b1 = 0\n\
         property \"sum\"\n\
         body main () {{\n sync init semaphore 1:b32 [s 0]\n create worker() handle a\n create worker() handle b\n join a\n join b\n v := load [x 0]\n assert (eq v {sum}:b32) property 0\n halt\n}}\n\
         body worker () {{\n{body}\n exit\n}}\n"
    )
}

#[test]
fn a_race_is_found_and_comes_back() {
    let body = " t := load [x 0]\n store [x 0] := (add t 1:b32)";
    agree(&two_adders(body, 2), 3, true);
}

#[test]
fn a_mutex_protects() {
    let body = " sync lock [m 0]\n t := load [x 0]\n store [x 0] := (add t 1:b32)\n sync unlock [m 0]";
    agree(&two_adders(body, 2), 3, false);
    agree(&two_adders(body, 1), 3, true);
}

#[test]
fn unlocking_what_is_not_held_blocks() {
    agree(&two_adders(" sync unlock [m 0]\n t := load [x 0]", 1), 3, false);
}

#[test]
fn a_semaphore_protects() {
    let body = " sync semwait [s 0]\n t := load [x 0]\n store [x 0] := (add t 1:b32)\n sync post [s 0]";
    agree(&two_adders(body, 2), 3, false);
}

#[test]
fn sections_protect() {
    let body = " section begin\n t := load [x 0]\n store [x 0] := (add t 1:b32)\n section end";
    agree(&two_adders(body, 2), 3, false);
}

#[test]
fn compare_exchange_adds() {
    let strong = " l: o := load [x 0]\n t := rmw [x 0] := (add o 1:b32) if (eq t o) success ok\n branch ok then e => l\n e: skip";
    agree(&two_adders(strong, 2), 3, false);
    let once = " o := load [x 0]\n t := rmw [x 0] := (add o 1:b32) if (eq t o) success ok weak";
    agree(&two_adders(once, 2), 3, true);
}

#[test]
fn handles_fix_whom_a_join_waits_for() {
    let text = format!(
        "{HEAD}procedure main\nprocedure worker => ptr\nmain main\nobject x static 0 * 2\nlocal main::a b64 = 0\nlocal main::b b64 = 0\n\
         local main::r ptr = 0\nlocal main::v b32 = 0\nlocal worker::arg ptr = 0\nproperty \"results\"\n\
         body main () {{\n create worker(&x) handle a\n create worker((add &x 4:b64)) handle b\n join b result r\n v := load [*r 0]\n\
         assert (eq v 7:b32) property 0\n assert (eq r (add &x 4:b64)) property 0\n join a result r\n assert (eq r &x) property 0\n v := load [x 0]\n assert (eq v 7:b32) property 0\n halt\n}}\n\
         body worker (arg) {{\n store [*arg 0] := 7:b32\n exit with arg\n}}\n"
    );
    agree(&text, 3, false);
    agree(&text.replace("assert (eq r &x)", "assert (eq r (add &x 4:b64))"), 3, true);
}

#[test]
fn an_allocation_is_shared_where_it_is_made_once() {
    let text = format!(
        "{HEAD}procedure main\nprocedure worker => ptr\nmain main\nobject box static 2 * 1\nlocal main::p ptr = 0\nlocal main::v b32 = 0\n\
         local worker::p ptr = 0\nproperty \"five\"\n\
         body main () {{\n create worker()\n p := load [box 0]\n branch (eq p 0:ptr) then e\n v := load [*p 0]\n assert (eq v 5:b32) property 0\n e: halt\n}}\n\
         body worker () {{\n p := alloc 0 * 1:b64\n store [*p 0] := 5:b32\n store [box 0] := p\n exit\n}}\n"
    );
    agree(&text, 2, false);
    agree(&text.replace("eq v 5", "eq v 6"), 2, true);
    // The address of a freed one that somebody still has may be used again: that is not followed.
    let freed = text.replace("store [box 0] := p\n", "store [box 0] := p\n store [*p 0] := 6:b32\n free p\n");
    let refused = lower(&program(&freed), &Options::default(), &Budget::unlimited());
    let Err(Problem::Unsupported(what)) = refused else { panic!("it is lowered") };
    assert!(what.construct.contains("may be used again"), "{}", what.construct);
}

#[test]
fn a_waiting_thread_sees_what_it_waits_for() {
    let text = format!(
        "{HEAD}procedure main\nprocedure worker => ptr\nmain main\nobject m static 1 * 1\nobject ready static 0 * 1\nobject c static 3 * 1\n\
         local main::v b32 = 0\nproperty \"ready\"\n\
         body main () {{\n create worker()\n sync lock [m 0]\n again: v := load [ready 0]\n branch (not (eq v 0:b32)) then go\n sync wait [m 0] [c 0] => again\n\
         go: v := load [ready 0]\n assert (eq v 1:b32) property 0\n sync unlock [m 0]\n halt\n}}\n\
         body worker () {{\n sync lock [m 0]\n store [ready 0] := 1:b32\n sync signal [c 0]\n sync unlock [m 0]\n exit\n}}\n"
    );
    agree(&text, 2, false);
    agree(&text.replace("=> again", "=> go"), 2, true);
}

/// Every operator on all values of three bits, for every result: what the machine computes, nothing else.
#[test]
fn operators_compute_what_the_machine_computes() {
    let operators = [
        "add", "sub", "mul", "divu", "divs", "remu", "rems", "and", "or", "xor", "shl", "shru", "shrs", "eq",
        "ltu", "leu", "lts", "les",
    ];
    for op in operators {
        let width = if ["eq", "ltu", "leu", "lts", "les"].contains(&op) { 1 } else { 3 };
        for result in 0..(1 << width) {
            let text = format!(
                "{HEAD}procedure main\nmain main\nlocal main::a b3 = 0\nlocal main::b b3 = 0\nlocal main::r b{width} = 0\nproperty \"r\"\n\
                 body main () {{\n a := any\n b := any 0..5 unsigned\n r := ({op} a b)\n assert (not (eq r {result}:b{width})) property 0\n halt\n}}\n"
            );
            let program = program(&text);
            let expected = fails(&program, 1);
            agree(&text, 1, expected);
        }
    }
}

#[test]
fn loops_have_bounded_counters() {
    let text = format!(
        "{HEAD}procedure main\nmain main\nlocal main::i b32 signed = 0\nlocal main::s b32 signed = 0\nproperty \"s\"\n\
         body main () {{\n i := 0:b32\n again: branch (not (lts i 5:b32)) then done\n i := (add i 1:b32) => again\n done: assert (eq i 5:b32) property 0\n halt\n}}\n"
    );
    let program = program(&text);
    let lowered = lowered(&program);
    assert!(lowered.program.locals().len() <= 4, "{} bits", lowered.program.locals().len());
    agree(&text, 1, false);
}

#[test]
fn a_join_of_one_of_many_is_never_an_error_by_itself() {
    // Every worker is joined before the next begins, which the Boolean program does not see.
    let text = format!(
        "{HEAD}procedure main\nprocedure worker => ptr\nmain main\nobject x static 0 * 1\nlocal main::a b64 = 0\nlocal main::n b1 = 0\n\
         local worker::t b32 = 0\nproperty \"alone\"\n\
         body main () {{\n again: create worker() handle a\n join a => again\n}}\n\
         body worker () {{\n t := load [x 0]\n assert (eq t 0:b32) property 0\n store [x 0] := 1:b32\n store [x 0] := 0:b32\n exit\n}}\n"
    );
    let program = program(&text);
    let lowered = lowered(&program);
    assert!(!lowered.exact);
    let trace = search(&lowered.program, 3).expect("the Boolean program does not wait");
    assert!(matches!(lowered.trace(&program, &trace), Err(NotLifted::Spurious(_))));
}

#[test]
fn what_is_not_done_is_named() {
    let text = format!(
        "{HEAD}procedure main\nmain main\nlocal main::r b32 = 0\nproperty \"p\"\n\
         body main () {{\n call main()\n halt\n}}\n"
    );
    let program = program(&text);
    let problem =
        lower(&program, &Options::default(), &Budget::unlimited()).expect_err("recursion is not done");
    assert!(matches!(problem, Problem::Unsupported(it) if it.construct.contains("recursion")));
}
