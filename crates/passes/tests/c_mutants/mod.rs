//! What the tests of passes on C and `cargo xtask c-passes` share: brute force over the machine, and random
//! changes of what a pass gives.

#![allow(dead_code)]

use base::{Budget, Id, Random, SourceMap};
use c::{
    Correspondence, ExprId, Fact, FailureKind, Loc, Machine, Op, Options, ProcId, Program, Refusal, State,
    Step, Trace,
};
use check::c::passes::{Preserve, validate};
use passes::c::{PASSES, Pass, Passed, ROUNDS};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// What a run may come to that must not be lost: a failing property, or undefined behaviour at a place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Error {
    Property(usize),
    Undefined(String),
}

/// All errors of a program with a run into each; `None` if there are too many states.
pub fn errors(
    program: &Program,
    threads: u32,
    most: usize,
    undefined: bool,
) -> Option<BTreeMap<Error, Trace>> {
    let faults = if undefined { c::Faults::ALL } else { c::Faults::NONE };
    let options = Options { threads: Some(threads), faults, ..Options::default() };
    let machine = Machine::new(program, options);
    let mut nodes: Vec<(State, Option<(usize, Step)>)> = vec![(machine.start(), None)];
    let mut seen = HashSet::from([nodes[0].0.canonical(program)]);
    let mut found = BTreeMap::new();
    let mut next = 0;
    while next < nodes.len() {
        let state = nodes[next].0.clone();
        for step in machine.candidates(&state, &[0, 1, 2, 3]) {
            match machine.apply(&state, &step) {
                Ok(after) if seen.insert(after.canonical(program)) => nodes.push((after, Some((next, step)))),
                Ok(_) => {}
                Err(Refusal::Fails(kind)) => {
                    let error = match kind {
                        FailureKind::Property(property) => Error::Property(property.index()),
                        FailureKind::Undefined(fault) => {
                            Error::Undefined(format!("{fault} {:?}", program.at(step.at).span))
                        }
                        FailureKind::Race(_) | FailureKind::Deadlock(_) | FailureKind::Leak(_) => {
                            unreachable!("nobody asks")
                        }
                    };
                    found.entry(error).or_insert_with(|| {
                        let (mut steps, mut at) = (vec![step], next);
                        while let Some((before, step)) = nodes[at].1 {
                            steps.push(step);
                            at = before;
                        }
                        steps.reverse();
                        machine.record(&steps).expect("these steps were taken")
                    });
                }
                Err(_) => {}
            }
        }
        next += 1;
        if nodes.len() > most {
            return None;
        }
    }
    Some(found)
}

/// Where the program of a seed comes from, for a pass of this name.
pub type Programs = fn(&str, u64) -> Option<Program>;

/// The random C program with this seed as the passes that come before leave it.
pub fn literal_program(pass: &str, seed: u64) -> Option<Program> {
    let text = testing::c::concurrent(seed);
    let read = testing::programs::read("random.c", &text, &[])?;
    let before = PASSES.iter().take_while(|it| it.name() != pass);
    Some(before.fold(read.program, |old, it| run(it.run, &old).map_or(old, |passed| passed.program)))
}

/// The random program in normalised C with this seed, of a kind that gives a pass something to do.
pub fn random_program(pass: &str, seed: u64) -> Option<Program> {
    let text = match pass {
        "unroll" => testing::c::thread_loops(seed),
        "retarget" => testing::c::copies(seed),
        _ => testing::c::normalised(seed),
    };
    let file = SourceMap::new().add("random.cir", &text);
    Some(c::text::parse(&text, file).unwrap_or_else(|found| panic!("{:?}\n{text}", found.into_sorted())))
}

/// Runs a pass; `None` if it has nothing to do.
pub fn run(pass: Pass, program: &Program) -> Option<Passed> {
    pass(program, &Budget::unlimited()).expect("no limit")
}

/// Why the validator refuses, if it does.
pub fn refused(old: &Program, new: &Program, by: &Correspondence, preserve: &Preserve) -> Option<String> {
    validate(old, new, by, preserve, &Budget::unlimited()).err().map(|why| why.to_string())
}

