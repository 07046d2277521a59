//! Expressions by operator precedence (Dijkstra's shunting yard), on a stack of our own: a million
//! parentheses are no problem.

use super::ast::{Bytes, Expr, Item, List, Reading};
use super::cursor::{Broken, Parser};
use super::token::{Kind, Word};

/// What waits on the stack for its right operand or its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Not,
    Infix(Kind, u8),
    /// `? .. :` was read; the last operand comes.
    Otherwise,
    /// The rest wait for a closing sign, and nothing to their left may be closed before.
    Question,
    Open,
    ChooseFirst,
    ChooseSecond,
}

impl Pending {
    fn is_barrier(self) -> bool {
        !matches!(self, Pending::Not | Pending::Infix(..) | Pending::Otherwise)
    }

    /// How tightly it holds its operand.
    fn level(self) -> u8 {
        match self {
            Pending::Not => u8::MAX,
            Pending::Infix(_, level) => level,
            _ => 1,
        }
    }

    fn closed_by(self) -> &'static str {
        match self {
            Pending::Question => "`:`",
            Pending::ChooseFirst => "`,`",
            Pending::ChooseSecond => "`]`",
            _ => "`)`",
        }
    }
}

/// An expression under construction.
#[derive(Default)]
struct Yard {
    pending: Vec<Pending>,
    /// For each finished operand: its outermost operator, unless parentheses hide it.
    operands: Vec<Option<Kind>>,
    /// Whether two dialects would read this differently.
    unclear: bool,
}

impl Parser<'_, '_> {
    /// An expression; on an error it is reported and nothing is left in the pools.
    pub fn expr(&mut self) -> Result<Expr, Broken> {
        let (first, from) = (self.unit.items.len(), self.peek().start);
        let mut yard = Yard::default();
        loop {
            let done = self.operand(&mut yard).and_then(|()| self.operator(&mut yard));
            match done {
                Ok(false) => {}
                Ok(true) => break,
                Err(broken) => {
                    self.unit.items.truncate(first);
                    return Err(broken);
                }
            }
        }
        let bytes = (from, self.last_end());
        if yard.unclear {
            self.unclear.push(bytes);
        }
        let items = List { start: first as u32, end: self.unit.items.len() as u32 };
        Ok(Expr { items, bytes })
    }

    /// A constant expression in place of one that is broken.
    pub fn any_expr(&mut self, bytes: Bytes) -> Expr {
        let start = self.unit.items.len() as u32;
        self.unit.items.push(Item::Choice);
        Expr { items: List { start, end: start + 1 }, bytes }
    }

    /// Prefix signs and one operand.
    fn operand(&mut self, yard: &mut Yard) -> Result<(), Broken> {
        loop {
            let token = self.peek();
            let item = match token.kind {
                Kind::Not => {
                    self.bump();
                    yard.pending.push(Pending::Not);
                    continue;
                }
                Kind::Open => {
                    self.bump();
                    yard.pending.push(Pending::Open);
                    continue;
                }
                Kind::Word(Word::Schoose) => {
                    self.bump();
                    self.expect(Kind::OpenBracket)?;
                    yard.pending.push(Pending::ChooseFirst);
                    continue;
                }
                Kind::Star | Kind::Question => {
                    self.bump();
                    Item::Choice
                }
                Kind::Number => self.constant()?,
                Kind::Name if matches!(self.spelled(token), "T" | "F") => {
                    self.bump();
                    Item::Const(self.spelled(token) == "T")
                }
                Kind::Name | Kind::Tick | Kind::OpenBracket => Item::Read(self.reading()?),
                _ => return Err(self.unexpected("an expression")),
            };
            self.unit.items.push(item);
            yard.operands.push(None);
            return Ok(());
        }
    }

