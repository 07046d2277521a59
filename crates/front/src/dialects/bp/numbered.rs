//! Numbered statements (BoPP's normal form). The number is the value of the program counter, so that control
//! goes from `k` to `k + 1` wherever the text puts them; here the statements of a procedure are put in that
//! order.

use super::ast::{Action, Procedure, Statement, Unit};
use super::report::Report;

/// A statement at the top of a procedure with all that is nested in it.
struct Group {
    first: usize,
    end: usize,
    number: Option<u64>,
}

/// The statements of a procedure in the order in which control falls through them.
pub fn order(unit: &Unit, procedure: &Procedure, report: &mut Report) -> Vec<usize> {
    let groups = groups(unit, procedure, report);
    let Some(leading) = groups.iter().position(|group| group.number.is_some()) else {
        return procedure.body.range().collect();
    };
    let (head, numbered) = groups.split_at(leading);
    let mut sorted: Vec<&Group> = vec![];
    for group in numbered {
        if group.number.is_some() {
            sorted.push(group);
        } else if !needs_no_number(&unit.statements[group.first]) {
            report.error("E0117", unit.statements[group.first].bytes, || {
                ("this statement has no number, but others have".into(), Some("number it".into()))
            });
        }
    }
    sorted.sort_by_key(|group| group.number);
    for pair in sorted.windows(2) {
        check_gap(unit, pair[0], pair[1], report);
    }
    // Statements that only carry a declaration or `enforce` may stand anywhere.
    let unnumbered = numbered.iter().filter(|group| group.number.is_none());
    let all = head.iter().chain(unnumbered).chain(sorted);
    all.flat_map(|group| group.first..group.end).collect()
}

fn needs_no_number(statement: &Statement) -> bool {
    matches!(statement.action, Action::Enforce(_) | Action::Nothing)
}

fn groups(unit: &Unit, procedure: &Procedure, report: &mut Report) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![];
    let mut depth = 0usize;
    for at in procedure.body.range() {
        let statement = &unit.statements[at];
        if depth == 0 {
            groups.push(Group { first: at, end: at, number: number(unit, statement, report) });
        }
        match statement.action {
            Action::If(_) | Action::While(_) => depth += 1,
            Action::Fi | Action::Od => depth -= 1,
            _ => {}
        }
        groups.last_mut().expect("a group was begun").end = at + 1;
    }
    groups
}

/// The number among the labels of a statement.
fn number(unit: &Unit, statement: &Statement, report: &mut Report) -> Option<u64> {
    let labels = unit.names[statement.labels.range()].iter();
    let mut numbers =
        labels.filter(|label| unit.symbols.text(label.symbol).starts_with(|c: char| c.is_ascii_digit()));
    let first = numbers.next()?;
    let mut wrong = |bytes, what: &str| {
        report.error("E0117", bytes, || (what.to_string(), Some("give each statement one number".into())));
    };
    if let Some(second) = numbers.next() {
        wrong(second.bytes, "this statement has two numbers");
    }
    let parsed = unit.symbols.text(first.symbol).parse();
    if parsed.is_err() {
        wrong(first.bytes, "this number is too large");
    }
    parsed.ok()
}

/// A statement that control may leave downwards must be followed by the next number.
fn check_gap(unit: &Unit, from: &Group, to: &Group, report: &mut Report) {
    let (Some(k), Some(next)) = (from.number, to.number) else { return };
    let statement = &unit.statements[from.first];
    let stays = matches!(statement.action, Action::Goto(_) | Action::Return(_) | Action::EndThread);
    // The numbers are sorted; the largest has no successor.
    if next - k > 1 && !stays {
        report.error("E0211", statement.bytes, || {
            let help = format!("number the statements without gaps; the next one here is {next}");
            (format!("control goes from {k} on to {}, which does not exist", k + 1), Some(help))
        });
    }
}