/// A random change of the new program or of the correspondence; `None` if it makes no valid program.
pub fn mutant(passed: &Passed, random: &mut Random) -> Option<(Program, Correspondence)> {
    let program = &passed.program;
    let mut correspondence = passed.correspondence.clone();
    if random.percent(25) {
        change_correspondence(&mut correspondence, program, random);
        // A wrong correspondence of a right program loses nothing: it goes with a wrong program as well.
        if random.percent(50) {
            return Some((program.clone(), correspondence));
        }
    }
    let mut builder = program.edit();
    let procedure = *random.pick(&used(program));
    let own: Vec<Loc> = program.locations_of(procedure).collect();
    let (loc, other) = (*random.pick(&own), *random.pick(&own));
    match random.below(8) {
        0 | 1 => {
            let all = program.exprs();
            let fits = |e: ExprId, by: ExprId| all.ty(e) == all.ty(by) && e != by;
            let ids: Vec<ExprId> = all.ids().collect();
            let wanted = random.below(4);
            let mut at = 0;
            let op = &mut builder.at(loc).op;
            op.for_each_expr(|e| {
                let others: Vec<ExprId> = ids.iter().copied().filter(|&by| fits(*e, by)).collect();
                if at <= wanted && !others.is_empty() {
                    *e = *random.pick(&others);
                }
                at += 1;
            });
        }
        2 => builder.at(loc).next = other,
        3 => builder.at(loc).op.redirect(|_| other),
        4 => builder.at(loc).op = Op::skip(),
        5 => builder.at(loc).op = program.at(other).op.clone(),
        6 => {
            let locals: Vec<_> = program.locals().ids().collect();
            builder.at(loc).op.for_each_result(|local| *local = *random.pick(&locals));
        }
        _ => {
            let next = program.at(loc).next;
            builder.at(loc).next = program.at(next).next;
        }
    }
    Some((builder.finish().ok()?, correspondence))
}

/// The procedures that are called or created.
fn used(program: &Program) -> Vec<ProcId> {
    let mut found = vec![program.main()];
    let mut at = 0;
    while at < found.len() {
        let begun = program.locations_of(found[at]).filter_map(|loc| program.effects(loc).begins());
        let new: BTreeSet<ProcId> = begun.filter(|it| !found.contains(it)).collect();
        found.extend(new);
        at += 1;
    }
    found
}

fn change_correspondence(correspondence: &mut Correspondence, new: &Program, random: &mut Random) {
    if correspondence.pairs.is_empty() {
        return;
    }
    let number = random.below(correspondence.pairs.len());
    let other = correspondence.pairs[random.below(correspondence.pairs.len())].clone();
    let locs: Vec<Loc> = new.locations().ids().collect();
    let exprs = correspondence.exprs().len();
    let pair = &mut correspondence.pairs[number];
    match random.below(7) {
        0 => pair.new = Some(*random.pick(&locs)),
        1 => pair.new = None,
        2 => pair.facts.extend(other.facts),
        3 => pair.facts = other.facts,
        4 if !pair.facts.is_empty() => {
            let at = random.below(pair.facts.len());
            pair.facts.remove(at);
        }
        5 if !pair.facts.is_empty() && exprs > 0 => {
            let at = random.below(pair.facts.len());
            let by = ExprId::from_index(random.below(exprs));
            match &mut pair.facts[at] {
                Fact::New { value: e, .. } | Fact::Old { equals: e, .. } => *e = by,
                Fact::Alive { .. } | Fact::Exists { .. } | Fact::Outside => {}
            }
        }
        _ => {
            correspondence.pairs.remove(number);
        }
    }
}

/// What trying mutants of a pass came to.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Programs on which the pass did something.
    pub programs: usize,
    /// Programs that brute force knows.
    pub known: usize,
    /// Mutants.
    pub mutants: usize,
    /// Those that lose an error.
    pub losing: usize,
    /// Those that lose none and are refused.
    pub cautious: usize,
    /// Traces that were lifted.
    pub lifted: usize,
}

impl Counts {
    /// Those of other programs, too.
    pub fn and(&self, other: &Counts) -> Counts {
        Counts {
            programs: self.programs + other.programs,
            known: self.known + other.known,
            mutants: self.mutants + other.mutants,
            losing: self.losing + other.losing,
            cautious: self.cautious + other.cautious,
            lifted: self.lifted + other.lifted,
        }
    }
}

