//! Random programs in normalised C, as text, small enough for brute force: numbers of two bits, a few shared
//! scalars and a mutex, threads that are created once or twice, calls, objects of activations (some with
//! their address taken), values that nobody reads and values that only move on.

use base::Random;
use std::fmt::Write;

/// What makes a program large is rare.
const HEAD: &str = "pointer 64\nlayout 0 stride 1 { 0 b2 \"\" }\nlayout 1 stride 40 { 0 mutex 40 \"\" }\n\
    procedure main\nprocedure worker\nprocedure f => b2\nprocedure q\nmain main\n\
    object g static 0 * 1\nobject k static 0 * 2\nobject m static 1 * 1\n\
    object mo of main 0 * 1\nobject wo of worker 0 * 2\nobject fo of f 0 * 1\nobject qo of q 0 * 1\nobject mine thread 0 * 1\n\
    local @tls b2 = 1\n";

/// The program with this seed.
pub fn normalised(seed: u64) -> String {
    program(seed, Kind::Plain)
}

/// The program with this seed, in which loops with counters create and join threads.
pub fn thread_loops(seed: u64) -> String {
    program(seed, Kind::Loops)
}

/// The same in which results are copied to other registers.
pub fn copies(seed: u64) -> String {
    program(seed, Kind::Copies)
}

/// What a program has more of than others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Loops,
    Copies,
}

fn program(seed: u64, kind: Kind) -> String {
    let loops = kind == Kind::Loops;
    let mut maker = Maker {
        random: Random::new(seed),
        text: HEAD.into(),
        own: "",
        labels: 0,
        properties: 0,
        calls: true,
        loops,
        copies: kind == Kind::Copies,
    };
    if loops {
        maker.text += "layout 2 stride 8 { 0 b64 \"\" }\nobject hs static 2 * 4\nlocal main::i b2 = 0\nlocal main::n b2 = 0\n";
    }
    for procedure in ["main", "worker", "f", "q"] {
        for (name, ty) in [("a", "b2"), ("b", "b2"), ("d", "b2"), ("t", "b1")] {
            let _ = writeln!(maker.text, "local {procedure}::{name} {ty} = {}", maker.random.below(2));
        }
        let _ = writeln!(maker.text, "local {procedure}::p ptr = 0");
    }
    maker.text += "local main::h b64 = 0\n";
    let mut bodies = String::new();
    for (procedure, own) in [("main", "mo"), ("worker", "wo"), ("f", "fo"), ("q", "qo")] {
        bodies += &maker.body(procedure, own);
    }
    for number in 0..maker.properties {
        let _ = writeln!(maker.text, "property \"p{number}\"");
    }
    maker.text + &bodies
}

struct Maker {
    random: Random,
    text: String,
    /// The object of the activation.
    own: &'static str,
    /// The steps of the body so far, and how many there will be at least.
    labels: usize,
    properties: usize,
    calls: bool,
    loops: bool,
    copies: bool,
}

impl Maker {
    fn body(&mut self, procedure: &'static str, own: &'static str) -> String {
        self.own = own;
        self.calls = procedure != "q";
        let large = matches!(procedure, "main" | "worker") && !self.loops;
        let number = if self.loops {
            1 + self.random.below(2)
        } else {
            3 + self.random.below(if large { 7 } else { 4 })
        };
        let params = match procedure {
            "worker" => "a",
            "f" => "a, p",
            "q" => "b, p",
            _ => "",
        };
        let mut steps: Vec<String> = vec![];
        if self.random.percent(95) {
            steps.push(format!("enter {own}"));
        }
        if self.random.percent(60) {
            steps.push(format!("store [{own} 0] := {}", self.number(1)));
        }
        if params.is_empty() || procedure == "worker" {
            steps.push("p := &g".into());
        }
        if procedure == "main" && self.loops {
            self.thread_loop(&mut steps, true);
        } else if procedure == "main" {
            steps.push(format!("create worker({}) handle h", self.number(1)));
        }
        self.labels = number;
        for _ in 0..number {
            let many = 1 + self.random.below(2);
            for _ in 0..many {
                steps.push(self.step(procedure));
            }
            if self.copies {
                steps.extend(self.copy());
            }
        }
        if procedure == "main" && self.loops {
            self.thread_loop(&mut steps, false);
            let step = self.step(procedure);
            steps.push(step);
        }
        if procedure == "main" && !self.loops && self.random.percent(30) {
            steps.push("create worker(3:b2)".into());
        }
        if procedure == "main" && !self.loops && self.random.percent(40) {
            steps.push("join h code d".into());
            steps.push(self.step(procedure));
        }
        let halts = procedure == "main" && self.random.percent(60);
        if halts && self.random.percent(60) {
            steps.extend(["b := load [k 1]".into(), format!("branch (eq b d) then s{}", steps.len())]);
        }
        if self.random.percent(40) && !halts {
            steps.push(format!("leave {own}"));
        }
        steps.push(match procedure {
            "f" => format!("return with {}", self.number(1)),
            _ if halts => "halt".into(),
            _ => "return".into(),
        });
        let labelled: String = steps.iter().enumerate().map(|(at, it)| format!("  s{at}: {it}\n")).collect();
        format!("body {procedure} ({params}) {{\n{labelled}}}\n")
    }

