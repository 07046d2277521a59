//! A relation as text, for people: its variables, its control locations, and one line for each command.

use super::{Command, Home, Outcome, Relation, Update};
use base::Id;
use c::expr::{Binary, Convert, ExprId, Node, Unary};
use c::program::LocalId;
use c::types::signed;
use std::fmt::{self, Write};

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (_, variable) in self.variables.enumerate() {
            let home = match variable.home {
                Home::Shared => "shared".to_string(),
                Home::Thread => "thread".to_string(),
                Home::Template(id) => format!("of {id:?}"),
                Home::Choice => continue,
            };
            let initial = variable.initial.map_or("any".to_string(), |value| value.to_string());
            writeln!(f, "{home} {} {} = {initial}", variable.ty, variable.name)?;
        }
        for (id, control) in self.controls.enumerate() {
            let live: Vec<&str> = control.live.iter().map(|&it| self.name(it)).collect();
            writeln!(f, "{id:?} at {:?} {}: {}", control.loc, control.phase, live.join(" "))?;
            for command in self.commands_at(id) {
                writeln!(f, "  {}", self.show_command(command))?;
            }
        }
        Ok(())
    }
}

impl Relation {
    fn name(&self, variable: LocalId) -> &str {
        &self.variables[variable].name
    }

    fn show_updates(&self, updates: &[Update]) -> String {
        let show = |update: &Update| format!("{} := {}", self.name(update.variable), self.show(update.value));
        updates.iter().map(show).collect::<Vec<_>>().join(", ")
    }

    /// A command on one line.
    pub fn show_command(&self, command: &Command) -> String {
        let mut text = format!("[{}", self.show(command.guard));
        if let Some(others) = command.others {
            write!(text, "; others {}", self.show(others)).expect("writing to a string cannot fail");
        }
        text += "]";
        if !command.updates.is_empty() {
            text = format!("{text} {}", self.show_updates(&command.updates));
        }
        if let Some(creation) = &command.creates {
            text = format!("{text} create {:?}({})", creation.entry, self.show_updates(&creation.values));
        }
        let outcome = match &command.outcome {
            Outcome::Go(to) => format!("{to:?}"),
            Outcome::End => "end".into(),
            Outcome::Halt => "halt".into(),
            Outcome::Fail(property) => format!("fail {}", property.index()),
            Outcome::Refuse(why) => format!("refuse {why:?}"),
        };
        format!("{text} -> {outcome}")
    }

    /// An expression; what is deep is cut short, since shared parts are written out.
    pub fn show(&self, e: ExprId) -> String {
        let mut text = String::new();
        self.show_into(&mut text, e, 12);
        text
    }

    fn show_into(&self, text: &mut String, e: ExprId, depth: u32) {
        if depth == 0 || text.len() > 2_000 {
            *text += "…";
            return;
        }
        let node = self.exprs.node(e);
        let word = match node {
            Node::Const(ty, value) => {
                let bits = ty.bits(self.exprs.pointer_bits());
                let number = signed(value, bits);
                let shown = if bits >= 8 && number < 0 && number > -1_000_000 {
                    number.to_string()
                } else {
                    value.to_string()
                };
                *text += &shown;
                return;
            }
            Node::Local(variable, _) => {
                *text += self.name(variable);
                return;
            }
            Node::Address(object) => format!("&{object:?}"),
            Node::Unary(Unary::Not, _) => "!".into(),
            Node::Unary(Unary::Neg, _) => "-".into(),
            Node::Binary(op, a, b) => {
                *text += "(";
                self.show_into(text, a, depth - 1);
                write!(text, " {} ", operator(op)).expect("writing to a string cannot fail");
                self.show_into(text, b, depth - 1);
                *text += ")";
                return;
            }
            Node::Convert(Convert::Reinterpret, _, a) => return self.show_into(text, a, depth - 1),
            Node::Convert(op, ty, _) => format!("{op:?}.{ty}").to_lowercase(),
            Node::Ite(..) => "ite".into(),
        };
        *text += &word;
        *text += "(";
        for (at, child) in node.children().enumerate() {
            *text += if at > 0 { ", " } else { "" };
            self.show_into(text, child, depth - 1);
        }
        *text += ")";
    }
}

/// The word for an operator.
pub fn operator(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::DivU => "/u",
        Binary::DivS => "/s",
        Binary::RemU => "%u",
        Binary::RemS => "%s",
        Binary::DivF => "/f",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::ShrU => ">>u",
        Binary::ShrS => ">>s",
        Binary::Eq => "==",
        Binary::LtU => "<u",
        Binary::LeU => "<=u",
        Binary::LtS => "<s",
        Binary::LeS => "<=s",
        Binary::LtF => "<f",
        Binary::LeF => "<=f",
    }
}
