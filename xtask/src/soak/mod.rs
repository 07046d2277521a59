//! Asks every engine, in every mode that computes its answer in another way, about fresh random programs and
//! nets, and compares with brute force for few threads: what the tests do with fixed seeds, for as long as
//! one likes. Wrong verdicts, false bounds, refused evidence and faults are failures; the program of the
//! first of each sort is shrunk and printed.

mod ask;
mod auto;
mod modes;
mod oracle;
mod report;
mod shrink;
mod texts;
mod tool;
mod work;

use crate::corpus::build;
use crate::options::each;
use anyhow::{Result, ensure};
use modes::Modes;
use report::Report;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use work::Worker;

/// Deep enough for everything that an engine does on a small program.
const STACK: usize = 1 << 28;

/// What was asked for.
pub struct Options {
    first: u64,
    count: u64,
    seconds: Option<u64>,
    workers: usize,
    /// How many of the options of engines each program meets.
    sample: usize,
    engine: String,
    /// The command line to try, if any, and how many programs there are for each that it is tried on.
    tool: Option<PathBuf>,
    every: u64,
    /// How many failures are shrunk.
    shrink: usize,
}

/// The command `soak`.
pub fn run(args: &[String]) -> Result<()> {
    let options = options(args)?;
    let modes = Modes::all();
    let modes = if options.engine.is_empty() { modes } else { modes.only(&options.engine) };
    // A panic, of an engine or of anything else, is a failure like others: it is told with the program.
    std::panic::set_hook(Box::new(|_| {}));
    let report = Mutex::new(Report::new(&options));
    let (next, begin) = (AtomicU64::new(0), Instant::now());
    let end = options.seconds.map(|seconds| begin + Duration::from_secs(seconds));
    let work = |index: usize| -> Result<()> {
        let worker = Worker::new(&options, &modes, &report, index)?;
        while end.is_none_or(|end| Instant::now() < end) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= options.count {
                break;
            }
            worker.seed(options.first + number)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let spawn =
            |index| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(index));
        let workers: Vec<_> = (0..options.workers).map(spawn).collect::<Result<_, _>>()?;
        workers.into_iter().try_for_each(|it| it.join().expect("panics are caught"))
    })?;
    let _ = std::panic::take_hook();
    let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failures = report.finish(begin.elapsed());
    ensure!(failures == 0, "{failures} failures");
    Ok(())
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options {
        first: 1_000_000_000,
        count: u64::MAX,
        seconds: None,
        workers: 2,
        sample: 4,
        engine: String::new(),
        tool: None,
        every: 10,
        shrink: 20,
    };
    let mut tool = String::new();
    each(args, |name, value| {
        match name {
            "--first" => options.first = value.parse()?,
            "--count" => options.count = value.parse()?,
            "--seconds" => options.seconds = Some(value.parse()?),
            "--workers" => options.workers = value.parse()?,
            "--sample" => options.sample = value.parse()?,
            "--engine" => options.engine = value.to_string(),
            "--tool" => tool = value.to_string(),
            "--every" => options.every = value.parse()?,
            "--shrink" => options.shrink = value.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    ensure!(options.workers > 0 && options.every > 0, "--workers and --every are at least 1");
    if options.count == u64::MAX && options.seconds.is_none() {
        options.count = 1000;
    }
    options.tool = match tool.as_str() {
        "none" => None,
        "" => Some(build()?),
        path => Some(PathBuf::from(path)),
    };
    Ok(options)
}
