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
/// number), `x=[o]` (a cell), `alive`, `exists` (the object `o`) or `outside`.
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
    if word == "exists" {
        return Fact::Exists { object: object(new, "o") };
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
    accepts_for(&Preserve::default(), example, new, by)
}

/// Whether it does where more must not be lost.
fn accepts_for(preserve: &Preserve, example: &Example, new: &str, by: &str) -> Result<(), String> {
    let [old, new] = [program("", example.old), program(example.more, new)];
    let mut correspondence = pairs(&old, &new, by);
    if example.promoted {
        correspondence.promoted.push(object(&old, "o"));
    }
    let checked = validate(&old, &new, &correspondence, preserve, &Budget::unlimited());
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
fn edited(name: &str, (more, old): (&str, &str), edits: &[(&str, &str)]) {
    let row = passes::c::PASSES.iter().find(|it| it.name() == name).expect("there is such a pass");
    let old = program(more, old);
    let passed = (row.run)(&old, &Budget::unlimited()).expect("no limit").expect("it has something to do");
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
    edited("inline", ("", old), &edits);
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
    edited("promote", ("", old), &edits);
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

#[test]
fn wrong_unrolling() {
    let old = "a := 0:b32 l: create w() handle h store [hs at (mul (zext b64 a) 8:b64)] := h a := (add a 1:b32) branch (ltu a 2:b32) then l b := 0:b32
        j: h := load [hs at (mul (zext b64 b) 8:b64)] join h code t assert (eq t b) property 0 b := (add b 1:b32) branch (ltu b 2:b32) then j error 1";
    let edits = [
        // A turn too few or too many: the branch of a turn goes the other way.
        ("7: skip => 2", "7: skip => 9"),
        ("8: skip", "8: skip => 1"),
        // A thread is not created, its handle goes to another cell or nowhere.
        ("2: create w() handle h => 4", "2: skip => 4"),
        ("2: create w() handle h => 4", "2: create w() => 4"),
        ("4: store [hs 8] := h", "4: store [hs 0] := h"),
        ("4: store [hs 8] := h", "4: skip"),
        // The threads are never joined.
        ("9: b := 0:b32", "9: b := 0:b32 => 20"),
        // A join of another thread, or of none.
        ("11: h := load [hs 8]", "11: h := load [hs 0]"),
        ("13: join h code t", "13: skip"),
        // The assertion compares with the number of another turn.
        ("15: assert (eq t 1:b32) property 0", "15: assert (eq t 0:b32) property 0"),
        ("15: assert (eq t 1:b32) property 0", "15: skip"),
        ("18: skip => 11", "18: skip => 20"),
        ("20: error 1", "20: halt"),
    ];
    let more = "layout 2 stride 8 { 0 b64 \"\" } object hs static 2 * 4 local main::h b64 = 0";
    edited("unroll", (more, old), &edits);
}

#[test]
fn wrong_folding() {
    let old = "a := 3:b32 p := &g store [*p 0] := a b := load [g 0] c := (eq a 3:b32) branch c then l error 0
        l: t := (add b a) assert (eq t 6:b32) property 1 t := 0:b32 branch (eq b 0:b32) then j t := 1:b32
        j: branch (eq t 0:b32) then e store [k 0] := a call f(a) result b assert (eq b 3:b32) property 0 halt e: error 0";
    let edits = [
        // Another object, another number, nothing.
        ("2: store [g 0] := 3:b32", "2: store [k 0] := 3:b32"),
        ("2: store [g 0] := 3:b32", "2: store [g 0] := 4:b32"),
        ("2: store [g 0] := 3:b32", "2: skip"),
        ("t := (add b 3:b32)", "t := (add b 2:b32)"),
        // What a load brings is taken for known.
        ("t := (add b 3:b32)", "t := 6:b32"),
        ("assert (eq t 6:b32) property 1", "skip"),
        ("10: store [k 0] := 3:b32", "10: store [k 0] := t"),
        // Jumps that pass by too much, or nothing.
        ("4: c := 1:b1", "4: c := 1:b1 => 10"),
        ("9: t := 1:b32", "9: t := 1:b32 => 13"),
        ("9: t := 1:b32", "9: t := 1:b32 => 14"),
        ("branch (eq b 0:b32) then 14", "branch (eq b 0:b32) then 9"),
        ("8: branch (eq b 0:b32) then 14", "8: skip"),
        ("14: error 0", "14: halt"),
        // Arguments, results, first values of another activation.
        ("call f(3:b32) result b", "call f(2:b32) result b"),
        ("call f(3:b32) result b", "call f(3:b32)"),
        ("return with (add n 7:b32)", "return with (add n 0:b32)"),
    ];
    edited("fold", ("", old), &edits);
}

#[test]
fn wrong_retargeting() {
    let old = "t := load [g 0] a := t t := any b := t t := rmw [k 0] := (add t 1:b32) x := t sync trylock [m 0] code t y := t
        call f(b) result t b := t assert (eq a x) property 0 assert (eq b y) property 1 store [k 0] := x halt";
    let edits = [
        // The result goes to another register, or comes from elsewhere.
        ("0: a := load [g 0]", "0: a := load [k 0]"),
        ("0: a := load [g 0]", "0: t := load [g 0]"),
        ("0: a := load [g 0]", "0: b := load [g 0]"),
        ("1: b := any", "1: skip"),
        ("1: b := any", "1: x := any"),
        ("1: b := any", "1: b := a"),
        // A read-modify-write computes with what it has just read.
        ("2: x := rmw [k 0] := (add x 1:b32)", "2: x := rmw [k 0] := (add t 1:b32)"),
        ("2: x := rmw [k 0] := (add x 1:b32)", "2: t := rmw [k 0] := (add t 1:b32)"),
        ("2: x := rmw [k 0] := (add x 1:b32)", "2: x := rmw [g 0] := (add x 1:b32)"),
        ("2: x := rmw [k 0] := (add x 1:b32)", "2: x := load [k 0]"),
        // Results that are perhaps not given, and those of calls.
        ("4: y := t", "4: skip"),
        ("4: y := t", "4: b := t"),
        ("5: call f(b) result t", "5: call f(b) result y"),
        ("5: call f(b) result t", "5: call f(a) result t"),
        ("6: b := t", "6: skip"),
        // Somebody reads the register that does not get the result any more.
        ("assert (eq a x)", "assert (eq t x)"),
        ("9: store [k 0] := x", "9: store [k 0] := t"),
    ];
    edited("retarget", ("", old), &edits);
}

/// What a wrong use of a fact would give: none is accepted, whatever must not be lost.
fn refuses(name: &str, old: &'static str, new: &str, by: &str) {
    let [undefined, deadlocks] = [
        Preserve { undefined: true, ..Preserve::default() },
        Preserve { deadlocks: true, ..Preserve::default() },
    ];
    for preserve in [Preserve::default(), undefined, deadlocks] {
        let accepted = accepts_for(&preserve, &Example { old, ..NONE }, new, by);
        assert!(accepted.is_err(), "{name} ({preserve:?}): {old} as {new}");
    }
}

#[test]
fn wrong_existence() {
    // The address of an object that exists is taken, and nobody reads it.
    let old = "enter o p := &o leave o enter o a := load [o 0] assert (eq a 0:b32) property 0 halt";
    let new = "enter o leave o enter o a := load [o 0] assert (eq a 0:b32) property 0 halt";
    accepts(
        &Example { old, ..NONE },
        new,
        "0 0 \n 1 1 exists \n 2 1 exists \n 3 2 \n 4 3 exists \n 5 4 a \n 6 5",
    )
    .unwrap_or_else(|why| panic!("the right version is refused: {why}"));
    let wrong = [
        // Nobody says that it exists; it is said before it begins, after it ends, and of main's first step.
        (old, new, "0 0 \n 1 1 \n 2 1 \n 3 2 \n 4 3 \n 5 4 a \n 6 5"),
        (old, new, "0 0 exists \n 1 1 exists \n 2 1 exists \n 3 2 \n 4 3 exists \n 5 4 a \n 6 5"),
        (old, new, "0 0 \n 1 1 exists \n 2 1 exists \n 3 2 exists \n 4 3 exists \n 5 4 a \n 6 5"),
        ("p := &o error 0", "error 0", "0 0 exists \n 1 0"),
        // It has ended, or was never there.
        (
            "enter o leave o p := &o error 0",
            "enter o leave o error 0",
            "0 0 \n 1 1 exists \n 2 2 exists \n 3 2",
        ),
        ("enter o leave o p := &o error 0", "enter o leave o error 0", "0 0 \n 1 1 exists \n 2 2 \n 3 2"),
        ("skip p := &o error 0", "skip error 0", "0 0 \n 1 1 exists \n 2 1"),
        // It begins on one of two ways, and ends in a turn of a loop.
        (
            "branch (eq a 0:b32) then l enter o l: p := &o error 0",
            "branch (eq a 0:b32) then l enter o l: error 0",
            "0 0 a \n 1 1 \n 2 2 exists \n 3 2",
        ),
        (
            "enter o l: p := &o leave o b := any branch (eq b 0:b32) then l error 0",
            "enter o l: leave o b := any branch (eq b 0:b32) then l error 0",
            "0 0 \n 1 1 exists \n 2 1 exists \n 3 2 \n 4 3 b \n 5 4",
        ),
        // Somebody reads the address; the object ends too early, or never begins.
        (
            "enter o p := &o store [*p 0] := 1:b32 error 0",
            "enter o store [*p 0] := 1:b32 error 0",
            "0 0 \n 1 1 exists \n 2 1 exists \n 3 2",
        ),
        (
            "enter o p := &o leave o error 0",
            "enter o leave o error 0",
            "0 0 \n 1 1 exists \n 2 2 exists \n 3 2",
        ),
        ("enter o p := &o leave o error 0", "leave o error 0", "0 0 \n 1 0 exists \n 2 0 exists \n 3 1"),
        // The step that the new program has alone takes the address of what has ended.
        ("enter o leave o error 0", "enter o leave o p := &o error 0", "0 0 \n 1 1 exists \n 2 2"),
        // Another activation has an object of its own.
        ("enter o call main() error 0", "enter o call main() error 0", "0 0 exists \n 1 1 exists \n 2 2"),
    ];
    wrong.iter().for_each(|(old, new, by)| refuses("exists", old, new, by));
}

#[test]
fn wrong_waiting() {
    let deadlocks = Preserve { deadlocks: true, ..Preserve::default() };
    let accepted =
        |old: &'static str, new: &str, by: &str| accepts_for(&deadlocks, &Example { old, ..NONE }, new, by);
    for (old, new, by) in [
        // Nobody waits where the condition holds, or where there is a number to choose.
        (
            "a := 1:b32 assume (eq a 1:b32) sync lock [m 0] halt",
            "a := 1:b32 sync lock [m 0] halt",
            "0 0 \n 1 1 a=1 \n 2 1 \n 3 2",
        ),
        ("a := any 1..2 unsigned sync lock [m 0] halt", "sync lock [m 0] halt", "0 0 \n 1 0 \n 2 1"),
    ] {
        accepted(old, new, by).unwrap_or_else(|why| panic!("{old}: {why}"));
    }
    let wrong = [
        // It waits for ever, or perhaps.
        (
            "a := 2:b32 assume (eq a 1:b32) sync lock [m 0] halt",
            "a := 2:b32 sync lock [m 0] halt",
            "0 0 \n 1 1 a=2 \n 2 1 \n 3 2",
        ),
        (
            "a := any assume (eq a 1:b32) sync lock [m 0] halt",
            "a := any sync lock [m 0] halt",
            "0 0 \n 1 1 a \n 2 1 \n 3 2",
        ),
        ("a := load [g 0] assume (eq a 1:b32) halt", "a := load [g 0] halt", "0 0 \n 1 1 a \n 2 1"),
        ("a := load [g 0] assume (eq a 1:b32) halt", "a := load [g 0] halt", "0 0 \n 1 1 a a=1 \n 2 1"),
        // It waits for something else, earlier, later, or after a step that others notice.
        (
            "a := load [g 0] assume (eq a 1:b32) halt",
            "a := load [g 0] assume (eq a 2:b32) halt",
            "0 0 \n 1 1 a \n 2 2",
        ),
        (
            "a := load [g 0] assume (eq a 1:b32) sync lock [m 0] halt",
            "a := load [g 0] sync lock [m 0] assume (eq a 1:b32) halt",
            "0 0 \n 1 1 a \n 2 1 a \n 3 3",
        ),
        (
            "a := load [g 0] assume (eq a 1:b32) sync lock [m 0] halt",
            "a := load [g 0] sync lock [m 0] assume (eq a 1:b32) halt",
            "0 0 \n 1 1 a \n 2 2 a \n 3 3",
        ),
        (
            "a := load [g 0] sync lock [m 0] assume (eq a 1:b32) sync unlock [m 0] halt",
            "a := load [g 0] assume (eq a 1:b32) sync lock [m 0] sync unlock [m 0] halt",
            "0 0 \n 1 1 a \n 2 3 a \n 3 3 \n 4 4",
        ),
        // What may be undefined makes a thread wait, too.
        (
            "a := load [g 0] b := (divu 1:b32 a) sync lock [m 0] halt",
            "a := load [g 0] sync lock [m 0] halt",
            "0 0 \n 1 1 a \n 2 1 \n 3 2",
        ),
        // A step that waits for others is left out, or the thread stops before it.
        ("sync lock [m 0] halt", "halt", "0 0 \n 1 0"),
        ("sync lock [m 0] halt", "halt", "0 - \n 1 -"),
        (
            "a := 1:b32 assume (eq a 1:b32) sync lock [m 0] halt",
            "a := 1:b32 halt",
            "0 0 \n 1 1 a=1 \n 2 1 \n 3 1",
        ),
    ];
    for (old, new, by) in wrong {
        assert!(accepted(old, new, by).is_err(), "{old} as {new}");
    }
}

#[test]
fn pointers_that_only_the_new_program_holds() {
    // Nobody points to the allocation any more, but a register that the old program does not have.
    let old = "p := alloc 0 * 1:b64 p := 0:ptr halt";
    let example = Example { old, more: "local main::q ptr = 0", ..NONE };
    let new = "p := alloc 0 * 1:b64 q := p p := 0:ptr halt";
    let by = "0 0 p \n 1 1 p \n 2 3 p";
    let leaks = Preserve { leaks: true, ..Preserve::default() };
    accepts(&example, new, by).unwrap_or_else(|why| panic!("no leaks are asked about: {why}"));
    assert!(accepts_for(&leaks, &example, new, by).is_err());
    let example = Example { more: "", ..example };
    accepts_for(&leaks, &example, old, "0 0 p \n 1 1 p \n 2 2 p")
        .unwrap_or_else(|why| panic!("the same program is refused: {why}"));
}

/// A step that may be undefined in two ways becomes two steps: where only one of the ways is an error, the
/// other could now come first and hide it.
#[test]
fn faults_of_two_kinds_do_not_change_places() {
    let old = program("", "p := (add &o (zext b64 (divu a b))) halt");
    let new = program("local main::q b64 = 0", "q := (zext b64 (divu a b)) p := (add &o q) halt");
    let by = pairs(&old, &new, "0 0 a b \n 1 2 a b");
    let checked = |first_fault| {
        let preserve = Preserve { first_fault, ..Preserve::default() };
        validate(&old, &new, &by, &preserve, &Budget::unlimited()).map_err(|why| why.to_string())
    };
    assert_eq!(checked(false), Ok(()));
    assert!(checked(true).is_err_and(|why| why.contains("in several ways")));
}
