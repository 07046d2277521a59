//! Random concurrent C programs, compiled with a scheduler that tries all schedules: no way says otherwise.
//! `cargo xtask c-schedules` does the same with more programs.

#[path = "c_schedules/mod.rs"]
mod schedules;

use schedules::{Counts, Effort, compare, judge, persists, shrink};
use std::time::Duration;
use testing::c::Twin;

fn effort() -> Effort {
    Effort {
        threads: vec![2, 3, 4],
        ways: vec!["concrete", "abstract", "exact"],
        time: Duration::from_millis(500),
        proof: Duration::from_millis(50),
        states: 10_000,
    }
}

#[test]
fn ways_agree_with_the_compiler_under_all_schedules() {
    // Each part is compiled as one file.
    let all: Vec<u64> = (0..300).collect();
    let parts: Vec<Vec<u64>> = all.chunks(30).map(<[u64]>::to_vec).collect();
    let done = testing::in_parallel(&parts, |seeds| {
        let programs: Vec<Twin> = seeds.iter().map(|seed| testing::c::schedules(*seed)).collect();
        let mut counts = Counts::default();
        let found = compare(seeds, &programs, &effort(), &mut counts).unwrap_or_else(|why| panic!("{why}"));
        (found, counts)
    });
    let safe: usize = done.iter().map(|it| it.1.safe).sum();
    let failing: usize = done.iter().map(|it| it.1.failing).sum();
    done.iter().for_each(|it| println!("{:?}", it.1));
    let found: Vec<_> = done.into_iter().flat_map(|it| it.0).collect();
    if let Some(first) = found.first() {
        let twin = shrink(&first.twin, |twin| persists(first, twin, &effort()));
        panic!(
            "{} differences; the first:\n{}",
            found.len(),
            schedules::Difference { twin, ..first.clone() }
        );
    }
    // Both verdicts are common, and few programs are too large for the scheduler.
    assert!(safe >= 100 && failing >= 50, "{safe} safe, {failing} fail");
}

/// The judge itself: what its scheduler does is known for these.
#[test]
fn the_scheduler_finds_what_fails_in_some_schedule_only() {
    use schedules::Truth::{Fails, Safe};
    let lines = |text: &str| text.lines().map(str::to_string).collect();
    let worker = "static void *w(void *p) { «m g¦+¦1»; return p; }";
    let main = "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0);";
    let program = |text: String| Twin { lines: lines(&text), names: vec!["g".into(), "w".into()] };
    let twins = [
        // One update is lost only if both read before one writes; with two threads they come one after the
        // other.
        program(format!("int g «g»;\n{worker}\n{main} «m g¦+¦0»; assert(«r g» != 5); }}")),
        program(format!("int g «g»;\n{worker}\n{main} pthread_join(t, 0); assert(«r g» != 0); }}")),
        program(format!("int g «g»;\n{worker}\n{main} pthread_join(t, 0); assert(«r g» == 2); }}")),
        program(format!("int g «g»;\n{worker}\n{main} __VERIFIER_assume(«r g» == 3); assert(0); }}")),
    ];
    let truths = judge(&twins, 10_000).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(truths, [[Safe; 3], [Safe; 3], [Safe, Fails, Fails], [Safe; 3]]);
}
