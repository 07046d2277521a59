//! `verify::answer` on tasks built in memory, and a reader of another format: neither needs a file, and no
//! engine and no checker changes.

use base::{Arena, Budget, Diagnostic, Event, Id, NoEvents, SourceMap};
use front::{Failure, NoFiles, ReadOptions, Reader, Reading, Request, Source};
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};
use ir::{Model, Scope, Task};
use std::sync::Arc;
use verify::{Limits, Outcome, Plan, Proof, READERS};

/// One token in place `a` and any number in `b`; each rule moves a token from one place to another; the
/// target is this many in `c`.
fn net(rules: &[(usize, usize)], target: u32) -> Net {
    let places = Arena::from_iter(["a", "b", "c"].map(|name| Place { name: name.to_string() }));
    let (place, only) = (PlaceId::from_index, SharedStateId::from_index(0));
    let rule = |&(from, to): &(usize, usize)| Rule {
        from: only,
        to: only,
        tests: vec![],
        take: vec![(place(from), 1)],
        moves: vec![],
        make: vec![(place(to), 1)],
        span: None,
    };
    let tokens = vec![Interval::exactly(1), Interval::at_least(0), Interval::exactly(0)];
    let goal = Target { shared: None, places: vec![(place(2), Interval::at_least(target))] };
    let shared = Arena::from_iter(["0".to_string()]);
    let rules = rules.iter().map(rule).collect();
    Net::new(shared, places, rules, NetStart { shared: only, tokens }, vec![goal]).expect("a good net")
}

fn task(net: Net) -> Task {
    Task::new(Model::Net(Arc::new(net)), Scope::ANY)
}

fn is_confirmed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Safe { proof: Proof::Confirmed { .. }, .. })
}

#[test]
fn a_task_in_memory_is_answered_as_often_as_it_is_asked() {
    // Only the token in `a` gets to `c`, and there is one of it.
    let task = task(net(&[(0, 2)], 2));
    let plan = Plan::named(&[]).expect("all engines");
    let ask = || {
        let mut events: Vec<Event> = vec![];
        let answer = verify::answer(&task, &plan, &Limits::default(), &mut events);
        assert!(is_confirmed(&answer.outcome), "{answer:?}");
        assert!(events.iter().any(|event| matches!(event, Event::Counter { .. })), "{events:?}");
        let Outcome::Safe { proof, .. } = answer.outcome else { unreachable!("it is safe") };
        (answer.engine, proof)
    };
    assert_eq!(ask(), ask());
}

/// Nobody knows beforehand which engine decides; that one is not made to wait for long searches of the
/// others.
#[test]
fn what_one_engine_proves_quickly_costs_little() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs/semaphore_1.bp");
    let read = verify::read(&verify::Origin::File(path.into()), &ReadOptions::default());
    let model = read.expect("a program").source.model();
    let task = Task::new(model, Scope::ANY);
    let mut events: Vec<Event> = vec![];
    let plan = Plan::named(&[]).expect("all engines");
    let answer = verify::answer(&task, &plan, &Limits::default(), &mut events);
    assert!(is_confirmed(&answer.outcome), "{answer:?}");
    let states = events.iter().filter_map(|event| match event {
        Event::Counter { name, value, .. } if *name == "states" => Some(*value),
        _ => None,
    });
    assert!(states.max().is_none_or(|most| most < 20_000), "{events:?}");
}

/// Of a large net the engine for nets is asked first, unless somebody chose the engines.
#[test]
fn the_model_may_change_the_order_of_the_engines() {
    let engine = |rules: usize, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let plan = Plan::named(&names).expect("there are such engines");
        verify::answer(&task(net(&vec![(0, 2); rules], 1)), &plan, &Limits::default(), &mut NoEvents).engine
    };
    assert_eq!(engine(1, &[]), Some("explicit"));
    assert_eq!(engine(250, &[]), Some("cover"));
    assert_eq!(engine(250, &["explicit", "cover"]), Some("explicit"));
}

