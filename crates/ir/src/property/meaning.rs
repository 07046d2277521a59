//! What the classes of properties mean, in words for users (`selvedge explain`). A test compares the rows
//! with the classes.

use super::Class;

/// The word of each class, and what it means.
const MEANINGS: &[(&str, &str)] = &[
    ("label", "A statement with an error label is reached: `SLIC_ERROR`, or one that `--error-label` names."),
    (
        "assertion",
        "A condition does not hold where a run comes to it: `assert` of a Boolean program or of C. Runs that block before it do not count.",
    ),
    (
        "error",
        "A call is reached that must not be: `reach_error`, `__VERIFIER_error`, `__assert_fail` and the like.",
    ),
    (
        "target",
        "A state is reached in which the target of a net or thread transition system is covered: at least these many threads or tokens are in these states.",
    ),
    (
        "race",
        "Two threads access the same memory at the same time, one of them writes, and not both accesses are atomic. In C that is undefined behaviour. Asked for with `--property race`.",
    ),
    (
        "deadlock",
        "All threads that are left wait for each other, so that none of them can go on. Asked for with `--property deadlock`.",
    ),
    (
        "leak",
        "Memory was allocated to which nothing leads any more, or, with `--set leak.cleanup=on`, that lives when the program ends. Asked for with `--property leak`.",
    ),
    (
        "overflow",
        "A signed operation has a result that its type cannot hold. Asked for with `--property overflow`.",
    ),
    (
        "abort",
        "The program ends by `abort`, by `exit` with a code other than 0, or by `__builtin_trap`. Asked for with `--property abort`; `all` does not include it.",
    ),
    (
        "memory",
        "An access is outside of its object or to one that is gone, a null pointer is dereferenced, or `free` is given what it cannot free. Asked for with `--property memory`.",
    ),
    (
        "undefined",
        "A step has undefined behaviour other than invalid accesses, races and overflow, such as a division by zero. Asked for with `--property undefined`; without `--property` any undefined behaviour that happens is reported.",
    ),
];

/// What a class means.
pub fn meaning(class: Class) -> Option<&'static str> {
    MEANINGS.iter().find(|row| row.0 == class.word()).map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::CLASSES;

    #[test]
    fn each_class_has_its_meaning_and_each_meaning_its_class() {
        for row in CLASSES {
            assert!(meaning(row.class).is_some(), "{} is not explained", row.class.word());
        }
        for (word, text) in MEANINGS {
            assert!(CLASSES.iter().any(|it| it.class.word() == *word), "there is no class `{word}`");
            assert!(text.ends_with('.'), "{word}");
        }
    }
}