    /// A loop that creates or joins threads, with its condition before or after its body. Jumps elsewhere may
    /// lead into it.
    fn thread_loop(&mut self, steps: &mut Vec<String>, creates: bool) {
        let (first, turns) = (self.random.below(2), 1 + self.random.below(2));
        let handle = "[hs at (shl (zext b64 i) 3:b8)]";
        let mut body: Vec<String> = match creates {
            true => {
                vec![format!("create worker({}) handle h", self.number(1)), format!("store {handle} := h")]
            }
            false => vec![format!("h := load {handle}"), "join h code d".into()],
        };
        if self.random.percent(30) {
            body.insert(1, self.step("main"));
        }
        steps.push(format!("i := {first}:b2"));
        let head = steps.len();
        let again = format!("(ltu i {}:b2)", (first + turns).min(3));
        if self.random.percent(50) {
            steps.push(format!("n := (sub {}:b2 i)", (first + turns).min(3)));
            steps.push(format!("branch (eq n 0:b2) then s{}", head + body.len() + 4));
            steps.extend(body);
            steps.push("i := (add i 1:b2)".into());
            steps.push(format!("skip => s{head}"));
        } else {
            steps.extend(body);
            steps.push("i := (add i 1:b2)".into());
            steps.push(format!("branch {again} then s{head}"));
        }
    }

    /// A result that is copied to another register, and what it is then used for.
    fn copy(&mut self) -> Vec<String> {
        let pairs = [("a", "b"), ("b", "a"), ("d", "a"), ("d", "b"), ("b", "d")];
        let (from, to) = *self.random.pick(&pairs);
        let place = self.place();
        let gives = match self.random.below(5) {
            0 => format!("{from} := any"),
            1 => format!("{from} := rmw {place} := (add {from} 1:b2)"),
            2 if self.calls && self.own != "fo" => format!("call f({}, &g) result {from}", self.number(1)),
            _ => format!("{from} := load {place}"),
        };
        self.properties += 1;
        let asserts = format!("assert {} property {}", self.condition(), self.properties - 1);
        let again = format!("{from} := {}", self.number(1));
        vec![gives, format!("{to} := {from}"), again, asserts]
    }

    fn register(&mut self) -> &'static str {
        const REGISTERS: [&str; 7] = ["a", "b", "d", "a", "b", "d", "@tls"];
        REGISTERS[self.random.below(REGISTERS.len())]
    }

    fn step(&mut self, procedure: &str) -> String {
        let register = self.register();
        match self.random.below(24) {
            0..5 => format!("{register} := {}", self.number(2)),
            5 => format!("t := {}", self.condition()),
            6 => format!("{register} := any"),
            7 => format!("{register} := any 1..2 unsigned"),
            8 | 9 => format!("{register} := load {}", self.place()),
            10 | 11 => format!("store {} := {}", self.place(), self.number(1)),
            12 => {
                let guard = if self.random.percent(50) { " if (ltu b 2:b2) success t" } else { "" };
                format!("d := rmw {} := (add d 1:b2){guard}", self.place())
            }
            13 => format!("branch {} then s{}", self.condition(), self.random.below(self.labels)),
            14 if self.random.percent(30) => format!("assume {}", self.condition()),
            15 if self.random.percent(30) => {
                let pair = if self.random.percent(50) { ["lock", "unlock"] } else { ["trylock", "unlock"] };
                let code = if self.random.percent(50) { " code d" } else { "" };
                format!("sync {} [m 0]{code}", self.random.pick(&pair))
            }
            15 => (*self.random.pick(&[
                "section begin",
                "section end",
                "section end",
                "skip",
                "p := &g",
                "sync unlock [m 0]",
            ]))
            .to_string(),
            16 | 17 if self.calls && procedure != "f" => self.call(),
            16 if procedure == "f" && self.random.percent(25) => self.call(),
            _ => {
                self.properties += 1;
                format!("assert {} property {}", self.condition(), self.properties - 1)
            }
        }
    }

    fn call(&mut self) -> String {
        let own = self.own;
        let pointer = match self.random.below(4) {
            0 => format!("&{own}"),
            1 => "p".into(),
            _ => "&g".into(),
        };
        let argument = if self.random.percent(40) { "2:b2".into() } else { self.number(1) };
        match self.random.percent(60) {
            true => format!("call f({argument}, {pointer}) result {}", self.register()),
            false => format!("call q({argument}, {pointer})"),
        }
    }

    fn place(&mut self) -> String {
        let own = self.own;
        match self.random.below(8) {
            0 | 1 => "[g 0]".into(),
            2 => "[k 1]".into(),
            3 => "[k at (zext b64 (and a 1:b2))]".into(),
            4 | 5 => format!("[{own} 0]"),
            6 => "[mine 0]".into(),
            _ => "[*p 0]".into(),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.percent(35) {
            return match self.random.below(5) {
                0 | 1 => format!("{}:b2", self.random.below(4)),
                _ => self.register().into(),
            };
        }
        let (one, other) = (self.number(depth - 1), self.number(depth - 1));
        match self.random.below(12) {
            0 if self.random.percent(30) => format!("(divu {one} {other})"),
            1 => format!("(ite t {one} {other})"),
            2 => format!("(shl {one} 1:b2)"),
            at => format!("({} {one} {other})", ["add", "xor", "mul", "sub", "or"][at % 5]),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => "t".into(),
            1 => format!("(not (eq {} {}))", self.register(), self.number(0)),
            2 => format!("(ltu {} {})", self.number(1), self.number(0)),
            _ => format!("(eq {} {})", self.register(), self.number(1)),
        }
    }
}
