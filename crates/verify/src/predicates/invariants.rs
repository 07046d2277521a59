//! Proofs about C, place by place, as people read them: what holds of a thread where it stands, as conditions
//! of C, and the order of what threads wait for. They speak of the program after the passes, which stands at
//! the places of the user's text.

use crate::chain::Chain;
use ::c::{Binary, ExprId, Node, ProcId, Program};
use base::{Budget, Id, Span};
use ir::Certificate;
use ir::c::Model;
use ir::certificate::{Body, Predicates, WaitOrder};
use passes::c::PASSES;
use predicates::boolean::{Names, ProgramNames, written};
use relation::proof::{Column, Single, Table};
use relation::{Direction, Relation, Resource};
use std::sync::Arc;

/// Tables with more rows are not simplified: nobody reads them.
const MOST_ROWS: usize = 64;

/// What holds of every thread that stands at a place. In one of the cases each of its conditions holds;
/// without cases nothing more is known than what always holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Where the next step of the thread stands.
    pub span: Option<Span>,
    /// The procedure that it began in.
    pub thread: String,
    /// Conditions that hold in any case.
    pub always: Vec<String>,
    /// The cases.
    pub cases: Vec<Vec<String>>,
    /// The predicates that it speaks of, by their numbers in the proof.
    pub predicates: Vec<usize>,
}

/// What a proof says about each place, in the order of the program. Nothing where it is no proof by
/// predicates, or the budget ends.
pub fn invariants(certificate: &Certificate, model: &Arc<Model>, budget: &Budget) -> Vec<Invariant> {
    let (Body::Predicates(by), Some(model)) = (&certificate.body, proved(certificate, model, budget)) else {
        return vec![];
    };
    let reader = Reader { by, program: &model.program, names: ProgramNames::new(&model.program) };
    by.proof.singles.iter().filter_map(|single| reader.invariant(single)).collect()
}

/// The order of what threads wait for in a proof that there is no deadlock, what comes first first.
pub fn wait_order(certificate: &Certificate, model: &Arc<Model>, budget: &Budget) -> Vec<String> {
    let (Body::Order(WaitOrder { order, .. }), Some(model)) =
        (&certificate.body, proved(certificate, model, budget))
    else {
        return vec![];
    };
    order.resources.iter().map(|it| resource(&model.program, it)).collect()
}

/// The program that a certificate is about.
fn proved(certificate: &Certificate, model: &Arc<Model>, budget: &Budget) -> Option<Arc<Model>> {
    Some(Chain::named(model, &certificate.passes, PASSES, budget).ok()?.model)
}

fn resource(program: &Program, resource: &Resource) -> String {
    let object = |id| program.objects()[id].name.as_str();
    let by_address = |it: &Direction| match it {
        Direction::Up => "by ascending address",
        Direction::Down => "by descending address",
    };
    match resource {
        Resource::Life(id) => format!("the end of a thread of {}", program.procedures()[*id].name),
        Resource::Cell(id, 0) => object(*id).to_string(),
        Resource::Cell(id, offset) => format!("the lock at byte {offset} of {}", object(*id)),
        Resource::Object(id, direction) => format!("the locks in {}, {}", object(*id), by_address(direction)),
        Resource::Rest(direction) => format!("all other locks, {}", by_address(direction)),
    }
}

struct Reader<'a> {
    by: &'a Predicates,
    program: &'a Program,
    names: ProgramNames<'a>,
}

impl Reader<'_> {
    fn invariant(&self, single: &Single) -> Option<Invariant> {
        let relation: &Relation = &self.by.relation;
        let control = relation.controls.get(single.control)?;
        if control.loc.index() >= self.program.locations().len() {
            return None;
        }
        let rows = simplified(&single.table);
        let (always, cases) = factored(&rows);
        let text = |it: &[Literal]| it.iter().filter_map(|it| self.literal(&single.table, *it)).collect();
        let mut predicates: Vec<usize> = vec![];
        for literal in always.iter().chain(cases.iter().flatten()) {
            if let Some(Column::First(predicate)) = single.table.columns.get(literal.column) {
                predicates.push(*predicate);
            }
        }
        predicates.sort_unstable();
        predicates.dedup();
        Some(Invariant {
            span: self.program.at(control.loc).span,
            thread: self.template(control.template),
            always: text(&always),
            cases: cases.iter().map(|it| text(it)).collect(),
            predicates,
        })
    }

    fn template(&self, id: ProcId) -> String {
        self.program.procedures().get(id).map(|it| it.name.clone()).unwrap_or_default()
    }

    fn literal(&self, table: &Table, literal: Literal) -> Option<String> {
        let Column::First(predicate) = *table.columns.get(literal.column)? else { return None };
        let e: ExprId = *self.by.proof.predicates.get(predicate)?;
        let exprs = &self.by.proof.exprs;
        let text = written(&self.by.relation, exprs, e, &self.names as &dyn Names);
        Some(match (literal.holds, exprs.node(e)) {
            (true, _) => text,
            (false, Node::Binary(operator, ..)) => negated(&text, operator),
            (false, _) => format!("!({text})"),
        })
    }
}

