//! The relation against brute force, and its three representations against each other.

use super::control::{ThreadControl, attentive};
use super::*;
use base::{Budget, Id, NoEvents};
use ir::bp::{LocalScope, Machine, State, Thread, Var};
use std::collections::BTreeSet;
use testing::bp::{self as random, Profile};

/// A thread state: what is explicit, the shared variables and the locals.
type Seen = (ThreadControl, Vec<bool>, Vec<bool>);

fn all_options(states: Representation) -> [Options; 2] {
    let options = Options { states, reduction: false, owner: true, taken: true, stop_at_error: false };
    [options, Options { reduction: true, ..options }]
}

fn bits(row: &[u32], len: usize) -> Vec<bool> {
    (0..len).map(|index| crate::bits::get(row, index)).collect()
}

/// All thread states of the relation, and what fails.
fn valuations(program: &Program, options: Options) -> (BTreeSet<Seen>, Option<Loc>) {
    let (budget, commands) = (Budget::unlimited(), commands(program, options));
    match options.states {
        Representation::Explicit => {
            let sets = ExplicitSets::new(program, commands, options);
            let mut relation = Saturation::new(sets, options);
            let found = relation.saturate(&budget, &mut NoEvents).expect("no end");
            let semantics = &relation.sets.semantics;
            let state = |control, shared, local| {
                let values = bits(semantics.shared.get(shared), program.shared().len());
                (control, values, bits(semantics.values(local), program.locals().len()))
            };
            let all = relation.all().flat_map(|(control, set)| set.iter().map(move |it| (control, it)));
            (all.map(|(control, &(shared, local))| state(control, shared, local)).collect(), found)
        }
        Representation::Diagrams => {
            let sets = DiagramSets::new(program, commands, options, &budget).expect("no end");
            let mut relation = Saturation::new(sets, options);
            let found = relation.saturate(&budget, &mut NoEvents).expect("no end");
            let all: Vec<_> = relation.all().map(|(control, &set)| (control, set)).collect();
            let encoding = relation.sets.symbolic();
            let has = |control, set: &_, shared: &[bool], locals: &[bool]| {
                diagram_has(encoding, control, *set, shared, locals)
            };
            (enumerate(program, &all, has), found)
        }
        Representation::Formulas => {
            let sets = FormulaSets::new(program, commands, options, 0);
            let mut relation = Saturation::new(sets, options);
            let found = relation.saturate(&budget, &mut NoEvents).expect("no end");
            let sets = &relation.sets;
            let all: Vec<_> = relation
                .all()
                .map(|(control, set)| (control, (set, sets.valuations(control.loc, set))))
                .collect();
            let has = |control: ThreadControl, it: &(&_, Option<_>), shared: &[bool], locals: &[bool]| {
                let valuation: Vec<bool> = shared.iter().chain(locals).copied().collect();
                let (set, valuations): &(_, Option<rustc_hash::FxHashSet<Vec<bool>>>) = it;
                valuations
                    .as_ref()
                    .map_or_else(|| sets.has(control.loc, set, &valuation), |all| all.contains(&valuation))
            };
            (enumerate(program, &all, has), found)
        }
    }
}

fn diagram_has(
    encoding: &crate::encoding::Encoding<'_>,
    control: ThreadControl,
    set: solve::bdd::Bdd,
    shared: &[bool],
    locals: &[bool],
) -> bool {
    use crate::encoding::Slot;
    let program = encoding.program;
    let level = |var| encoding.space.now(var, Slot::Own);
    let shared = program.shared().ids().map(|id| (level(Var::Shared(id)), shared[id.index()]));
    let owned = program.locals().ids().map(|id| (level(Var::Local(id)), locals[id.index()]));
    let values: std::collections::HashMap<_, bool> = shared.chain(owned).collect();
    // What a set does not mention is 0.
    let zero = program.locals().ids().filter(|&id| !encoding.keeps(control.loc, id));
    zero.into_iter().all(|id| !locals[id.index()]) && encoding.manager.eval(set, |level| values[&level])
}

fn enumerate<S>(
    program: &Program,
    all: &[(ThreadControl, S)],
    has: impl Fn(ThreadControl, &S, &[bool], &[bool]) -> bool,
) -> BTreeSet<Seen> {
    let (shared, locals) = (program.shared().len(), program.locals().len());
    let mut valuations = BTreeSet::new();
    for (control, set) in all {
        for number in 0..1u32 << (shared + locals) {
            let (s, l) = (bits(&[number], shared), bits(&[number >> shared], locals));
            if has(*control, set, &s, &l) {
                valuations.insert((*control, s, l));
            }
        }
    }
    valuations
}

