//! Runs the concrete way on C files or on normalised C in its text form (`.cir`) and says what it found and
//! how fast: for measuring. `concrete [threads=N] [ticks=N] [seconds=N] [OPTION=VALUE …] FILE…`

use base::{Budget, Event, Settings, SourceMap, Stop};
use c::Program;
use engines::concrete::{self, Request};
use front_c::{Options, Preprocessor, Source, TranslateOptions, read, translate};
use ir::{Verdict, Why};

struct Wanted {
    machine: c::Options,
    settings: Settings,
    ticks: u64,
    seconds: u64,
}

fn main() {
    let machine = c::Options::default();
    let mut wanted = Wanted { machine, settings: Settings::default(), ticks: u64::MAX, seconds: 60 };
    let mut files = vec![];
    for arg in std::env::args().skip(1) {
        match arg.split_once('=') {
            Some(("threads", value)) => wanted.machine.threads = value.parse().ok(),
            Some(("ticks", value)) => wanted.ticks = value.parse().expect("a number"),
            Some(("seconds", value)) => wanted.seconds = value.parse().expect("a number"),
            Some((name, value)) => {
                wanted.settings.set(&[concrete::SETTINGS], name, value).expect("an option")
            }
            None => files.push(arg),
        }
    }
    for path in &files {
        match program(path) {
            Ok(program) => run(path, &program, &wanted, files.len() == 1),
            Err(why) => println!("{path}: {why}"),
        }
    }
}

fn program(path: &str) -> Result<Program, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut map = SourceMap::new();
    if path.ends_with(".cir") {
        let file = map.add(path, &text);
        return c::text::parse(&text, file).map_err(|found| format!("{:?}", found.into_sorted()));
    }
    let units = vec![Source { name: path.into(), text }];
    let options = Options { units, model: None, preprocessor: Preprocessor::default() };
    let budget = Budget::unlimited();
    let reading = read(&options, &mut map, &budget).map_err(|found| format!("not read: {found:?}"))?;
    let made = translate(&reading.program, &TranslateOptions::default(), &budget);
    made.map(|made| made.program).map_err(|found| format!("not translated: {found:?}"))
}

fn run(path: &str, program: &Program, wanted: &Wanted, details: bool) {
    let mut events: Vec<Event> = vec![];
    let begin = std::time::Instant::now();
    let budget = Budget::with_ticks(wanted.ticks);
    let (handle, seconds) = (budget.handle().clone(), wanted.seconds);
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        handle.stop(Stop::Time);
    });
    let request = Request { program, machine: wanted.machine, settings: &wanted.settings, tolerated: None };
    let outcome = concrete::search(request, &budget, &mut events);
    let seconds = begin.elapsed().as_secs_f64();
    let word = match &outcome.verdict {
        Verdict::Safe { scope, .. } => format!("safe: {scope}"),
        Verdict::Unsafe(trace) => {
            let replay = c::Machine::new(program, wanted.machine).replay(trace);
            let threads = replay.map(|replay| replay.threads);
            format!("unsafe threads={threads:?} in {} steps", trace.len())
        }
        Verdict::Unknown(Why::Stopped(stop)) => format!("unknown: {stop}"),
        Verdict::Unknown(why) => format!("unknown: {why:?}"),
    };
    println!("{path}: {word}; best {:?}; {seconds:.2} s", outcome.best);
    for event in events.iter().filter(|_| details) {
        if let Event::Counter { name, value, .. } = event {
            println!("  {name}: {value} ({:.0} a second)", *value as f64 / seconds);
        }
    }
}
