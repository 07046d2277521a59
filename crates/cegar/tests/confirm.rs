//! Proofs about the C programs of `tests/c` are confirmed by the checker, which shares nothing with the prover, also after they were written and read.

use base::{Budget, Event, SourceMap};
use cegar::{Options, Outcome, prove};
use check_formulas::c::Subject;
use front::c::{Options as Reading, Preprocessor, Source, TranslateOptions, read, translate};
use ir::c::Program;
use ir::c::relation::proof::write;

struct Read {
    program: Program,
    sources: SourceMap,
}

fn program(name: &str, text: &str, args: &[String]) -> Option<Read> {
    let defines = args.iter().filter_map(|arg| arg.strip_prefix("-D")).map(String::from).collect();
    let preprocessor = Preprocessor { defines, ..Preprocessor::default() };
    let units = vec![Source { name: name.into(), text: text.into() }];
    let options = Reading { units, model: None, preprocessor };
    let mut sources = SourceMap::new();
    let reading = read(&options, &mut sources, &Budget::unlimited()).ok()?;
    let options = TranslateOptions::default();
    let translation = translate(&reading.program, &options, &Budget::with_ticks(10_000_000)).ok()?;
    Some(Read { program: translation.program, sources })
}

#[test]
fn every_proof_is_confirmed() {
    let (mut confirmed, mut wrong) = (0, vec![]);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected =
            testing::programs::Expectation::read(&text).expect("the first lines say what is expected");
        let Some(Read { program, sources }) = program(&name, &text, &expected.args) else { continue };
        let mut events: Vec<Event> = vec![];
        let found = prove(&program, &Options::default(), &Budget::with_ticks(150_000), &mut events);
        let Ok(Outcome::Proved { proof, relation, .. }) = found else { continue };
        if expected.threads.is_some() {
            wrong.push(format!("{name} is proved, but it is unsafe"));
        }
        let options = ir::c::Options::default();
        let subject = Subject { program: &program, options: &options, sources: Some(&sources) };
        let budget = Budget::with_ticks(50_000_000);
        let direct = subject.proof(&proof, &budget);
        let written = subject.text(&write(&relation, &proof), &budget);
        match (&direct, direct == written) {
            (Ok(_), true) => confirmed += 1,
            (_, true) => wrong.push(format!("{name}: {direct:?}")),
            (_, false) => wrong.push(format!("{name}: {direct:?}, but as a text {written:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(confirmed >= 40, "{confirmed} proofs");
}
