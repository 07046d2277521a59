//! What is refused: all errors of a file in one run, each with its place.

mod common;

use common::read;
use front::{Dialect, ReadOptions};

fn check(text: &str, expected: &[&str]) {
    check_with(text, &ReadOptions::default(), expected);
}

fn check_with(text: &str, options: &ReadOptions, expected: &[&str]) {
    let found = read(text, options).expect_err("the text is wrong");
    assert_eq!(found, expected, "{text}");
}

#[test]
fn all_errors_in_one_run() {
    let text = "decl a, 1b;\n\
                void main() begin\n\
                  a := ;\n\
                  @ skip;\n\
                  if a b then skip; fi;\n\
                  a, c := 1;\n\
                  goto M;\n\
                  L: a := (1;\n\
                  goto L;\n\
                  x := g(1)\n\
                end\n";
    check(
        text,
        &[
            "E0110 1:9 expected a variable, found `1`",
            "E0110 3:6 expected an expression, found `;`",
            "E0101 4:1 the character `@` is not expected here",
            "E0110 5:6 expected `then`, found `b`",
            "E0115 6:1 2 left and 1 right side(s)",
            "E0202 7:6 there is no label `M` in this procedure",
            "E0110 8:11 expected `)`, found `;`",
            "E0201 10:1 the variable `x` is not declared",
            "E0203 10:6 there is no procedure `g`",
        ],
    );
}

#[test]
fn names() {
    check(
        "decl a, a; void f() begin decl x, x; end void f(p, p) begin end void main() begin end",
        &[
            "E0204 1:9 `a` is declared twice",
            "E0204 1:35 `x` is declared twice",
            "E0204 1:47 `f` is declared twice",
            "E0204 1:52 `p` is declared twice",
        ],
    );
    check(
        "void main() begin L: skip; L: skip; M: M: skip; start_thread main; end",
        &[
            "E0205 1:28 two statements are labelled `L`",
            "E0202 1:62 there is no label `main` in this procedure",
        ],
    );
    check(
        "decl s; void main() begin decl m; lock m; lock k; m := s$; [q] := T := 1; end",
        &[
            "E0209 1:48 the lock `k` is not declared",
            "E0208 1:51 a lock cannot be read or assigned",
            "E0210 1:56 `s` is shared: there is no passive copy of it",
            "E0201 1:61 the local variable `q` is not declared",
            "E0110 1:68 expected `;`, found `:=`",
        ],
    );
}

#[test]
fn passive_copies_of_other_procedures() {
    check(
        "void f() begin decl v; end void g() begin decl v; end void main() begin v$ := 1; end",
        &["E0212 1:73 several procedures have a local `v`"],
    );
    check(
        "void f() begin decl v; end void main() begin decl w; w$ := v$; v$ := w$ & v$; end",
        &[
            "E0310 1:54 passive copies of two procedures meet in one expression",
            "E0310 1:64 passive copies of two procedures meet in one expression",
        ],
    );
}

#[test]
fn thread_local_variables_take_no_copies_of_activations() {
    let message = "`t$` belongs to a whole thread, its new value to activations of a procedure";
    let refused = |statement: &str| {
        let text = format!(
            "thread_local t, u; decl s; void f() begin decl v; end void main() begin decl w; {statement} end"
        );
        check(&text, &[&format!("E0316 1:81 {message}")]);
    };
    refused("t$ := v$;");
    refused("w, t$ := 1, s | !w$;");
    refused("t$ := u$ ? t$ : w$;");
    let text =
        "thread_local t, u; decl s; void main() begin decl w; t$ := u$ | w; w$ := t$; assume(t$ = w$); end";
    assert!(read(text, &ReadOptions::default()).is_ok());
}

#[test]
fn not_supported() {
    check(
        "dfs void main() begin broadcast; wait; sync m; skip; end",
        &[
            "E0113 1:1 `dfs` is not supported",
            "E0113 1:23 `broadcast` is not supported",
            "E0113 1:34 `wait` is not supported",
            "E0113 1:40 `sync` is not supported",
        ],
    );
}

