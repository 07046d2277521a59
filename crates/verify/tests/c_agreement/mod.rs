//! One random concurrent C program, asked about in every way and by brute force over the reference semantics:
//! nobody may contradict another. A trace is confirmed before it counts.

use ::c::{Machine, Options, Program, Refusal};
use base::Event;
use ir::{Model, ReasonKind, Scope, Task};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use verify::{Answer, CProgram, CProperty, Limits, Origin, Outcome, Plan, ReadOptions};

/// How the work is done.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The engines that the exact way asks; none: all.
    pub engines: Vec<String>,
    /// For the concrete and the exact way.
    pub time: Duration,
    /// For the abstract way, which often looks for a proof that it does not find.
    pub proof: Duration,
    /// The most states of brute force.
    pub states: usize,
    /// The program of a seed.
    pub text: fn(u64) -> String,
    /// Whether steps are merged (`passes.movers`).
    pub movers: &'static str,
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
    /// Those that the abstract way proved.
    pub proved: u32,
}

/// Compares what is said about the program of a seed, with at most this many threads.
pub fn compare(seed: u64, threads: &[u32], effort: &Effort, counts: &mut Counts) -> Result<(), String> {
    let text = (effort.text)(seed);
    let fault = |why: String| format!("seed {seed}: {why}\n{text}");
    let source = read(seed, &text).map_err(fault)?;
    let proved = ask(&source, "abstract", Scope::ANY, effort)?;
    let is_proved =
        verdict(&proved.outcome).map_err(|why| fault(format!("abstract: {:?} {why}", proved.outcome)))?;
    let mut fewer = None;
    for &bound in threads {
        let truth = brute(&source.program, source.options(Some(bound)), effort.states);
        if is_proved == Some(false) && truth == Some(true) {
            return Err(fault(format!("abstract: {:?} but {bound} threads fail", proved.outcome)));
        }
        counts.proved += u32::from(is_proved.is_some() && truth.is_some());
        for way in ["concrete", "exact"] {
            let answer = ask(&source, way, Scope::threads(bound), effort)?;
            let fault =
                |why: &str| fault(format!("{} with {bound} threads: {:?} {why}", way, answer.outcome));
            let decision = verdict(&answer.outcome).map_err(fault)?;
            if decision.is_some() && truth.is_some() && decision != truth {
                return Err(fault("is not what brute force says"));
            }
            // Who fails with fewer threads fails with more.
            if fewer == Some(true) && decision == Some(false) {
                return Err(fault("but fewer threads fail"));
            }
            let decided = u32::from(decision.is_some() && truth.is_some());
            *(if way == "concrete" { &mut counts.concrete } else { &mut counts.exact }) += decided;
        }
        counts.safe += u32::from(truth == Some(false));
        counts.failing += u32::from(truth == Some(true));
        fewer = truth;
    }
    Ok(())
}

fn ask(source: &Arc<CProgram>, way: &str, scope: Scope, effort: &Effort) -> Result<Answer, String> {
    let names: Vec<String> = effort.engines.iter().cloned().chain([way.to_string()]).collect();
    let mut plan = Plan::named(&names)?;
    verify::set(&mut plan.settings, "passes.movers", effort.movers)?;
    let time = if way == "abstract" { effort.proof } else { effort.time };
    let limits = Limits { time: Some(time), memory: Some(2 << 30), ..Limits::default() };
    let task = Task::new(Model::C(Arc::clone(source)), scope);
    Ok(verify::answer(&task, &plan, &limits, &mut Vec::<Event>::new()))
}

fn read(seed: u64, text: &str) -> Result<Arc<CProgram>, String> {
    // Several tests of one process may ask about one seed.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path: PathBuf =
        std::env::temp_dir().join(format!("selvedge-agreement-{}-{number}-{seed}.c", std::process::id()));
    std::fs::write(&path, text).map_err(|why| why.to_string())?;
    let mut options = ReadOptions::default();
    // Brute force looks for failing assertions alone.
    options.c.property = CProperty::Assert;
    let read = verify::read(&Origin::File(path.clone()), &options);
    std::fs::remove_file(&path).map_err(|why| why.to_string())?;
    let read = read.map_err(|found| format!("not read: {:?}", found.diagnostics))?;
    match read.source.model() {
        Model::C(source) => Ok(source),
        _ => Err("no C program".into()),
    }
}

/// Whether there is an error; `None` if that is not known. A fault is no answer at all.
fn verdict(outcome: &Outcome) -> Result<Option<bool>, &'static str> {
    match outcome {
        Outcome::Safe { .. } => Ok(Some(false)),
        Outcome::Unsafe { .. } => Ok(Some(true)),
        Outcome::Unknown(reason) if matches!(reason.kind, ReasonKind::Fault | ReasonKind::Rejected) => {
            Err("is a fault")
        }
        Outcome::Unknown(_) => Ok(None),
    }
}

/// Whether the machine reaches an error; `None` if there are too many states or the meaning of a step is not
/// known.
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
