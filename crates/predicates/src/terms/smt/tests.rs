//! Random expressions of all operators and widths, as text and as circuits: both have the value that the
//! machine gives them, where it gives one. The text is evaluated here, and by a solver where one is found; no
//! test needs one.

use super::*;
use crate::terms::circuits::{Circuits, Reading, View};
use base::{Arena, Random};
use c::types::signed;
use c::{Evaluator, Type, Value};
use relation::{ControlId, Home, Variable};
use solve::aig::Lit;
use solve::bv;
use std::process::Command;
use testing::expressions::{Expressions, number as random_number};

const WIDTHS: [u8; 16] = [1, 2, 3, 5, 7, 8, 12, 16, 24, 31, 32, 33, 63, 64, 65, 128];

fn relation() -> Relation {
    let mut variables = Arena::new();
    for bits in WIDTHS.into_iter().flat_map(|it| [it, it]) {
        variables.push(Variable {
            name: format!("x{bits}"),
            ty: Type::Bits(bits),
            home: Home::Shared,
            signed: false,
            initial: None,
            ghost: false,
        });
    }
    let start = <ControlId as Id>::from_index(0);
    Relation {
        accesses: None,
        exprs: Exprs::new(64),
        variables,
        controls: Arena::new(),
        commands: vec![],
        start,
    }
}

/// A relation with random conditions in its pool.
fn conditions(seed: u64, count: usize, strange: bool) -> (Relation, Vec<ExprId>) {
    let mut relation = relation();
    let mut random = Random::new(seed);
    let variables = relation.variables.enumerate().map(|(id, it)| (id, it.ty)).collect();
    let exprs = relation.exprs.clone();
    let mut maker = Expressions {
        random: &mut random,
        exprs,
        variables,
        widths: WIDTHS.to_vec(),
        addresses: vec![],
        strange,
    };
    let roots = (0..count).map(|_| maker.condition(4)).collect();
    relation.exprs = maker.exprs;
    (relation, roots)
}

/// Random values of all variables.
fn values(relation: &Relation, random: &mut Random) -> FxHashMap<LocalId, u128> {
    let bits = |it: LocalId| relation.variables[it].ty.bits(64);
    relation.variables.ids().map(|it| (it, random_number(random) & mask(bits(it)))).collect()
}

/// The value by circuits whose inputs are numbers.
fn by_circuits(relation: &Relation, root: ExprId, values: &FxHashMap<LocalId, u128>) -> u128 {
    let words = values
        .iter()
        .map(|(&id, &value)| (id, bv::constant(value, usize::from(relation.variables[id].ty.bits(64)))));
    let mut view = View::with(0, words.collect());
    let budget = Budget::unlimited();
    let mut reading = Reading { relation, exprs: &relation.exprs, view: &mut view, budget: &budget };
    let word = Circuits::new().word(&mut reading, root).expect("there is no limit");
    word.iter().enumerate().fold(0, |value, (at, &lit)| {
        assert!(lit == Lit::TRUE || lit == Lit::FALSE, "numbers fold");
        value | u128::from(lit == Lit::TRUE) << at
    })
}

/// The values by the machine of all expressions that have one.
fn by_machine(relation: &Relation, values: &FxHashMap<LocalId, u128>) -> Vec<Option<u128>> {
    let program = testing::programs::normalised("t.c", "int main(void) { return 0; }", &[]);
    let machine = Evaluator::new(&program.expect("it is C").program);
    let exprs = &relation.exprs;
    let mut found: Vec<Option<u128>> = vec![];
    for id in exprs.ids() {
        let get = |it: ExprId| found[it.index()].map(Value::Bits);
        let ty = |it: ExprId| exprs.ty(it);
        let value = match exprs.node(id) {
            Node::Const(_, value) => Some(Value::Bits(value)),
            Node::Local(local, _) => Some(Value::Bits(values[&local])),
            Node::Address(_) => None,
            Node::Unary(op, a) => get(a).and_then(|it| machine.unary(op, ty(a), it).ok()),
            Node::Binary(op, a, b) => {
                get(a).zip(get(b)).and_then(|(x, y)| machine.binary(op, ty(a), x, y).ok())
            }
            Node::Convert(op, to, a) => get(a).and_then(|it| machine.convert(op, ty(a), to, it).ok()),
            Node::Ite(test, a, b) => get(test).and_then(|it| get(if it == Value::Bits(0) { b } else { a })),
        };
        found.push(value.and_then(|it| if let Value::Bits(bits) = it { Some(bits) } else { None }));
    }
    found
}

