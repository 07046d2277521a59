//! Reads predicates that a user names: C conditions without effects over the program's variables, such as
//! `count > before` or `worker::k + 1 < limit`. A plain name is a shared variable, or else a variable of
//! whichever thread the condition is about; `function::name` is that of the threads that begin in this
//! function, `::name` a shared one; `&name`, `&name[3]` and `&name.member` are addresses, and so are names of
//! arrays and functions. Types and conversions are C's, with `int` of 32 bits.

use super::defaults::Predicated;
use crate::pairs::templates::Templates;
use base::{Budget, Stop};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, ProcId, TRUTH, Type};
use relation::{Home, Relation};
use rustc_hash::FxHashSet;

pub use names::{Names, ProgramNames};

mod casts;
mod names;
mod parse;
pub mod print;
mod tokens;

/// How a message begins that is about a name that nothing has.
const NO_VARIABLE: &str = "there is no variable";

/// What is said of floats.
const NO_FLOATS: &str = "floating-point numbers have no place in predicates";

/// The most predicates that can be named; no proof has so many.
const MOST_CONDITIONS: usize = 1_000;

/// The most of a text that messages repeat.
const SHOWN: usize = 80;

/// The nesting that a condition may have.
const DEEPEST: usize = 100;

/// Conditions as users write them, with what their names stand for.
pub struct Written<'a> {
    /// The conditions.
    pub texts: &'a [String],
    /// What names stand for.
    pub names: &'a dyn Names,
}

/// An invalid predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misread {
    /// Its number among those that were given.
    pub condition: usize,
    /// The condition and what is wrong with it.
    pub message: String,
}

/// The predicates that these conditions stand for, after the bits of small variables that guards read, such
/// as locks; or what is wrong with a condition.
pub fn of_conditions(
    relation: &Relation,
    written: &Written<'_>,
    budget: &Budget,
) -> Result<Result<Predicated, Misread>, Stop> {
    let mut templates = Templates::new(relation, relation.exprs.clone(), budget);
    templates.small();
    let mut conditions = templates.predicates().to_vec();
    let mut exprs = templates.exprs;
    match read(relation, written, &mut exprs, budget)? {
        Ok(found) => conditions.extend(found),
        Err(why) => return Ok(Err(why)),
    }
    let conditions = crate::pairs::distinct::distinct(relation, &exprs, &conditions, budget)?;
    Ok(Ok(Predicated { exprs, conditions, pairs: vec![] }))
}

/// What is wrong with one of these conditions, if something is.
pub fn misread(relation: &Relation, written: &Written<'_>, budget: &Budget) -> Result<Option<Misread>, Stop> {
    let mut exprs = relation.exprs.clone();
    Ok(read(relation, written, &mut exprs, budget)?.err())
}

/// The conditions as expressions, each once.
fn read(
    relation: &Relation,
    written: &Written<'_>,
    exprs: &mut Exprs,
    budget: &Budget,
) -> Result<Result<Vec<ExprId>, Misread>, Stop> {
    let mut found = vec![];
    let mut seen = FxHashSet::default();
    for (condition, text) in written.texts.iter().enumerate() {
        budget.spend(1 + text.len() as u64 / 16)?;
        match one(relation, written, exprs, text) {
            Ok(read) => found.extend(read.into_iter().filter(|it| seen.insert(*it))),
            Err(why) => {
                return Ok(Err(Misread { condition, message: format!("`{}`: {why}", shown(text)) }));
            }
        }
        if found.len() > MOST_CONDITIONS {
            let message = format!("more than {MOST_CONDITIONS} different predicates are named");
            return Ok(Err(Misread { condition, message }));
        }
    }
    Ok(Ok(found))
}

/// The beginning of a text that may be of any length.
fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(SHOWN).collect();
    if cut.len() < text.len() {
        cut += "…";
    }
    cut
}

/// One condition; it may stand for several, where threads of several functions have variables of these names.
fn one(
    relation: &Relation,
    written: &Written<'_>,
    exprs: &mut Exprs,
    text: &str,
) -> Result<Vec<ExprId>, String> {
    let tokens = tokens::tokens(text)?;
    let mut found: Vec<ExprId> = vec![];
    let mut wrong = None;
    for template in super::templates(relation) {
        let scope = Scope { relation, written, template };
        match parse::condition(&scope, exprs, &tokens) {
            Ok(condition) if exprs.locals(condition).is_empty() => {
                wrong.get_or_insert("it reads no variable".into());
            }
            Ok(condition) if found.contains(&condition) => {}
            Ok(condition) => found.push(condition),
            // Of a template that has the variables the message says more.
            Err(why) if wrong.as_ref().is_none_or(|it: &String| it.starts_with(NO_VARIABLE)) => {
                wrong = Some(why)
            }
            Err(_) => {}
        }
    }
    match wrong {
        Some(why) if found.is_empty() => Err(why),
        _ => Ok(found),
    }
}

/// What names mean in threads of a template.
struct Scope<'a> {
    relation: &'a Relation,
    written: &'a Written<'a>,
    template: ProcId,
}

