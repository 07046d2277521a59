//! Each construct and what it becomes, seen through the canonical text.

mod common;

use common::{canonical, program_with};
use front::{Dialect, InitReading, ReadOptions};

/// Checks the statements that a body becomes; shared `a b c d`, a procedure `f(p)` with one result, locals `x
/// y`.
fn check(body: &str, expected: &str) {
    check_in(None, body, expected);
}

fn check_in(dialect: Option<Dialect>, body: &str, expected: &str) {
    let text = format!(
        "decl a, b, c, d;\nbool f(p) begin return p; end\nvoid g() begin end\nvoid main() begin decl x, y; {body} end"
    );
    let text = canonical(&program_with(&text, &ReadOptions { dialect, ..ReadOptions::default() }));
    let (_, body) = text.split_once("decl x;\ndecl y;\n").expect("the locals come first");
    let body = body.strip_suffix("\nend").expect("the procedure ends").replace('\n', " ");
    assert_eq!(body, expected);
}

fn file(text: &str, options: &ReadOptions, expected: &str) {
    assert_eq!(canonical(&program_with(text, options)).replace('\n', " "), expected, "{text}");
}

#[test]
fn simple_statements() {
    check("skip; a := 1; a, b := b, *;", "skip; a := 1; a, b := b, *;");
    check("a := T constrain !a", "a := 1 constrain !a;");
    check("a,b:=*,* constrain 'a = b", "a, b := *, * constrain ('a = b);");
    check("assert F; assume a;", "assert(0); assume(a);");
    check("assert(a); assume (a) & (b);", "assert(a); assume((a & b));");
    check("abortif a; dead a, x;", "assume(!a); a, x := *, *;");
    check("atomic_begin; atomic_end; end_thread; return;", "atomic_begin; atomic_end; end_thread; return;");
    check("print(\"x\", (a)); print(2);", "skip; skip;");
    check("a := schoose[a | b, !c]; b := a ? b : c;", "a := schoose[(a | b), !c]; b := (a ? b : c);");
}

#[test]
fn jumps_and_threads() {
    check("L: goto L, M; M: skip", "L0: goto L0, L1; L1: skip;");
    check("L: M: L: skip; goto L, M", "L0: skip; goto L0, L0;");
    check("goto E; skip; E: end_label:", "goto L2; skip; L2:");
    check("L: start_thread goto L; start_thread L;", "L0: start_thread goto L0; start_thread goto L0;");
    check("start_thread g(); ASYNC_1: L: g();", "start_thread g(); start_thread g();");
    check("x := f(a); _ := f(1); f(0); g();", "x := f(a); _ := f(1); f(0); g();");
}

#[test]
fn blocks() {
    check("L: if a then goto L; fi;", "L0: if a then goto L0; fi;");
    check("L: if a then goto L, L; fi;", "L0: if !a then goto L2; fi; goto L0, L0; L2:");
    check("if a then b := 1; fi c := 1", "if !a then goto L2; fi; b := 1; L2: c := 1;");
    check(
        "if * then skip; else a := 1; fi; b := 1",
        "if * then goto L3; fi; skip; goto L4; L3: a := 1; L4: b := 1;",
    );
    check(
        "if a then skip elsif b then skip; else skip fi",
        "if !a then goto L3; fi; skip; goto L7; L3: if !b then goto L6; fi; skip; goto L7; L6: skip; L7:",
    );
    check(
        "while a do while ? do skip; od od; b := 1",
        "L0: if !a then goto L5; fi; L1: if * then goto L4; fi; skip; goto L1; L4: goto L0; L5: b := 1;",
    );
    // The label names the end of the block, which is not reached around it.
    check("if a then L: fi; goto L;", "if !a then goto L2; fi; L1: skip; L2: goto L1;");
    check("if a then fi; skip", "if !a then goto L1; fi; L1: skip;");
}

#[test]
fn precedence_follows_the_dialect() {
    let all = [
        (Dialect::Satabs, "(a = (b & c))", "(a ^ (b | c))", "((a & b) => (c = d))"),
        (Dialect::Slam, "(a = (b & c))", "(a ^ (b | c))", "((a & b) => (c = d))"),
        (Dialect::Bopp, "((a = b) & c)", "((a ^ b) | c)", "((a & b) => (c = d))"),
        (Dialect::Boom, "((a = b) & c)", "((a ^ b) | c)", "((a & b) => (c = d))"),
        (Dialect::Getafix, "((a = b) & c)", "((a ^ b) | c)", "((a & b) => (c = d))"),
    ];
    for (dialect, equality, exclusive, implication) in all {
        check_in(Some(dialect), "assume(a = b & c)", &format!("assume({equality});"));
        check_in(Some(dialect), "assume(a ^ b | c)", &format!("assume({exclusive});"));
        check_in(Some(dialect), "assume(a && b => c = d)", &format!("assume({implication});"));
        check_in(Some(dialect), "assume(!a & ~b | c)", "assume(((!a & !b) | c));");
    }
    check_in(Some(Dialect::Satabs), "assume(a = b => c)", "assume((a = (b => c)));");
    check_in(Some(Dialect::Satabs), "assume(a ? b : c ? d : a)", "assume((a ? b : (c ? d : a)));");
    check_in(Some(Dialect::Bopp), "assume(a ? b : c ? d : a)", "assume(((a ? b : c) ? d : a));");
    check_in(Some(Dialect::Boom), "assume(a | b -> c != d)", "assume(((a | b) => (c ^ d)));");
}

