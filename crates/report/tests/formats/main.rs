//! SARIF and witnesses: what is written has the form that its page says, and our own reader of witnesses
//! comes back to the same error at the same place.

mod programs;
mod schema;

use base::budget::StopHandle;
use programs::{Case, Checked, checked};
use report::witness::{self, Followed, Made};
use report::{FORMATS, Paint, SarifOptions};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn made() -> Made {
    Made { command_line: "selvedge check \"a b.c\"".to_string(), seconds: 1_795_089_600 }
}

/// The witness of a report, as text.
fn written(checked: &Checked, extension: &str) -> Result<Option<String>, String> {
    let format = FORMATS.of_witness(Path::new(&format!("w.{extension}"))).expect("there is such a format");
    let document = format.witness(&checked.report, &made())?;
    Ok(document.map(|it| it.render(Paint::Plain)))
}

fn schema(text: &str) -> Value {
    serde_json::from_str(text).expect("the schema is JSON")
}

fn valid_yaml(schema_text: &str, witness: &str) -> Value {
    let value = witness::parse_yaml(witness).expect("it is YAML");
    assert_eq!(schema::problems(&schema(schema_text), &value), [""; 0], "{witness}");
    value
}

/// The run that a witness leads to: where it fails, in order.
fn places_by(case: &Case, text: &str) -> Vec<String> {
    let witness = witness::read(text).unwrap_or_else(|why| panic!("{}: {why}\n{text}", case.name));
    let property = witness.property().expect("its specification is known");
    let (sources, model) = programs::read(case, property);
    match witness::follow(&witness, &sources, &model, None, &StopHandle::default()) {
        Followed::Run(trace) => programs::places(&sources, &model, &trace),
        other => panic!("{}: {other:?}\n{text}", case.name),
    }
}

const VIOLATION: &str = include_str!("violation.schema.json");
const CORRECTNESS: &str = include_str!("correctness.schema.json");
const SARIF: &str = include_str!("sarif.schema.json");

#[test]
fn witnesses_lead_back_to_the_same_error() {
    for case in programs::unsafe_cases() {
        let checked = checked(&case);
        let places = checked.places();
        let yaml = written(&checked, "yml").expect("it can be said").expect("it is unsafe");
        valid_yaml(VIOLATION, &yaml);
        assert_eq!(places_by(&case, &yaml), places, "{}\n{yaml}", case.name);
        match written(&checked, "graphml") {
            Ok(graph) => {
                let graph = graph.expect("it is unsafe");
                assert_eq!(places_by(&case, &graph), places, "{}\n{graph}", case.name);
            }
            Err(why) => assert!(why.contains("data races") && case.property == "race", "{why}"),
        }
    }
}

#[test]
fn every_creation_and_every_input_is_told() {
    let case = programs::unsafe_cases().into_iter().find(|it| it.name == "input").expect("it is there");
    let witness = written(&checked(&case), "yml").expect("it can be said").expect("it is unsafe");
    let value = valid_yaml(VIOLATION, &witness);
    let content = value[0]["content"].as_array().expect("a list");
    let waypoints = || content.iter().flat_map(|it| it["segment"].as_array().expect("a list"));
    let types: Vec<&str> = waypoints().filter_map(|it| it["waypoint"]["type"].as_str()).collect();
    assert_eq!(types.iter().filter(|it| **it == "function_enter").count(), 2);
    assert_eq!(types.last(), Some(&"target"));
    let input = waypoints().find(|it| it["waypoint"]["type"] == "function_return").expect("there is one");
    let input = &input["waypoint"];
    assert_eq!(input["constraint"]["value"], "\\result == 7");
    // The right parenthesis of the call.
    assert_eq!((&input["location"]["line"], &input["location"]["column"]), (&"12".into(), &"33".into()));
}

#[test]
fn a_wrong_witness_is_refused() {
    let case = programs::unsafe_cases().into_iter().find(|it| it.name == "input").expect("it is there");
    let text = written(&checked(&case), "yml").expect("it can be said").expect("it is unsafe");
    let wrong = text.replace("\\\\result == 7", "\\\\result == 8");
    assert_ne!(wrong, text);
    let witness = witness::read(&wrong).expect("it is one");
    let (sources, model) = programs::read(&case, witness.property().expect("it is known"));
    let found = witness::follow(&witness, &sources, &model, None, &StopHandle::default());
    assert!(matches!(&found, Followed::Refused(why) if why.contains("no run")), "{found:?}");
    for (from, to) in [("type: target", "type: tarpit"), ("segment:", "sediment:"), ("line: ", "lime: ")] {
        assert!(witness::read(&text.replace(from, to)).is_err(), "{to}");
    }
}

