//! Random concurrent C programs: the ways against each other and against brute force, as many as one likes.

#[path = "../../crates/verify/tests/c_agreement/mod.rs"]
mod c_agreement;

use crate::options::each;
use anyhow::{Result, ensure};
use c_agreement::{Counts, Effort, compare};
use std::time::Duration;

/// The command `c-agree`.
pub fn run(args: &[String]) -> Result<()> {
    let (mut first, mut count, mut most) = (0_u64, 1_000_u64, 3_u32);
    let mut effort = Effort {
        engines: vec![],
        time: Duration::from_secs(10),
        proof: Duration::from_secs(2),
        states: 20_000,
        text: testing::c::concurrent,
        movers: "auto",
    };
    each(args, |name, value| {
        match name {
            "--first" => first = value.parse()?,
            "--count" => count = value.parse()?,
            "--threads" => most = value.parse()?,
            "--states" => effort.states = value.parse()?,
            "--timeout" => effort.time = Duration::from_secs(value.parse()?),
            "--engine" => effort.engines.push(value.to_string()),
            "--programs" if value == "locking" => effort.text = testing::c::locking,
            "--movers" if value == "on" => effort.movers = "on",
            "--movers" if value == "off" => effort.movers = "off",
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let mut counts = Counts::default();
    let mut wrong = 0;
    let threads: Vec<u32> = (2..=most).collect();
    for seed in first..first.saturating_add(count) {
        if let Err(why) = compare(seed, &threads, &effort, &mut counts) {
            println!("{why}");
            wrong += 1;
        }
    }
    println!(
        "{count} programs, {} questions safe, {} unsafe; concrete decided {}, exact {}; {wrong} disagree",
        counts.safe, counts.failing, counts.concrete, counts.exact
    );
    ensure!(wrong == 0, "{wrong} programs disagree");
    Ok(())
}
