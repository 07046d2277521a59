//! Nothing makes the reader panic, overflow the stack or take for ever.

mod common;

use base::Random;
use common::{program, read};
use front::{Dialect, ReadOptions};
use ir::bp::print;

#[test]
fn depth_costs_no_stack() {
    const DEEP: usize = 50_000;
    const DEEPER: usize = 1_000_000;
    let nested = [
        format!("assume({}a{});", "(".repeat(DEEPER), ")".repeat(DEEPER)),
        format!("assume({}a);", "!".repeat(DEEPER / 4)),
        format!("assume({}a{});", "(a & ".repeat(DEEP), ")".repeat(DEEP)),
        format!("assume({}a{});", "schoose[a, ".repeat(DEEP), "]".repeat(DEEP)),
        format!("assume({}a{});", "a ? a : ".repeat(DEEP), ""),
        format!("assume({}a{});", "a ? ".repeat(DEEP), ": a".repeat(DEEP)),
        format!("assume({}a);", "a => ".repeat(DEEP)),
    ];
    for body in nested {
        let read = program(&format!("decl a; void main() begin {body} end"));
        assert!(program(&print::program(&read)) == read, "{}...", &body[..40]);
    }
}

#[test]
fn unfinished_depth_is_reported() {
    const DEEP: usize = 300_000;
    for body in ["(".repeat(DEEP), "!".repeat(DEEP), "schoose[".repeat(DEEP), "a ? ".repeat(DEEP)] {
        let text = format!("decl a; void main() begin assume({body}; end");
        assert!(read(&text, &ReadOptions::default()).is_err());
    }
}

#[test]
fn deep_blocks() {
    const DEEP: usize = 200_000;
    let blocks = format!("{}skip;{}", "if a then ".repeat(DEEP), " fi".repeat(DEEP));
    program(&format!("decl a; void main() begin {blocks} end"));
    let loops = format!("{}skip;{}", "while a do ".repeat(DEEP), " od".repeat(DEEP));
    program(&format!("decl a; void main() begin {loops} end"));
    let open = "if a then ".repeat(DEEP);
    assert!(read(&format!("decl a; void main() begin {open} end"), &ReadOptions::default()).is_err());
}

#[test]
fn long_files() {
    // No scan over everything for each statement, label, name or error.
    const LONG: usize = 100_000;
    let mut text = String::from("decl a;\n");
    for at in 0..LONG {
        text += &format!("decl s{at};\n");
    }
    text += "void main() begin\n";
    for at in 0..LONG {
        text += &format!("L{at}: s{at} := a; goto L{}; nobody{at} := 1;\n", LONG - 1 - at);
    }
    text += "end\n";
    let found = read(&text, &ReadOptions::default()).expect_err("some names are not declared");
    assert_eq!(found.len(), 101);
    program(&text.replace("nobody", "s"));
}

/// Texts that are almost programs.
#[test]
fn mutations_never_panic() {
    const SEEDS: [&str; 4] = [
        "decl a, b := 1; bool<2> f(p) begin decl q; enforce !p; return p, q; end void main() begin decl x; \
         L: x, _ := f(a | *); if x then goto L; elsif b then lock m; else unlock m; fi; while * do dead x; od \
         x, x$ := 'a, [x] constrain 'x$ => schoose[a, b]; ASYNC_1: f(1); start_thread goto L; end",
        "decl s := *; void main() begin decl l := 0; s := *; 0: s, l := l, s ? l : 0 constrain 's = s; 1: goto 0, 2; \
         2: assert(!s ^ l); 3: start_thread goto 1; 4: end_thread; end",
        "shared s = 0; local l = *; 1: l, [l] := s, ![l]; 2: goto 1, 3; 3: assume(l);",
        "lock m; thread_local t; start main some; start init i; atomic_variable a; error_label E; decl a; \
         void i() begin constrain('a & {x y}); print(\"z\"); end void main() begin E: abortif a; atomic_begin; end",
    ];
    const PIECES: [&str; 24] = [
        ";",
        ":",
        ":=",
        ",",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "$",
        "*",
        "?",
        "end",
        "begin",
        "fi",
        "od",
        "if",
        "decl",
        "0",
        "\0",
        "\u{1f9f5}",
        "void f() begin ",
    ];
    let mut random = Random::new(7);
    let (mut right, mut wrong) = (0, 0);
    for round in 0..3000 {
        let mut text = SEEDS[round % SEEDS.len()].to_string();
        for _ in 0..random.below(4) {
            mutate(&mut text, &PIECES, &mut random);
        }
        let dialect = random.percent(50).then(|| random.pick(&Dialect::ALL).1);
        match read(&text, &ReadOptions { dialect, ..ReadOptions::default() }) {
            Ok(made) => {
                assert!(program(&print::program(&made)) == made, "{text}");
                right += 1;
            }
            Err(found) => {
                assert!(!found.is_empty());
                wrong += 1;
            }
        }
    }
    assert!(right > 100 && wrong > 1000, "{right} right, {wrong} wrong");
}

/// Removes, doubles or inserts a piece somewhere.
fn mutate(text: &mut String, pieces: &[&str], random: &mut Random) {
    let mut boundary = |text: &str| {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (a, b) = (boundary(text), boundary(text));
    let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 20));
    let b = (a..=b).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(a);
    match random.below(3) {
        0 => drop(text.drain(a..b)),
        1 => {
            let piece = text[a..b].to_string();
            text.insert_str(a, &piece);
        }
        _ => text.insert_str(a, random.pick::<&str>(pieces)),
    }
}