/// Runs a pass on random programs: the validator accepts what it gives and refuses every mutant that loses an
/// error; what was wrong.
pub fn try_pass(
    (name, pass): (&str, Pass),
    programs: Programs,
    seeds: std::ops::Range<u64>,
    tries: usize,
    counts: &mut Counts,
) -> Vec<String> {
    let mut wrong = vec![];
    for seed in seeds {
        let Some(old) = programs(name, seed) else { continue };
        let Some(passed) = run(pass, &old) else { continue };
        counts.programs += 1;
        // A suffix that does not matter may be undefined.
        let readings: &[bool] = if name == "suffix" { &[false] } else { &[false, true] };
        for &undefined in readings {
            let preserve = Preserve { undefined, ..Preserve::default() };
            if let Some(why) = refused(&old, &passed.program, &passed.correspondence, &preserve) {
                wrong.push(format!("seed {seed}: refused ({undefined}): {why}"));
            }
            if let Err(why) = compare(&old, &passed, undefined, seed, tries, counts) {
                wrong.push(format!("seed {seed} ({undefined}): {why}"));
            }
        }
    }
    wrong
}

/// The most states that brute force looks at.
const MOST: usize = 2_500;

fn compare(
    old: &Program,
    passed: &Passed,
    undefined: bool,
    seed: u64,
    tries: usize,
    counts: &mut Counts,
) -> Result<(), String> {
    let preserve = Preserve { undefined, ..Preserve::default() };
    let Some(before) = errors(old, 3, MOST, undefined) else { return Ok(()) };
    let Some(after) = errors(&passed.program, 3, MOST, undefined) else { return Ok(()) };
    counts.known += 1;
    let keys = |it: &BTreeMap<Error, Trace>| it.keys().cloned().collect::<BTreeSet<Error>>();
    if keys(&before) != keys(&after) {
        return Err(format!("errors {:?} became {:?}", keys(&before), keys(&after)));
    }
    for (error, trace) in after {
        let kind = trace.failure.kind.clone();
        let lifted =
            ir::Lift::trace(&passed.lift, trace).map_err(|why| format!("{error:?} is not lifted: {why}"))?;
        if lifted.failure.kind != kind {
            return Err(format!("{error:?} is lifted to {:?}", lifted.failure.kind));
        }
        counts.lifted += 1;
    }
    if before.is_empty() {
        return Ok(());
    }
    let mut random = Random::new(seed ^ 0x5eed);
    for _ in 0..tries {
        let Some((program, correspondence)) = mutant(passed, &mut random) else { continue };
        counts.mutants += 1;
        let accepted = refused(old, &program, &correspondence, &preserve).is_none();
        let Some(left) = errors(&program, 3, 2 * MOST, undefined) else { continue };
        let loses = !keys(&before).is_subset(&keys(&left));
        counts.losing += usize::from(loses);
        counts.cautious += usize::from(!loses && !accepted);
        if loses && accepted {
            let lost: Vec<_> = before.keys().filter(|it| !left.contains_key(it)).collect();
            return Err(format!("a mutant that loses {lost:?} is accepted:\n{}", c::text::print(&program)));
        }
    }
    Ok(())
}

/// What running all passes came to.
pub struct Chain {
    /// The last program.
    pub program: Program,
    /// What the validator refused, and why.
    pub refused: Vec<String>,
    /// The passes that did something.
    pub runs: Vec<&'static str>,
}

/// Runs all passes in rounds, each result validated; what is refused is left out. `spent` gets the time of
/// each validation.
pub fn chain(program: &Program, mut spent: impl FnMut(Duration)) -> Chain {
    let mut done = Chain { program: program.clone(), refused: vec![], runs: vec![] };
    for _ in 0..ROUNDS {
        let before = done.runs.len();
        for (name, pass) in PASSES.iter().map(|it| (it.name(), it.run)) {
            let Some(passed) = run(pass, &done.program) else { continue };
            let start = Instant::now();
            let why = refused(&done.program, &passed.program, &passed.correspondence, &Preserve::default());
            spent(start.elapsed());
            match why {
                Some(why) => done.refused.push(format!("{name}: {why}")),
                None => {
                    done.runs.push(name);
                    done.program = passed.program;
                }
            }
        }
        if done.runs.len() == before {
            break;
        }
    }
    done
}
