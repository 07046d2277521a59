//! Random concurrent C programs: the ways never contradict each other, nor brute force over the reference
//! semantics. `cargo xtask c-agree` does the same with more programs.

mod c_agreement;

use c_agreement::{Counts, Effort, compare};
use std::time::Duration;

#[test]
fn ways_agree_with_brute_force() {
    let effort = effort();
    // Who is asked about three threads only meets more shapes in the same time.
    let counts = all(500, &effort, |seed| if seed % 2 == 0 { &[2, 3] } else { &[3] });
    let Counts { safe, failing, concrete, exact, proved } = counts;
    println!("{counts:?}");
    assert!(safe >= 250 && failing >= 100, "{counts:?}");
    assert!(concrete * 10 >= (safe + failing) * 9 && exact * 2 >= safe + failing, "{counts:?}");
    // How many proofs are found in their short time depends on the machine; that some are shows that they are
    // looked for.
    assert!(proved > 0, "{counts:?}");
}

/// Programs about locks, with merged steps in every way.
#[test]
fn ways_with_merged_steps_agree_with_brute_force() {
    let effort = Effort { text: testing::c::locking, movers: "on", ..effort() };
    let counts = all(100, &effort, |_| &[2, 3]);
    let Counts { safe, failing, concrete, exact, .. } = counts;
    println!("{counts:?}");
    assert!(safe >= 40 && failing >= 20, "{counts:?}");
    assert!(concrete * 10 >= (safe + failing) * 9 && exact * 2 >= safe + failing, "{counts:?}");
}

/// Compares what is said about the programs of the first seeds, with these numbers of threads.
fn all(seeds: u64, effort: &Effort, threads: fn(u64) -> &'static [u32]) -> Counts {
    let seeds: Vec<u64> = (0..seeds).collect();
    let found = testing::in_parallel(&seeds, |&seed| {
        let mut counts = Counts::default();
        compare(seed, threads(seed), effort, &mut counts).unwrap_or_else(|why| panic!("{why}"));
        counts
    });
    found.into_iter().fold(Counts::default(), |one, other| Counts {
        safe: one.safe + other.safe,
        failing: one.failing + other.failing,
        concrete: one.concrete + other.concrete,
        exact: one.exact + other.exact,
        proved: one.proved + other.proved,
    })
}

fn effort() -> Effort {
    Effort {
        engines: vec!["explicit".to_string()],
        time: Duration::from_secs(2),
        proof: Duration::from_millis(25),
        states: 1_500,
        text: testing::c::concurrent,
        movers: "auto",
    }
}