/// The script that says which values the variables have and asks for one more thing.
fn script(relation: &Relation, values: &FxHashMap<LocalId, u128>) -> Script {
    let mut script = Script::new();
    for id in relation.variables.ids() {
        let term = script.input(relation, id);
        script.equal(&term, values[&id]);
    }
    script
}

fn write(script: &mut Script, relation: &Relation, view: &mut SmtView, root: ExprId) -> Term {
    let budget = Budget::unlimited();
    let mut reading = SmtReading { relation, exprs: &relation.exprs, view, budget: &budget };
    script.word(&mut reading, root).expect("there is no limit")
}

#[test]
fn text_circuits_and_machine_agree() {
    let (relation, roots) = conditions(11, 400, false);
    let mut random = Random::new(12);
    let (mut compared, mut defined) = (0, 0);
    for _ in 0..6 {
        let values = values(&relation, &mut random);
        let machine = by_machine(&relation, &values);
        let mut script = script(&relation, &values);
        let mut view = SmtView::default();
        for &root in &roots {
            write(&mut script, &relation, &mut view, root);
        }
        let text = evaluated(&script.text);
        for (&id, term) in &view.memo {
            let value = text[&term.name];
            assert_eq!(value, by_circuits(&relation, id, &values), "{}", relation.show(id));
            if let Some(meaning) = machine[id.index()] {
                assert_eq!(value, meaning, "{}", relation.show(id));
                defined += 1;
            }
            compared += 1;
        }
    }
    assert!(compared > 10_000 && defined > 5_000, "{compared} compared, {defined} with a meaning");
}

#[test]
fn what_has_no_circuit_is_any_value() {
    let (relation, roots) = conditions(21, 300, true);
    let (mut script, mut view) = (Script::new(), SmtView::default());
    roots.iter().for_each(|&root| {
        write(&mut script, &relation, &mut view, root);
    });
    let mut fresh = 0;
    for id in relation.exprs.ids() {
        let Some(term) = view.memo.get(&id) else { continue };
        let has_none = match relation.exprs.node(id) {
            Node::Address(_) => true,
            Node::Binary(_, a, _) => relation.exprs.ty(a).is_float(),
            _ => false,
        };
        assert_eq!(term.name.starts_with('f'), has_none, "{}", relation.show(id));
        fresh += usize::from(has_none);
    }
    assert!(fresh >= 2, "only {fresh} are any value");
}

/// With a solver on this machine: what the circuits say of numbers is all that can be.
#[test]
fn a_solver_that_is_found_agrees() {
    for solver in ["z3", "cvc5"] {
        if Command::new(solver).arg("--version").output().is_err() {
            continue;
        }
        let (relation, roots) = conditions(31, 150, false);
        let values = values(&relation, &mut Random::new(32));
        let mut script = script(&relation, &values);
        let mut view = SmtView::default();
        let mut same = vec![];
        for &root in &roots {
            let term = write(&mut script, &relation, &mut view, root);
            same.push(format!("(= {} #b{})", term.name, by_circuits(&relation, root, &values)));
        }
        script.line(format_args!("(assert (not (and {})))", same.join(" ")));
        assert_eq!(answer(solver, &script.question()), "unsat", "{solver}");
    }
}

fn answer(solver: &str, text: &str) -> String {
    let name = format!("selvedge-smt-{}-{solver}.smt2", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).expect("a file for the test");
    let output = Command::new(solver).arg(&path).output().expect("it was found");
    std::fs::remove_file(&path).expect("it was written");
    String::from_utf8_lossy(&output.stdout).trim().into()
}

/// The values of all names of a script without free variables: every declared one is asserted to be a number.
fn evaluated(text: &str) -> FxHashMap<String, u128> {
    let mut names: FxHashMap<String, Number> = FxHashMap::default();
    for line in text.lines().map(|it| it.split(';').next().unwrap_or_default()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        let mut tokens = spaced.split_whitespace();
        match words.first().copied() {
            Some("(assert") => {
                // ( assert ( = name value ) )
                let name = words[2].to_string();
                tokens.by_ref().take(5).for_each(drop);
                let value = term(&mut tokens, &names);
                names.insert(name, value);
            }
            Some("(define-fun") => {
                // ( define-fun name ( ) ( _ BitVec bits ) body )
                let name = words[1].to_string();
                tokens.by_ref().take(10).for_each(drop);
                let value = term(&mut tokens, &names);
                let bits = words[5].trim_end_matches(')').parse();
                assert_eq!(Ok(value.bits), bits, "the width of {line}");
                names.insert(name, value);
            }
            Some("(declare-fun" | "(set-logic") => {}
            other => panic!("{other:?} is no command of a script"),
        }
    }
    names.into_iter().map(|(name, it)| (name, it.value)).collect()
}

