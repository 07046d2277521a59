//! Reading what was written gives the same proof back, and no text makes the reader panic.

use super::*;
use crate::{Control, Home, Relation, Variable};
use base::{Arena, Budget, Id, Random};
use c::expr::{Convert, Node, Unary};
use c::program::{Loc, LocalId, ProcId};
use c::types::Type;

/// Variables of several types, two of the same name, one with an odd name.
fn relation() -> Relation {
    let names = ["x", "lock", "t", "t", "odd \"name\"\n#", "any", "p"];
    let types =
        [Type::Bits(32), Type::Bits(1), Type::Bits(8), Type::Bits(8), Type::Bits(128), Type::Bits(32)];
    let types = types.into_iter().chain([Type::Pointer]);
    let variable = |(name, ty): (&str, Type)| Variable {
        name: name.to_string(),
        ty,
        home: Home::Shared,
        signed: false,
        initial: None,
        ghost: false,
    };
    let control = |loc: usize| Control {
        loc: Loc::from_index(loc * 3),
        phase: 0,
        template: ProcId::from_index(0),
        live: vec![],
    };
    let mut exprs = Exprs::new(64);
    exprs.number(Type::Bits(32), 7);
    Relation {
        exprs,
        variables: names.into_iter().zip(types).map(variable).collect(),
        controls: (0..6).map(control).collect::<Arena<ControlId, Control>>(),
        commands: vec![],
        start: ControlId::from_index(0),
        accesses: None,
    }
}

/// Any expression, of any type.
fn expression(relation: &Relation, exprs: &mut Exprs, random: &mut Random) -> ExprId {
    let mut made: Vec<ExprId> =
        relation.variables.enumerate().map(|(id, it)| exprs.add(Node::Local(id, it.ty))).collect();
    made.push(exprs.number(Type::Bits(random.below(128) as u8 + 1), u128::from(random.bits())));
    for _ in 0..1 + random.below(8) {
        let [a, b, c] = [0; 3].map(|_| *random.pick(&made));
        let binary = [Binary::Add, Binary::Eq, Binary::ShrS, Binary::LtF, Binary::LeU];
        let node = match random.below(4) {
            0 => Node::Unary(*random.pick(&[Unary::Not, Unary::Neg]), a),
            1 => Node::Convert(Convert::SignExtend, Type::Bits(64), a),
            2 => Node::Ite(a, b, c),
            _ => Node::Binary(*random.pick(&binary), a, b),
        };
        made.push(exprs.add(node));
    }
    made[made.len() - 1]
}

fn table(random: &mut Random) -> Table {
    let columns: Vec<Column> = (0..random.below(5))
        .map(|_| {
            let index = random.below(9);
            *random.pick(&[Column::First(index), Column::Second(index), Column::Pair(index)])
        })
        .collect();
    let row = |random: &mut Random| {
        columns.iter().map(|_| *random.pick(&[None, Some(false), Some(true)])).collect()
    };
    let rows = (0..random.below(4)).map(|_| row(random)).collect();
    Table { columns, rows }
}

fn proof(relation: &Relation, random: &mut Random) -> Proof {
    let mut exprs = relation.exprs.clone();
    let mut make = |random: &mut Random| expression(relation, &mut exprs, random);
    let predicates = (0..random.below(5)).map(|_| make(random)).collect();
    let pairs = (0..random.below(3))
        .map(|_| PairPredicate { left: make(random), compare: Binary::LtS, right: make(random) })
        .collect();
    let control = |random: &mut Random| ControlId::from_index(random.below(6));
    let counts = (0..random.below(3)).map(|_| Count {
        variable: LocalId::from_index(random.below(relation.variables.len())),
        controls: (0..random.below(4)).map(|_| control(random)).collect(),
    });
    let counts = counts.collect();
    let singles = (0..random.below(4)).map(|_| Single { control: control(random), table: table(random) });
    let singles = singles.collect();
    let doubles = random.percent(60).then(|| {
        let double = |random: &mut Random| Double {
            first: control(random),
            second: control(random),
            table: table(random),
        };
        (0..random.below(4)).map(|_| double(random)).collect()
    });
    Proof { exprs, predicates, pairs, counts, singles, doubles, races: false }
}

fn parsed(text: &str, relation: &Relation) -> Result<Proof, Unread> {
    read(text, relation, &Budget::unlimited())
}

#[test]
fn reading_what_was_written_gives_it_back() {
    let relation = relation();
    let mut random = Random::new(31);
    for _ in 0..500 {
        let proof = proof(&relation, &mut random);
        let text = write(&relation, &proof);
        let back = parsed(&text, &relation).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!((&back.singles, &back.doubles), (&proof.singles, &proof.doubles));
        assert_eq!(back.counts, proof.counts);
        assert_eq!(write(&relation, &back), text);
        // The expressions are the same ones, in whatever pool.
        let mut pool = proof.exprs.clone();
        let same =
            back.predicates.iter().map(|&e| pool.import(&back.exprs, e, |leaf| leaf)).collect::<Vec<_>>();
        assert_eq!(same, proof.predicates);
        let sides = |it: &PairPredicate| [it.left, it.right];
        let same: Vec<ExprId> =
            back.pairs.iter().flat_map(sides).map(|e| pool.import(&back.exprs, e, |leaf| leaf)).collect();
        assert_eq!(same, proof.pairs.iter().flat_map(sides).collect::<Vec<_>>());
        assert_eq!(pool.len(), proof.exprs.len());
    }
}