#[test]
fn the_caller_can_stop_the_answer() {
    let limits = Limits::default();
    limits.stop.stop(base::Stop::Cancelled);
    let plan = Plan::named(&[]).expect("all engines");
    let answer = verify::answer(&task(net(&[(0, 2)], 2)), &plan, &limits, &mut NoEvents);
    assert!(matches!(answer.outcome, Outcome::Unknown(_)), "{answer:?}");
}

/// Nets as lines `from>to`, after a first line `moves TARGET`.
const MOVES: Reader = Reader {
    about: "a list of moves",
    extensions: &["moves"],
    recognises: |beginning| beginning.first() == "moves",
    takes_bytes: false,
    options: &[],
    read: read_moves,
};

fn read_moves(request: &mut Request<'_>) -> Result<Reading, Failure> {
    let text = request.sources.file(request.file).text();
    let wrong = |line: &str| Diagnostic::error("E0999", None, format!("`{line}` is no move"));
    let number = |word: &str| word.trim().parse::<usize>().ok();
    let (first, rest) = text.split_once('\n').ok_or_else(|| wrong(text))?;
    let target = first.strip_prefix("moves ").and_then(number).ok_or_else(|| wrong(first))?;
    let mut rules = vec![];
    for line in rest.lines() {
        request.budget.spend(1)?;
        let ends = line.split_once('>').and_then(|(from, to)| Some((number(from)?, number(to)?)));
        rules.push(ends.filter(|ends| ends.0 < 3 && ends.1 < 3).ok_or_else(|| wrong(line))?);
    }
    let source = Source::Net(Arc::new(net(&rules, target as u32)));
    Ok(Reading { source, warnings: vec![], notes: vec![] })
}

fn read(text: &str, options: &ReadOptions, budget: &Budget) -> Result<Reading, Failure> {
    let readers: Vec<&Reader> = READERS.iter().copied().chain([&MOVES]).collect();
    let mut sources = SourceMap::new();
    let file = sources.add("memory", text);
    let files = &mut NoFiles;
    front::read(&readers, &mut Request { sources: &mut sources, file, path: None, options, budget, files })
}

#[test]
fn another_format_needs_a_reader_and_nothing_else() {
    let ask = |text: &str| {
        let reading = read(text, &ReadOptions::default(), &Budget::unlimited()).expect("good moves");
        let task = reading.source.task(Scope::ANY);
        let plan = Plan::named(&[]).expect("all engines");
        verify::answer(&task, &plan, &Limits::default(), &mut NoEvents).outcome
    };
    assert!(is_confirmed(&ask("moves 2\n0>2\n")));
    let unsafe_ = ask("moves 2\n0>2\n1>2\n");
    assert!(matches!(unsafe_, Outcome::Unsafe { threads: 2, .. }), "{unsafe_:?}");
}

#[test]
fn a_reader_says_what_is_wrong_what_it_does_not_heed_and_that_it_was_stopped() {
    let options = ReadOptions { start: Some("0/0".to_string()), ..ReadOptions::default() };
    let reading = read("moves 2\n0>2\n", &options, &Budget::unlimited()).expect("good moves");
    assert_eq!(reading.warnings.iter().map(|it| it.code).collect::<Vec<_>>(), ["W0901"]);
    let plain = ReadOptions::default();
    let code = |text: &str| match read(text, &plain, &Budget::unlimited()) {
        Err(Failure::Diagnostics(found)) => found[0].code,
        other => panic!("{other:?}"),
    };
    assert_eq!((code("moves 2\n0>7\n"), code("no format")), ("E0999", "E0908"));
    for text in ["moves 2\n0>2\n", "decl x;\nvoid main() begin x := 1; end\n", "vars\n  a\n", "1 1\n0|0\n"] {
        let stopped = read(text, &plain, &Budget::with_ticks(0)).err();
        assert_eq!(stopped, Some(Failure::Stopped(base::Stop::Ticks)), "{text}");
    }
}
