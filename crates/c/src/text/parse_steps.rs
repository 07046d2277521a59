//! Reads bodies and steps. Labels are numbers or words; a step without one can only be fallen into.

use super::lex::Kind;
use super::operators::{MUTEX, SYNC, item};
use super::parse::{Outcome, Parser};
use crate::expr::ExprId;
use crate::op::{End, Op, Place, Range, SyncInit, SyncOp};
use crate::program::{LayoutId, Loc, LocalId, ProcId, PropertyId};
use crate::reach::{Lead, Reach, ReachKind};
use base::{Id, Span};
use std::collections::HashMap;

/// The labels of a body, and the jumps to be set when all are known.
#[derive(Default)]
struct Labels {
    defined: HashMap<String, Loc>,
    branches: Vec<(Loc, String)>,
    nexts: Vec<(Loc, String)>,
}

impl Labels {
    fn find(&self, label: &str) -> Outcome<Loc> {
        self.defined.get(label).copied().ok_or(format!("there is no label `{label}` in the body"))
    }
}

impl Parser {
    pub fn body(&mut self) -> Outcome<()> {
        let procedure = self.procedure()?;
        self.current = Some(procedure);
        self.expect("(")?;
        let mut params = vec![];
        while !self.mark(")") {
            params.push(self.local()?);
            self.mark(",");
        }
        self.builder.params(procedure, params);
        self.builder.begin(procedure);
        let mut labels = Labels::default();
        self.expect("{")?;
        while !self.mark("}") {
            self.step(procedure, &mut labels)?;
        }
        self.builder.end(procedure);
        for (loc, label) in &labels.branches {
            let to = labels.find(label)?;
            if let Op::Branch { target, .. } = &mut self.builder.at(*loc).op {
                *target = to;
            }
        }
        for (loc, label) in &labels.nexts {
            self.builder.at(*loc).next = labels.find(label)?;
        }
        self.current = None;
        Ok(())
    }

    fn step(&mut self, procedure: ProcId, labels: &mut Labels) -> Outcome<()> {
        let start = self.peek().start;
        let here = self.builder.here();
        if let Some(label) = self.label_here() {
            labels.defined.insert(label, here);
        }
        let op = self.op(here, labels)?;
        let span = Span { file: self.file, start, end: self.peek().start };
        self.builder.push(procedure, op, Some(span));
        self.builder.at(here).private = self.word("private");
        if self.mark("=>") {
            labels.nexts.push((here, self.label()?));
        }
        Ok(())
    }

    fn label(&mut self) -> Outcome<String> {
        match self.peek().kind.clone() {
            Kind::Number(false, number) => {
                self.take();
                Ok(number.to_string())
            }
            _ => self.name(),
        }
    }

    /// A label with its colon, if one stands here.
    fn label_here(&mut self) -> Option<String> {
        let before = self.position();
        let label = self.label().ok();
        if label.is_some() && self.mark(":") {
            return label;
        }
        self.back(before);
        None
    }

    fn op(&mut self, here: Loc, labels: &mut Labels) -> Outcome<Op> {
        let before = self.position();
        if let Ok(local) = self.local()
            && self.mark(":=")
        {
            return self.assignment(local);
        }
        self.back(before);
        let word = self.name()?;
        Ok(match word.as_str() {
            "skip" => Op::Skip,
            "store" => {
                let atomic = self.word("atomic");
                let place = self.place()?;
                self.expect(":=")?;
                Op::Store { place, value: self.expr()?, atomic }
            }
            "branch" => {
                let cond = self.expr()?;
                self.keyword("then")?;
                labels.branches.push((here, self.label()?));
                Op::Branch { cond, target: here }
            }
            "assume" => Op::Assume(self.expr()?),
            "assert" => {
                let cond = self.expr()?;
                self.keyword("property")?;
                Op::Assert { cond, property: self.id()? }
            }
            "error" => Op::Error(self.id::<PropertyId>()?),
            "free" => {
                let automatic = self.word("automatic");
                Op::Free { pointer: self.expr()?, automatic }
            }
            "enter" => Op::Enter(self.object()?),
            "leave" => Op::Leave(self.object()?),
            "create" => {
                let (template, args) = (self.procedure()?, self.args()?);
                Op::Create { template, args, handle: self.optional("handle")? }
            }
            "join" => {
                let handle = self.expr()?;
                Op::Join { handle, result: self.optional("result")?, code: self.optional("code")? }
            }
            "detach" => Op::Detach(self.expr()?),
            "exit" => Op::Exit(self.value()?),
            "halt" if self.word("return") => Op::Halt(End::Return),
            "halt" => Op::Halt(End::Exit),
            "section" if self.word("begin") => Op::SectionBegin,
            "section" => {
                self.keyword("end")?;
                Op::SectionEnd
            }
            "sync" => {
                let (op, place) = (self.sync()?, self.place()?);
                Op::Sync { op, place, code: self.optional("code")? }
            }
            "call" => {
                let (procedure, args) = (self.procedure()?, self.args()?);
                Op::Call { procedure, args, result: self.optional("result")? }
            }
            "return" => Op::Return(self.value()?),
            "reach" => Op::Reach(self.reach()?),
            "undefined" => Op::Undefined(self.text()?),
            "refuse" => Op::Refuse(self.text()?),
            _ => return Err(format!("`{word}` is no step")),
        })
    }

