//! The relation of C programs covers their machine.

use base::{Budget, SourceMap};
use front::c::{Options as Reading, Preprocessor, Source, TranslateOptions, read, translate};
use ir::c::relation::Relation;
use ir::c::{Options, Program};

fn program(name: &str, text: &str, args: &[String]) -> Option<Program> {
    let defines = args.iter().filter_map(|arg| arg.strip_prefix("-D")).map(String::from).collect();
    let preprocessor = Preprocessor { defines, ..Preprocessor::default() };
    let options =
        Reading { units: vec![Source { name: name.into(), text: text.into() }], model: None, preprocessor };
    let reading = read(&options, &mut SourceMap::new(), &Budget::unlimited()).ok()?;
    let options = TranslateOptions::default();
    translate(&reading.program, &options, &Budget::with_ticks(10_000_000)).ok().map(|it| it.program)
}

#[test]
fn most_programs_have_a_relation() {
    let (mut made, mut refused) = (0, vec![]);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected =
            testing::programs::Expectation::read(&text).expect("the first lines say what is expected");
        let Some(program) = program(&name, &text, &expected.args) else { continue };
        match Relation::of(&program, &Options::default(), &Budget::with_ticks(1_000_000)) {
            Ok(_) => made += 1,
            Err(why) => refused.push(format!("{name}: {why}")),
        }
    }
    println!("{made} made, refused: {refused:#?}");
    assert!(refused.len() * 20 <= made, "{made} made, refused: {refused:#?}");
}