#[derive(Clone, Copy, Debug)]
struct Number {
    value: u128,
    bits: u8,
}

/// Evaluates one term, as the standard has it.
fn term<'t>(tokens: &mut impl Iterator<Item = &'t str>, names: &FxHashMap<String, Number>) -> Number {
    let first = tokens.next().expect("a term");
    if first != "(" {
        return match first.strip_prefix("#b") {
            Some(bits) => Number { value: u128::from(bits == "1"), bits: 1 },
            None => names[first],
        };
    }
    let mut operator = tokens.next().expect("an operator").to_string();
    if operator == "_" {
        let value = tokens.next().and_then(|it| it.strip_prefix("bv")).expect("a number");
        let bits = tokens.next().expect("a width").parse().expect("a width");
        assert_eq!(tokens.next(), Some(")"));
        return Number { value: value.parse().expect("a number"), bits };
    }
    let mut indices: Vec<u8> = vec![];
    if operator == "(" {
        assert_eq!(tokens.next(), Some("_"));
        operator = tokens.next().expect("an operator").to_string();
        for word in tokens.by_ref().take_while(|it| *it != ")") {
            indices.push(word.parse().expect("an index"));
        }
    }
    let arguments = match operator.as_str() {
        "ite" => 3,
        "bvnot" | "bvneg" | "extract" | "zero_extend" | "sign_extend" => 1,
        _ => 2,
    };
    let arguments: Vec<Number> = (0..arguments).map(|_| term(tokens, names)).collect();
    assert_eq!(tokens.next(), Some(")"));
    applied(&operator, &indices, &arguments)
}

fn applied(operator: &str, indices: &[u8], arguments: &[Number]) -> Number {
    let Number { value: a, bits } = arguments[0];
    let second = arguments.get(1).copied().unwrap_or(arguments[0]);
    let sized = matches!(operator, "ite" | "extract" | "zero_extend" | "sign_extend");
    assert!(sized || second.bits == bits, "{operator} on {arguments:?}");
    let b = second.value;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = u32::try_from(b).unwrap_or(u32::MAX).min(127);
    let far = b >= u128::from(bits);
    let truth = |it: bool| Number { value: u128::from(it), bits: 1 };
    let value = match operator {
        "=" => return truth(a == b),
        "bvult" => return truth(a < b),
        "bvule" => return truth(a <= b),
        "bvslt" => return truth(sa < sb),
        "bvsle" => return truth(sa <= sb),
        "ite" => {
            assert_eq!(arguments[1].bits, arguments[2].bits);
            return arguments[if a == 1 { 1 } else { 2 }];
        }
        "extract" => return Number { value: a & mask(indices[0] + 1), bits: indices[0] + 1 },
        "zero_extend" => return Number { value: a, bits: bits + indices[0] },
        "sign_extend" => {
            return Number { value: sa as u128 & mask(bits + indices[0]), bits: bits + indices[0] };
        }
        "bvnot" => !a,
        "bvneg" => a.wrapping_neg(),
        "bvadd" => a.wrapping_add(b),
        "bvsub" => a.wrapping_sub(b),
        "bvmul" => a.wrapping_mul(b),
        "bvand" => a & b,
        "bvor" => a | b,
        "bvxor" => a ^ b,
        "bvudiv" => a.checked_div(b).unwrap_or(u128::MAX),
        "bvurem" => a.checked_rem(b).unwrap_or(a),
        "bvsdiv" if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        "bvsdiv" => sa.wrapping_div(sb) as u128,
        "bvsrem" if b == 0 => a,
        "bvsrem" => sa.wrapping_rem(sb) as u128,
        "bvshl" => {
            if far {
                0
            } else {
                a << shift
            }
        }
        "bvlshr" => {
            if far {
                0
            } else {
                a >> shift
            }
        }
        "bvashr" => (sa >> shift) as u128,
        _ => panic!("`{operator}` is not one that is written"),
    };
    Number { value: value & mask(bits), bits }
}