    /// What stands after `local :=`.
    fn assignment(&mut self, local: LocalId) -> Outcome<Op> {
        if self.word("any") {
            return self.choose(local);
        }
        if self.word("load") {
            let atomic = self.word("atomic");
            return Ok(Op::Load { local, place: self.place()?, atomic });
        }
        if self.word("me") {
            return Ok(Op::Me(local));
        }
        if self.word("sizeof") {
            return Ok(Op::Size { local, pointer: self.expr()? });
        }
        if self.word("alloc") {
            let layout: LayoutId = self.id()?;
            self.expect("*")?;
            let count = self.expr()?;
            let (zeroed, automatic) = (self.word("zeroed"), self.word("automatic"));
            return Ok(Op::Alloc { local, layout, count, zeroed, automatic });
        }
        if self.word("rmw") {
            let place = self.place()?;
            self.expect(":=")?;
            let value = self.expr()?;
            let guard = if self.word("if") { Some(self.expr()?) } else { None };
            let success = self.optional("success")?;
            return Ok(Op::Rmw { old: local, place, guard, value, success, weak: self.word("weak") });
        }
        Ok(Op::Assign { local, value: self.expr()? })
    }

    fn choose(&mut self, local: LocalId) -> Outcome<Op> {
        let range = self.range()?;
        let origin = if self.word("from") { Some(self.id()?) } else { None };
        Ok(Op::Choose { local, range, origin })
    }

    fn range(&mut self) -> Outcome<Option<Range>> {
        if !matches!(self.peek().kind, Kind::Number(..)) {
            return Ok(None);
        }
        // A number here is a bound, unless it is the label of the next step.
        let before = self.position();
        let low = self.signed()?;
        if !self.mark("..") {
            self.back(before);
            return Ok(None);
        }
        let high = self.signed()?;
        let signed = self.word("signed");
        if !signed {
            self.keyword("unsigned")?;
        }
        Ok(Some(Range { low, high, signed }))
    }

    fn keyword(&mut self, word: &str) -> Outcome<()> {
        if self.word(word) { Ok(()) } else { Err(format!("`{word}` is expected")) }
    }

    fn id<I: Id>(&mut self) -> Outcome<I> {
        self.number::<u32>().map(|number| I::from_index(number as usize))
    }

    fn optional(&mut self, word: &str) -> Outcome<Option<LocalId>> {
        if self.word(word) { self.local().map(Some) } else { Ok(None) }
    }

    /// The value of an `exit` or `return`, if there is one.
    fn value(&mut self) -> Outcome<Option<ExprId>> {
        if self.word("with") { self.expr().map(Some) } else { Ok(None) }
    }

    fn args(&mut self) -> Outcome<Vec<ExprId>> {
        self.expect("(")?;
        let mut args = vec![];
        while !self.mark(")") {
            args.push(self.expr()?);
            self.mark(",");
        }
        Ok(args)
    }

    fn reach(&mut self) -> Outcome<Reach> {
        let word = self.name()?;
        let kind = match word.as_str() {
            "count" => ReachKind::Count(self.local()?),
            "write" => ReachKind::Write(self.expr()?),
            "pick" => ReachKind::Pick(self.local()?),
            _ => return Err(format!("`{word}` is nothing that an external function does")),
        };
        self.keyword("from")?;
        let origin = self.id()?;
        self.keyword("own")?;
        let layout = self.id()?;
        self.expect("*")?;
        let count = self.number()?;
        self.expect("(")?;
        let mut leads = vec![];
        while !self.mark(")") {
            let constant = self.word("const");
            leads.push(Lead { pointer: self.expr()?, constant });
            self.mark(",");
        }
        Ok(Reach { leads, layout, count, origin, kind })
    }

    fn place(&mut self) -> Outcome<Place> {
        self.expect("[")?;
        let place = if self.mark("*") {
            Place::Pointer { pointer: self.expr()?, offset: self.offset()? }
        } else {
            let object = self.object()?;
            if self.word("at") {
                Place::Indexed { object, offset: self.expr()? }
            } else {
                Place::Object { object, offset: self.offset()? }
            }
        };
        self.expect("]")?;
        Ok(place)
    }

    fn sync(&mut self) -> Outcome<SyncOp> {
        let word = self.name()?;
        match word.as_str() {
            "init" => self.sync_init().map(SyncOp::Init),
            "wait" | "timedwait" => Ok(SyncOp::CondWait { mutex: self.place()?, timed: word == "timedwait" }),
            _ => item(&SYNC, &word).ok_or(format!("`{word}` is no operation on synchronisation objects")),
        }
    }

    fn sync_init(&mut self) -> Outcome<SyncInit> {
        let word = self.name()?;
        Ok(match word.as_str() {
            "mutex" => {
                let kind = self.name()?;
                SyncInit::Mutex(item(&MUTEX, &kind).ok_or(format!("`{kind}` is no kind of mutex"))?)
            }
            "rwlock" => SyncInit::RwLock,
            "cond" => SyncInit::Cond,
            "barrier" => SyncInit::Barrier(self.expr()?),
            "semaphore" => SyncInit::Semaphore(self.expr()?),
            "once" => SyncInit::Once,
            _ => return Err(format!("`{word}` is no synchronisation object")),
        })
    }
}
