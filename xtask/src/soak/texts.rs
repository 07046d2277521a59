//! Programs as text: read back from the canonical text they are the same, and translations keep to their
//! format.

use super::ask::{Failure, Kind};
use base::{Budget, SourceMap};
use ir::bp::{Node, print};
use ir::{Model, Program};
use verify::translate::{Target, translate};

/// Reads a program from its canonical text.
pub fn read(text: &str) -> Option<Program> {
    let mut map = SourceMap::new();
    let file = map.add("soak.bp", text);
    front::read_program(&map, file, &front::ReadOptions::default()).ok().map(|(program, _)| program)
}

/// What is wrong with the texts of a model.
pub fn check(model: &Model) -> Option<Failure> {
    let failure = |kind, who: &str, message: &str| {
        Some(Failure { kind, who: who.to_string(), message: message.to_string() })
    };
    if let Model::Program(program) = model {
        match read(&print::program(program)) {
            None => return failure(Kind::Text, "bp", "the canonical text is refused"),
            Some(read) if without_idle_enforce(&read) != without_idle_enforce(program) => {
                return failure(Kind::Text, "bp", "the canonical text is another program");
            }
            Some(_) => {}
        }
    }
    // What cannot be translated is refused with a reason, which is no failure.
    let promela = translate(model, Target::Promela, Some(2), &Budget::with_ticks(1_000_000)).ok()?;
    let token = two_operators(&promela)?;
    failure(Kind::Translation, "promela", &format!("`{token}` is another operator in Promela"))
}

/// Two signs that Promela reads as one operator (a sorted send, a random receive) where an expression has
/// two.
fn two_operators(promela: &str) -> Option<&'static str> {
    let mut code = promela.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.find_map(|line| ["!!", "??"].into_iter().find(|token| line.contains(token)))
}

/// The reader drops `enforce 1`, which says nothing.
fn without_idle_enforce(program: &Program) -> Program {
    let mut builder = program.edit();
    for loc in program.locations().ids() {
        let says = |e| program.exprs().node(e) != Node::Const(true);
        builder.at(loc).enforce = program.at(loc).enforce.filter(|&e| says(e));
    }
    builder.finish().expect("it stays valid")
}
