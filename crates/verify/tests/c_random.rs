//! Random concurrent C programs: the ways never contradict each other, nor brute force over the reference
//! semantics. `cargo xtask c-agree` does the same with more programs.

mod c_agreement;

use c_agreement::{Counts, Effort, compare};
use std::time::Duration;

#[test]
fn ways_agree_with_brute_force() {
    let effort = effort();
    let mut counts = Counts::default();
    for seed in 0..500 {
        // Who is asked about three threads only meets more shapes in the same time.
        let threads: &[u32] = if seed % 2 == 0 { &[2, 3] } else { &[3] };
        compare(seed, threads, &effort, &mut counts).unwrap_or_else(|why| panic!("{why}"));
    }
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
    let mut counts = Counts::default();
    for seed in 0..100 {
        compare(seed, &[2, 3], &effort, &mut counts).unwrap_or_else(|why| panic!("{why}"));
    }
    let Counts { safe, failing, concrete, exact, .. } = counts;
    println!("{counts:?}");
    assert!(safe >= 40 && failing >= 20, "{counts:?}");
    assert!(concrete * 10 >= (safe + failing) * 9 && exact * 2 >= safe + failing, "{counts:?}");
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