/// The opposite of a comparison. All that stands in it is in parentheses, so its operator is the one that is
/// in none.
fn negated(text: &str, operator: Binary) -> String {
    let (mark, opposite) = match operator {
        Binary::Eq => (" == ", " != "),
        Binary::LtU | Binary::LtS => (" < ", " >= "),
        Binary::LeU | Binary::LeS => (" <= ", " > "),
        _ => return format!("!({text})"),
    };
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && text[at..].starts_with(mark) => {
                return format!("{}{opposite}{}", &text[..at], &text[at + mark.len()..]);
            }
            _ => {}
        }
    }
    format!("!({text})")
}

/// A column of a table and the value that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Literal {
    column: usize,
    holds: bool,
}

type Row = Vec<Option<bool>>;

/// The rows of a table, where two that differ in one column alone are one.
fn simplified(table: &Table) -> Vec<Row> {
    let mut rows = table.rows.clone();
    if rows.len() > MOST_ROWS {
        return rows;
    }
    while let Some((one, other, column)) = mergeable(&rows) {
        rows[one][column] = None;
        rows.remove(other);
    }
    rows
}

/// Two rows, the first one first, that differ in one column alone: together they leave it open.
fn mergeable(rows: &[Row]) -> Option<(usize, usize, usize)> {
    for (one, a) in rows.iter().enumerate() {
        for (other, b) in rows.iter().enumerate().skip(one + 1) {
            let mut differing = a.iter().zip(b).enumerate().filter(|(_, (x, y))| x != y);
            if let (Some((column, _)), None) = (differing.next(), differing.next()) {
                return Some((one, other, column));
            }
        }
    }
    None
}

/// What all rows have in common, and the rest of each. A row without a rest leaves nothing to distinguish.
fn factored(rows: &[Row]) -> (Vec<Literal>, Vec<Vec<Literal>>) {
    let literals = |row: &Row| -> Vec<Literal> {
        let some = row.iter().enumerate().filter_map(|(column, it)| Some((column, (*it)?)));
        some.map(|(column, holds)| Literal { column, holds }).collect()
    };
    let rows: Vec<Vec<Literal>> = rows.iter().map(literals).collect();
    let Some(first) = rows.first() else { return (vec![], vec![]) };
    let always: Vec<Literal> =
        first.iter().filter(|it| rows.iter().all(|row| row.contains(it))).copied().collect();
    let rest = |row: &Vec<Literal>| row.iter().filter(|it| !always.contains(it)).copied().collect();
    let mut cases: Vec<Vec<Literal>> = rows.iter().map(rest).collect();
    if cases.iter().any(Vec::is_empty) {
        cases.clear();
    }
    (always, cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Row {
        text.chars().map(|it| if it == '-' { None } else { Some(it == '1') }).collect()
    }

    fn simple(rows: &[&str]) -> (String, Vec<String>) {
        let table = Table { columns: vec![], rows: rows.iter().map(|it| row(it)).collect() };
        let show = |it: &[Literal]| -> String {
            it.iter().map(|it| format!("{}{}", if it.holds { "" } else { "!" }, it.column)).collect()
        };
        let (always, cases) = factored(&simplified(&table));
        (show(&always), cases.iter().map(|it| show(it)).collect())
    }

    #[test]
    fn what_always_holds_stands_alone() {
        assert_eq!(simple(&["10", "11"]), ("0".to_string(), vec![]));
        assert_eq!(simple(&["100", "111"]), ("0".to_string(), vec!["!1!2".to_string(), "12".to_string()]));
        assert_eq!(simple(&["00", "01", "10", "11"]), (String::new(), vec![]));
        assert_eq!(simple(&["--"]), (String::new(), vec![]));
        assert_eq!(simple(&[]), (String::new(), vec![]));
    }

    #[test]
    fn comparisons_have_opposites() {
        assert_eq!(negated("x == 1", Binary::Eq), "x != 1");
        assert_eq!(negated("(x == 1 ? y : z) < 3", Binary::LtS), "(x == 1 ? y : z) >= 3");
        assert_eq!(negated("x <= (y - 1)", Binary::LeU), "x > (y - 1)");
        assert_eq!(negated("x & 1", Binary::And), "!(x & 1)");
    }
}
