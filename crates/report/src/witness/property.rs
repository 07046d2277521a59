//! Properties as the formulas of the competition on software verification.

use ::c::{FailureKind, Fault, Leaks};
use ir::Class;
use ir::c::{Model, Sought};
use ir::property::{ABORT, OVERFLOW, PropertySet};

/// The formula that a run violates, or why there is no formula.
pub fn formula(model: &Model, kind: &FailureKind) -> Result<String, String> {
    let formula = match kind {
        FailureKind::Property(property) => {
            let site = &model.program.properties()[*property];
            match site.class {
                OVERFLOW => "G ! overflow",
                ABORT => "G ! call(abort())",
                // What `assert` calls when its condition is false.
                Class::ASSERTION if !site.text.starts_with("__VERIFIER") => "G ! call(__assert_fail())",
                _ => "G ! call(reach_error())",
            }
        }
        FailureKind::Undefined(Fault::BadFree) => "G valid-free",
        FailureKind::Undefined(fault) if fault.is_memory() => "G valid-deref",
        FailureKind::Undefined(fault) => {
            return Err(format!("no property of witnesses is about this undefined behaviour ({fault})"));
        }
        FailureKind::Race(_) => "G ! data-race",
        FailureKind::Leak(_) if model.machine.leaks == Leaks::All => "G valid-memcleanup",
        FailureKind::Leak(_) => "G valid-memtrack",
        FailureKind::Deadlock(_) => return Err("witnesses have no form for deadlocks".to_string()),
    };
    Ok(formula.to_string())
}

/// A formula as a line of a property file.
pub fn line(formula: &str) -> String {
    format!("CHECK( init(main()), LTL({formula}) )")
}

/// What was asked of a program, as formulas or, where there are several, lines of a property file.
pub fn lines(model: &Model) -> String {
    let assertions = PropertySet { assert: true, ..PropertySet::default() };
    let set = match model.property {
        Sought::List(set) => set,
        Sought::Default | Sought::Assert => assertions,
    };
    let leak = if set.with_cleanup { "G valid-memcleanup" } else { "G valid-memtrack" };
    let all = [
        (set.assert, "G ! call(reach_error())"),
        (set.race, "G ! data-race"),
        (set.deadlock, "G ! deadlock"),
        (set.memory, "G valid-free"),
        (set.memory, "G valid-deref"),
        (set.leak, leak),
        (set.overflow, "G ! overflow"),
        (set.abort, "G ! call(abort())"),
    ];
    let formulas: Vec<&str> = all.into_iter().filter(|it| it.0).map(|it| it.1).collect();
    match formulas[..] {
        [only] => only.to_string(),
        _ => formulas.into_iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

/// What a specification of a witness asks: a formula or lines of a property file. Any call that must not be
/// reached is an assertion.
pub fn requested(specification: &str) -> Result<PropertySet, String> {
    let lines = specification.lines().map(str::trim).filter(|it| !it.is_empty());
    let lines: Vec<String> =
        lines.map(|it| if it.starts_with("CHECK") { it.to_string() } else { line(it) }).collect();
    if lines.iter().all(|it| it.contains("call(")) && !lines.is_empty() {
        let aborts = lines.iter().all(|it| it.contains("call(abort())"));
        return Ok(PropertySet { assert: !aborts, abort: aborts, ..PropertySet::default() });
    }
    let set = PropertySet::of_spec(&lines.join("\n"))?;
    // A witness may end in a race with the end of an object's life.
    Ok(PropertySet { without_ends: false, ..set })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_formulas_or_lines() {
        let words = |text: &str| requested(text).map(|it| it.to_string());
        assert_eq!(words("G ! data-race").as_deref(), Ok("race"));
        assert_eq!(words("G ! call(reach_error())").as_deref(), Ok("assert"));
        assert_eq!(words("CHECK( init(main()), LTL(G ! overflow) )").as_deref(), Ok("overflow"));
        assert_eq!(words(&line("G valid-memcleanup")).as_deref(), Ok("leak"));
        assert!(words("").is_err() && words("F end").is_err());
    }
}
