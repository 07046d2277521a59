//! One random concurrent C program, asked about in every way and by brute force over the reference semantics: nobody may contradict
//! another. A trace is confirmed before it counts.

use base::Event;
use ir::Scope;
use ir::c::{Machine, Options, Program, Refusal};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use verify::c::{Request, Way};
use verify::{Limits, Origin, Outcome, Plan, ReadOptions, Source};

/// How the work is done.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The engines that the exact way asks; none: all.
    pub engines: Vec<String>,
    /// For each way.
    pub time: Duration,
    /// The most states of brute force.
    pub states: usize,
}

/// Who decided how often.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Programs that brute force found safe under a bound.
    pub safe: u32,
    /// Programs in which it found an error.
    pub failing: u32,
    /// Those that the concrete way decided.
    pub concrete: u32,
    /// Those that the exact way decided.
    pub exact: u32,
}

/// Compares what is said about the program of a seed, with at most so many threads.
pub fn compare(seed: u64, threads: &[u32], effort: &Effort, counts: &mut Counts) -> Result<(), String> {
    let text = testing::c::concurrent(seed);
    let fault = |why: String| format!("seed {seed}: {why}\n{text}");
    let path: PathBuf = std::env::temp_dir().join(format!("selvedge-{}-{seed}.c", std::process::id()));
    std::fs::write(&path, &text).map_err(|why| fault(why.to_string()))?;
    let read = verify::read(&Origin::File(path.clone()), &ReadOptions::default());
    std::fs::remove_file(&path).map_err(|why| fault(why.to_string()))?;
    let read = read.map_err(|found| fault(format!("not read: {:?}", found.diagnostics)))?;
    let Source::C(source) = read.source else { return Err(fault("no C program".into())) };
    let mut narrower = None;
    for &bound in threads {
        let truth = brute(&source.program, source.options(Some(bound)), effort.states);
        for way in [Way::Concrete, Way::Exact] {
            let plan = Plan { ways: vec![way], ..Plan::named(&effort.engines)? };
            let limits = Limits { time: Some(effort.time), memory: Some(2 << 30), ..Limits::default() };
            let scope = Scope::threads(bound);
            let request = Request { source: Arc::clone(&source), scope, plan, limits };
            let said = verify::c::answer(&request, &read.sources, &mut Vec::<Event>::new());
            let unsafe_told = match &said.outcome {
                Outcome::Safe { .. } => Some(false),
                Outcome::Unsafe { .. } => Some(true),
                Outcome::Unknown(reason) => match reason.kind {
                    ir::ReasonKind::Fault | ir::ReasonKind::Rejected => {
                        return Err(fault(format!("{} with {bound} threads: {reason:?}", way.name())));
                    }
                    _ => None,
                },
            };
            if let (Some(told), Some(truth)) = (unsafe_told, truth)
                && told != truth
            {
                return Err(fault(format!("{} with {bound} threads says {:?}", way.name(), said.outcome)));
            }
            // Who fails with fewer threads fails with more.
            if narrower == Some(true) && unsafe_told == Some(false) {
                return Err(fault(format!("{} says {:?}, but fewer threads fail", way.name(), said.outcome)));
            }
            counts.concrete += u32::from(way == Way::Concrete && truth.is_some() && unsafe_told.is_some());
            counts.exact += u32::from(way == Way::Exact && truth.is_some() && unsafe_told.is_some());
        }
        counts.safe += u32::from(truth == Some(false));
        counts.failing += u32::from(truth == Some(true));
        narrower = truth;
    }
    Ok(())
}

/// Whether the machine reaches an error; `None` if there are too many states or the meaning of a step is not known.
fn brute(program: &Program, options: Options, most: usize) -> Option<bool> {
    let machine = Machine::new(program, options);
    let start = machine.start().canonical(program);
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    let mut known = true;
    while let Some(state) = work.pop() {
        for step in machine.candidates(&state, &[0, 1]) {
            match machine.apply(&state, &step).map(|after| after.canonical(program)) {
                Ok(after) if seen.insert(after.clone()) => work.push(after),
                Ok(_) => {}
                Err(Refusal::Fails(_)) => return Some(true),
                Err(Refusal::Unsupported(_)) => known = false,
                Err(_) => {}
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    known.then_some(false)
}
