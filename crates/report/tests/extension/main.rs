//! A class of properties and an output format are two files each: the implementation (`dummy_class`,
//! `dummy_format`) and the row of its table (here). With them, what the command line calls lists, checks and
//! shows the new ones as it does all others.

mod dummy_class;
mod dummy_format;

use base::{Budget, NoEvents};
use ir::Scope;
use ir::property::{CLASSES, PropertyClass, properties};
use report::{Document, FORMATS, Format, Formats, Invocation, Layout, Paint, PropertyList};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use verify::{Input, Limits, Origin, Plan, Question, ReadOptions, Report};

/// The table of classes with one more row. It comes first: what stands at one place is of the first class
/// that has it.
static WITH_DUMMY_CLASS: LazyLock<Vec<PropertyClass>> =
    LazyLock::new(|| [dummy_class::ROW].into_iter().chain(CLASSES.iter().copied()).collect());

/// The table of formats with one more row.
static WITH_DUMMY_FORMAT: LazyLock<Vec<Format>> =
    LazyLock::new(|| FORMATS.0.iter().copied().chain([dummy_format::ROW]).collect());

const PROGRAM: &str = "\
decl x;
void main() begin
  x := 0;
  start_thread worker();
  assert(x | !x);
  if (x) then DUMMY_ONE: skip; fi
end
void worker() begin
  x := 1;
end
";

fn origin(test: &str) -> (Origin, PathBuf) {
    let name = format!("selvedge-extension-{test}-{}.bp", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, PROGRAM).expect("a file for the test");
    (Origin::File(path.clone()), path)
}

fn reading() -> ReadOptions {
    ReadOptions { error_labels: vec!["DUMMY_ONE".to_string()], ..ReadOptions::default() }
}

fn checked(test: &str, classes: &'static [PropertyClass], each: bool) -> Report {
    let (origin, path) = origin(test);
    let (plan, limits) = (Plan::named(&["auto".to_string()]).expect("all engines"), Limits::default());
    let question = Question { reading: reading(), scope: Scope::threads(3), plan, limits, each };
    let report = verify::check_classes(&origin, &question, classes, &mut NoEvents);
    std::fs::remove_file(path).expect("the file of the test");
    report
}

fn read(test: &str) -> Input {
    let (origin, path) = origin(test);
    let input = verify::read_within(&origin, &reading(), &Budget::unlimited());
    std::fs::remove_file(path).expect("the file of the test");
    let Ok(input) = input else { panic!("the program is read") };
    input
}

fn shown(document: Option<Document>) -> String {
    document.expect("the format shows it").render(Paint::Plain)
}

const LAYOUT: Layout = Layout { width: 100, trace: false, names_file: false, counts: false };

#[test]
fn a_class_of_properties_is_a_row_and_its_implementation() {
    let input = read("class-list");
    let all = properties(&input.source.model(), &WITH_DUMMY_CLASS);
    let list = PropertyList { file: "a.bp", input: &input, properties: &all, pairs: None };
    assert!(shown(FORMATS.properties("text", &list)).contains("dummy DUMMY_ONE\n"));
    assert!(shown(FORMATS.properties("json", &list)).contains(r#""kind":"dummy""#));
    let report = checked("class-answer", &WITH_DUMMY_CLASS, false);
    let text = shown(FORMATS.answer("text", &report, &LAYOUT));
    assert!(text.starts_with("unsafe: the dummy DUMMY_ONE at "), "{text}");
    assert!(shown(FORMATS.answer("json", &report, &LAYOUT)).contains(r#""property":{"kind":"dummy","#));
}

#[test]
fn each_property_is_asked_about_alone() {
    let report = checked("class-each", &WITH_DUMMY_CLASS, true);
    let text = shown(FORMATS.answer("text", &report, &LAYOUT));
    assert!(text.contains(": assertion assert(x | !x): safe: "), "{text}");
    assert!(text.contains(": dummy DUMMY_ONE: unsafe: the dummy DUMMY_ONE at "), "{text}");
}

#[test]
fn without_its_row_there_is_no_such_class() {
    let report = checked("class-none", CLASSES, false);
    let text = shown(FORMATS.answer("text", &report, &LAYOUT));
    assert!(text.starts_with("unsafe: label DUMMY_ONE at "), "{text}");
}

#[test]
fn an_output_format_is_a_row_and_its_implementation() {
    let formats = Formats(&WITH_DUMMY_FORMAT);
    assert!(formats.of_answers().any(|it| it.name == "dummy"));
    let report = checked("format", CLASSES, false);
    assert_eq!(shown(formats.answer("dummy", &report, &LAYOUT)), "dummy: 2\n");
    let format = formats.of_trace(Path::new("trace.dummy")).expect("the extension is in the table");
    let steps: usize =
        shown(format.trace(&report, &Invocation::default())).parse().expect("a number of steps");
    assert!(steps > 2);
    let input = read("format-list");
    let all = properties(&input.source.model(), CLASSES);
    let list = PropertyList { file: "a.bp", input: &input, properties: &all, pairs: None };
    assert_eq!(shown(formats.properties("dummy", &list)), "assertion\nlabel\n");
    assert!(
        FORMATS.answer("dummy", &report, &LAYOUT).is_none(),
        "the table of the command line is as it was"
    );
}
