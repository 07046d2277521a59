//! The loop over Boolean programs: small programs whose first abstraction fails are proved, what they become
//! with a mistake is not, every proof is given to the checker, and random programs are compared with brute
//! force.

mod counting;
mod creating;
mod locked;
mod random;

use base::random::Random;
use base::{Budget, Event, Round, Stop};
use c::{Exprs, Machine, Options};
use counting::RAISE;
use predicates::Outcome as Proving;
use predicates::boolean::{LoopOptions, Refined, prove};
use random::{Maker, reach};
use relation::{NoRelation, Relation};

/// What the loop says about a relation; proofs are checked. With the rounds that it took.
fn refined(relation: &Relation, ticks: u64) -> (Option<Refined>, Vec<Round>) {
    let mut events: Vec<Event> = vec![];
    let budget = Budget::with_ticks(ticks);
    let mut engines = verify::predicates::BooleanEngines { seed: 0, ticks: 100_000 };
    let found = match prove(relation, &LoopOptions::default(), &mut engines, &budget, &mut events) {
        Ok(found) => Some(found),
        Err(Stop::Ticks) => None,
        Err(stop) => panic!("nothing else stops it, but {stop}"),
    };
    if let Some(Refined::Proving(Proving::Proved { proof, relation, .. })) = &found {
        let checked = check_formulas::c::proof(relation, proof, &Budget::unlimited());
        assert!(checked.is_ok(), "the checker refuses the proof: {checked:?}");
    }
    if let Some(Refined::Proving(Proving::Alarm { why, .. })) = &found {
        assert!(!why.contains("came back"), "no path may come back: {why}");
    }
    let rounds = events.into_iter().filter_map(|it| if let Event::Round(it) = it { Some(it) } else { None });
    (found, rounds.collect())
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\nextern int __VERIFIER_nondet_int(void);\n";
const MAIN: &str = "int main(void) { pthread_t id; for (;;) pthread_create(&id, NULL, worker, NULL); }\n";

fn program(text: &str) -> c::Program {
    testing::programs::normalised("test.c", text, &[]).expect("the program is C").program
}

/// Proves a program, after ruling out at least one path.
fn proved(body: &str) {
    let program = program(&format!("{HEAD}{body}{MAIN}"));
    let relation = Relation::of(&program, &Options::default(), &Budget::unlimited()).expect("it has one");
    let (found, rounds) = refined(&relation, 50_000_000);
    let Some(Refined::Proving(Proving::Proved { rounds, .. })) = found else {
        panic!("{body}: {found:?}\n{rounds:#?}")
    };
    assert!(rounds > 1, "the first Boolean program is safe: {body}");
}

/// Finds a run into the error that the C machine confirms.
fn fails(body: &str) {
    let program = program(&format!("{HEAD}{body}{MAIN}"));
    let relation = Relation::of(&program, &Options::default(), &Budget::unlimited()).expect("it has one");
    let (found, rounds) = refined(&relation, 50_000_000);
    let Some(Refined::Real { path, .. }) = found else { panic!("{body}: {found:?}\n{rounds:#?}") };
    let machine = Machine::new(&program, Options::default());
    let run = path.run(&relation, &machine, &Budget::with_ticks(1_000_000)).expect("few ticks are enough");
    let run = run.unwrap_or_else(|| panic!("no run of the machine: {body}"));
    assert!(machine.record(&run).is_ok(), "{body}");
}

#[test]
fn a_counter_by_compare_and_swap() {
    proved(RAISE);
    fails(&RAISE.replace("> before", "> before + 1u"));
}

#[test]
fn a_counter_under_a_lock() {
    proved(&locked::worker(""));
    fails(&locked::worker(locked::GAP));
}

const LARGEST: &str = "int best;
    void *worker(void *arg) {
        int mine = __VERIFIER_nondet_int(), old;
        do old = __atomic_load_n(&best, 5); while (old < mine && !__sync_bool_compare_and_swap(&best, old, mine));
        assert(__atomic_load_n(&best, 5) >= mine); return NULL; }\n";

#[test]
fn a_maximum() {
    proved(LARGEST);
    fails(&LARGEST.replace("!__sync_bool_compare_and_swap(&best, old, mine)", "(best = mine, 0)"));
}

const STAGES: &str = "pthread_mutex_t m; int stage, data;
    void *worker(void *arg) {
        pthread_mutex_lock(&m);
        if (stage == 0) { data = 7; stage = 3; }
        else if (stage == 3) { assert(data == 7); stage = 5; }
        else { assert(stage == 5); data = 0; stage = 0; }
        pthread_mutex_unlock(&m); return NULL; }\n";

#[test]
fn stages_under_a_lock() {
    proved(STAGES);
    fails(&STAGES.replace("data = 0;", "data = 0; stage = 3;").replace("stage = 0; }", "}"));
}

#[derive(Debug, Default)]
struct Tally {
    failing: usize,
    proved: usize,
    unchecked: usize,
    real: usize,
    open: usize,
    ruled_out: usize,
}

impl Tally {
    /// Counts what was found; whether it is called safe.
    fn note(&mut self, found: &Option<Refined>, rounds: &[Round]) -> bool {
        self.ruled_out += rounds.iter().filter(|it| matches!(it, Round::RuledOut(_))).count();
        let (safe, count) = match found {
            Some(Refined::Proving(Proving::Proved { .. })) => (true, &mut self.proved),
            Some(Refined::Unchecked { .. }) => (true, &mut self.unchecked),
            Some(Refined::Real { .. }) => (false, &mut self.real),
            _ => (false, &mut self.open),
        };
        *count += 1;
        safe
    }
}

#[test]
fn random_relations_against_brute_force() {
    let mut tally = Tally::default();
    for seed in 90_000..90_120 {
        let mut maker = Maker { random: Random::new(seed), exprs: Exprs::new(64) };
        let relation = creating::relation(&mut maker, |maker| maker.atom(&[0, 1, 2, 3]));
        let truth = reach(&relation);
        tally.failing += usize::from(truth.fails);
        let (found, rounds) = refined(&relation, 300_000);
        let safe = tally.note(&found, &rounds);
        assert!(!safe || !truth.fails, "seed {seed}: called safe, but it fails");
    }
    println!("{tally:?}");
    assert!(tally.proved > 20 && tally.real > 20, "{tally:?}");
}

/// Whether brute force finds an error with up to this many threads.
fn brute(program: &c::Program, threads: u32) -> Option<bool> {
    let machine = Machine::new(program, Options { threads: Some(threads), ..Options::default() });
    let mut seen = std::collections::BTreeSet::new();
    let mut work = vec![machine.start()];
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if machine.failure(&state).is_some() {
            return Some(true);
        }
        if seen.len() > 1_500 {
            return None;
        }
        work.extend(machine.successors(&state, &[0, 1]).into_iter().map(|it| it.1));
    }
    Some(false)
}

#[test]
fn random_programs_against_brute_force() {
    let mut tally = Tally::default();
    for seed in 5_000..5_110 {
        let program = program(&testing::c::concurrent(seed));
        let relation = match Relation::of(&program, &Options::default(), &Budget::unlimited()) {
            Ok(relation) => relation,
            Err(NoRelation::Unsupported(_)) => continue,
            Err(other) => panic!("seed {seed}: {other}"),
        };
        let (found, rounds) = refined(&relation, 40_000);
        let safe = tally.note(&found, &rounds);
        if safe {
            let fails = [2, 3].iter().any(|&it| brute(&program, it) == Some(true));
            assert!(!fails, "seed {seed}: called safe, but it fails");
        }
    }
    println!("{tally:?}");
    assert!(tally.proved > 20 && tally.real > 10 && tally.ruled_out > 20, "{tally:?}");
}
