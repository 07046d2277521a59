//! Property files of SV-COMP (`.prp`): which questions they ask. A file has a line for each, such as
//! `CHECK( init(main()), LTL(G ! data-race) )`.

use super::PropertySet;

/// A name of the competition's, what follows `LTL(` in its files, and what it asks.
struct Question {
    formula: &'static str,
    ask: fn(&mut PropertySet),
}

/// The formulas, without blanks.
const QUESTIONS: [Question; 7] = [
    Question { formula: "G!data-race", ask: |set| set.race = true },
    Question { formula: "G!overflow", ask: |set| set.overflow = true },
    Question { formula: "G!deadlock", ask: |set| set.deadlock = true },
    Question { formula: "Gvalid-deref", ask: |set| set.memory = true },
    Question { formula: "Gvalid-free", ask: |set| set.memory = true },
    Question { formula: "Gvalid-memtrack", ask: |set| set.leak = true },
    Question { formula: "Gvalid-memcleanup", ask: |set| (set.leak, set.with_cleanup) = (true, true) },
];

/// Formulas that are known and that nobody looks into.
const LATER: [(&str, &str); 1] = [("Fend", "termination")];

/// The error function of `unreach-call`, which is one without being named.
const ERROR_FUNCTION: &str = "reach_error";

impl PropertySet {
    /// What the text of a property file asks. The competition's tools do not call `free` an access.
    pub fn of_spec(text: &str) -> Result<PropertySet, String> {
        let mut set = PropertySet::default();
        let lines = text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
        for line in lines {
            let formula = formula(line).ok_or(format!("`{line}` is no `CHECK( init(main()), LTL(…) )`"))?;
            if let Some(name) = called(&formula) {
                if name != ERROR_FUNCTION && name != "__VERIFIER_error" {
                    return Err(format!("calls of `{name}` are not looked for; name it `{ERROR_FUNCTION}`"));
                }
                set.assert = true;
            } else if let Some(question) = QUESTIONS.iter().find(|it| it.formula == formula) {
                (question.ask)(&mut set);
            } else {
                return Err(match LATER.iter().find(|it| it.0 == formula) {
                    Some((_, what)) => format!("{what}: not supported"),
                    None => format!("the formula `{formula}` is not known"),
                });
            }
        }
        if set == PropertySet::default() {
            return Err("it asks nothing".to_string());
        }
        set.without_ends = set.race;
        Ok(set)
    }
}

/// What stands in `LTL(…)`, without blanks.
fn formula(line: &str) -> Option<String> {
    let compact: String = line.split_whitespace().collect();
    let inner = compact.strip_prefix("CHECK(init(main()),LTL(")?.strip_suffix("))")?;
    Some(inner.to_string())
}

/// The function whose calls a formula forbids.
fn called(formula: &str) -> Option<&str> {
    formula.strip_prefix("G!call(")?.strip_suffix("())")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_of(formulas: &[&str]) -> Result<String, String> {
        let lines: Vec<String> =
            formulas.iter().map(|it| format!("CHECK( init(main()), LTL({it}) )\n")).collect();
        PropertySet::of_spec(&lines.concat()).map(|it| it.to_string())
    }

    #[test]
    fn files_of_the_competition_are_lists() {
        assert_eq!(set_of(&["G ! call(reach_error())"]).as_deref(), Ok("assert"));
        assert_eq!(set_of(&["G ! data-race"]).as_deref(), Ok("race"));
        assert_eq!(set_of(&["G ! overflow"]).as_deref(), Ok("overflow"));
        assert_eq!(set_of(&["G ! deadlock"]).as_deref(), Ok("deadlock"));
        assert_eq!(set_of(&["G valid-free", "G valid-deref"]).as_deref(), Ok("memory"));
        let memsafety = ["G valid-free", "G valid-deref", "G valid-memtrack"];
        assert_eq!(set_of(&memsafety).as_deref(), Ok("memory,leak"));
        let cleanup = PropertySet::of_spec("CHECK( init(main()), LTL(G valid-memcleanup) )");
        assert_eq!(cleanup.map(PropertySet::leaks), Ok(c::Leaks::All));
        let race =
            PropertySet::of_spec("CHECK( init(main()), LTL(G ! data-race) )").expect("it is a question");
        assert_eq!(race.races(), c::Races::WithoutEnds);
    }

    #[test]
    fn what_is_not_looked_into_is_named() {
        assert!(set_of(&["F end"]).is_err_and(|why| why.contains("termination")));
        assert!(set_of(&["G ! call(f())"]).is_err_and(|why| why.contains("`f`")));
        assert!(set_of(&["G valid-derif"]).is_err_and(|why| why.contains("not known")));
        assert!(set_of(&[]).is_err());
        assert!(PropertySet::of_spec("assert").is_err());
    }
}