/// What a thread sees of a state, for both values of the flag.
fn projections(program: &Program, state: &State, thread: &Thread) -> [Seen; 2] {
    let locals = program.locals().enumerate();
    let locals = locals.map(|(id, local)| match local.scope {
        LocalScope::Thread => thread.values[id.index()],
        LocalScope::Procedure(_) => thread.top().values[id.index()],
    });
    let locals: Vec<bool> = locals.collect();
    let section = state.threads.values().any(|thread| thread.inside);
    let control = |started| ThreadControl {
        loc: thread.loc(),
        inside: thread.inside,
        section,
        started,
        initialising: state.initialising,
    };
    [false, true].map(|started| (control(started), state.shared.clone(), locals.clone()))
}

struct Brute {
    states: Vec<State>,
    failed: bool,
}

fn brute(program: &Program, most: usize) -> Option<Brute> {
    let mut brute = Brute { states: vec![], failed: false };
    for bound in 1..=4 {
        let machine = Machine::new(program, Some(bound));
        let Some(states) = machine.reachable(most) else { break };
        brute.failed |= states.iter().any(|state| machine.failure(state).is_some());
        brute.states.extend(states);
    }
    (!brute.states.is_empty()).then_some(brute)
}

/// All representations on one program; whether brute force found an error, and whether the relation did.
fn check(program: &Program, brute: &Brute, name: &str) -> (bool, bool) {
    let kinds: &[Representation] = match accepts(program, &Settings::default()) {
        Ok(()) => &[Representation::Explicit, Representation::Diagrams, Representation::Formulas],
        Err(_) => &[Representation::Explicit],
    };
    let listens = attentive(program, &Commands::new(program).expect("flat"), true);
    let hears = |control: ThreadControl| control.inside || listens[control.loc.index()];
    let [full, reduced] = all_options(Representation::Explicit).map(|options| valuations(program, options));
    for state in &brute.states {
        for thread in state.threads.values() {
            let seen = projections(program, state, thread);
            assert!(seen.iter().any(|it| full.0.contains(it)), "{name}: {seen:?} is missing");
            let kept = seen.iter().any(|it| reduced.0.contains(it));
            assert!(kept || !hears(seen[0].0), "{name}: {seen:?} is missing with the reduction");
        }
    }
    assert!(!brute.failed || full.1.is_some(), "{name}: an error is missed");
    assert_eq!(full.1.is_some(), reduced.1.is_some(), "{name}: the reduction changes the alarm");
    assert!(reduced.0.is_subset(&full.0), "{name}: the reduction adds thread states");
    let heard = |set: &BTreeSet<Seen>| set.iter().filter(|it| hears(it.0)).cloned().collect::<Vec<_>>();
    assert_eq!(heard(&full.0), heard(&reduced.0), "{name}: the reduction loses what attentive threads see");
    for &states in &kinds[1..] {
        for (options, expected) in all_options(states).into_iter().zip([&full, &reduced]) {
            let found = valuations(program, options);
            assert_eq!(found.0, expected.0, "{name}: {options:?}");
            assert_eq!(found.1.is_some(), expected.1.is_some(), "{name}: {options:?}");
        }
    }
    check_locks(program, brute, kinds, name);
    (brute.failed, full.1.is_some())
}

/// With only one of the bits of a lock less is proved, and nothing that is wrong.
fn check_locks(program: &Program, brute: &Brute, kinds: &[Representation], name: &str) {
    let single = [(true, false), (false, true)];
    for (owner, taken) in single.into_iter().filter(|_| !program.locks().is_empty()) {
        for reduction in [false, true] {
            let option =
                |&states: &Representation| Options { states, reduction, owner, taken, stop_at_error: false };
            let found: Vec<_> = kinds.iter().map(|states| valuations(program, option(states))).collect();
            assert!(!brute.failed || found[0].1.is_some(), "{name}: an error is missed");
            assert!(
                found.iter().all(|it| it.0 == found[0].0),
                "{name}: owner {owner}, taken {taken}, {reduction}"
            );
        }
    }
}