#[test]
fn passive_copies() {
    check("x, x$ := a, x & x$;", "x, x$ := a, (x & x$);");
    check("[x], x := ![x] | *, a;", "x, x$ := a, (!x$ | *);");
    check("a := * constrain 'x$ | 'a; assume([y]);", "a := * constrain ('x$ | 'a); assume(y$);");
    let declared = "void main() begin decl x, x$; x$ := 1; [x] := 0; end";
    let expected = "void main() begin decl x; decl x$; x$ := 1; [x] := 0; end";
    file(declared, &ReadOptions::default(), expected);
}

#[test]
fn enforce_holds_everywhere() {
    check("enforce a; enforce b; skip", "enforce (a & b); skip;");
    check("enforce T; skip;", "skip;");
    check("skip; enforce a: skip; enforce b:", "skip; enforce a: skip; enforce b:");
}

#[test]
fn standalone_constrain_opens_everything() {
    let text = "decl s, m; void f() begin decl l; lock m; constrain(('s = s) & 'l); end";
    let entry = ReadOptions { entry: Some("f".into()), ..ReadOptions::default() };
    let expected = "decl s; lock m; start f some; void f() begin decl l; lock m; \
                    s, l := *, * constrain (('s = s) & 'l); end";
    file(text, &entry, expected);
    file("void main() begin constrain(*); end", &ReadOptions::default(), "void main() begin assume(*); end");
}

#[test]
fn first_values() {
    let text = "decl a, b := 1, c := *; void main() begin decl x = 0, y; end";
    let expected = "decl a; decl b := 1; decl c; void main() begin decl x := 0; decl y; end";
    file(text, &ReadOptions::default(), expected);
    let zero = ReadOptions { init: InitReading::Zero, ..ReadOptions::default() };
    let expected = "decl a := 0; decl b := 1; decl c; void main() begin decl x := 0; decl y := 0; end";
    file(text, &zero, expected);
}

#[test]
fn locks_are_no_variables() {
    let text = "decl a; void main() begin decl l; lock l; unlock l; end void g() begin decl l; unlock l; end";
    let expected = "decl a; lock l; void main() begin lock l; unlock l; end void g() begin unlock l; end";
    file(text, &ReadOptions::default(), expected);
}

#[test]
fn numbers_are_the_order() {
    let text = "decl s; void main() begin s := *; 0: goto 2; 3: assert(s); 1: skip; 2: s := 1; end";
    let expected = "decl s; void main() begin s := *; goto L3; skip; L3: s := 1; assert(s); end";
    file(text, &ReadOptions::default(), expected);
    file(
        "void main() begin 0: BAD: if * then goto 1; fi; 01: skip; end",
        &ReadOptions { error_labels: vec!["BAD".into()], ..ReadOptions::default() },
        "void main() begin SLIC_ERROR: if * then goto L1; fi; L1: skip; end",
    );
}

#[test]
fn sections_start_any_number() {
    let text = "shared s = 0, t; local l = *; 1: l, [l] := s, t; 2: goto 1, 3; 3: assume(l)";
    let expected = "decl s := 0; decl t; start main some; void main() begin decl l; \
                    L0: l, l$ := s, t; goto L0, L2; L2: assume(l); end";
    file(text, &ReadOptions::default(), expected);
}

#[test]
fn templates() {
    let text = "decl atomic, a; void init() begin atomic := F; end void thread0() begin skip; end \
                void thread1() begin end void main() begin end";
    let expected = "decl atomic; decl a; atomic_variable atomic; start init init; start thread0 any; \
                    start thread1 any; start main 1; void init() begin atomic := 0; end \
                    void thread0() begin skip; end void thread1() begin end void main() begin end";
    file(text, &ReadOptions::default(), expected);
    let satabs = ReadOptions { dialect: Some(Dialect::Satabs), ..ReadOptions::default() };
    let text = "decl atomic; void init() begin end void main() begin end";
    let expected = "decl atomic; start main 1; void init() begin end void main() begin end";
    file(text, &satabs, expected);
    let getafix = ReadOptions { dialect: Some(Dialect::Getafix), ..ReadOptions::default() };
    file("decl atomic; void main() begin end", &getafix, "decl atomic; void main() begin end");
}

#[test]
fn own_items() {
    let text = "error_label BAD; lock m; thread_local t := 1; decl s; atomic_variable s; \
                start init i; start f 2; start g at_least 3; \
                void i() begin BAD: skip; end void f() begin t := !t; end void g() begin end";
    let expected = "lock m; decl s; thread_local t := 1; atomic_variable s; start init i; start f 2; \
                    start g at_least 3; void i() begin SLIC_ERROR: skip; end void f() begin t := !t; end \
                    void g() begin end";
    file(text, &ReadOptions::default(), expected);
}

#[test]
fn error_labels_in_one_procedure() {
    let text = "void main() begin SLIC_ERROR: skip; BAD: skip; end";
    let options = ReadOptions { error_labels: vec!["BAD".into()], ..ReadOptions::default() };
    let expected = "error_label SLIC_ERROR_2; void main() begin SLIC_ERROR: skip; SLIC_ERROR_2: skip; end";
    file(text, &options, expected);
}

#[test]
fn odd_names() {
    let text = "decl {if}, {a b}, a-b; void main() begin decl {T}; {if}, {a b}, {T$} := a-b, {T}, 1; end";
    let expected = "decl {if}; decl {a b}; decl {a-b}; void main() begin decl {T}; \
                    {if}, {a b}, T$ := {a-b}, {T}, 1; end";
    file(text, &ReadOptions::default(), expected);
}