/// An operand.
#[derive(Clone, Copy)]
struct Operand {
    expr: ExprId,
    signed: bool,
    /// Whether it is a pointer whose sums count bytes.
    bytes: bool,
}

impl Operand {
    fn of(expr: ExprId, signed: bool) -> Operand {
        Operand { expr, signed, bytes: false }
    }
}

impl Scope<'_> {
    /// A variable, or an array or a function, which stand for their addresses.
    fn named(&self, exprs: &mut Exprs, name: &str) -> Result<Operand, String> {
        // In C a local hides an array of its name, whichever thread has it.
        let hidden = self.relation.variables.iter().any(|it| it.home != Home::Choice && it.name == name);
        let found = self.variable(exprs, name);
        if hidden || found.is_ok() {
            return found;
        }
        let number = self.written.names.number(name, true);
        number.map_or(found, |it| Ok(Operand::of(exprs.number(Type::Pointer, it), false)))
    }

    /// The address of an object: a number, or a variable where each run chooses it.
    fn address(&self, exprs: &mut Exprs, name: &str) -> Result<Operand, String> {
        let chosen = match name.split_once("::") {
            Some((function, plain)) => format!("{function}::&{plain}"),
            None => format!("&{name}"),
        };
        match (self.variable(exprs, &chosen), self.written.names.number(name, false)) {
            (Ok(variable), _) => Ok(variable),
            (Err(_), Some(number)) => Ok(Operand::of(exprs.number(Type::Pointer, number), false)),
            (Err(why), None) if why.starts_with(NO_VARIABLE) => {
                Err(format!("{NO_VARIABLE} `{}` whose address is followed", shown(name)))
            }
            (Err(why), None) => Err(why),
        }
    }

    fn variable(&self, exprs: &mut Exprs, name: &str) -> Result<Operand, String> {
        let (function, plain) = match name.split_once("::") {
            Some((function, plain)) => (Some(function), plain),
            None => (None, name),
        };
        let fits = |home: Home| match (function, home) {
            (_, Home::Choice) => false,
            (None, Home::Template(it)) => it == self.template,
            (None, _) => true,
            (Some(""), Home::Template(_)) => false,
            (Some(""), _) => true,
            (Some(function), Home::Template(it)) => self.written.names.function(it) == function,
            (Some(_), _) => false,
        };
        // The names of some variables have a function in front themselves, where a plain one would be
        // another's too.
        let whole = |home: Home| match home {
            Home::Choice => false,
            Home::Template(it) => it == self.template,
            _ => true,
        };
        let found: Vec<LocalId> = self
            .relation
            .variables
            .enumerate()
            .filter(|(_, it)| it.name == plain && fits(it.home) || it.name == name && whole(it.home))
            .map(|(id, _)| id)
            .collect();
        match found[..] {
            [variable] => {
                let about = &self.relation.variables[variable];
                let expr = exprs.add(Node::Local(variable, about.ty));
                Ok(Operand::of(expr, about.signed))
            }
            [] => Err(format!("{NO_VARIABLE} `{}`", shown(name))),
            _ => Err(format!("`{name}` may be several variables; write `function::{plain}`")),
        }
    }
}

/// A number as a truth value: whether it is not 0.
fn truth(exprs: &mut Exprs, it: Operand) -> ExprId {
    let ty = exprs.ty(it.expr);
    if ty == TRUTH {
        return it.expr;
    }
    let zero = exprs.number(ty, 0);
    let equal = exprs.binary(Binary::Eq, it.expr, zero);
    exprs.not(equal)
}

/// Both operands with C's common type.
fn converted(exprs: &mut Exprs, a: Operand, b: Operand) -> Result<[Operand; 2], String> {
    let [left, right] = [a, b].map(|it| exprs.ty(it.expr));
    if left == Type::Pointer || right == Type::Pointer {
        return pointers(exprs, a, b);
    }
    let (Type::Bits(left), Type::Bits(right)) = (left, right) else {
        return Err(NO_FLOATS.into());
    };
    let bits = left.max(right).max(32);
    // A narrower unsigned number fits into the signed common type.
    let unsigned = |it: Operand, own: u8| !it.signed && own == bits;
    let signed = !unsigned(a, left) && !unsigned(b, right);
    let widen = |exprs: &mut Exprs, it: Operand, own: u8| {
        let operator = if it.signed { Convert::SignExtend } else { Convert::ZeroExtend };
        let expr = if own == bits { it.expr } else { exprs.convert(operator, Type::Bits(bits), it.expr) };
        Operand::of(expr, signed)
    };
    Ok([widen(exprs, a, left), widen(exprs, b, right)])
}

/// Pointers are compared with each other and with 0.
fn pointers(exprs: &mut Exprs, a: Operand, b: Operand) -> Result<[Operand; 2], String> {
    let null = exprs.number(Type::Pointer, 0);
    let mut both = [a, b];
    for it in &mut both {
        if exprs.ty(it.expr) != Type::Pointer {
            if exprs.constant(it.expr) != Some(0) {
                return Err("a pointer is compared with a number that is not 0".into());
            }
            *it = Operand::of(null, false);
        }
    }
    Ok(both)
}
