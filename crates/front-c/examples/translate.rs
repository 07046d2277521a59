//! Reads and normalises C files: `translate_c [--print] [--search THREADS] [-I DIR]… FILE…`.
//! Counts what is refused, by construct; a search looks for an error by brute force. For trying many files at
//! once.

#[path = "../tests/search/mod.rs"]
mod search;

use std::collections::BTreeMap;
use std::time::Instant;

use base::{Budget, SourceMap};
use front_c::{
    Failure, Options, Preprocessor, Problem, Source, TranslateOptions, Translation, read, translate,
};

fn main() {
    let mut preprocessor = Preprocessor::default();
    let meaning = TranslateOptions::default();
    let (mut files, mut print, mut threads) = (vec![], false, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-I" => preprocessor.include_dirs.extend(arguments.next()),
            "-D" => preprocessor.defines.extend(arguments.next()),
            "--print" => print = true,
            "--search" => threads = arguments.next().and_then(|it| it.parse().ok()),
            _ => files.push(argument),
        }
    }
    let mut constructs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut whole = 0;
    for name in &files {
        let start = Instant::now();
        let mut map = SourceMap::new();
        match one(name, &preprocessor, &meaning, &mut map) {
            Ok(translation) => {
                let steps = translation.program.locations().len();
                let seconds = start.elapsed().as_secs_f32();
                println!("{name}: {steps} steps, {} refused, {seconds:.2} s", translation.refused.len());
                for refused in &translation.refused {
                    let place = refused.span.map_or(name.clone(), |span| map.describe(span));
                    println!("  {place}: {}", refused.construct);
                    constructs.entry(refused.construct.clone()).or_default().push(name.clone());
                }
                whole += usize::from(translation.refused.is_empty());
                if let Some(threads) = threads {
                    let found = search::search(&translation.program, threads, 100_000);
                    let place = |at: ::c::Loc| translation.program.at(at).span.map(|span| map.describe(span));
                    let error = found.error.and_then(place);
                    let unsupported = found.unsupported.map(|(why, at)| format!("{why} at {:?}", place(at)));
                    println!(
                        "SEARCH {name} error {error:?} cut {} unsupported {unsupported:?} states {}",
                        found.cut, found.states
                    );
                }
                if print {
                    println!("{}", ::c::text::print(&translation.program));
                    println!("assumptions: {:?}", translation.assumptions);
                }
            }
            Err(message) => {
                println!("{name}: {message}");
                constructs.entry("not translated at all".into()).or_default().push(name.clone());
            }
        }
    }
    let mut table: Vec<(usize, usize, String)> = constructs
        .into_iter()
        .map(|(construct, mut names)| {
            let places = names.len();
            names.dedup();
            (names.len(), places, construct)
        })
        .collect();
    table.sort();
    for (files, places, construct) in table.iter().rev() {
        println!("{files:5} files {places:6} places  {construct}");
    }
    println!("{whole} of {} files without a refused construct", files.len());
}

fn one(
    name: &str,
    preprocessor: &Preprocessor,
    meaning: &TranslateOptions,
    map: &mut SourceMap,
) -> Result<Translation, String> {
    let bytes = std::fs::read(name).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let units = vec![Source { name: name.into(), text }];
    let options = Options { units, model: None, preprocessor: preprocessor.clone() };
    let reading = read(&options, map, &Budget::unlimited()).map_err(|failure| match failure {
        Failure::Diagnostics(found) => {
            let lines = found.iter().take(3).map(|it| format!("{}: {}", it.code, it.message));
            lines.collect::<Vec<_>>().join("; ")
        }
        Failure::Stopped(stop) => stop.to_string(),
    })?;
    let budget = Budget::with_ticks(20_000_000);
    translate(&reading.program, meaning, &budget).map_err(|problem| match problem {
        Problem::Stop(stop) => stop.to_string(),
        Problem::Wrong(found) => {
            let lines =
                found.into_sorted().into_iter().take(4).map(|it| format!("{}: {}", it.code, it.message));
            lines.collect::<Vec<_>>().join("; ")
        }
    })
}