fn check_random(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut checked, mut failing, mut proved, mut locks) = (0, 0, 0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if !program.is_flat() {
            continue;
        }
        let Some(brute) = brute(&program, 400) else { continue };
        let (failed, alarmed) = check(&program, &brute, &format!("program {seed}"));
        checked += 1;
        failing += usize::from(failed);
        proved += usize::from(!alarmed);
        locks += usize::from(!program.locks().is_empty());
    }
    assert!(checked >= least, "{checked} programs");
    assert!(failing > least / 8 && proved > least / 8, "{failing} failing, {proved} proved of {checked}");
    assert!(profile.locks == 0 || locks > least / 4, "{locks} with locks of {checked}");
}

#[test]
fn contains_what_threads_with_locks_see() {
    let profile = Profile {
        locks: 70,
        sections: 30,
        broadcasts: 0,
        passive_conditions: 0,
        procedures: 30,
        statements: 8,
        ..Profile::ALL
    };
    check_random(&profile, 0..400, 200);
}

#[test]
fn contains_what_threads_with_sections_see() {
    let profile = Profile {
        locks: 20,
        sections: 100,
        spawns: 100,
        broadcasts: 0,
        passive_conditions: 0,
        ..Profile::ALL
    };
    check_random(&profile, 10_000..10_300, 150);
}

#[test]
fn contains_what_broadcasts_do() {
    check_random(&Profile { passive_conditions: 40, locks: 30, ..Profile::BROADCASTS }, 20_000..20_300, 150);
}

fn read(text: &str, entry: Option<&str>) -> Program {
    let mut map = base::SourceMap::default();
    let source = map.add("test".to_string(), text.to_string());
    let options = front::ReadOptions {
        init: front::InitReading::Zero,
        entry: entry.map(str::to_string),
        ..front::ReadOptions::default()
    };
    front::read_program(&map, source, &options).expect("a program").0
}

fn alarms(program: &Program, change: impl Fn(&mut Options)) -> [bool; 3] {
    [Representation::Explicit, Representation::Diagrams, Representation::Formulas].map(|states| {
        let mut options = all_options(states)[1];
        change(&mut options);
        valuations(program, options).1.is_some()
    })
}

/// Figure 4 of the paper: its relation as printed raises a false alarm, and so does a lock that is only a
/// shared bit.
#[test]
fn the_lock_example_needs_both_bits() {
    let text = "decl g, l; void f() begin lock l; assert(!g); g := 1; g := 0; unlock l; end";
    let program = read(text, Some("f"));
    assert_eq!(alarms(&program, |_| ()), [false; 3]);
    assert_eq!(alarms(&program, |options| options.owner = false), [true; 3]);
    assert_eq!(alarms(&program, |options| options.taken = false), [true; 3]);
    assert_eq!(alarms(&program, |options| (options.owner, options.taken) = (false, false)), [true; 3]);
}

/// The reduction as printed misses the error of this program: the first write does not reach the passive
/// thread, and then the second does not fit.
#[test]
fn the_reduction_tells_of_all_changes() {
    let text = "decl x, y;
        void q() begin skip; assert(!y); end
        void main() begin x := 0; y := 0; start_thread q(); x := 1; y := 1; end";
    let program = read(text, None);
    assert_eq!(alarms(&program, |_| ()), [true; 3]);
    assert_eq!(alarms(&program, |options| options.reduction = false), [true; 3]);
}

/// What happens before the first thread is started is seen by nobody; without the flag `x` could be 1 where
/// it is asserted.
#[test]
fn a_thread_alone_is_not_disturbed() {
    let text = "decl x;
        void q() begin x := 0; end
        void main() begin x := 1; x := 0; assert(!x); start_thread q(); end";
    assert_eq!(alarms(&read(text, None), |_| ()), [false; 3]);
    // Two threads from the start are never alone.
    assert_eq!(alarms(&read(text, Some("main")), |_| ()), [true; 3]);
}

/// A child does not hold the locks of its creator, and the creator keeps them.
#[test]
fn locks_are_not_inherited() {
    let text = "decl g, l;
        void main() begin g := 0; lock l; start_thread goto a; assert(!g); unlock l; goto b;
        a: lock l; g := 1; assert(g); g := 0; unlock l;
        b: skip; end";
    assert_eq!(alarms(&read(text, None), |_| ()), [false; 3]);
}
