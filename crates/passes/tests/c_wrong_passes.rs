//! Wrong versions of each pass, made by hand: what a mistake in it would give. The validator refuses each,
//! and accepts the right version beside it.

use base::{Budget, Id, SourceMap};
use c::{Correspondence, Fact, Loc, LocalId, Node, ObjectId, OldValue, Pair, Program};
use check::c::passes::{Preserve, validate};

const HEAD: &str = "pointer 64 layout 0 stride 4 { 0 b32 \"\" } layout 1 stride 40 { 0 mutex 40 \"\" } procedure main procedure w procedure f => b32 main main
    object g static 0 * 1 object k static 0 * 1 object m static 1 * 1 object o of main 0 * 1 object fo of f 0 * 1
    local main::a b32 = 0 local main::b b32 = 0 local main::t b32 = 0 local main::c b1 = 0 local main::p ptr = 0
    local f::n b32 = 0 local f::r b32 = 7 local @s b32 = 0 local main::x b32 = 0 local main::y b32 = 7
    property \"one\" property \"two\" ";

/// A program with this body of `main` and these further declarations.
fn program(more: &str, main: &str) -> Program {
    let text = format!(
        "{HEAD} {more} body main () {{ {main} }} body w () {{ return }} body f (n) {{ enter fo store [fo 0] := n return with (add n r) }}"
    );
    let file = SourceMap::new().add("test.cir", &text);
    c::text::parse(&text, file).unwrap_or_else(|found| panic!("{:?}\n{text}", found.into_sorted()))
}

fn local(program: &Program, name: &str) -> LocalId {
    let found = program.locals().enumerate().find(|(_, it)| it.name == name);
    found.unwrap_or_else(|| panic!("there is no register {name}")).0
}

fn object(program: &Program, name: &str) -> ObjectId {
    program.objects().enumerate().find(|(_, it)| it.name == name).expect("there is such an object").0
}

/// Pairs from a text, one a line: `OLD NEW FACT…`, where OLD is a location or a call and a location, and NEW
/// `-` if the thread is gone. A fact is a register that is the same on both sides, `x=f.n` (new and old
/// register of the inlined frame), `t@0` (what the old step there assigns), `b=3` (an old register and a
/// number), `x=[o]` (a cell), `alive` or `outside`.
fn pairs(old: &Program, new: &Program, text: &str) -> Correspondence {
    let mut made = Correspondence::new(64);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let mut word = || words.next().expect("a line has locations");
        let number = |it: &str| Loc::from_index(it.parse().expect("a location is a number"));
        let stack: Vec<Loc> = word().split('+').map(number).collect();
        let at = Some(word()).filter(|it| *it != "-").map(number);
        let facts = words.map(|it| fact(&mut made, [old, new], it)).collect();
        made.pairs.push(Pair { stack, new: at, facts });
    }
    made
}

fn fact(made: &mut Correspondence, [old, new]: [&Program; 2], word: &str) -> Fact {
    let register = |name: &str| match name.strip_prefix("f.") {
        Some(name) => OldValue::Register { frame: 1, local: local(old, name) },
        None => OldValue::Register { frame: 0, local: local(old, name) },
    };
    let ty = |value: OldValue| match value {
        OldValue::Register { local, .. } => old.locals()[local].ty,
        OldValue::Cell { .. } => c::Type::Bits(32),
    };
    if word == "outside" {
        return Fact::Outside;
    }
    if word == "alive" {
        return Fact::Alive { frame: 0, object: object(old, "o") };
    }
    if let Some((name, at)) = word.split_once('@') {
        let loc = Loc::from_index(at.parse().expect("a location is a number"));
        let value = old.at(loc).op.assignment().expect("an assignment").1;
        let mut parts = std::collections::HashMap::new();
        for id in old.exprs().below(value) {
            let new = match old.exprs().node(id) {
                Node::Local(local, ty) => made.read(OldValue::Register { frame: 0, local }, ty),
                node => made.exprs_mut().add(node.map_children(|child| parts[&child])),
            };
            parts.insert(id, new);
        }
        return Fact::Old { value: register(name), equals: parts[&value] };
    }
    let (name, value) = word.split_once('=').unwrap_or((word, word));
    if let Ok(number) = value.parse::<u128>() {
        let value = register(name);
        let equals = made.exprs_mut().number(ty(value), number);
        return Fact::Old { value, equals };
    }
    let value = match value {
        "[o]" => OldValue::Cell { frame: 0, object: object(old, "o"), offset: 0 },
        value => register(value),
    };
    let read = made.read(value, ty(value));
    Fact::New { local: local(new, name), value: read }
}

