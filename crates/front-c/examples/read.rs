//! Reads C files and says what is wrong with each: `read_c [-I DIR]… FILE…`. For trying the reader on many
//! files at once.

use std::time::Instant;

use base::{Budget, SourceMap};
use front_c::{Failure, Options, Preprocessor, Source, read};

fn main() {
    let mut preprocessor = Preprocessor::default();
    let mut files = vec![];
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-I" => preprocessor.include_dirs.extend(arguments.next()),
            "-D" => preprocessor.defines.extend(arguments.next()),
            _ => files.push(argument),
        }
    }
    let start = Instant::now();
    let (mut good, mut functions) = (0, 0);
    for name in &files {
        let text = match std::fs::read(name) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let units = vec![Source { name: name.clone(), text }];
        let options = Options { units, model: None, preprocessor: preprocessor.clone() };
        let mut map = SourceMap::new();
        match read(&options, &mut map, &Budget::unlimited()) {
            Ok(reading) => {
                good += 1;
                functions +=
                    reading.program.functions.iter().filter(|function| function.body.is_some()).count();
            }
            Err(Failure::Diagnostics(found)) => {
                for diagnostic in found.iter().take(5) {
                    let place = diagnostic.span.map_or(name.clone(), |span| map.describe(span));
                    println!("{place}: {}: {}", diagnostic.code, diagnostic.message);
                }
            }
            Err(Failure::Stopped(stop)) => println!("{name}: {stop}"),
        }
    }
    println!(
        "{good} of {} files read, {functions} functions, {:.1} s",
        files.len(),
        start.elapsed().as_secs_f32()
    );
}
