//! Reads the text form: declarations, and expressions without recursion. The first error ends it: people
//! rarely write this form.

use super::lex::{Kind, Token, tokens};
use super::operators::{BINARY, CONVERT, UNARY, item, ty};
use crate::builder::Builder;
use crate::expr::{Binary, Convert, ExprId, Exprs, Node, Unary};
use crate::origin::{ChoiceOrigin, OriginKind};
use crate::program::{LocalId, LocalScope, ObjectId, ProcId, Program, PropertySite};
use crate::types::{Cell, CellType, Constant, Layout, Object, ObjectScope, SyncKind, Type};
use base::class::Class;
use base::{Diagnostic, Diagnostics, FileId, Id, Span};
use std::collections::HashMap;

/// The program that a text describes, if it is a valid one. Spans of steps are places in the text.
pub fn parse(text: &str, file: FileId) -> Result<Program, Diagnostics> {
    let failed = |(start, message): (u32, String)| {
        let mut found = Diagnostics::new();
        found.push(Diagnostic::error("E1920", Span { file, start, end: start }, message));
        found
    };
    let tokens = tokens(text).map_err(failed)?;
    let mut parser = Parser::new(tokens, file);
    parser.program().map_err(|message| failed((parser.peek().start, message)))?;
    parser.builder.finish()
}

/// What is wrong at the current token.
pub(super) type Outcome<T> = Result<T, String>;

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    pub file: FileId,
    pub builder: Builder,
    objects: HashMap<String, ObjectId>,
    procedures: HashMap<String, ProcId>,
    locals: HashMap<(LocalScope, String), LocalId>,
    named: HashMap<u128, ExprId>,
    /// The procedure whose body is read.
    pub current: Option<ProcId>,
}

/// An operator that waits for its operands.
enum Operator {
    Unary(Unary),
    Binary(Binary),
    Convert(Convert, Type),
    Ite,
}

impl Parser {
    fn new(tokens: Vec<Token>, file: FileId) -> Self {
        Self {
            tokens,
            at: 0,
            file,
            builder: Builder::new(64),
            objects: HashMap::new(),
            procedures: HashMap::new(),
            locals: HashMap::new(),
            named: HashMap::new(),
            current: None,
        }
    }

    // ---- tokens
    // ----------------------------------------------------------------------------------------------------

    pub fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    pub fn take(&mut self) -> Kind {
        let kind = self.tokens[self.at].kind.clone();
        // The last token is the end, which is never passed.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        kind
    }

    /// Where the reading stands, to come back to.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position.
    pub fn back(&mut self, position: usize) {
        self.at = position;
    }

    pub fn mark(&mut self, mark: &'static str) -> bool {
        let found = self.peek().kind == Kind::Mark(mark);
        self.at += usize::from(found);
        found
    }