/// A right result of a pass, and wrong ones.
struct Example {
    more: &'static str,
    old: &'static str,
    right: (&'static str, &'static str),
    wrong: &'static [(&'static str, &'static str)],
    promoted: bool,
}

const NONE: Example = Example { more: "", old: "", right: ("", ""), wrong: &[], promoted: false };

/// Whether the validator accepts it.
fn accepts(example: &Example, new: &str, by: &str) -> Result<(), String> {
    let [old, new] = [program("", example.old), program(example.more, new)];
    let mut correspondence = pairs(&old, &new, by);
    if example.promoted {
        correspondence.promoted.push(object(&old, "o"));
    }
    let checked = validate(&old, &new, &correspondence, &Preserve::default(), &Budget::unlimited());
    checked.map_err(|why| why.to_string())
}

fn check(name: &str, examples: &[Example]) {
    let mut wrong = 0;
    for (number, example) in examples.iter().enumerate() {
        accepts(example, example.right.0, example.right.1)
            .unwrap_or_else(|why| panic!("{name} {number}: the right version is refused: {why}"));
        for (at, (new, by)) in example.wrong.iter().enumerate() {
            let accepted = accepts(example, new, by).is_ok();
            assert!(!accepted, "{name} {number}: wrong version {at} is accepted: {new}");
            wrong += 1;
        }
    }
    assert!(wrong >= 10, "{name}: only {wrong} wrong versions");
}

#[test]
fn wrong_liveness() {
    // A value that nobody reads, one that an assertion reads, a code that nobody reads.
    let old = "b := any t := (add b 1:b32) a := (add b 2:b32) sync trylock [m 0] code t store [g 0] := a assert (eq a b) property 0 halt";
    let right = "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 5";
    let examples = [Example {
        old,
        right: (
            "b := any a := (add b 2:b32) sync trylock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
            right,
        ),
        wrong: &[
            // A register that is read is taken for dead.
            (
                "b := any sync trylock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 1 b \n 4 2 b \n 5 3 b \n 6 4",
            ),
            (
                "b := any sync trylock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 1 a b \n 4 2 a b \n 5 3 a b \n 6 4",
            ),
            // A choice that is read is left out.
            (
                "a := (add b 2:b32) sync trylock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 b \n 1 0 b \n 2 0 b \n 3 1 a b \n 4 2 a b \n 5 3 a b \n 6 4",
            ),
            // A store, a lock, an assertion is left out.
            (
                "b := any a := (add b 2:b32) sync trylock [m 0] assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 3 a b \n 6 4",
            ),
            (
                "b := any a := (add b 2:b32) store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 2 a b \n 5 3 a b \n 6 4",
            ),
            (
                "b := any a := (add b 2:b32) sync trylock [m 0] store [g 0] := a halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 4",
            ),
            // The code goes to a register that is read.
            (
                "b := any a := (add b 2:b32) sync trylock [m 0] code a store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 5",
            ),
            // Bounds where there were none; a number instead of a choice.
            (
                "b := any 0..3 unsigned a := (add b 2:b32) sync trylock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 5",
            ),
            (
                "b := 1:b32 a := (add b 2:b32) sync trylock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 5",
            ),
            // Another property, another lock operation.
            (
                "b := any a := (add b 2:b32) sync trylock [m 0] store [g 0] := a assert (eq a b) property 1 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 5",
            ),
            (
                "b := any a := (add b 2:b32) sync lock [m 0] store [g 0] := a assert (eq a b) property 0 halt",
                "0 0 \n 1 1 b \n 2 1 b \n 3 2 a b \n 4 3 a b \n 5 4 a b \n 6 5",
            ),
        ],
        ..NONE
    }];
    check("live", &examples);
}

