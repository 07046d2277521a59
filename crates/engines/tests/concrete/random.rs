//! Small random programs of every kind of step, in text form.

use base::Random;

pub const HEAD: &str = r#"
pointer 64
layout 0 stride 1 { 0 b2 "" }
layout 1 stride 40 { 0 mutex 40 "" }
layout 2 stride 48 { 0 cond 48 "" }
layout 3 stride 32 { 0 semaphore 32 "" }
layout 4 stride 8 { 0 ptr "" }
layout 5 stride 32 { 0 barrier 32 "" }
layout 6 stride 56 { 0 rwlock 56 "" }
layout 7 stride 4 { 0 once 4 "" }
layout 8 stride 8 { 0 b64 "" }
procedure main
procedure f
procedure g
procedure r => b2
main main
object x static 0 * 1
object y static 0 * 2
object m static 1 * 1
object n static 1 * 1
object c static 2 * 1
object s static 3 * 1
object gp static 4 * 1
object bar static 5 * 1
object rw static 6 * 1
object once static 7 * 1
object gh static 8 * 1
object mine thread 0 * 1
object ownmain of main 0 * 1
object ownf of f 0 * 1
object owng of g 0 * 1
property "it"
local @tls b2 = 0
"#;

/// A random program; `heap`: with allocations, addresses and objects of activations.
pub fn program(random: &mut Random, heap: bool) -> String {
    let mut text = HEAD.to_string();
    for name in ["main", "f", "g"] {
        text += &format!(
            "local {name}::a b2 = 0\nlocal {name}::b b2 = 0\nlocal {name}::p ptr = 0\nlocal {name}::h b64 = 0\nlocal {name}::e b32 = 0\n"
        );
    }
    text += "local r::n b2 = 0\nlocal r::q b2 = 0\n";
    for name in ["main", "f", "g"] {
        let steps = body(random, name, heap);
        text += &format!("body {name} () {{\n");
        for (at, step) in steps.iter().enumerate() {
            text += &format!("  {name}{at}: {step}\n");
        }
        text += &format!("  {name}{}: return\n}}\n", steps.len());
    }
    text += "body r (n) {\n  branch (eq n 0:b2) then zero\n  call r((sub n 1:b2)) result q\n  q := rmw [x 0] := (add q n)\n  return with q\n  zero: return with 0:b2\n}\n";
    text
}

/// Steps that often belong together, so that threads meet.
fn body(random: &mut Random, name: &str, heap: bool) -> Vec<String> {
    let mut steps: Vec<String> = vec![];
    let chunks = 1 + random.below(3);
    let most = 3 * chunks;
    if name == "main" {
        steps.push("sync init barrier 2:b32 [bar 0]".into());
        let creations = ["create f()", "create f() handle h", "create g()", "create g() handle h"];
        for _ in 0..1 + random.below(2) {
            steps.push(random.pick(&creations).to_string());
        }
    }
    for _ in 0..chunks {
        let mutex = *random.pick(&["[m 0]", "[n 0]"]);
        let inner: Vec<String> = (0..1 + random.below(2)).map(|_| step(random, name, most, heap)).collect();
        let around = match random.below(6) {
            0 => Some((format!("sync lock {mutex}"), format!("sync unlock {mutex}"))),
            1 => Some(("section begin".to_string(), "section end".to_string())),
            2 => Some(("a := load [x 0]".into(), "store [x 0] := (add a 1:b2)".into())),
            3 => Some(("b := load [y 0]".into(), format!("assert {} property 0", cond(random)))),
            4 => Some(("store [y 0] := 1:b2".into(), "a := load [x 0]".into())),
            _ => None,
        };
        let (before, after) = around.unzip();
        steps.extend(before);
        steps.extend(inner);
        steps.extend(after);
    }
    // Jumps go to steps that are there.
    let length = steps.len();
    let inside = |step: &String| {
        step.rsplit_once(" then ").map(|(start, target)| {
            let at: usize = target.trim_start_matches(name).parse().unwrap_or(0);
            format!("{start} then {name}{}", at.min(length))
        })
    };
    steps.iter().map(|step| inside(step).unwrap_or_else(|| step.clone())).collect()
}