    pub fn word(&mut self, word: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Word(it) if it == word);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, mark: &'static str) -> Outcome<()> {
        if self.mark(mark) { Ok(()) } else { Err(format!("`{mark}` is expected")) }
    }

    pub fn name(&mut self) -> Outcome<String> {
        match self.peek().kind.clone() {
            Kind::Word(name) | Kind::Quoted(name) => {
                self.take();
                Ok(name)
            }
            _ => Err("a name is expected".into()),
        }
    }

    pub fn text(&mut self) -> Outcome<String> {
        match self.peek().kind.clone() {
            Kind::Quoted(text) => {
                self.take();
                Ok(text)
            }
            _ => Err("a text in quotes is expected".into()),
        }
    }

    pub fn number<T: TryFrom<u128>>(&mut self) -> Outcome<T> {
        match self.peek().kind {
            Kind::Number(false, number) => {
                let number = T::try_from(number).map_err(|_| "the number is too large".to_string())?;
                self.take();
                Ok(number)
            }
            _ => Err("a number is expected".into()),
        }
    }

    pub fn signed(&mut self) -> Outcome<i128> {
        match self.peek().kind {
            Kind::Number(true, number) if number <= 1 << 127 => {
                self.take();
                Ok((number as i128).wrapping_neg())
            }
            Kind::Number(true, _) => Err("the number is too small".into()),
            _ => self.number(),
        }
    }

    pub fn offset(&mut self) -> Outcome<i64> {
        i64::try_from(self.signed()?).map_err(|_| "the offset is too large".into())
    }

    // ---- names
    // -----------------------------------------------------------------------------------------------------

    pub fn procedure(&mut self) -> Outcome<ProcId> {
        let name = self.name()?;
        self.procedures.get(&name).copied().ok_or(format!("there is no procedure `{name}`"))
    }

    pub fn object(&mut self) -> Outcome<ObjectId> {
        let name = self.name()?;
        self.objects.get(&name).copied().ok_or(format!("there is no object `{name}`"))
    }

    pub fn local(&mut self) -> Outcome<LocalId> {
        let (scope, name) = self.local_name()?;
        self.locals.get(&(scope, name.clone())).copied().ok_or(format!("there is no register `{name}`"))
    }

    fn local_name(&mut self) -> Outcome<(LocalScope, String)> {
        if self.mark("@") {
            return Ok((LocalScope::Thread, self.name()?));
        }
        let name = self.name()?;
        if self.mark("::") {
            let procedure = self.procedures.get(&name).copied();
            let procedure = procedure.ok_or(format!("there is no procedure `{name}`"))?;
            return Ok((LocalScope::Procedure(procedure), self.name()?));
        }
        let current = self.current.ok_or("a register is named outside a body".to_string())?;
        Ok((LocalScope::Procedure(current), name))
    }

    pub fn ty(&mut self) -> Outcome<Type> {
        let word = self.name()?;
        ty(&word).ok_or(format!("`{word}` is no type"))
    }

    fn constant(&mut self) -> Outcome<Constant> {
        if self.mark("&") {
            let object = self.object()?;
            return Ok(Constant::Address(object, self.offset()?));
        }
        self.number().map(Constant::Bits)
    }

    // ---- declarations
    // ----------------------------------------------------------------------------------------------

    fn program(&mut self) -> Outcome<()> {
        while self.peek().kind != Kind::End {
            let word = self.name()?;
            match word.as_str() {
                "pointer" => {
                    let bits = self.number()?;
                    if !self.builder.draft().exprs().is_empty() {
                        return Err("`pointer` comes first".into());
                    }
                    *self.builder.exprs() = Exprs::new(bits);
                }
                "layout" => self.layout()?,
                "procedure" => {
                    let name = self.name()?;
                    let result = if self.mark("=>") { Some(self.ty()?) } else { None };
                    let id = self.builder.declare(name.clone(), result);
                    self.procedures.insert(name, id);
                }
                "main" => {
                    let main = self.procedure()?;
                    self.builder.main(main);
                }
                "object" => self.declare_object()?,
                "init" => self.init()?,
                "local" => self.declare_local()?,
                "property" => {
                    let text = self.text()?;
                    let class = if self.word("error") {
                        Class::ERROR_CALL
                    } else if self.word("label") {
                        Class::ERROR_LABEL
                    } else {
                        Class::ASSERTION
                    };
                    self.builder.property(PropertySite { class, text, span: None });
                }
                "origin" => self.declare_origin()?,
                "expr" => {
                    let number = self.number()?;
                    self.expect("=")?;
                    let e = self.expr()?;
                    self.named.insert(number, e);
                }
                "body" => self.body()?,
                _ => return Err(format!("`{word}` starts no declaration")),
            }
        }
        Ok(())
    }

    fn layout(&mut self) -> Outcome<()> {
        let number: usize = self.number()?;
        if !self.word("stride") {
            return Err("`stride` is expected".into());
        }
        let stride = self.number()?;
        let mut cells = vec![];
        self.expect("{")?;
        while !self.mark("}") {
            let offset = self.number()?;
            let word = self.name()?;
            let ty = match SyncKind::ALL.into_iter().find(|kind| kind.word() == word) {
                Some(kind) => CellType::Sync(kind, self.number()?),
                None => CellType::Scalar(ty(&word).ok_or(format!("`{word}` is no type"))?),
            };
            cells.push(Cell { offset, ty, name: self.text()? });
        }
        let id = self.builder.layout(Layout { stride, cells });
        if id.index() != number { Err("layouts are out of order or equal".into()) } else { Ok(()) }
    }

    fn declare_object(&mut self) -> Outcome<()> {
        let name = self.name()?;
        let scope = match self.name()?.as_str() {
            "static" => ObjectScope::Static,
            "thread" => ObjectScope::Thread,
            "of" => ObjectScope::Procedure(self.procedure()?),
            word => return Err(format!("`{word}` is no scope")),
        };
        let layout = crate::LayoutId::from_index(self.number::<u32>()? as usize);
        self.expect("*")?;
        let count = self.number()?;
        let constant = self.word("constant");
        let id =
            self.builder.object(Object { name: name.clone(), scope, layout, count, init: vec![], constant });
        self.objects.insert(name, id);
        Ok(())
    }

    fn init(&mut self) -> Outcome<()> {
        let object = self.object()?;
        let cell = self.number()?;
        self.expect("=")?;
        let value = self.constant()?;
        self.builder.object_mut(object).init.push((cell, value));
        Ok(())
    }

    fn declare_origin(&mut self) -> Outcome<()> {
        let word = self.name()?;
        let kind = item(&OriginKind::ALL, &word).ok_or(format!("`{word}` is no kind of origin"))?;
        let (function, stores) = (self.text()?, self.word("stores"));
        self.builder.origin(ChoiceOrigin { kind, function, stores });
        Ok(())
    }

    fn declare_local(&mut self) -> Outcome<()> {
        let (scope, name) = self.local_name()?;
        let ty = self.ty()?;
        let id = self.builder.local(name.clone(), scope, ty);
        let signed = self.word("signed");
        let temporary = self.word("temporary");
        let init = if self.mark("=") { self.constant()? } else { Constant::Bits(0) };
        let local = self.builder.local_mut(id);
        (local.signed, local.temporary, local.init) = (signed, temporary, init);
        self.locals.insert((scope, name), id);
        Ok(())
    }

    // ---- expressions
    // -----------------------------------------------------------------------------------------------

    pub fn expr(&mut self) -> Outcome<ExprId> {
        let mut open: Vec<(Operator, Vec<ExprId>)> = vec![];
        loop {
            let done = if self.mark("(") {
                open.push((self.operator()?, vec![]));
                continue;
            } else if self.mark(")") {
                let (operator, operands) = open.pop().ok_or("`)` closes nothing".to_string())?;
                self.apply(operator, &operands)?
            } else {
                self.leaf()?
            };
            match open.last_mut() {
                Some((_, operands)) => operands.push(done),
                None => return Ok(done),
            }
        }
    }

    fn operator(&mut self) -> Outcome<Operator> {
        let word = self.name()?;
        if let Some(op) = item(&UNARY, &word) {
            return Ok(Operator::Unary(op));
        }
        if let Some(op) = item(&BINARY, &word) {
            return Ok(Operator::Binary(op));
        }
        if let Some(op) = item(&CONVERT, &word) {
            return Ok(Operator::Convert(op, self.ty()?));
        }
        if word == "ite" { Ok(Operator::Ite) } else { Err(format!("`{word}` is no operator")) }
    }

    fn apply(&mut self, operator: Operator, operands: &[ExprId]) -> Outcome<ExprId> {
        let node = match (operator, operands) {
            (Operator::Unary(op), &[a]) => Node::Unary(op, a),
            (Operator::Binary(op), &[a, b]) => Node::Binary(op, a, b),
            (Operator::Convert(op, ty), &[a]) => Node::Convert(op, ty, a),
            (Operator::Ite, &[a, b, c]) => Node::Ite(a, b, c),
            _ => return Err("an operator has the wrong number of operands".into()),
        };
        Ok(self.builder.exprs().add(node))
    }

    fn leaf(&mut self) -> Outcome<ExprId> {
        if self.mark("&") {
            let object = self.object()?;
            return Ok(self.builder.address(object));
        }
        if self.mark("=") {
            let number: u128 = self.number()?;
            return self.named.get(&number).copied().ok_or(format!("there is no expression {number}"));
        }
        if let Kind::Number(negative, number) = self.peek().kind {
            self.take();
            self.expect(":")?;
            let ty = self.ty()?;
            let number = if negative { number.wrapping_neg() } else { number };
            return Ok(self.builder.exprs().number(ty, number));
        }
        let local = self.local()?;
        Ok(self.builder.read(local))
    }
}
