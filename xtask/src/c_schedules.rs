//! Random concurrent C programs: the ways against the compiled program under all schedules, as many as one
//! likes.

#[path = "../../crates/verify/tests/c_schedules/mod.rs"]
mod schedules;

use crate::options::{each, list};
use anyhow::{Result, anyhow, bail, ensure};
use schedules::{Counts, Difference, Effort, compare, persists, shrink};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use testing::c::Twin;

/// This many programs are compiled together.
const BATCH: u64 = 100;

struct Options {
    first: u64,
    count: u64,
    workers: usize,
    /// How many differences of a kind are shrunk.
    shrink: usize,
    out: Option<PathBuf>,
    /// The program to print instead.
    show: Option<u64>,
    effort: Effort,
}

/// The command `c-schedules`.
pub fn run(args: &[String]) -> Result<()> {
    let options = options(args)?;
    if let Some(seed) = options.show {
        let twin = testing::c::schedules(seed);
        println!(
            "{}\n#if 0 /* for the judge */\n{}#endif",
            twin.plain(),
            testing::c::judge_file(std::slice::from_ref(&twin))
        );
        return Ok(());
    }
    let begun = Instant::now();
    let next = AtomicU64::new(options.first);
    let results = Mutex::new((Counts::default(), vec![]));
    std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..options.workers).map(|_| scope.spawn(|| work(&options, &next, &results))).collect();
        handles.into_iter().try_for_each(|it| it.join().map_err(|_| anyhow!("a worker panicked"))?)
    })?;
    let (counts, mut found) = results.into_inner().unwrap_or_else(|it| it.into_inner());
    found.sort_by_key(|it: &Difference| (it.seed, it.way != "concrete"));
    report(&counts, begun.elapsed());
    let number = found.len();
    tell(found, &options)?;
    ensure!(number == 0, "{number} differences");
    Ok(())
}

fn options(args: &[String]) -> Result<Options> {
    let effort = Effort {
        threads: vec![2, 3, 4],
        ways: vec!["concrete", "abstract", "exact"],
        time: Duration::from_millis(500),
        proof: Duration::from_millis(100),
        states: 20_000,
    };
    let mut options =
        Options { first: 0, count: 1_000, workers: 2, shrink: 3, out: None, show: None, effort };
    each(args, |name, value| {
        match name {
            "--first" => options.first = value.parse()?,
            "--count" => options.count = value.parse()?,
            "--workers" => options.workers = value.parse()?,
            "--shrink" => options.shrink = value.parse()?,
            "--states" => options.effort.states = value.parse()?,
            "--time" => options.effort.time = Duration::from_millis(value.parse()?),
            "--proof" => options.effort.proof = Duration::from_millis(value.parse()?),
            "--show" => options.show = Some(value.parse()?),
            "--out" => options.out = Some(value.into()),
            "--threads" => {
                options.effort.threads = list(value).map(str::parse).collect::<Result<_, _>>()?;
                ensure!(options.effort.threads.iter().all(|it| (2..=4).contains(it)), "2 to 4 threads");
            }
            "--ways" => options.effort.ways = list(value).map(way).collect::<Result<_>>()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(options)
}

fn way(name: &str) -> Result<&'static str> {
    match name {
        "concrete" => Ok("concrete"),
        "abstract" => Ok("abstract"),
        "exact" => Ok("exact"),
        _ => bail!("no way: {name}"),
    }
}

/// Takes batches until there are none left.
fn work(options: &Options, next: &AtomicU64, results: &Mutex<(Counts, Vec<Difference>)>) -> Result<()> {
    let end = options.first.saturating_add(options.count);
    loop {
        let first = next.fetch_add(BATCH, Ordering::Relaxed);
        if first >= end {
            return Ok(());
        }
        let seeds: Vec<u64> = (first..end.min(first + BATCH)).collect();
        let programs: Vec<Twin> = seeds.iter().map(|seed| testing::c::schedules(*seed)).collect();
        let mut counts = Counts::default();
        let found = compare(&seeds, &programs, &options.effort, &mut counts).map_err(|why| anyhow!(why))?;
        let mut all = results.lock().unwrap_or_else(|it| it.into_inner());
        all.0.add(counts);
        for it in &found {
            println!("seed {}: {} with {} threads says {}", it.seed, it.way, it.threads, it.outcome);
        }
        all.1.extend(found);
    }
}

fn report(counts: &Counts, time: Duration) {
    let Counts { programs, safe, failing, .. } = counts;
    let rate = *programs as f64 / time.as_secs_f64();
    println!(
        "{programs} programs in {:.0} s ({rate:.1} a second): {safe} safe, {failing} fail",
        time.as_secs_f64()
    );
    for (why, count) in &counts.skipped {
        println!("  skipped, {why}: {count}");
    }
    let judged = (safe + failing).max(1);
    for (way, count) in &counts.decided {
        println!("  {way}: decided {count} of {judged} ({} %)", 100 * count / judged);
    }
    for ((way, why), count) in &counts.unknown {
        println!("  {way}: unknown, {why}: {count}");
    }
}

/// Prints the differences, the first of each kind shrunk.
fn tell(found: Vec<Difference>, options: &Options) -> Result<()> {
    let mut seen: Vec<(String, usize)> = vec![];
    let mut last = None;
    for difference in found {
        // What several ways say of one program has one cause, most of the time.
        if last.replace(difference.seed) == Some(difference.seed) {
            continue;
        }
        let kind = format!("{:?} {}", difference.truth, difference.outcome);
        let at = seen.iter().position(|it| it.0 == kind).unwrap_or_else(|| {
            seen.push((kind, 0));
            seen.len() - 1
        });
        seen[at].1 += 1;
        if seen[at].1 > options.shrink {
            continue;
        }
        let twin = shrink(&difference.twin, |twin| persists(&difference, twin, &options.effort));
        let small = Difference { twin, ..difference };
        println!("{small}");
        if let Some(folder) = &options.out {
            let name = format!("schedules_{}_{}_{}.c", small.seed, small.way, small.threads);
            std::fs::write(folder.join(name), small.to_string())?;
        }
    }
    Ok(())
}

impl Counts {
    /// Adds what came of other programs.
    fn add(&mut self, other: Counts) {
        self.programs += other.programs;
        self.safe += other.safe;
        self.failing += other.failing;
        other.skipped.into_iter().for_each(|(key, count)| *self.skipped.entry(key).or_default() += count);
        other.decided.into_iter().for_each(|(key, count)| *self.decided.entry(key).or_default() += count);
        other.unknown.into_iter().for_each(|(key, count)| *self.unknown.entry(key).or_default() += count);
    }
}
