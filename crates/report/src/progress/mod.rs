//! Progress and rounds of refinement in words.

mod line;

pub use line::{ProgressLine, Tracker};

use crate::verdict::counted;
use base::Event;
use base::events::{CheckedProgram, ClosureResult, Look, Opinion, Progress, Round, RuledOutBy, Taken};

/// What the line that shows progress says after an event; nothing where it stays as it is.
pub fn line(event: &Event) -> Option<String> {
    match event {
        Event::Progress(progress) => Some(words(progress)),
        Event::Round(it) => Some(round(it)),
        _ => None,
    }
}

/// How far the work at hand is.
pub fn words(progress: &Progress) -> String {
    match progress {
        Progress::Reading { file } => format!("reads {file}"),
        Progress::Preparing => "prepares the program".to_string(),
        Progress::Starting { engine } => format!("{engine} starts"),
        Progress::Lowering => "makes a Boolean program".to_string(),
        Progress::Checking => "checks the evidence".to_string(),
        Progress::States { threads, states: 0 } => counted(*threads as usize, "thread"),
        Progress::States { threads, states } => {
            format!("{}, {states} states", counted(*threads as usize, "thread"))
        }
        Progress::SymbolicStates { states, nodes } => {
            format!("{states} symbolic states, {nodes} formula nodes")
        }
        Progress::Schedules { rounds, threads, walks } => {
            format!("{rounds} rounds of {threads} threads, {walks} walks through the code in each")
        }
        Progress::Tuples { width, tuples } => format!("width {width}, {tuples} tuples"),
        Progress::Closed { width, tuples } => format!("width {width}: {tuples} tuples"),
        Progress::Classes { width, classes } => format!("width {width}, {classes} classes of locations"),
        Progress::ClosedClasses { width, tuples } => format!("width {width}: {tuples} tuples of classes"),
        Progress::Saturation { round, sets } => format!("round {round}: {sets} sets"),
        Progress::Basis { minimal, all, waiting } => {
            format!("{minimal} minimal elements of {all}, {waiting} to do")
        }
        Progress::ElementSets { sets, popped, waiting } => {
            format!("{sets} sets of elements, {popped} popped, {waiting} to do")
        }
        Progress::VariableOrder(names) => format!("order of variables: {}", names.join(" ")),
        Progress::Fixpoint { rounds, relations, rules, nodes } => {
            format!("{rounds} rounds, {relations} relations, {rules} rules, {nodes} nodes")
        }
    }
}

/// What came of a round of refinement. The parts of a round are indented under its beginning.
pub fn round(round: &Round) -> String {
    match round {
        Round::Merged => "steps are merged".to_string(),
        Round::Unmerged => "the same without merged steps".to_string(),
        Round::Closure { number, predicates, new, relations, commands, look, result } => format!(
            "round {number}: {predicates} predicates ({new} new), {relations} between threads, \
             {commands} commands, {}: {}",
            looked(*look),
            closed(*result)
        ),
        Round::Minimised { before, after, attempts } => {
            format!("{after} of {before} predicates are enough ({attempts} attempts)")
        }
        Round::Abstracted { number, predicates, new, names, statements, questions } => format!(
            "Boolean program {number}: {predicates} predicates ({new} new{}), \
             {statements} statements abstracted with {questions} questions",
            named(names, *new)
        ),
        Round::Checked(CheckedProgram::Safe) => "  checked: safe".to_string(),
        Round::Checked(CheckedProgram::Unknown(why)) => format!("  checked: {why}"),
        Round::Checked(CheckedProgram::Fails { steps }) => format!("  checked: a path of {steps} steps"),
        Round::Feasibility { core: None } => "  feasibility: a run".to_string(),
        Round::Feasibility { core: Some(conjuncts) } => {
            format!("  feasibility: no run, {} in the unsatisfiable core", counted(*conjuncts, "conjunct"))
        }
        Round::SecondOpinion(Opinion::Agrees) => "  second opinion: agrees".to_string(),
        Round::SecondOpinion(Opinion::Unanswered(why) | Opinion::Differs(why)) => {
            format!("  second opinion: {why}")
        }
        Round::RuledOut(by) => format!("  ruled out by {}", ruled_out(by)),
        Round::Lemmas { broken, kept } => {
            format!("  lemmas: broken at {broken} pairs of locations, kept at {kept}")
        }
        Round::Certificate { confirmed: true } => "the certificate is checked".to_string(),
        Round::Certificate { confirmed: false } => "the certificate is not checked".to_string(),
    }
}

fn looked(look: Look) -> &'static str {
    match look {
        Look::One => "threads one by one",
        Look::Companions => "threads one by one among those that their locks allow",
        Look::Two => "two threads at a time",
        Look::Related => "two threads at a time with relations",
    }
}

fn closed(result: ClosureResult) -> String {
    match result {
        ClosureResult::Proved { singles, pairs } => {
            format!("proved, {singles} states of one thread, {pairs} of two")
        }
        ClosureResult::Alarm { singles, pairs } => {
            format!("alarm, {singles} states of one thread, {pairs} of two")
        }
        ClosureResult::TooLarge => "too large".to_string(),
    }
}

/// The new predicates, if there are any; there may be more than have names.
fn named(names: &[String], new: usize) -> String {
    match (names.is_empty(), new > names.len()) {
        (true, _) => String::new(),
        (_, true) => format!(": {}, …", names.join(", ")),
        _ => format!(": {}", names.join(", ")),
    }
}

fn ruled_out(by: &RuledOutBy) -> String {
    match by {
        RuledOutBy::Statements => "stronger statements (spurious transition)".to_string(),
        RuledOutBy::Predicates { from, taken } => {
            let how = match taken {
                Taken::Alone => "",
                Taken::Instead => ", in place of all found so far",
                Taken::Together => ", with those before",
            };
            format!("{from}{how} (spurious prefix)")
        }
        RuledOutBy::Relations(texts) => {
            format!("relations between two threads: {} (spurious prefix)", texts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_worded_here() {
        let states = |threads, states| words(&Progress::States { threads, states });
        assert_eq!([states(1, 0), states(2, 0)], ["1 thread", "2 threads"]);
        assert_eq!(states(3, 4096), "3 threads, 4096 states");
    }

    #[test]
    fn a_round_says_what_is_new() {
        let abstracted = |new, names: &[&str]| {
            let names = names.iter().map(|it| it.to_string()).collect();
            let (number, predicates, statements, questions) = (1, 7, 5, 9);
            round(&Round::Abstracted { number, predicates, new, names, statements, questions })
        };
        let rest = "5 statements abstracted with 9 questions";
        assert_eq!(abstracted(0, &[]), format!("Boolean program 1: 7 predicates (0 new), {rest}"));
        let some = format!("Boolean program 1: 7 predicates (2 new: x > 0, y), {rest}");
        assert_eq!(abstracted(2, &["x > 0", "y"]), some);
        assert!(abstracted(3, &["x > 0", "y"]).contains("(3 new: x > 0, y, …)"));
    }
}
