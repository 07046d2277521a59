//! Small programs whose verdict says how a construct was read, by brute force on the reference semantics.

mod common;

use common::{is_unsafe, program_with};
use front::{InitReading, ReadOptions};

/// Checks the fewest threads with which the program fails, `None` if it does not fail with up to three.
fn check(text: &str, fails_with: Option<u32>) {
    check_with(text, &ReadOptions::default(), fails_with);
}

fn check_with(text: &str, options: &ReadOptions, fails_with: Option<u32>) {
    let program = program_with(text, options);
    let found = (1..=3).find(|&threads| is_unsafe(&program, threads));
    assert_eq!(found, fails_with, "{text}");
}

#[test]
fn variables_start_with_any_value() {
    check("decl g; void main() begin assert(g); end", Some(1));
    check("void main() begin decl l; assert(!l); end", Some(1));
    check("decl g := 1; void main() begin assert(g); end", None);
    // Locals are fresh at every call.
    let text =
        "void f(a) begin decl l; if a then assert(l) else l := 1 fi end void main() begin f(0); f(1); end";
    check(text, Some(1));
    let zero = ReadOptions { init: InitReading::Zero, ..ReadOptions::default() };
    check_with("decl g; void main() begin decl l; assert(!g & !l); end", &zero, None);
}

#[test]
fn choices_are_independent() {
    check("decl g; void main() begin g := * | !*; assert(g); end", Some(1));
    check("decl g; void main() begin g := schoose[F,F] constrain 'g; assert(g); end", None);
    check("decl g; void main() begin g := schoose[F,T]; assert(!g); end", None);
    check("void main() begin assert(*); end", Some(1));
    check("void main() begin if * then assert(0); fi end", Some(1));
    check("void main() begin while 0 do assert(0); od assume(0); assert(0); end", None);
}

#[test]
fn unassigned_variables_keep_their_value() {
    check("decl a, b; void main() begin a := * constrain 'b & 'a; assert(a & b); end", None);
    check("decl a; void main() begin a := 0; constrain(*); assert(!a); end", Some(1));
    check("decl a; void main() begin a := 0; constrain('a = a); assert(!a); end", None);
}

#[test]
fn threads() {
    check("decl g := 1; void t() begin assert(g); end void main() begin ASYNC_1: t(); g := 0; end", Some(2));
    let clone = "void main() begin decl l; l := 1; start_thread goto L; goto E; L: assert(l); E: skip; end";
    check(clone, None);
    check("void t(a) begin assert(!a); end void main() begin start_thread t(1); end", Some(2));
    check("void main() begin end_thread; assert(0); end", None);
}

#[test]
fn broadcasts() {
    let text = "void main() begin decl b; b := T; S: start_thread goto L; if * then goto S; fi; \
                L: assert(b); b, BROADCAST := !b | *, !PASSIVE | *; end";
    let dollars = text.replace("BROADCAST", "b$").replace("PASSIVE", "b$");
    let brackets = text.replace("BROADCAST", "[b]").replace("PASSIVE", "[b]");
    check(&dollars, Some(2));
    check(&brackets, Some(2));
    check(
        "decl s; void main() begin decl a, b; s := F; a, b := F, F; s := * constrain !'s & (a | !b$); \
           assert(!s); end",
        None,
    );
}

#[test]
fn sections_and_locks() {
    let atomic = "decl g := 0; void t() begin assert(!g); end void main() begin start_thread t(); \
                  atomic_begin; g := 1; g := 0; atomic_end; end";
    check(atomic, None);
    check(&atomic.replace("atomic_begin;", "").replace("atomic_end;", ""), Some(2));
    let locked = "decl g, l; void f() begin lock l; assert(!g); g := 1; g := 0; unlock l; end";
    let entry = ReadOptions { entry: Some("f".into()), init: InitReading::Zero, ..ReadOptions::default() };
    check_with(locked, &entry, None);
    check_with(&locked.replace("unlock l;", "").replace("lock l;", ""), &entry, Some(2));
}

#[test]
fn conditions_for_a_whole_procedure() {
    let text = "decl a, b; void f() begin enforce a & !b; assert(a & !b); a, b := *, *; assert(a & !b); end \
                void main() begin a, b := *, *; f(); end";
    check(text, None);
    check(&text.replace("enforce a & !b;", ""), Some(1));
    check("decl a; void main() begin abortif a; assert(!a); end", None);
    check("decl a := 0; void main() begin dead a; assert(!a); end", Some(1));
}

#[test]
fn labels_are_errors_when_reached() {
    check("decl a; void main() begin if a then SLIC_ERROR: skip; fi; end", Some(1));
    check("decl a := 0; void main() begin if a then SLIC_ERROR: fi; skip; end", None);
    check("void main() begin goto E; E: SLIC_ERROR: end", Some(1));
    check("void main() begin return; SLIC_ERROR: end", None);
}

#[test]
fn templates() {
    let text = "decl atomic, a; void init() begin atomic, a := F, F; end \
                void thread0() begin atomic := T; a := T; a := F; atomic := F; assume(T); end \
                void thread1() begin if (a) then SLIC_ERROR: skip; fi assume(T); end";
    check(text, None);
    check(&text.replace("atomic := T;", ""), Some(2));
    // One `main` only.
    let one = "decl m; void init() begin m := F; end void thread1() begin end \
               void main() begin assert(!m); m := T; assume(T); end";
    check(one, None);
    check("shared s = 0; local l = 0; 1: assume(!s); 2: s := 1; 3: assert(l | s); 4: s := 0;", Some(2));
}
