//! Writes the text form of a proof (`docs/formats/c-proof.md`). Expressions that are used more than once get
//! numbers: written out they could be exponentially long.

use super::{Column, Proof, Table, digest};
use crate::{ControlId, Relation};
use base::Id;
use c::expr::{ExprId, Node};
use c::program::LocalId;
use c::text::lex::{is_bare, quote};
use c::text::operators::{BINARY, CONVERT, UNARY, word};
use std::collections::{BTreeMap, BTreeSet};

/// The first two lines.
pub(super) const HEADER: [&str; 2] = ["selvedge-certificate/1", "kind predicates"];

/// The text of a proof about a relation. The proof must be well-formed: see the checker.
pub fn write(relation: &Relation, proof: &Proof) -> String {
    let mut writer = Writer::new(relation, proof);
    writer.header();
    for (&id, &number) in &writer.numbers.clone() {
        let text = writer.expr(id, true);
        writer.line(format!("expr {number} {text}"));
    }
    for &predicate in &proof.predicates {
        let text = writer.expr(predicate, false);
        writer.line(format!("predicate {text}"));
    }
    for pair in &proof.pairs {
        let [left, right] = [pair.left, pair.right].map(|e| writer.expr(e, false));
        writer.line(format!("pair {} {left} {right}", word(&BINARY, &pair.compare)));
    }
    for count in &proof.counts {
        let places: String = count.controls.iter().map(|&it| format!(" {}", writer.place(it))).collect();
        writer.line(format!("count {}{places}", count.variable.index()));
    }
    for single in &proof.singles {
        let place = writer.place(single.control);
        writer.table(format!("single {place}"), &single.table);
    }
    if let Some(doubles) = &proof.doubles {
        writer.line("pairs".into());
        for double in doubles {
            let [first, second] = [double.first, double.second].map(|it| writer.place(it));
            writer.table(format!("double {first} {second}"), &double.table);
        }
    }
    writer.line("end".into());
    writer.text
}

struct Writer<'a> {
    relation: &'a Relation,
    proof: &'a Proof,
    text: String,
    /// The expressions that have numbers.
    numbers: BTreeMap<ExprId, usize>,
    /// What each variable is called.
    names: BTreeMap<LocalId, String>,
}

impl<'a> Writer<'a> {
    fn new(relation: &'a Relation, proof: &'a Proof) -> Self {
        let mut uses: BTreeMap<ExprId, u32> = BTreeMap::new();
        let sides = proof.pairs.iter().flat_map(|pair| [pair.left, pair.right]);
        let mut work: Vec<ExprId> = proof.predicates.iter().copied().chain(sides).collect();
        while let Some(id) = work.pop() {
            let count = uses.entry(id).or_default();
            *count += 1;
            if *count == 1 {
                work.extend(proof.exprs.node(id).children());
            }
        }
        let is_operator = |id: ExprId| proof.exprs.node(id).children().next().is_some();
        let named = uses.iter().filter(|&(&id, &count)| count > 1 && is_operator(id));
        let numbers = named.enumerate().map(|(number, (&id, _))| (id, number)).collect();
        let names = names(relation, uses.keys().map(|&id| proof.exprs.node(id)));
        Self { relation, proof, text: String::new(), numbers, names }
    }

    fn line(&mut self, line: String) {
        self.text += &line;
        self.text.push('\n');
    }

    fn header(&mut self) {
        HEADER.iter().for_each(|line| self.line(line.to_string()));
        let Relation { variables, controls, commands, .. } = self.relation;
        let sizes = [controls.len(), commands.len(), variables.len()].map(|it| it.to_string()).join(" ");
        self.line(format!("program {sizes} {:016x}", digest(self.relation)));
        if self.proof.races {
            self.line("property race".into());
        }
        for &id in self.names.clone().keys() {
            let name = spelled(&self.relation.variables[id].name);
            self.line(format!("variable {} {name}", id.index()));
        }
    }

    fn place(&self, control: ControlId) -> String {
        let loc = self.relation.controls[control].loc;
        format!("{}@{}", control.index(), loc.index())
    }

    fn table(&mut self, mut line: String, table: &Table) {
        for column in &table.columns {
            line += &match column {
                Column::First(index) => format!(" a{index}"),
                Column::Second(index) => format!(" b{index}"),
                Column::Pair(index) => format!(" p{index}"),
            };
        }
        self.line(line);
        for row in &table.rows {
            let value = |value: &Option<bool>| match value {
                Some(false) => '0',
                Some(true) => '1',
                None => '-',
            };
            let values: String = row.iter().map(value).collect();
            self.line(if values.is_empty() { "row".into() } else { format!("row {values}") });
        }
    }

    /// An expression; `defined` if its number is being given.
    fn expr(&self, root: ExprId, defined: bool) -> String {
        let mut text = String::new();
        let mut work = vec![Some(root)];
        while let Some(item) = work.pop() {
            let Some(id) = item else {
                text.push(')');
                continue;
            };
            if !text.is_empty() && !text.ends_with('(') {
                text.push(' ');
            }
            if let Some(number) = self.numbers.get(&id)
                && !(defined && id == root)
            {
                text += &format!("={number}");
                continue;
            }
            let node = self.proof.exprs.node(id);
            text += &match node {
                Node::Const(ty, value) => format!("{value}:{ty}"),
                Node::Local(variable, _) => self.names[&variable].clone(),
                Node::Address(object) => format!("&{}", object.index()),
                Node::Unary(op, _) => format!("({}", word(&UNARY, &op)),
                Node::Binary(op, ..) => format!("({}", word(&BINARY, &op)),
                Node::Convert(op, ty, _) => format!("({} {ty}", word(&CONVERT, &op)),
                Node::Ite(..) => "(ite".into(),
            };
            if node.children().next().is_some() {
                work.push(None);
                work.extend(node.children().rev().map(Some));
            }
        }
        text
    }
}

/// The names of the variables among the nodes; those of the same name are told apart by their numbers.
fn names(relation: &Relation, nodes: impl Iterator<Item = Node>) -> BTreeMap<LocalId, String> {
    let used: BTreeSet<LocalId> = nodes
        .filter_map(|node| if let Node::Local(variable, _) = node { Some(variable) } else { None })
        .collect();
    let mut same: BTreeMap<&str, u32> = BTreeMap::new();
    for &id in &used {
        *same.entry(&relation.variables[id].name).or_default() += 1;
    }
    let called = |id: LocalId| {
        let name = &relation.variables[id].name;
        let number = if same[&name[..]] > 1 { format!(":{}", id.index()) } else { String::new() };
        format!("{}{number}", spelled(name))
    };
    used.iter().map(|&id| (id, called(id))).collect()
}

fn spelled(name: &str) -> String {
    if is_bare(name) { name.into() } else { quote(name) }
}