#[test]
fn no_form_is_no_witness() {
    let deadlock = Case { name: "deadlock", property: "deadlock", text: programs::DEADLOCK };
    let checked = checked(&deadlock);
    assert!(written(&checked, "yml").is_err_and(|why| why.contains("deadlocks")));
}

#[test]
fn proofs_are_invariants_over_globals_and_ghosts() {
    let case = Case { name: "guarded", property: "assert", text: programs::GUARDED };
    let checked = checked(&case);
    let witness = written(&checked, "yml").expect("it can be said").expect("it is safe");
    let value = valid_yaml(CORRECTNESS, &witness);
    let entries = value.as_array().expect("a list");
    let last = entries.last().expect("an entry");
    assert_eq!(last["entry_type"], "invariant_set");
    for invariant in last["content"].as_array().expect("a list") {
        let text = invariant["invariant"]["value"].as_str().expect("a text");
        assert!(!text.contains(".taken") && !text.contains(".mine") && !text.contains("::"), "{text}");
    }
    assert_eq!(written(&checked, "graphml"), Ok(None), "nobody reads proofs in 1.0");
}

#[test]
fn sarif_tells_runs_proofs_and_what_is_not_known() {
    let root = programs::folder();
    let options = SarifOptions { root: root.clone(), pass: true, command_line: "selvedge check".to_string() };
    let mut sarif = FORMATS.results(options).expect("there is such a format");
    let cases = programs::unsafe_cases().into_iter().chain(programs::other_cases());
    let mut kinds: Vec<(&str, String)> = vec![];
    for case in cases {
        sarif.add(&checked(&case).report);
        kinds.push((case.name, case.property.to_string()));
    }
    let text = sarif.finish(10).render(Paint::Plain);
    let value: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(schema::problems(&schema(SARIF), &value), [""; 0]);
    let run = &value["runs"][0];
    assert_eq!(run["artifacts"].as_array().map(Vec::len), Some(kinds.len()));
    let results = run["results"].as_array().expect("a list");
    for result in results {
        let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        orders_are_one_run(result);
    }
    let with = |kind: &str| results.iter().filter(|it| it["kind"] == kind).count();
    assert!(with("fail") >= 6 && with("pass") >= 1 && with("open") >= 1, "{text}");
    assert!(!text.contains(&root.display().to_string()[1..]) || text.contains("originalUriBaseIds"));
}

/// The steps of all flows together are in one order, and each flow is in it.
fn orders_are_one_run(result: &Value) {
    let flows = result["codeFlows"][0]["threadFlows"].as_array().into_iter().flatten();
    let mut all: Vec<u64> = vec![];
    for flow in flows {
        let steps = flow["locations"].as_array().expect("a list");
        let orders: Vec<u64> = steps.iter().filter_map(|it| it["executionOrder"].as_u64()).collect();
        assert!(orders.is_sorted_by(|a, b| a < b), "{flow}");
        all.extend(orders);
    }
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "no two steps are at once");
}

#[test]
fn a_race_has_both_accesses() {
    let case = programs::unsafe_cases().into_iter().find(|it| it.property == "race").expect("it is there");
    let options = SarifOptions { root: PathBuf::from("/"), pass: false, command_line: String::new() };
    let mut sarif = FORMATS.results(options).expect("there is such a format");
    sarif.add(&checked(&case).report);
    let value: Value = serde_json::from_str(&sarif.finish(10).render(Paint::Plain)).expect("it is JSON");
    let result = &value["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "SV-RACE");
    let line = |it: &Value| it["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!((line(&result["locations"][0]), line(&result["relatedLocations"][0])), (Some(4), Some(10)));
    let print = result["partialFingerprints"]["selvedge/v1"].as_str().expect("a text");
    assert!(print.starts_with("SV-RACE|x|") && print.contains(":4:") && print.contains(":10:"), "{print}");
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("a list");
    let names: Vec<&str> = flows.iter().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(names, ["main", "thread 1 (w)"]);
}
