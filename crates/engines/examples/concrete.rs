//! Runs the concrete way on a program in the text form of normalised C and says what it found and how fast: for measuring.
//! `concrete FILE.cir [threads=N] [ticks=N] [OPTION=VALUE …]`

use base::{Budget, Event, Settings, SourceMap};
use engines::concrete::{self, Request};
use ir::{Verdict, Why};

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("the first argument is a file");
    let text = std::fs::read_to_string(&path).expect("the file can be read");
    let file = SourceMap::new().add("input", &text);
    let program = ir::c::text::parse(&text, file).unwrap_or_else(|found| panic!("{:?}", found.into_sorted()));
    let mut machine = ir::c::Options::default();
    let mut settings = Settings::default();
    let mut ticks = u64::MAX;
    for arg in args {
        match arg.split_once('=') {
            Some(("threads", value)) => machine.threads = value.parse().ok(),
            Some(("ticks", value)) => ticks = value.parse().expect("a number"),
            Some((name, value)) => settings.set(&[concrete::SETTINGS], name, value).expect("an option"),
            None => panic!("`{arg}` is no option"),
        }
    }
    let mut events: Vec<Event> = vec![];
    let begin = std::time::Instant::now();
    let request = Request { program: &program, machine, settings: &settings };
    let outcome = concrete::search(request, &Budget::with_ticks(ticks), &mut events);
    let seconds = begin.elapsed().as_secs_f64();
    let word = match &outcome.verdict {
        Verdict::Safe { scope, .. } => format!("safe: {scope}"),
        Verdict::Unsafe(trace) => format!("unsafe in {} steps", trace.len()),
        Verdict::Unknown(Why::Stopped(stop)) => format!("unknown: {stop}"),
        Verdict::Unknown(why) => format!("unknown: {why:?}"),
    };
    println!("{word}; best {:?}; {seconds:.2} s", outcome.best);
    for event in events {
        if let Event::Counter { name, value, .. } = event {
            println!("  {name}: {value} ({:.0} a second)", value as f64 / seconds);
        }
    }
}
