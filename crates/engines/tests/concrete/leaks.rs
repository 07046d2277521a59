//! Random programs that allocate, pass pointers on, and mostly free what they have.

use base::Random;

const HEAD: &str = r#"
pointer 64
layout 0 stride 8 { 0 ptr "" }
layout 1 stride 8 { 0 b64 "" }
layout 2 stride 40 { 0 mutex 40 "" }
procedure main
procedure f
procedure g => ptr
main main
object gp static 0 * 1
object gh static 1 * 1
object m static 2 * 1
object mine thread 0 * 1
object ownmain of main 0 * 1
object ownf of f 0 * 1
property "it"
"#;

/// A random program of one or two threads beside `main`.
pub fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_string();
    for name in ["main", "f"] {
        for (local, ty) in [("p", "ptr"), ("q", "ptr"), ("h", "b64")] {
            text += &format!("local {name}::{local} {ty} = 0\n");
        }
    }
    text += "local g::x ptr = 0\n";
    text += &format!("body main () {{\n{}}}\n", main(random));
    text += &format!("body f (p) {{\n{}}}\n", thread(random));
    let passes = ["free x return with x", "store [gp 0] := x return with 0:ptr", "return with x"];
    text + &format!("body g (x) {{ {} }}\n", random.pick(&passes))
}

fn main(random: &mut Random) -> String {
    let mut steps = vec![];
    if random.percent(50) {
        steps.push("p := alloc 0 * 1:b64".to_string());
    }
    steps.extend(some(random, "main", 2));
    for _ in 0..1 + random.below(2) {
        let creations =
            ["create f(p)", "create f(0:ptr)", "create f(p) handle h", "create f(0:ptr) handle h"];
        steps.push(random.pick(&creations).to_string());
    }
    steps.extend(some(random, "main", 2));
    let last = ["join h", "join h result q", "free p", "p := load [gp 0]", "store [gp 0] := 0:ptr"];
    steps.push(random.pick(&last).to_string());
    steps.push(random.pick(&["free p", "free q", "skip"]).to_string());
    let ends = ["halt return", "halt return", "halt", "return", "exit with p"];
    steps.push(random.pick(&ends).to_string());
    lines(&steps)
}

fn thread(random: &mut Random) -> String {
    let mut steps = vec![];
    if random.percent(60) {
        steps.push("q := alloc 0 * 1:b64 zeroed".to_string());
    }
    steps.extend(some(random, "f", 3));
    steps.push(random.pick(&["free q", "free p", "store [gp 0] := q", "skip"]).to_string());
    steps.push(random.pick(&["return", "return", "exit with q", "exit with p"]).to_string());
    lines(&steps)
}

fn lines(steps: &[String]) -> String {
    steps.iter().map(|step| format!("  {step}\n")).collect()
}

fn some(random: &mut Random, name: &str, most: usize) -> Vec<String> {
    let mut steps = vec![];
    for _ in 0..random.below(most + 1) {
        let step = step(random, name);
        match random.below(8) {
            0 => steps.extend(["section begin".to_string(), step, "section end".to_string()]),
            1 => steps.extend(["sync lock [m 0]".to_string(), step, "sync unlock [m 0]".to_string()]),
            _ => steps.push(step),
        }
    }
    steps
}

fn step(random: &mut Random, name: &str) -> String {
    let own = format!("own{name}");
    let steps = [
        "p := alloc 0 * 1:b64",
        "p := alloc 0 * 1:b64 automatic",
        "free p",
        "free q",
        "free q",
        "p := q",
        "q := p",
        "p := 0:ptr",
        "store [gp 0] := p",
        "store [gp 0] := q",
        "p := load [gp 0]",
        "q := load [gp 0]",
        "store [*p 0] := q",
        "q := load [*p 0]",
        "store [mine 0] := p",
        "p := load [mine 0]",
        "p := rmw [gp 0] := q",
        "q := rmw [gp 0] := 0:ptr",
        "p := rmw [gp 0] := q if (eq p q)",
        "assume (eq p q)",
        "assume (not (eq p 0:ptr))",
        "call g(p) result p",
        "call g(q) result q",
        "call g(q)",
        "h := me",
        "store [gh 0] := h",
        "h := load [gh 0]",
        "join h result p",
        "halt",
    ];
    match random.below(steps.len() + 3) {
        at if at < steps.len() => steps[at].to_string(),
        at if at == steps.len() => format!("enter {own}"),
        at if at == steps.len() + 1 => format!("store [{own} 0] := q"),
        _ => format!("leave {own}"),
    }
}
