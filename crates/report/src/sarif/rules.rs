//! The rules of all classes of properties, and the entries of the Common Weakness Enumeration that they are
//! of.

use ::c::Fault;
use base::class::Rule;
use ir::Property;
use ir::property::{CLASSES, rules};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The name of the taxonomy.
pub const CWE: &str = "CWE";

/// The rules, each once, in the order of the classes.
static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut all: Vec<&'static Rule> = vec![];
    for rule in CLASSES.iter().flat_map(|row| row.class.0.rules) {
        if !all.contains(&rule) {
            all.push(rule);
        }
    }
    all
});

/// The entries that rules name, with what they are called.
const ENTRIES: &[(u16, &str)] = &[
    (119, "Improper restriction of operations within the bounds of a memory buffer"),
    (125, "Out-of-bounds read"),
    (190, "Integer overflow or wraparound"),
    (362, "Race condition"),
    (366, "Race condition within a thread"),
    (369, "Divide by zero"),
    (401, "Missing release of memory after effective lifetime"),
    (415, "Double free"),
    (416, "Use after free"),
    (476, "NULL pointer dereference"),
    (590, "Free of memory not on the heap"),
    (617, "Reachable assertion"),
    (705, "Incorrect control flow scoping"),
    (758, "Reliance on undefined, unspecified, or implementation-defined behavior"),
    (787, "Out-of-bounds write"),
    (832, "Unlock of a resource that is not locked"),
    (833, "Deadlock"),
];

/// The rules as descriptors.
pub fn descriptors() -> Vec<Value> {
    let one = |rule: &&Rule| {
        let related =
            rule.cwe.iter().map(|&number| json!({ "target": entry(number), "kinds": ["relevant"] }));
        json!({
            "id": rule.id,
            "name": rule.name,
            "shortDescription": { "text": rule.short },
            "fullDescription": { "text": rule.full },
            "helpUri": help(rule),
            "defaultConfiguration": { "level": "error" },
            "properties": { "tags": ["correctness", "concurrency"], "precision": "very-high" },
            "relationships": related.collect::<Vec<_>>(),
        })
    };
    RULES.iter().map(one).collect()
}

/// The number of a rule among the descriptors; a class that is in no table has none.
pub fn index(rule: &Rule) -> Option<usize> {
    RULES.iter().position(|it| *it == rule)
}

/// The taxonomy with the entries that rules name.
pub fn taxonomy() -> Value {
    let taxa = ENTRIES.iter().map(|(number, name)| {
        json!({
            "id": number.to_string(),
            "shortDescription": { "text": name },
            "helpUri": page(*number),
        })
    });
    json!({
        "name": CWE,
        "organization": "MITRE",
        "shortDescription": { "text": "Common Weakness Enumeration" },
        "informationUri": "https://cwe.mitre.org/",
        "taxa": taxa.collect::<Vec<_>>(),
    })
}

/// A reference to an entry.
pub fn entry(number: u16) -> Value {
    let mut reference = json!({ "id": number.to_string(), "toolComponent": { "name": CWE, "index": 0 } });
    if let Some(index) = ENTRIES.iter().position(|it| it.0 == number) {
        reference["index"] = json!(index);
    }
    reference
}

/// The rule that a violated property is told under, and the one entry that fits, if more is known than the
/// rule says.
pub fn of_failure(
    property: &Property,
    failure: Option<&::c::Failure>,
    writes: bool,
) -> (&'static Rule, Option<u16>) {
    let class = property.class.rule();
    let Some(::c::FailureKind::Undefined(fault)) = failure.map(|it| &it.kind) else { return (class, None) };
    match fault {
        Fault::BadFree => (&rules::FREE, None),
        Fault::OutOfBounds if writes => (&rules::DEREF, Some(787)),
        Fault::OutOfBounds => (&rules::DEREF, Some(125)),
        Fault::DeadObject => (&rules::DEREF, Some(416)),
        fault if fault.is_memory() => (&rules::DEREF, None),
        Fault::DivisionByZero => (&rules::UNDEFINED, Some(369)),
        Fault::NotHeld => (&rules::UNDEFINED, Some(832)),
        _ => (&rules::UNDEFINED, None),
    }
}

fn help(rule: &Rule) -> String {
    page(*rule.cwe.first().expect("every rule names an entry"))
}

fn page(number: u16) -> String {
    format!("https://cwe.mitre.org/data/definitions/{number}.html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_id_and_entries_that_are_listed() {
        assert!(ENTRIES.is_sorted_by_key(|it| it.0));
        for (at, rule) in RULES.iter().enumerate() {
            assert_eq!(index(rule), Some(at));
            assert!(RULES[at + 1..].iter().all(|it| it.id != rule.id), "{}", rule.id);
            assert!(!rule.cwe.is_empty());
            assert!(rule.cwe.iter().all(|it| ENTRIES.iter().any(|entry| entry.0 == *it)), "{}", rule.id);
        }
    }
}