#[test]
fn blocks() {
    check(
        "void main() begin if 1 then while 1 do skip; fi; od; end",
        &["E0111 1:19 this `if` has no end", "E0112 1:46 there is no open `if` to close here"],
    );
    check(
        "void main() begin else skip; if 1 then else else fi; if 1 then enforce 0; fi",
        &[
            "E0112 1:19 there is no open `if` here",
            "E0112 1:45 there is no open `if` here",
            "E0118 1:72 `enforce` stands inside a block",
            "E0110 1:77 expected `end`, found the end of the file",
        ],
    );
}

#[test]
fn numbered_statements() {
    check(
        "void main() begin 0: goto 7; 1: skip; 3: skip; skip; 4: end_thread; 9: 8: skip; end",
        &[
            "E0202 1:27 there is no label `7` in this procedure",
            "E0211 1:33 control goes from 1 on to 2, which does not exist",
            "E0117 1:48 this statement has no number, but others have",
            "E0117 1:72 this statement has two numbers",
        ],
    );
    check(
        "void main() begin 99999999999999999999: skip; 2: a := 2; end",
        &["E0117 1:19 this number is too large", "E0104 1:55 a constant is 0 or 1"],
    );
}

#[test]
fn options() {
    let options = ReadOptions {
        error_labels: vec!["BAS".into(), "OK".into()],
        entry: Some("mian".into()),
        ..ReadOptions::default()
    };
    check_with(
        "void main() begin BAD: skip; OK: skip; end",
        &options,
        &[
            "E0206 - no statement has the error label `BAS`",
            "E0207 - there is no procedure `mian` to start at",
        ],
    );
    check("decl x;", &["E0301 - the program starts no thread"]);
}

#[test]
fn misplaced_things() {
    let satabs = ReadOptions { dialect: Some(Dialect::Satabs), ..ReadOptions::default() };
    check_with(
        "decl a, T; void f() begin a := f() + a; a := !f(); 'a := 1; _ := 1; a := 2; end void main() begin end",
        &satabs,
        &[
            "E0105 1:9 `T` is the constant 1 and names no variable",
            "E0312 1:27 `f` returns 0 value(s), 1 taken",
            "E0110 1:35 expected `;`, found `a`",
            "E0101 1:36 the character `+` is not expected here",
            "E0110 1:39 expected `:=`, found `;`",
            "E0116 1:47 a call cannot stand inside an expression",
            "E0110 1:52 expected a statement, found `'`",
            "E0114 1:61 `_` only drops a result of a call",
            "E0104 1:74 a constant is 0 or 1",
        ],
    );
    check_with(
        "skip;",
        &satabs,
        &["E0110 1:1 expected a declaration or a procedure, found the reserved word `skip`"],
    );
    check(
        "void main() begin return 1; ASYNC_1: _ := main(); end",
        &[
            "E0313 1:19 `main` returns 0 value(s), here it gives 1",
            "E0116 1:38 a new thread gives no results",
        ],
    );
    check(
        "shared s; local l; skip; void main() begin end",
        &["E0117 1:1 a file has either sections or procedures"],
    );
}

#[test]
fn broken_heads_keep_their_bodies() {
    check(
        "void main begin x := 1; end void (a) begin y := 1; end void main() begin end",
        &[
            "E0110 1:11 expected `(`, found the reserved word `begin`",
            "E0201 1:17 the variable `x` is not declared",
            "E0110 1:34 expected the name of a procedure, found `(`",
            "E0201 1:44 the variable `y` is not declared",
            "E0204 1:61 `main` is declared twice",
        ],
    );
}

#[test]
fn only_a_hundred_are_shown() {
    let text = format!("void main() begin {} end", "a := ; ".repeat(250));
    let found = read(&text, &ReadOptions::default()).expect_err("the text is wrong");
    assert_eq!(found.len(), 101);
    assert_eq!(found[100], "E0199 - 150 more errors are not shown");
}