#[test]
fn wrong_absorbing() {
    let old = "a := any t := (add a 1:b32) store [g 0] := t b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt";
    let examples = [
        Example {
            old,
            right: (
                "a := any store [g 0] := (add a 1:b32) b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                "0 0 \n 1 1 a \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
            ),
            wrong: &[
                // Another value is moved.
                (
                    "a := any store [g 0] := (add a 2:b32) b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
                ),
                // It is moved past a step that writes what it reads.
                (
                    "store [g 0] := (add a 1:b32) a := any b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                    "0 0 \n 1 0 a \n 2 0 a t@1 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
                ),
                // What may be undefined vanishes.
                (
                    "a := any store [g 0] := (add a 1:b32) b := (mul a a) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 3 a b \n 6 4",
                ),
                // The assertion sees the value before.
                (
                    "a := any store [g 0] := (add a 1:b32) b := (mul a a) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 3 b a@4 \n 6 4",
                ),
                // A fact that nobody establishes.
                (
                    "a := any store [g 0] := (add a 1:b32) b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a t@1 \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
                ),
                (
                    "a := any store [g 0] := 3:b32 b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a \n 2 1 a t=3 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
                ),
                // The store goes elsewhere, or is an atomic one.
                (
                    "a := any store [k 0] := (add a 1:b32) b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
                ),
                (
                    "a := any store atomic [g 0] := (add a 1:b32) b := (mul a a) a := (divu a b) assert (eq a b) property 0 halt",
                    "0 0 \n 1 1 a \n 2 1 a t@1 \n 3 2 a \n 4 3 a b \n 5 4 a b \n 6 5",
                ),
            ],
            ..NONE
        },
        Example {
            old: "t := 1:b32 l: a := load [g 0] store [k 0] := t branch (eq a 0:b32) then l error 0",
            right: (
                "t := 1:b32 l: a := load [g 0] store [k 0] := t branch (eq a 0:b32) then l error 0",
                "0 0 \n 1 1 t \n 2 2 t a \n 3 3 t a \n 4 4",
            ),
            wrong: &[
                // The branch goes the other way, or nowhere.
                (
                    "t := 1:b32 l: a := load [g 0] store [k 0] := t branch (not (eq a 0:b32)) then l error 0",
                    "0 0 \n 1 1 t \n 2 2 t a \n 3 3 t a \n 4 4",
                ),
                (
                    "t := 1:b32 l: a := load [g 0] store [k 0] := t skip => l error 0",
                    "0 0 \n 1 1 t \n 2 2 t a \n 3 3 t a \n 4 4",
                ),
                // The store is moved before the loop.
                (
                    "t := 1:b32 store [k 0] := t l: a := load [g 0] branch (eq a 0:b32) then l error 0",
                    "0 0 \n 1 1 t \n 2 3 t a \n 3 3 t a \n 4 4",
                ),
            ],
            ..NONE
        },
    ];
    check("absorb", &examples);
}

/// The text of what a pass gives on a program, changed step by step; the validator refuses each change.
fn edited(name: &str, old: &str, edits: &[(&str, &str)]) {
    let (_, pass) = passes::c::PASSES.iter().find(|(it, _)| *it == name).expect("there is such a pass");
    let old = program("", old);
    let passed = pass(&old, &Budget::unlimited()).expect("no limit").expect("it has something to do");
    let accepted = |new: &Program| {
        validate(&old, new, &passed.correspondence, &Preserve::default(), &Budget::unlimited())
    };
    accepted(&passed.program).unwrap_or_else(|why| panic!("{name}: the right version is refused: {why}"));
    let text = c::text::print(&passed.program);
    for (from, to) in edits {
        assert!(text.contains(from), "{name}: there is no `{from}` in\n{text}");
        let wrong = text.replacen(from, to, 1);
        let file = SourceMap::new().add("wrong.cir", &wrong);
        let wrong =
            c::text::parse(&wrong, file).unwrap_or_else(|found| panic!("{from}: {:?}", found.into_sorted()));
        assert!(accepted(&wrong).is_err(), "{name}: `{to}` for `{from}` is accepted");
    }
    assert!(edits.len() >= 10, "{name}: only {} wrong versions", edits.len());
}

#[test]
fn wrong_inlining() {
    let old = "a := any l: call f(a) result b assert (eq b a) property 0 call f(3:b32) result t store [g 0] := t branch (eq t b) then l halt";
    let edits = [
        // The argument, the first value of a register, the result.
        ("\"n.1.10\" := a", "\"n.1.10\" := b"),
        ("\"n.1.10\" := a", "skip"),
        ("\"r.1.11\" := 7:b32", "skip"),
        ("\"r.1.11\" := 7:b32", "\"r.1.11\" := 0:b32"),
        ("b := (add \"n.1.10\" \"r.1.11\")", "t := (add \"n.1.10\" \"r.1.11\")"),
        ("b := (add \"n.1.10\" \"r.1.11\")", "skip"),
        // Registers of another copy, another number for a parameter.
        ("t := (add 3:b32 \"r.3.14\")", "t := (add 3:b32 \"r.1.11\")"),
        ("t := (add 3:b32 \"r.3.14\")", "t := (add 4:b32 \"r.3.14\")"),
        ("store [\"fo.3.6\" 0] := 3:b32", "store [\"fo.3.6\" 0] := t"),
        // Objects of another copy, objects that do not begin or do not end.
        ("enter \"fo.1.5\"", "enter \"fo.3.6\""),
        ("enter \"fo.1.5\"", "skip"),
        ("leave \"fo.1.5\"", "skip"),
        ("leave \"fo.1.5\"", "leave \"fo.3.6\""),
        ("store [\"fo.1.5\" 0] := \"n.1.10\"", "store [\"fo.3.6\" 0] := \"n.1.10\""),
        // Control goes on elsewhere.
        ("leave \"fo.1.5\"", "leave \"fo.1.5\" => 8"),
        ("branch (eq t b) then 1", "branch (eq t b) then 2"),
    ];
    edited("inline", old, &edits);
}