    /// `x`, `'x`, `[x]` or `'[x]`
    pub fn reading(&mut self) -> Result<Reading, Broken> {
        let ticked = self.eat(Kind::Tick);
        let bracketed = self.eat(Kind::OpenBracket);
        let name = self.variable_name()?;
        if bracketed {
            self.expect(Kind::CloseBracket)?;
        }
        if self.peek().kind == Kind::Open {
            let help = "write `x := f(a);` as a statement of its own, then use `x`";
            return Err(self.error("E0116", name.bytes, "a call cannot stand inside an expression", help));
        }
        Ok(Reading { name, ticked, bracketed })
    }

    /// The sign after an operand; `true` if the expression ends before it.
    fn operator(&mut self, yard: &mut Yard) -> Result<bool, Broken> {
        loop {
            let kind = self.peek().kind;
            if let Some(binding) = self.dialect.binding(kind) {
                self.reduce(yard, |top| {
                    top.level() > binding.level || (top.level() == binding.level && !binding.right)
                });
                let pending = match kind {
                    Kind::Question => Pending::Question,
                    _ => Pending::Infix(kind, binding.level),
                };
                yard.pending.push(pending);
                self.bump();
                return Ok(false);
            }
            self.reduce(yard, |_| true);
            match (yard.pending.last(), kind) {
                (None, _) => return Ok(true),
                (Some(Pending::Open), Kind::Close) => {
                    yard.pending.pop();
                    yard.hide();
                    self.bump();
                }
                (Some(Pending::ChooseSecond), Kind::CloseBracket) => {
                    yard.pending.pop();
                    self.finish(yard, Item::Choose, 2);
                    self.bump();
                }
                (Some(Pending::ChooseFirst), Kind::Comma) => {
                    return Ok(self.replace(yard, Pending::ChooseSecond));
                }
                (Some(Pending::Question), Kind::Colon) => {
                    return Ok(self.replace(yard, Pending::Otherwise));
                }
                (Some(&open), _) => return Err(self.unexpected(open.closed_by())),
            }
        }
    }

    fn replace(&mut self, yard: &mut Yard, by: Pending) -> bool {
        yard.pending.pop();
        yard.pending.push(by);
        self.bump();
        false
    }

    /// Finishes operators from the top of the stack, up to a barrier, while they hold their operands tightly
    /// enough.
    fn reduce(&mut self, yard: &mut Yard, tight: impl Fn(Pending) -> bool) {
        while let Some(&top) = yard.pending.last() {
            if top.is_barrier() || !tight(top) {
                return;
            }
            yard.pending.pop();
            match top {
                Pending::Infix(kind, _) => self.finish_infix(yard, kind),
                Pending::Otherwise => self.finish(yard, Item::Ite, 3),
                _ => self.finish(yard, Item::Not, 1),
            }
        }
    }

    fn finish(&mut self, yard: &mut Yard, item: Item, operands: usize) {
        self.unit.items.push(item);
        yard.operands.truncate(yard.operands.len() - operands);
        yard.operands.push(None);
    }

    fn finish_infix(&mut self, yard: &mut Yard, kind: Kind) {
        let at = yard.operands.len() - 2;
        let inner = yard.operands[at..].iter().flatten();
        yard.unclear |= inner.copied().any(|inner| differs(kind, inner));
        let item = match kind {
            Kind::And => Item::And,
            Kind::Or => Item::Or,
            Kind::Equal => Item::Equal,
            Kind::Implies => Item::Implies,
            _ => Item::Xor,
        };
        self.finish(yard, item, 2);
        *yard.operands.last_mut().expect("an operand was finished") = Some(kind);
    }
}

impl Yard {
    /// Parentheses close around the last operand.
    fn hide(&mut self) {
        if let Some(last) = self.operands.last_mut() {
            *last = None;
        }
    }
}

/// Whether some dialects let the one operator bind tighter and some the other.
fn differs(outer: Kind, inner: Kind) -> bool {
    let equality = |kind| matches!(kind, Kind::Equal | Kind::Unequal);
    match (outer, inner) {
        (Kind::Or, Kind::Xor) | (Kind::Xor, Kind::Or) | (Kind::Implies, Kind::Implies) => true,
        _ => equality(outer) != equality(inner),
    }
}
