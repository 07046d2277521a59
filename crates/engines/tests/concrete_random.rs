//! The concrete way against brute force over the reference semantics, on random programs and under all
//! settings.

#[path = "concrete/leaks.rs"]
mod leaks;
#[path = "concrete/random.rs"]
mod random;
#[path = "concrete/reuse.rs"]
mod reuse;
#[path = "concrete/support.rs"]
mod support;

use base::Random;
use c::{Leaks, Machine, Options};
use ir::{Verdict, Why};
use support::{Truth, brute, read, run_within};

const NUMBERS: [u128; 4] = [0, 1, 2, 3];

const SWITCHES: [&[(&str, &str)]; 5] = [
    &[],
    &[("concrete.reduction", "off")],
    &[("concrete.symmetry", "off")],
    &[("concrete.liveness", "off")],
    &[("concrete.reduction", "off"), ("concrete.symmetry", "off"), ("concrete.liveness", "off")],
];

/// Compares on programs made from seeds; how many were safe and how many unsafe.
fn compare(seeds: std::ops::Range<u64>, heap: bool, options: Options) -> (usize, usize) {
    compare_made(seeds, |random| random::program(random, heap), options)
}

/// The same on other programs.
fn compare_made(
    seeds: std::ops::Range<u64>,
    make: impl Fn(&mut Random) -> String,
    options: Options,
) -> (usize, usize) {
    let (mut safe, mut wrong) = (0, 0);
    for seed in seeds {
        let text = make(&mut Random::new(seed));
        let program = read(&text);
        let truth = brute(&program, options, &NUMBERS, 2_000);
        if truth == Truth::TooMany {
            continue;
        }
        for switches in SWITCHES {
            let outcome = run_within(&program, options, switches, 100_000);
            let found = match &outcome.verdict {
                Verdict::Safe { .. } => Truth::Safe,
                Verdict::Unsafe(trace) => {
                    let replayed = Machine::new(&program, options).replay(trace);
                    assert!(replayed.is_ok(), "seed {seed} {switches:?}: {replayed:?}\n{text}");
                    Truth::Unsafe
                }
                // With names kept, a loop that makes objects or threads never comes back to a state.
                Verdict::Unknown(Why::Stopped(_)) if switches.contains(&("concrete.symmetry", "off")) => {
                    continue;
                }
                Verdict::Unknown(_) => Truth::Unsupported,
            };
            assert_eq!(found, truth, "seed {seed} {switches:?}: {:?}\n{text}", outcome.verdict);
        }
        safe += usize::from(truth == Truth::Safe);
        wrong += usize::from(truth == Truth::Unsafe);
    }
    (safe, wrong)
}

fn seeds(number: u64) -> std::ops::Range<u64> {
    let wanted = std::env::var("SELVEDGE_CONCRETE_SEEDS").ok().and_then(|it| it.parse().ok());
    0..wanted.unwrap_or(number)
}

#[test]
fn agrees_with_brute_force() {
    let options = Options { threads: Some(3), ..Options::default() };
    let (safe, wrong) = compare(seeds(120), false, options);
    assert!(safe > 20 && wrong > 5, "{safe} safe, {wrong} unsafe");
}

#[test]
fn agrees_with_brute_force_on_the_heap() {
    let options = Options { threads: Some(3), ..Options::default() };
    let (safe, wrong) = compare(seeds(120), true, options);
    assert!(safe > 20 && wrong > 5, "{safe} safe, {wrong} unsafe");
}

#[test]
fn agrees_with_brute_force_on_addresses_used_again() {
    let options = Options { threads: Some(2), ..Options::default() };
    let (safe, wrong) = compare_made(seeds(200), reuse::program, options);
    assert!(safe > 40 && wrong > 20, "{safe} safe, {wrong} unsafe");
    // Some of the errors are there only because an address is used again.
    let only_again = seeds(200).filter(|&seed| {
        let text = reuse::program(&mut Random::new(seed));
        let verdict = |text: &str| brute(&read(text), options, &NUMBERS, 2_000);
        verdict(&text) == Truth::Unsafe && verdict(&without_reuse(&text)) == Truth::Safe
    });
    let only_again = only_again.count();
    assert!(only_again > 5, "{only_again}");
    let options = Options { threads: Some(2), faults: c::Faults::ALL, ..Options::default() };
    let (safe, wrong) = compare_made(seeds(200), reuse::program, options);
    assert!(safe > 5 && wrong > 20, "{safe} safe, {wrong} unsafe");
}

#[test]
fn agrees_with_brute_force_on_leaks() {
    for leaks in [Leaks::Lost, Leaks::All] {
        let options = Options { threads: Some(3), leaks, ..Options::default() };
        let (safe, wrong) = compare_made(seeds(400), leaks::program, options);
        println!("{leaks:?}: {safe} safe, {wrong} unsafe");
        assert!(safe > 40 && wrong > 40, "{safe} safe, {wrong} unsafe");
    }
}

/// The same program with objects whose addresses are never used again.
fn without_reuse(text: &str) -> String {
    text.replace(" zeroed", " zeroed automatic").replace(": free ", ": free automatic ")
}

#[test]
fn agrees_with_brute_force_on_undefined_steps() {
    let options =
        Options { threads: Some(2), faults: c::Faults::ALL, spurious_wakeups: false, ..Options::default() };
    let (safe, wrong) = compare(seeds(120), true, options);
    assert!(safe > 5 && wrong > 5, "{safe} safe, {wrong} unsafe");
    let options =
        Options { threads: Some(3), faults: c::Faults::NONE, spurious_wakeups: false, ..Options::default() };
    let (safe, wrong) = compare(seeds(120), false, options);
    assert!(safe > 20 && wrong > 5, "{safe} safe, {wrong} unsafe");
}

/// With choices that are never tried in full, proofs come from parts alone, and none may be wrong.
#[test]
fn parts_of_choices_agree_with_brute_force() {
    let options = Options { threads: Some(3), ..Options::default() };
    let (mut safe, mut wrong) = (0, 0);
    for seed in seeds(150) {
        let text = random::program(&mut Random::new(1_000 + seed), seed % 2 == 0);
        if !text.contains(":= any") {
            continue;
        }
        let program = read(&text);
        let truth = brute(&program, options, &NUMBERS, 2_000);
        match (truth, run_within(&program, options, &[("concrete.values", "2")], 100_000).verdict) {
            (Truth::TooMany, _) | (_, Verdict::Unknown(_)) => {}
            (Truth::Safe, Verdict::Safe { .. }) => safe += 1,
            (Truth::Unsafe, Verdict::Unsafe(_)) => wrong += 1,
            (truth, found) => panic!("seed {seed}: {truth:?}, but {found:?}\n{text}"),
        }
    }
    assert!(safe > 5 && wrong > 2, "{safe} safe, {wrong} unsafe");
}