fn expr(random: &mut Random) -> String {
    let leaf = |random: &mut Random| random.pick(&["a", "b", "0:b2", "1:b2", "3:b2", "@tls"]).to_string();
    let (one, two) = (leaf(random), leaf(random));
    match random.below(4) {
        0 => one,
        1 => format!("(add {one} {two})"),
        2 => format!("(divu {one} {two})"),
        _ => format!("(xor {one} {two})"),
    }
}

fn cond(random: &mut Random) -> String {
    let (one, two) = (expr(random), expr(random));
    match random.below(3) {
        0 => format!("(eq {one} {two})"),
        1 => format!("(not (eq {one} {two}))"),
        _ => format!("(ltu {one} {two})"),
    }
}

fn step(random: &mut Random, name: &str, length: usize, heap: bool) -> String {
    let shared = *random.pick(&["[x 0]", "[y 0]", "[y 1]", "[y at 1:b64]", "[mine 0]"]);
    let mutex = *random.pick(&["[m 0]", "[n 0]"]);
    let register = *random.pick(&["a", "b", "@tls"]);
    if heap && random.percent(35) {
        return heap_step(random, name);
    }
    match random.below(if name == "main" { 24 } else { 22 }) {
        0 | 1 => format!("{register} := load {shared}"),
        2 | 3 => format!("store {shared} := {}", expr(random)),
        4 => format!("{register} := any"),
        5 => format!("{register} := {}", expr(random)),
        6 | 7 => format!("branch {} then {name}{}", cond(random), random.below(length + 1)),
        8 => format!("assume {}", cond(random)),
        9 => format!("assert {} property 0", cond(random)),
        10 | 11 => format!("sync lock {mutex}"),
        12 | 13 => format!("sync unlock {mutex}"),
        14 => random.pick(&["section begin", "section end"]).to_string(),
        15 => format!("a := rmw {shared} := (add a 1:b2)"),
        16 => format!("a := rmw {shared} := b if (eq a 1:b2) success b weak"),
        17 => random
            .pick(&["sync trylock [m 0] code a", "sync timedlock [n 0] code a", "sync wait [m 0] [c 0]"])
            .to_string(),
        18 => random
            .pick(&["sync signal [c 0]", "sync broadcast [c 0]", "sync timedwait [m 0] [c 0] code a"])
            .to_string(),
        19 => {
            random.pick(&["sync semwait [s 0]", "sync post [s 0]", "sync arrive [bar 0] code a"]).to_string()
        }
        20 => random
            .pick(&[
                "sync rdlock [rw 0]",
                "sync wrlock [rw 0]",
                "sync rwunlock [rw 0]",
                "sync oncebegin [once 0] code a",
                "sync onceend [once 0]",
                "exit",
                "halt",
            ])
            .to_string(),
        21 => random
            .pick(&[
                "h := me",
                "join h code a",
                "store [gh 0] := h",
                "h := load [gh 0]",
                "create g()",
                "create g() handle h",
                "call r(b) result a",
            ])
            .to_string(),
        22 => random.pick(&["create f()", "create f() handle h"]).to_string(),
        _ => random.pick(&["create g()", "create g() handle h"]).to_string(),
    }
}

fn heap_step(random: &mut Random, name: &str) -> String {
    let own = format!("own{name}");
    match random.below(12) {
        0 => "p := alloc 0 * 1:b64".into(),
        1 => "p := alloc 0 * 1:b64 zeroed".into(),
        2 => "free p".into(),
        3 | 4 => format!("store [*p 0] := {}", expr(random)),
        5 => "a := load [*p 0]".into(),
        6 => "store [gp 0] := p".into(),
        7 => "p := load [gp 0]".into(),
        8 => format!("enter {own}"),
        9 => format!("leave {own}"),
        10 => format!("p := {}", random.pick(&["&x", "&mine", &format!("&{own}")])),
        _ => format!("b := load [{own} 0]"),
    }
}