#[test]
fn an_expression_that_is_used_often_is_written_once() {
    let relation = relation();
    let mut proof = proof(&relation, &mut Random::new(1));
    let mut e = proof.exprs.add(Node::Local(LocalId::from_index(0), Type::Bits(32)));
    for _ in 0..200 {
        e = proof.exprs.binary(Binary::Add, e, e);
    }
    proof.predicates = vec![e];
    let text = write(&relation, &proof);
    assert!(text.len() < 10_000, "{} bytes", text.len());
    assert_eq!(write(&relation, &parsed(&text, &relation).expect("it was written")), text);
}

#[test]
fn a_proof_of_another_program_is_refused() {
    let relation = relation();
    let text = write(&relation, &proof(&relation, &mut Random::new(2)));
    let mut other = relation.clone();
    other.variables[LocalId::from_index(0)].initial = Some(1);
    let message = "line 3: the proof is about another program, or one read with other options";
    for changed in [other, Relation { controls: Arena::new(), ..relation }] {
        let found = parsed(&text, &changed).map(|_| ());
        assert_eq!(found, Err(Unread::Wrong(message.into())));
    }
}

#[test]
fn errors_name_the_line() {
    let relation = relation();
    let head = format!(
        "selvedge-certificate/1\nkind predicates\n# comment\nprogram 6 0 7 {:016x}\n",
        digest(&relation)
    );
    let check = |rest: &str, expected: &str| match parsed(&format!("{head}{rest}"), &relation) {
        Err(why) => assert_eq!(why.to_string(), expected, "{rest}"),
        Ok(_) => assert_eq!("", expected, "{rest}"),
    };
    check("end", "");
    check("", "the text is not complete: `end` is missing");
    check("end\nend", "line 6: something follows `end`");
    check("variable 1 x", "line 5: variable 1 of the program is not `x`");
    check("predicate x\nend", "line 5: there is no variable `x`");
    check("variable 2 t\nvariable 3 t\npredicate t", "line 7: there are several variables `t`: NAME:NUMBER");
    check("variable 2 t\nvariable 3 t\npredicate t:3\nend", "");
    check("predicate 300:b8", "line 5: the number is too large for its type");
    check("predicate (not 1:b0)", "line 5: `b0` is no type");
    check("predicate (not 1:b1", "line 5: an expression is expected");
    check("predicate (not 1:b1 1:b1)", "line 5: an operator has the wrong number of operands");
    check("predicate 1:b1 1:b1", "line 5: something follows the expression");
    check("predicate =0", "line 5: there is no expression 0");
    check("single 1@3 a0\nrow 0\nrow -1", "line 7: a row has a value for each column");
    check("single 1@4", "line 5: control location 1 is not at location 4");
    check("single 9@4", "line 5: there is no control location 9");
    check("double 1@3 1@3", "line 5: `pairs` comes before");
    check("row 1", "line 5: a row belongs to a table");
    check("single 0@0\npredicate 1:b1", "line 6: the record comes too late");
    check("single 0@0 c1", "line 5: `c1` is no column");
    check("surprise", "line 5: `surprise` is no record");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let relation = relation();
    let mut random = Random::new(33);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..4000 {
        let mut bytes = write(&relation, &proof(&relation, &mut random)).into_bytes();
        for _ in 0..1 + random.below(3) {
            // Most changes after the header: a change there is refused at once.
            let first = if random.percent(90) { bytes.len().min(80) } else { 0 };
            let [at, to] = [0; 2].map(|_| first + random.below(bytes.len() - first));
            let (at, to) = (at.min(bytes.len() - 1), to.min(bytes.len() - 1));
            match random.below(5) {
                0 => bytes[at] = random.bits() as u8,
                1 => bytes[at] = *random.pick(b"()=:@-01 \n\"abp#;9"),
                2 => {
                    bytes.remove(at);
                }
                3 => bytes.truncate(at.max(60)),
                _ => {
                    let part = bytes[at.min(to)..at.max(to)].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        match parsed(&String::from_utf8_lossy(&bytes), &relation) {
            Ok(proof) => {
                good += 1;
                // Whatever was read can be written.
                let text = write(&relation, &proof);
                assert_eq!(write(&relation, &parsed(&text, &relation).expect("it was written")), text);
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 50 && bad > 1000, "{good} {bad}");
}

#[test]
fn reading_spends_the_budget() {
    let relation = relation();
    let text = write(&relation, &proof(&relation, &mut Random::new(4)));
    let found = read(&text, &relation, &Budget::with_ticks(5)).map(|_| ());
    assert_eq!(found, Err(Unread::Stopped(base::Stop::Ticks)));
    // Deep nesting is no recursion.
    let deep = format!("predicate {}", "(not ".repeat(300_000));
    let head: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    let found = parsed(&format!("{head}{deep}"), &relation).map(|_| ());
    assert!(matches!(found, Err(Unread::Wrong(_))), "{found:?}");
}