#[test]
fn wrong_promotion() {
    let old = "enter o a := load [o 0] store [o 0] := 4:b32 l: b := rmw [o 0] := (add b 1:b32) if (ltu b 9:b32) success t assert (eq t a) property 0 t := load [o 0] store [g 0] := t branch (eq a b) then l leave o enter o a := load [o 0] assert (eq a 4:b32) property 1 halt";
    let edits = [
        // The first values are not any values.
        ("0: \"o.0.10\" := any", "0: skip"),
        ("0: \"o.0.10\" := any", "0: \"o.0.10\" := 0:b32"),
        ("10: \"o.0.10\" := any", "10: skip"),
        ("10: \"o.0.10\" := any", "10: \"o.0.10\" := any 0..3 unsigned"),
        // A read or write is lost or goes elsewhere.
        ("a := \"o.0.10\"", "skip"),
        ("\"o.0.10\" := 4:b32", "skip"),
        ("\"o.0.10\" := 4:b32", "\"o.0.10\" := 5:b32"),
        ("t := \"o.0.10\"", "t := b"),
        // The parts of a read-modify-write.
        ("3: b := \"o.0.10\"", "3: skip"),
        ("(ite =4 (add b 1:b32) \"o.0.10\")", "(add b 1:b32)"),
        ("(ite =4 (add b 1:b32) \"o.0.10\")", "(ite =4 \"o.0.10\" (add b 1:b32))"),
        ("t := (zext b32 =4)", "t := 1:b32"),
    ];
    edited("promote", old, &edits);
    // The address is taken, or the object does not exist any more.
    for old in [
        "enter o p := &o a := load [o 0] error 0",
        "enter o leave o a := load [o 0] error 0",
        "a := load [o 0] error 0",
    ] {
        let by = "0 0 alive x=[o] \n 1 1 alive x=[o] \n 2 2 alive x=[o] \n 3 2 alive x=[o]";
        let example = Example { old, promoted: true, ..NONE };
        assert!(accepts(&example, "x := any a := x error 0", by).is_err(), "{old}");
    }
}

#[test]
fn wrong_suffixes() {
    let accepted = |suffix: &str| {
        let old = format!("a := load [g 0] {suffix} halt");
        let old: &'static str = Box::leak(old.into_boxed_str());
        let number = program("", old).procedures()[program("", old).main()].end.index();
        let gone: String = (1..number).map(|at| format!("{at} - \n")).collect();
        accepts(&Example { old, ..NONE }, "a := load [g 0] halt", &format!("0 0 outside \n {gone}"))
    };
    for right in [
        "skip",
        "l: b := load [k 0] branch (eq b a) then l",
        "b := any assume (eq a b)",
        "join (zext b64 a)",
        "a := (divu a b)",
    ] {
        accepted(right).unwrap_or_else(|why| panic!("{right}: {why}"));
    }
    let wrong = [
        "store [k 0] := 1:b32",
        "b := rmw [g 0] := 1:b32",
        "assert (eq a 0:b32) property 0",
        "branch (eq a 0:b32) then l error 1 l: skip",
        "sync lock [m 0]",
        "sync trylock [m 0]",
        "sync unlock [m 0]",
        "create w()",
        "return",
        "exit",
        "section begin",
        "refuse \"something\"",
        "p := alloc 0 * 1:b64",
        "free p",
        "call f(a)",
        "detach (zext b64 a)",
        "enter o p := &o",
    ];
    for suffix in wrong {
        assert!(accepted(suffix).is_err(), "a thread is gone at `{suffix}`");
    }
    // Inside of an atomic section the others would wait for ever.
    let example = Example { old: "section begin section end store [g 0] := 1:b32 halt", ..NONE };
    assert!(accepts(&example, "section begin halt", "0 0 outside \n 1 - \n 2 - \n 3 -").is_err());
}
